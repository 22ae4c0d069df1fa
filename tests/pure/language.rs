//! Words: how texts are split and compared, and what the files of `src/words` say.

use zwave_mcp_server::home::category::Category;
use zwave_mcp_server::home::language::{
    ALL_LANGUAGES, FILES, is_room, kind, kinds_in_name, plural_kind, without_small_words,
};
use zwave_mcp_server::home::letters::{squash, squash_long};
use zwave_mcp_server::home::word::{Word, texts, words};

fn word(text: &str) -> Word {
    words(text).pop().unwrap()
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
fn a_word_that_is_singular_and_plural_counts_as_singular() {
    let singular = |text: &str| !kind(&[&word(text)], ALL_LANGUAGES).unwrap().plural;
    assert!(singular("Schalter"));
    assert!(plural_kind(&[&word("Schalter")], ALL_LANGUAGES).is_some());
    assert!(singular("Rollladen"));
    assert!(!singular("Rollläden"));
}

#[test]
fn a_diminutive_means_the_same_as_its_stem() {
    for diminutive in ["Lämpchen", "lampje", "lampjes"] {
        let category = kind(&[&word(diminutive)], ALL_LANGUAGES).unwrap().category;
        assert_eq!(category, Category::Lights, "{diminutive}");
    }
}

#[test]
fn the_ending_of_a_compound_says_its_kind() {
    let kinds = |text: &str| {
        let words = words(text);
        kinds_in_name(&words.iter().collect::<Vec<_>>(), ALL_LANGUAGES)
            .into_iter()
            .map(|kind| kind.category)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds("Deckenlampe"), [Category::Lights]);
    assert_eq!(kinds("Umwälzpumpe"), [Category::Pumps]);
    assert_eq!(
        kinds("Lampe Ventilator"),
        [Category::Lights, Category::Fans]
    );
    assert_eq!(
        kinds("Front Door Lamp"),
        [Category::Doors, Category::Lights]
    );
    assert_eq!(kinds("Garage Door"), [Category::GarageDoors]);
    assert!(kinds("Clamp Skylight").is_empty());
}

/// Returns the files of `src/words`, each with its language.
fn files() -> impl Iterator<Item = (u8, toml::Table)> {
    (0..).zip(FILES).map(|(place, file)| (1 << place, file.parse().unwrap()))
}

fn texts_of(list: &toml::Value) -> impl Iterator<Item = &str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

/// A file that can't be read would count as empty.
#[test]
fn every_word_for_a_kind_or_a_room_is_understood() {
    for (language, file) in files() {
        for (category, pairs) in file["kinds"].as_table().unwrap() {
            for text in texts_of(pairs).flat_map(|pair| pair.split('/')) {
                let words = words(text);
                let main_words: Vec<&Word> = without_small_words(&words).collect();
                let found = kind(&main_words, language);
                assert!(found.is_some(), "{text} is no word for {category}");
            }
        }
        for room in texts_of(&file["rooms"]) {
            let words = words(room);
            assert!(
                is_room(&without_small_words(&words).collect::<Vec<_>>()),
                "{room}"
            );
        }
    }
}

#[test]
fn every_language_has_every_word_list() {
    let files: Vec<(u8, toml::Table)> = files().collect();
    let english = &files[0].1;
    for (_, file) in &files {
        let code = file["sentence"]["code"].as_str().unwrap();
        let optional = ["diminutives", "elided", "case_endings", "spellings"];
        let lists = english.iter().filter(|(_, list)| list.is_array());
        for (name, _) in lists.filter(|(name, _)| !optional.contains(&name.as_str())) {
            assert!(
                texts_of(&file[name]).next().is_some(),
                "{code} lacks {name}"
            );
        }
        assert!(
            texts_of(&file["guard"]["openers"]).next().is_some(),
            "{code} lacks openers"
        );
        assert_eq!(texts_of(&file["numbers"]).count(), 12, "{code}");
        for category in english["kinds"].as_table().unwrap().keys() {
            let kinds = file["kinds"].as_table().unwrap();
            assert!(
                kinds.contains_key(category),
                "{code} lacks a word for {category}"
            );
        }
    }
}
