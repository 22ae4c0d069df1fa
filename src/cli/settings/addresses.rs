//! Several addresses in one text.

/// The addresses in a text that may have several, with commas between them. A comma that no
/// `scheme://` follows is part of an address: passwords have commas too.
pub fn addresses_in(text: &str) -> Vec<String> {
    let begins = |part: &str| {
        let scheme = part
            .trim_start()
            .split_once("://")
            .map(|(scheme, _)| scheme);
        scheme.is_some_and(|it| it.chars().all(|letter| letter.is_ascii_alphanumeric()))
    };
    let mut all: Vec<String> = Vec::new();
    for part in text.split(',') {
        match all.last_mut() {
            Some(last) if !begins(part) => {
                last.push(',');
                last.push_str(part);
            }
            _ => all.push(part.to_owned()),
        }
    }
    let empty = |letter: char| letter == ',' || letter.is_whitespace();
    let all = all.iter().map(|one| one.trim_matches(empty).to_owned());
    all.filter(|one| !one.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stand_between_commas_and_nothing_is_none() {
        let text = " mqtt://a,,mqtts://me:pw@b:1 ,\nmqtt://[::1]:1884,";
        let expected = ["mqtt://a", "mqtts://me:pw@b:1", "mqtt://[::1]:1884"];
        assert_eq!(addresses_in(text), expected);
        for nothing in ["", " ", ",", " , ,"] {
            assert!(addresses_in(nothing).is_empty());
        }
    }

    #[test]
    fn a_comma_that_no_address_follows_is_part_of_one() {
        for one in ["mqtt://me:a,,b@broker", "mqtt://a,b", "a,b"] {
            assert_eq!(addresses_in(one), [one]);
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_but_commas_and_spaces_is_lost(text in "[a:/@, ]{0,30}") {
            let bare = |text: &str| text.replace([',', ' '], "");
            proptest::prop_assert_eq!(bare(&addresses_in(&text).concat()), bare(&text));
        }
    }
}
