//! What the files of `src/home/words` say.

use zwave_mcp_server::home::category::Category;
use zwave_mcp_server::home::language::{
    ALL_LANGUAGES, FILES, is_room, is_small_word, kind, kinds_in_name, plural_kind,
};
use zwave_mcp_server::home::word::{Word, words};

fn word(text: &str) -> Word {
    words(text).pop().unwrap()
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

/// Returns the files of `src/home/words`, each with its language.
fn files() -> impl Iterator<Item = (u8, toml::Table)> {
    (0..).zip(FILES).map(|(place, file)| (1 << place, file.parse().unwrap()))
}

fn texts_of(list: &toml::Value) -> impl Iterator<Item = &str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

/// Returns the words that count: all but the small ones, if there are several.
fn main_words(words: &[Word]) -> Vec<&Word> {
    let counts = |word: &&Word| words.len() == 1 || !is_small_word(word);
    words.iter().filter(counts).collect()
}

/// A file that can't be read would count as empty.
#[test]
fn every_word_for_a_kind_or_a_room_is_understood() {
    for (language, file) in files() {
        for (category, pairs) in file["kinds"].as_table().unwrap() {
            for text in texts_of(pairs).flat_map(|pair| pair.split('/')) {
                let words = words(text);
                let found = kind(&main_words(&words), language);
                assert!(found.is_some(), "{text} is no word for {category}");
            }
        }
        for room in texts_of(&file["rooms"]) {
            let words = words(room);
            assert!(is_room(&main_words(&words)), "{room}");
        }
    }
}

#[test]
fn every_language_has_every_word_list() {
    let files: Vec<(u8, toml::Table)> = files().collect();
    let english = &files[0].1;
    for (_, file) in &files {
        let code = file["sentence"]["code"].as_str().unwrap();
        let optional = [
            "both",
            "diminutives",
            "elided",
            "case_endings",
            "spellings",
            "not_numbers",
        ];
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
        assert_eq!(texts_of(&file["sentence"]["count"]).count(), 101, "{code}");
        for category in english["kinds"].as_table().unwrap().keys() {
            let kinds = file["kinds"].as_table().unwrap();
            assert!(
                kinds.contains_key(category),
                "{code} lacks a word for {category}"
            );
        }
    }
}
