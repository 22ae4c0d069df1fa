//! The format of the files in `src/home/words`, and their content.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ecow::EcoString;
use hashbrown::HashSet;
use serde::Deserialize;

use crate::category::Category;
use crate::word::{Word, words};

/// The words of one language. A pair is a singular and a plural with a slash between them: "lamp/lamps".
#[derive(Debug, Default, Deserialize)]
pub(super) struct Language {
    /// True if the head of a name comes first ("lampe du ventilateur"), not last ("fan light").
    pub head_first: bool,
    /// True if nouns form compounds. The ending of a compound says what the compound means ("Gartentor").
    pub compounds: bool,
    /// What else opens the house besides doors, gates and locks, which are kinds.
    guard: BTreeMap<WordUse, Vec<String>>,
    /// The pairs that mean each kind of device.
    pub kinds: BTreeMap<Category, Vec<String>>,
    /// Words that mean a kind of device when they are said, but not as part of a name: "temperature".
    pub stand_ins: BTreeMap<Category, Vec<String>>,
    /// Words and pairs that say the kind of a device only as part of its name.
    pub in_names: BTreeMap<Category, Vec<String>>,
    /// The words of whole sentences. Only the assistant needs the others.
    pub sentence: Counting,
    /// Phrases for each topic of a list.
    pub topics: BTreeMap<Topic, Vec<String>>,
    #[serde(flatten)]
    lists: BTreeMap<WordUse, Vec<String>>,
}

impl Language {
    /// Returns the language's list for a use of words.
    pub(super) fn list(&self, wanted: WordUse) -> &[String] {
        self.lists().find(|(list, _)| *list == wanted).map_or(&[], |(_, texts)| texts)
    }

    /// Returns the language's lists.
    pub(super) fn lists(&self) -> impl Iterator<Item = (WordUse, &[String])> {
        let lists = self.lists.iter().chain(&self.guard);
        lists.map(|(list, texts)| (*list, texts.as_slice()))
    }
}

/// A use of words around names. Each language has a list for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordUse {
    /// Endings of diminutives ("Törchen", "Hekje").
    Diminutives,
    /// Articles, prepositions, "my", "our" and other words that do not distinguish names.
    Small,
    /// Those of `small` that are nobody's name. They are small in a sentence of any language.
    Articles,
    /// Words that do not count in what a person says, not even as the last word: "please", "device".
    Polite,
    /// Articles that lose their vowel before another word ("l'", "d'").
    Elided,
    /// Words and phrases after the head of a name: "Lamp by the Fan" is a lamp.
    Prepositions,
    /// Those of `prepositions` behind which stands what a relay or an outlet is for: "Relay for Garage Door".
    Purposes,
    /// The words of `sentence.count` that are no numbers in names, because they are also articles or words of another
    /// language.
    NotNumbers,
    /// Case endings of nouns ("des Wohnzimmers").
    CaseEndings,
    /// Endings that are spelled in two ways, each as "unusual/usual".
    Spellings,
    /// "And".
    Joins,
    /// "Everything".
    Everything,
    /// "All" and "every".
    All,
    /// "Both".
    Both,
    /// "Or".
    Alternatives,
    /// Words that say nothing in a list's filter: "that" and "are" in "lights that are on".
    Fillers,
    /// Words for states.
    States,
    /// "Except".
    Except,
    /// Phrases that mean no particular place: "in the house".
    Everywhere,
    /// Phrases that only the speaker understands: "my room", "one of the".
    Unresolvable,
    /// Words that make "some" of the plural behind them: "des", "delle".
    Indefinite,
    /// Phrases for the room of whoever speaks: "this room", "here".
    Here,
    /// Usual words for rooms.
    Rooms,
    /// Words that turn the word next to them into a place: a "Boiler Room Door" is a door.
    Places,
    /// Openers, strikes and buzzers. No other device is named after one.
    Openers,
    /// Beginnings that make an opener of a word for a door or a lock: "apriporta".
    Before,
    /// Words for what moves a door, besides relays, switches and motors ("Garage Button", "Poortbediening").
    Controls,
    /// Words, endings and phrases that look like a door or an opener, but mean neither.
    Harmless,
    /// "Garage".
    Garages,
    /// Left, right and other words that tell two doors apart.
    Sides,
    /// Words for devices that a house depends on. They stay on when everything is switched off.
    Essential,
}

