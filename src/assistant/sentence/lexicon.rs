//! A language's words for sentences, as its file in `src/words` has them, folded for look-ups.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::element::{Ask, Deed, Element, Excuse, Pronoun, Property, Sensed, State};
use super::pattern::{Groups, Patterns};
use super::tokens::Token;
use crate::home::language::{FILES, LanguageSet, Topic};
use crate::home::word::Word;

/// A language's file, as far as sentences need it.
#[derive(Debug, Default, Deserialize)]
struct WordFile {
    sentence: SentenceTable,
    #[serde(default)]
    topics: BTreeMap<Topic, Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SentenceTable {
    code: String,
    joins: Vec<String>,
    polite: Vec<String>,
    fillers: Vec<String>,
    asking: Vec<String>,
    any: Vec<String>,
    to: Vec<String>,
    at: Vec<String>,
    times: Vec<String>,
    to_color: Vec<String>,
    of: Vec<String>,
    by: Vec<String>,
    ones: Vec<String>,
    little: Vec<String>,
    places: Vec<String>,
    bare_color: bool,
    lights_alone: bool,
    mass: Vec<String>,
    count: Vec<String>,
    and_a_half: Vec<String>,
    point: Vec<String>,
    percent: Vec<String>,
    degrees: Vec<String>,
    celsius: Vec<String>,
    kelvin: Vec<String>,
    fahrenheit: Vec<String>,
    cancels: Vec<String>,
    undo: Vec<String>,
    urge: Vec<String>,
    groups: Groups,
    parts: BTreeMap<String, Vec<String>>,
    colors: BTreeMap<String, Vec<String>>,
    modes: BTreeMap<String, Vec<String>>,
    orders: BTreeMap<Deed, Vec<String>>,
    asks: BTreeMap<Ask, Vec<String>>,
    states: BTreeMap<State, Vec<String>>,
    properties: BTreeMap<Property, Vec<String>>,
    how: BTreeMap<Property, Vec<String>>,
    sensed: BTreeMap<Sensed, Vec<String>>,
    pronouns: BTreeMap<Pronoun, Vec<String>>,
    excuses: BTreeMap<Excuse, Vec<String>>,
    hints: BTreeMap<Deed, Vec<String>>,
    phrases: BTreeMap<String, String>,
    forms: BTreeMap<State, Vec<String>>,
    senses: BTreeMap<Sensed, String>,
    nouns: BTreeMap<char, Vec<String>>,
    articles: BTreeMap<String, String>,
}

/// The words of a language, folded.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    /// Its code: "en".
    pub code: String,
    /// Its bit among the languages.
    pub language: LanguageSet,
    pub elements: Patterns<Element>,
    /// Words that join orders and names.
    pub joins: Patterns<()>,
    /// Words before a value.
    pub to: Patterns<()>,
    /// Words before a value, and before a time.
    pub at: Patterns<()>,
    /// Words before an hour: "at", "um".
    pub times: Patterns<()>,
    pub to_color: Patterns<()>,
    /// Words before a value, and before a difference: "di 20 gradi".
    pub of: Patterns<()>,
    /// Words that stand for a device, next to the words that tell it apart: "the kitchen one".
    pub ones: Patterns<()>,
    /// Words before a difference: "by".
    pub by: Patterns<()>,
    /// Words that a place begins with.
    pub places: Patterns<()>,
    /// A colour may stand by itself, after the name of the device.
    pub bare_color: bool,
    /// A light and a place are an order: "lumière dans la cuisine".
    pub lights_alone: bool,
    /// Words for light in general, which name no single lamp.
    pub mass: Patterns<()>,
    pub count: Patterns<u8>,
    /// The words for the numbers from 0 on.
    pub count_words: Vec<String>,
    pub and_a_half: Patterns<()>,
    pub point: Patterns<()>,
    pub percent: Patterns<()>,
    pub degrees: Patterns<()>,
    pub celsius: Patterns<()>,
    pub kelvin: Patterns<()>,
    pub fahrenheit: Patterns<()>,
    /// Parts of the whole, in percent.
    pub parts: Patterns<u8>,
    /// Colours and modes, by their places among the names of all.
    pub colors: Patterns<usize>,
    pub modes: Patterns<usize>,
    pub color_names: Vec<String>,
    pub mode_names: Vec<String>,
    /// The names of colours and modes in the tool, with the language's words.
    pub color_words: Vec<(String, String)>,
    pub mode_words: Vec<(String, String)>,
    pub cancels: Patterns<()>,
    /// Whole sentences that take the last order back.
    pub undo: Patterns<()>,
    pub excuses: Patterns<Excuse>,
    /// Words that begin an order, and words that hint at its action, for a small model to decide.
    pub urge: Patterns<()>,
    pub hints: Patterns<Deed>,
    /// How answers are said.
    pub phrases: BTreeMap<String, String>,
    /// The words for states in answers: one for all, or for one and several of each gender.
    pub forms: BTreeMap<State, Vec<String>>,
    /// The words for what is sensed.
    pub senses: BTreeMap<Sensed, String>,
    /// Nouns by gender, each with the words for one and for several.
    pub nouns: BTreeMap<char, Vec<String>>,
    /// Articles by gender, number and the sound that follows.
    pub articles: BTreeMap<String, String>,
    /// Pronouns that may be joined to a verb: "apágala".
    pub pronoun_words: Vec<String>,
    /// The properties of which compounds are made: "woonkamertemperatuur".
    pub property_words: Vec<String>,
}

