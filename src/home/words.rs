//! The words of names and of what is said.

use super::word::{Word, words_of_table};

/// Splits a text into words by the rules in `docs/NAMES.md#how-words-are-compared`.
pub fn words(text: &str) -> Vec<Word> {
    words_of_table(text)
}

/// Returns the words of a text in the form that tells them apart.
pub fn texts(text: &str) -> Vec<String> {
    let words = words(text).into_iter();
    words.map(|word| word.text().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::letters::{squashed, squashed_long};

    fn same(one: &str, other: &str) -> bool {
        let (one, other) = (words(one), words(other));
        one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| one.is(other))
    }

    #[test]
    fn accents_case_and_punctuation_do_not_matter() {
        assert_eq!(texts("Björn's Lämp 🌈"), ["bjorns", "lamp"]);
        assert_eq!(texts("  Blind/East "), ["blind", "east"]);
        assert_eq!(texts("switch_one"), ["switch", "1"]);
        assert_eq!(texts("Straße Øst"), ["strasse", "ost"]);
        assert_eq!(squashed("Kid’s Room"), "kidsroom");
    }

    #[test]
    fn umlauts_have_two_spellings() {
        for (one, other) in [
            ("Küchenuhr", "kuechenuhr"),
            ("Küchenuhr", "Kuchenuhr"),
            ("Öffner", "oeffner"),
            ("Blåbær", "blaabaer"),
            ("Grüße", "gruesse"),
            ("a\u{308}pfel", "aepfel"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        assert!(!same("Kuchen", "kuechen"), "no umlaut was written");
        assert_eq!(squashed_long("Küche 1"), Some("kueche1".to_owned()));
        assert_eq!(squashed_long("Kitchen"), None);
    }

    #[test]
    fn a_number_is_a_word_with_its_decimals() {
        assert_eq!(texts("Lamp 1.5"), ["lamp", "1.5"]);
        assert_eq!(texts("Lamp 1,5"), ["lamp", "1.5"]);
        assert_eq!(texts("Lamp25"), ["lamp", "25"]);
        assert_eq!(texts("Lamp 2."), ["lamp", "2"]);
        assert_eq!(texts("Lamp 007"), ["lamp", "7"]);
        assert_eq!(texts("Zone 0"), ["zone", "0"]);
        assert_eq!(squashed("Lamp 1,5"), "lamp1.5");
        assert!(same("lamp two", "Lamp 2"));
        assert!(same("Lampe zwölf", "lampe 12"));
        assert!(!same("ein", "1"), "an article");
    }

    #[test]
    fn an_apostrophe_joins_but_for_an_article() {
        assert_eq!(texts("Rock'n'Roll"), ["rocknroll"]);
        assert_eq!(texts("l'entrée"), ["l", "entree"]);
        assert_eq!(texts("pompe d’eau"), ["pompe", "d", "eau"]);
        let [name, said] = ["Zoë's", "zoe"].map(|text| words(text).pop().unwrap());
        assert!(name.is_owner_of(&said));
        assert!(!name.is(&said));
        let [name, said] = ["Kids", "kid"].map(|text| words(text).pop().unwrap());
        assert!(!name.is_owner_of(&said), "this s is part of the word");
    }

    #[test]
    fn a_name_of_symbols_has_no_words() {
        assert!(words("🌈 …").is_empty());
        assert_eq!(words("日本語 ランプ").len(), 2);
        assert!(!same("ガ", "カ"), "another letter, no accent");
        assert!(same("Й", "и"));
    }

    #[test]
    fn words_that_fit_have_a_mark_in_common() {
        let table = "Björn's bjorn bjoern Bjoerns küche kueche kuche 2 two zwei 007 7 Haustür \
                     haustuere colour color Lamp Licht lights Shade Rollladen Rolladen";
        let words = words(table);
        for (one, other) in words
            .iter()
            .flat_map(|one| words.iter().map(move |other| (one, other)))
        {
            let spelled = one.spellings().any(|own| other.is_spelled(own));
            let owns = one.is_owner_of(other);
            assert!(
                !(spelled || owns) || one.marks() & other.marks() != 0,
                "{one:?} {other:?}"
            );
        }
        assert!(same("Haustüre", "haustür") && same("Haustuere", "Haustür"));
        assert!(!same("Temperature", "Temperatur"), "no umlaut was written");
        assert!(same("Grey Colour", "gray color"));
    }

    #[test]
    fn a_mark_behind_an_apostrophe_stands_on_nothing() {
        assert_eq!(texts("Σ\u{d4d}`\u{16af0}"), texts("Σ\u{d4d}"));
    }

    proptest::proptest! {
        #[test]
        fn words_read_again_are_the_same(text in "\\PC{0,40}") {
            let once = words(&text);
            let again: Vec<String> = once.iter().map(|word| word.text().to_owned()).collect();
            proptest::prop_assert_eq!(texts(&again.join(" ")), again);
        }
    }
}
