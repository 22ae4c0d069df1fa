//! Unit tests of `src/cli/settings/broker.rs`.

use super::split_addresses;

#[test]
fn a_text_is_split_at_a_comma_only_if_an_address_follows() {
    for text in ["mqtt://me:a,,b@broker", "mqtt://a,b", "a,b"] {
        assert_eq!(split_addresses(text), [text]);
    }
}

proptest::proptest! {
    #[test]
    fn splitting_addresses_loses_only_commas_and_spaces(text in "[a:/@, ]{0,30}") {
        let bare = |text: &str| text.replace([',', ' '], "");
        proptest::prop_assert_eq!(bare(&split_addresses(&text).concat()), bare(&text));
    }
}
