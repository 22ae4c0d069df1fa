//! Words: how texts are split and compared, and the files of `src/home/words`.

use std::path::Path;

use toml::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;
use zwave_mcp_server::home::letters::{replace_look_alikes, squash, squash_long};
use zwave_mcp_server::home::word::{texts, words};

/// Finds every word that a list has twice, in large or small letters.
fn repeated(place: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            for (key, inner) in table {
                repeated(&format!("{place}.{key}"), inner, found);
            }
        }
        Value::Array(items) => {
            let mut words = Vec::new();
            for item in items {
                let Some(word) = item.as_str() else {
                    repeated(place, item, found);
                    continue;
                };
                let plain = word.to_lowercase();
                // An empty text only fills a place, such as that of a number without a word.
                if !plain.is_empty() && words.contains(&plain) {
                    found.push(format!("{place}: {word}"));
                }
                words.push(plain);
            }
        }
        _ => {}
    }
}

#[test]
fn no_list_of_a_language_has_a_word_twice() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/home/words");
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let words: Value = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        repeated(
            path.file_stem().unwrap().to_str().unwrap(),
            &words,
            &mut found,
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}

fn have_same_words(first: &str, second: &str) -> bool {
    let (first, second) = (words(first), words(second));
    let mut pairs = first.iter().zip(&second);
    first.len() == second.len() && pairs.all(|(first, second)| first.is(second))
}

#[test]
fn a_text_is_split_into_folded_words() {
    for (text, folded) in [
        // Accents, case and punctuation do not matter.
        ("Björn's Lämp 🌈", "bjorns lamp"),
        ("  Blind/East ", "blind east"),
        ("switch_one", "switch 1"),
        ("Straße Øst", "strasse ost"),
        // A number and its decimals are one word.
        ("Lamp 1.5", "lamp 1.5"),
        ("Lamp 1,5", "lamp 1.5"),
        ("Lamp25", "lamp 25"),
        ("Lamp 2.", "lamp 2"),
        ("Lamp 007", "lamp 7"),
        ("Zone 0", "zone 0"),
        // An apostrophe does not split a word, except after an article.
        ("Rock'n'Roll", "rocknroll"),
        ("l'entrée", "l entree"),
        ("pompe d’eau", "pompe d eau"),
        // A text that consists of symbols has no words.
        ("🌈 …", ""),
    ] {
        assert_eq!(texts(text).join(" "), folded, "{text}");
    }
    assert_eq!(words("日本語 ランプ").len(), 2);
    // A combining mark after an apostrophe is dropped.
    assert_eq!(texts("Σ\u{d4d}`\u{16af0}"), texts("Σ\u{d4d}"));
    assert_eq!(squash("Kid’s Room"), "kidsroom");
    assert_eq!(squash("Lamp 1,5"), "lamp1.5");
    assert_eq!(squash("Lamp 1 / 5"), "lamp1 5");
    assert_eq!(squash_long("Küche 1"), Some("kueche1".to_owned()));
    assert_eq!(squash_long("Kitchen"), None);
}

#[test]
fn words_are_the_same_in_every_spelling() {
    for (first, second, are_same) in [
        ("Küchenuhr", "kuechenuhr", true),
        ("Küchenuhr", "Kuchenuhr", true),
        ("Öffner", "oeffner", true),
        ("Blåbær", "blaabaer", true),
        ("Grüße", "gruesse", true),
        ("a\u{308}pfel", "aepfel", true),
        // These words differ: "Kuchen" has no umlaut, and "Temperature" is not German.
        ("Kuchen", "kuechen", false),
        ("Temperature", "Temperatur", false),
        ("Haustüre", "haustür", true),
        ("Haustuere", "Haustür", true),
        ("Grey Colour", "gray color", true),
        ("lamp two", "Lamp 2", true),
        ("Lampe zwölf", "lampe 12", true),
        // "ein" is an article here, not a number.
        ("ein", "1", false),
        // The mark on ガ makes another letter; the one on Й is an accent.
        ("ガ", "カ", false),
        ("Й", "и", true),
    ] {
        assert_eq!(have_same_words(first, second), are_same, "{first} {second}");
    }
}

#[test]
fn an_s_may_be_left_out_only_after_an_apostrophe() {
    let [zoes, zoe, kids, kid] =
        ["Zoë's", "zoe", "Kids", "kid"].map(|text| words(text).pop().unwrap());
    assert!(zoes.differs_by_possessive(&zoe) && !zoes.is(&zoe));
    assert!(!kids.differs_by_possessive(&kid));
}

#[test]
fn words_that_match_have_a_mark_in_common() {
    let table = "Björn's bjorn bjoern Bjoerns küche kueche kuche 2 two zwei 007 7 Haustür \
                 haustuere colour color Lamp Licht lights Shade Rollladen Rolladen";
    let words = words(table);
    for (one, other) in words.iter().flat_map(|one| words.iter().map(move |other| (one, other))) {
        let spelled = one.spellings().any(|own| other.is_spelled(own));
        let owns = one.differs_by_possessive(other);
        assert!(
            !(spelled || owns) || one.marks() & other.marks() != 0,
            "{one:?} {other:?}"
        );
    }
}

proptest::proptest! {
    #[test]
    fn splitting_the_joined_words_again_changes_nothing(text in "\\PC{0,40}") {
        let again: Vec<String> = words(&text).iter().map(|word| word.text().to_owned()).collect();
        proptest::prop_assert_eq!(texts(&again.join(" ")), again);
    }
}

#[test]
fn a_letter_is_read_as_the_latin_letter_that_it_looks_like_by_unicode() {
    let shape = |letter: char| skeleton(letter.encode_utf8(&mut [0; 4])).collect::<String>();
    let latin: Vec<(char, String)> =
        ('a'..='z').chain('A'..='Z').map(|letter| (letter, shape(letter))).collect();
    let is_foreign = |letter: &char| {
        let text = std::iter::once(*letter);
        letter.is_alphabetic()
            && text.clone().nfkc().eq(text.clone())
            && text.nfd().next().is_some_and(|base| !base.is_ascii())
    };
    let mut count = 0;
    for letter in ('\0'..=char::MAX).filter(is_foreign) {
        let wanted = shape(letter);
        let same = latin.iter().find(|(_, shape)| *shape == wanted);
        let same = same.map(|(latin, _)| latin.to_string());
        count += usize::from(same.is_some());
        assert_eq!(replace_look_alikes(&letter.to_string()), same, "{letter}");
    }
    assert!(count > 400, "{count} look-alikes");
}
