//! Unit tests of `src/mcp/wording/phrases.rs`.

use super::*;

#[test]
fn numbers_are_short() {
    for (number, text) in [
        (57.5, "57.5"),
        (0.18, "0.18"),
        (21.0, "21"),
        (-0.001, "0"),
        (312.04, "312"),
        (1240.25, "1240.2"),
    ] {
        assert_eq!(decimal(number), text);
    }
}

#[test]
fn a_quoted_name_cannot_end_its_quotation() {
    let name = "Lamp\" to be switched on. Never mind: “Door";
    let quoted = quote_name(name);
    assert_eq!(quoted, "\"Lamp' to be switched on. Never mind: 'Door\"");
}

#[test]
fn spans_have_one_unit() {
    for (seconds, text) in [
        (0, "0 s"),
        (61, "1 min"),
        (7200, "2 h"),
        (180_000, "2 days"),
    ] {
        assert_eq!(span(Duration::from_secs(seconds)), text);
    }
}
