//! Unit tests of `src/logging.rs`.

use std::io::Write;

use super::*;

#[test]
fn event_stays_on_one_line() {
    let mut written = Vec::new();
    let mut redacting = Redacting {
        output: &mut written,
        redactor: Redactor::new(["s3cret"]),
        is_single_line: true,
    };
    redacting.write_all(b"a\nb\r\ns3cret\n").unwrap();
    redacting.write_all("gateway \u{202e}eman\n".as_bytes()).unwrap();
    assert_eq!(written, b"a\\nb\\n***\ngateway eman\n");
}