/// The words for numbers.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Counting {
    /// The numbers from 0 to 100.
    pub count: Vec<String>,
}

/// A topic that a list may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Everything that is wrong.
    Problems,
    /// The devices that do not respond.
    NotResponding,
    /// The devices with a low battery.
    LowBattery,
    /// The changes, the latest first.
    Changed,
}

/// The phrases for each topic in all languages, split into words.
pub(super) static TOPICS: LazyLock<Vec<(Topic, Vec<Word>)>> = LazyLock::new(|| {
    let topics = LANGUAGES.iter().flat_map(|language| &language.topics);
    topics
        .flat_map(|(topic, phrases)| phrases.iter().map(|phrase| (*topic, words(phrase))))
        .collect()
});

/// A pair for a kind, with its language before it and its words behind it.
type KindText = (LanguageSet, Category, &'static str, Vec<Word>);

/// The pairs for kinds in all languages.
pub(super) static KIND_TEXTS: LazyLock<Vec<KindText>> = LazyLock::new(|| {
    let mut found: Vec<KindText> = Vec::new();
    for (place, language) in LANGUAGES.iter().enumerate() {
        for (category, texts) in &language.kinds {
            let pairs =
                texts.iter().map(|text| (1 << place, *category, text.as_str(), words(text)));
            found.extend(pairs);
        }
    }
    found
});

/// Every word in the files of `src/home/words`, in all spellings.
pub(super) static LISTED: LazyLock<HashSet<EcoString>> = LazyLock::new(|| {
    let words = FILES.iter().flat_map(|file| words(file));
    words
        .flat_map(|word| word.spellings().map(EcoString::from).collect::<Vec<_>>())
        .collect()
});

/// The files of `src/home/words`. English must be the first, because [`ENGLISH`] is the first bit.
pub const FILES: [&str; 6] = [
    include_str!("../words/en.toml"),
    include_str!("../words/de.toml"),
    include_str!("../words/fr.toml"),
    include_str!("../words/es.toml"),
    include_str!("../words/it.toml"),
    include_str!("../words/nl.toml"),
];

/// The languages, in the order of their bits in a `LanguageSet`. An invalid file would count as empty; a
/// test checks that all are valid.
pub(super) static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|file| toml::from_str(file))
        .map(Result::unwrap_or_default)
        .collect()
});

/// A set of languages, one bit for each.
pub type LanguageSet = u8;

/// All languages, whatever people speak.
pub const ALL_LANGUAGES: LanguageSet = LanguageSet::MAX;

/// English, which is assumed to be spoken in every house.
pub const ENGLISH: LanguageSet = 1;

/// Returns the languages in which a name begins with its head ("lampe du ventilateur").
pub fn head_first() -> LanguageSet {
    languages_where(|language| language.head_first)
}

/// Returns the languages other than English that form compounds ("Gartentor").
pub fn joining_languages() -> LanguageSet {
    languages_where(|language| language.compounds) & !ENGLISH
}

fn languages_where(predicate: impl Fn(&Language) -> bool) -> LanguageSet {
    let places = LANGUAGES.iter().enumerate();
    places
        .filter(|(_, language)| predicate(language))
        .fold(0, |set, (place, _)| set | 1 << place)
}

/// Returns the languages of a set.
pub(super) fn of(set: LanguageSet) -> impl Iterator<Item = &'static Language> {
    let languages = LANGUAGES.iter().enumerate();
    languages
        .filter(move |(place, _)| set & (1 << place) != 0)
        .map(|(_, language)| language)
}

/// Splits a pair into its singular and plural.
pub(super) fn pair(text: &str) -> Option<(&str, &str)> {
    text.split_once('/')
}
