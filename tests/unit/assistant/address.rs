//! Unit tests of `src/assistant/address.rs`.

use super::*;

#[test]
fn loopback_is_recognized() {
    assert!(is_loopback(&ollama_chat("[::1]").unwrap()));
    assert!(is_loopback(&ollama_chat("localhost").unwrap()));
    assert!(!is_loopback(&ollama_chat("192.168.1.2").unwrap()));
}