impl Lexicon {
    /// Returns true if a word is an order's verb by itself.
    pub fn is_deed(&self, word: &Word) -> bool {
        let token = Token::of(word.clone());
        let mut found = self.elements.beginning_with(&token).into_iter();
        found.any(|(pattern, element)| {
            let alone = std::slice::from_ref(&token);
            matches!(element, Element::Deed(_)) && pattern.length(alone, 0).is_some()
        })
    }

    fn new(file: WordFile, language: LanguageSet) -> Self {
        let table = file.sentence;
        let groups = &table.groups;
        let mut lexicon = Self {
            code: table.code,
            language,
            bare_color: table.bare_color,
            lights_alone: table.lights_alone,
            color_names: table.colors.keys().cloned().collect(),
            mode_names: table.modes.keys().cloned().collect(),
            phrases: table.phrases.clone(),
            count_words: table.count.iter().map(|text| first_word(text)).collect(),
            color_words: named_words(&table.colors),
            mode_words: named_words(&table.modes),
            forms: table.forms.clone(),
            senses: table.senses.clone(),
            nouns: table.nouns.clone(),
            articles: table.articles.clone(),
            ..Self::default()
        };
        let elements = &mut lexicon.elements;
        elements.add_each(&table.orders, groups, Element::Deed);
        elements.add_each(&table.asks, groups, Element::Ask);
        elements.add_each(&table.states, groups, Element::State);
        elements.add_each(&table.properties, groups, Element::Property);
        elements.add_each(&table.how, groups, Element::Asked);
        elements.add_each(&table.sensed, groups, Element::Sensed);
        elements.add_each(&table.pronouns, groups, Element::Pronoun);
        elements.add_each(&file.topics, groups, Element::Topic);
        elements.add(&table.any, groups, Element::Any);
        elements.add(&table.little, groups, Element::Little);
        elements.add(&table.polite, groups, Element::Polite);
        elements.add(&table.fillers, groups, Element::Filler);
        elements.add(&table.asking, groups, Element::Asking);
        // "Set" and "color" share their verbs with every other order.
        let names_its_action = |deed: &Deed| !matches!(deed, Deed::Set | Deed::Color);
        let orders = table
            .orders
            .iter()
            .filter(|(deed, _)| names_its_action(deed));
        for (deed, texts) in orders.chain(&table.hints) {
            lexicon.hints.add(texts, groups, *deed);
        }
        let excuses = &mut lexicon.excuses;
        excuses.add_each(&table.excuses, groups, |excuse| excuse);
        for (part, texts) in &table.parts {
            lexicon
                .parts
                .add(texts, groups, part.parse().unwrap_or_default());
        }
        for (place, texts) in table.colors.values().enumerate() {
            lexicon.colors.add(texts, groups, place);
        }
        for (place, texts) in table.modes.values().enumerate() {
            lexicon.modes.add(texts, groups, place);
        }
        for (number, text) in (0..).zip(&table.count) {
            lexicon.count.add([text], groups, number);
        }
        let lists = [
            (&mut lexicon.joins, &table.joins),
            (&mut lexicon.to, &table.to),
            (&mut lexicon.at, &table.at),
            (&mut lexicon.times, &table.times),
            (&mut lexicon.ones, &table.ones),
            (&mut lexicon.to_color, &table.to_color),
            (&mut lexicon.of, &table.of),
            (&mut lexicon.by, &table.by),
            (&mut lexicon.undo, &table.undo),
            (&mut lexicon.urge, &table.urge),
            (&mut lexicon.places, &table.places),
            (&mut lexicon.mass, &table.mass),
            (&mut lexicon.and_a_half, &table.and_a_half),
            (&mut lexicon.point, &table.point),
            (&mut lexicon.percent, &table.percent),
            (&mut lexicon.degrees, &table.degrees),
            (&mut lexicon.celsius, &table.celsius),
            (&mut lexicon.kelvin, &table.kelvin),
            (&mut lexicon.fahrenheit, &table.fahrenheit),
            (&mut lexicon.cancels, &table.cancels),
        ];
        for (patterns, texts) in lists {
            patterns.add(texts, groups, ());
        }
        lexicon.property_words = single_words(table.properties.values().flatten());
        lexicon.pronoun_words = single_words(table.pronouns.values().flatten());
        lexicon
    }
}

