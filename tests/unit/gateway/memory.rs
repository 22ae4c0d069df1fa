//! Unit tests of `src/gateway/memory.rs`.

use super::*;

#[test]
fn filters_match_as_the_mqtt_specification_says() {
    assert!(matches("zwave/#", "zwave/a/b"));
    assert!(matches("zwave/#", "zwave"));
    assert!(matches("zwave/+/status", "zwave/x/status"));
    assert!(matches("zwave/Attic//x", "zwave/Attic//x"));
    assert!(!matches("zwave/+/status", "zwave/x/y/status"));
    assert!(!matches("zwave/+", "zwave"));
    assert!(matches("öko/#", "öko/a") && matches("$zw/#", "$zw/a"));
}