/// Returns the patterns that are single words.
fn single_words<'t>(patterns: impl Iterator<Item = &'t String>) -> Vec<String> {
    let words = patterns.flat_map(|text| text.split('/'));
    let words = words.filter(|word| !word.contains(['_', ' ', '~', '^']));
    words.map(str::to_owned).collect()
}

/// Returns the first of several ways to say something.
fn first_word(text: &str) -> String {
    let first = text.split(['/', ' ']).next().unwrap_or_default();
    first.trim_end_matches('?').replace('_', " ")
}

fn named_words(table: &BTreeMap<String, Vec<String>>) -> Vec<(String, String)> {
    let named = table
        .iter()
        .filter_map(|(name, texts)| Some((name.clone(), first_word(texts.first()?))));
    named.collect()
}

/// The languages, in the order of their files. Folding the tables takes longer than all of a
/// sentence's look-ups, and they never change. A file that can't be read counts as empty; a test makes
/// sure that there is none.
pub(super) static LEXICONS: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    let files = FILES.iter().enumerate();
    let lexicons = files.map(|(place, file)| {
        let file: WordFile = toml::from_str(file).unwrap_or_default();
        Lexicon::new(file, 1 << place)
    });
    lexicons.collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_the_words_of_sentences() {
        let tables: Vec<SentenceTable> = FILES
            .iter()
            .map(|file| toml::from_str::<WordFile>(file).unwrap().sentence)
            .collect();
        let english = &tables[0];
        for table in &tables {
            let code = &table.code;
            assert_eq!(table.count.len(), 101, "{code}: the numbers from 0 to 100");
            let lists = [
                ("joins", &table.joins),
                ("polite", &table.polite),
                ("fillers", &table.fillers),
                ("asking", &table.asking),
                ("any", &table.any),
                ("to", &table.to),
                ("places", &table.places),
                ("mass", &table.mass),
                ("and_a_half", &table.and_a_half),
                ("point", &table.point),
                ("percent", &table.percent),
                ("degrees", &table.degrees),
                ("cancels", &table.cancels),
                ("by", &table.by),
                ("little", &table.little),
                ("undo", &table.undo),
                ("times", &table.times),
                ("ones", &table.ones),
                ("urge", &table.urge),
            ];
            for (name, list) in lists {
                assert!(!list.is_empty(), "{code} lacks {name}");
            }
            macro_rules! same_keys {
                ($($table:ident),*) => {$(
                    for key in english.$table.keys() {
                        let has = table.$table.get(key).is_some_and(|texts| !texts.is_empty());
                        let only_english = format!("{key:?}") == "Out";
                        assert!(has || only_english, "{code} lacks {}.{key:?}", stringify!($table));
                    }
                    for key in table.$table.keys() {
                        assert!(english.$table.contains_key(key), "{code}: {key:?}");
                    }
                )*};
            }
            same_keys!(
                parts, colors, modes, orders, asks, states, properties, how, sensed, pronouns,
                excuses, phrases, forms, senses
            );
        }
    }
}
