//! A language's words for sentences, as its file in `src/words` has them, folded for look-ups.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::element::{Ask, Deed, Element, Excuse, Pronoun, Property, Sensed, State};
use super::house::KnownHouse;
use super::pattern::{Groups, Patterns};
use super::tokens::{Mark, Token};
use crate::home::language::{FILES, LanguageSet, Topic};
use crate::home::names::may_be_said;
use crate::home::word::{Word, words};

/// A language's file, as far as sentences need it.
#[derive(Debug, Default, Deserialize)]
struct WordFile {
    sentence: SentenceTable,
    #[serde(default)]
    topics: BTreeMap<Topic, Vec<String>>,
}

/// The words of a language for sentences, as they are written.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SentenceTable {
    /// The language's code: "en".
    pub code: String,
    /// A color may stand by itself, after the name of the device.
    pub bare_color: bool,
    /// A light and a place are an order: "lumière dans la cuisine".
    pub lights_alone: bool,
    polite: Vec<String>,
    fillers: Vec<String>,
    asking: Vec<String>,
    any: Vec<String>,
    little: Vec<String>,
    /// The numbers from 0 to 100.
    count: Vec<String>,
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
    /// The phrases of answers.
    pub phrases: BTreeMap<String, String>,
    /// The words for states in answers: one for all, or for one and several of each gender.
    pub forms: BTreeMap<State, Vec<String>>,
    /// The words for what is sensed.
    pub senses: BTreeMap<Sensed, String>,
    /// Nouns by gender, each with the words for one and for several.
    pub nouns: BTreeMap<char, Vec<String>>,
    /// Articles by gender, number and the sound that follows.
    pub articles: BTreeMap<String, String>,
    #[serde(flatten)]
    lists: BTreeMap<WordList, Vec<String>>,
}

/// A list of phrases for one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WordList {
    /// Words that join orders and names.
    Joins,
    /// Words before a value.
    To,
    /// Words before a value, and before a time.
    At,
    /// Words before an hour: "at", "um".
    Times,
    /// Words before a color.
    ToColor,
    /// Words before a value, and before a difference: "di 20 gradi".
    Of,
    /// Words before a difference: "by".
    By,
    /// Words that stand for a device, next to the words that tell it apart: "the kitchen one".
    Ones,
    /// Words that a place begins with.
    Places,
    /// Words for light in general, which name no single lamp.
    Mass,
    AndAHalf,
    Point,
    Percent,
    Degrees,
    Celsius,
    Fahrenheit,
    Kelvin,
    /// Whole sentences that cancel the one being answered.
    Cancels,
    /// Whole sentences that take the last order back.
    Undo,
    /// Words that begin an order, for a small model to decide.
    Urge,
}

/// The words of a language, folded.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    /// The words as they are written, for answers.
    pub table: SentenceTable,
    /// Its bit among the languages.
    pub language: LanguageSet,
    lists: BTreeMap<WordList, Patterns<()>>,
    pub elements: Patterns<Element>,
    pub count: Patterns<u8>,
    /// The words for the numbers from 0 on.
    pub count_words: Vec<String>,
    /// Parts of the whole, in percent.
    pub parts: Patterns<u8>,
    /// Colors and modes, by their places in the lists of words.
    pub colors: Patterns<usize>,
    pub modes: Patterns<usize>,
    /// The names of colors and modes in the tool, with the language's words.
    pub color_words: Vec<(String, String)>,
    pub mode_words: Vec<(String, String)>,
    pub excuses: Patterns<Excuse>,
    /// Words that hint at an action, for a small model to decide.
    pub hints: Patterns<Deed>,
    /// Pronouns that may be joined to a verb: "apágala".
    pub pronoun_words: Vec<String>,
    /// The properties of which compounds are made: "woonkamertemperatuur".
    pub property_words: Vec<String>,
}

impl Lexicon {
    /// Returns the language's code: "en".
    pub fn code(&self) -> &str {
        &self.table.code
    }

    /// Returns the length of each phrase of a list that matches at a place.
    pub fn lengths_at(
        &self,
        list: WordList,
        tokens: &[Token],
        at: usize,
    ) -> impl Iterator<Item = usize> {
        let patterns = self.lists.get(&list).zip(tokens.get(at));
        patterns
            .map(|(patterns, token)| patterns.find_by_first_word(token))
            .into_iter()
            .flatten()
            .filter_map(move |(pattern, ())| pattern.length(tokens, at))
    }

    /// Returns the length of the longest phrase of a list that matches at a place.
    pub fn length_at(&self, list: WordList, tokens: &[Token], at: usize) -> Option<usize> {
        self.lengths_at(list, tokens, at).max()
    }

    /// Returns true if a phrase of a list matches at a place.
    pub fn has_at(&self, list: WordList, tokens: &[Token], at: usize) -> bool {
        self.lengths_at(list, tokens, at).next().is_some()
    }

    /// Returns true if all tokens together are a phrase of a list.
    pub fn is_all(&self, list: WordList, tokens: &[Token]) -> bool {
        self.lengths_at(list, tokens, 0).any(|length| length == tokens.len())
    }

    /// Returns true if a word is an order's verb by itself.
    pub fn is_deed(&self, word: &Word) -> bool {
        let token = Token::of(word.clone());
        self.elements.find_by_first_word(&token).into_iter().any(|(pattern, element)| {
            let alone = std::slice::from_ref(&token);
            matches!(element, Element::Deed(_)) && pattern.length(alone, 0).is_some()
        })
    }

    /// Returns true for each token that may belong to a name in the house.
    pub fn may_name(&self, tokens: &[Token], house: &KnownHouse) -> Vec<bool> {
        let marks = tokens.iter().map(|token| match &token.mark {
            Mark::Word(word) => may_be_said(&house.names, word, self.language),
            Mark::Sign(sign) => *sign == '&',
        });
        marks.collect()
    }

    /// Takes apart the words that end with a property ("woonkamertemperatuur"), and the verbs that end with a
    /// pronoun ("apágala").
    pub fn take_apart(&self, tokens: &[Token], house: &KnownHouse) -> Vec<Token> {
        let may_be = |word: &Word| may_be_said(&house.names, word, self.language);
        let mut all = Vec::new();
        for token in tokens {
            let is_known = |word: &Word| {
                word.is_number()
                    || may_be(word)
                    || !self.elements.find_by_first_word(token).is_empty()
            };
            let unknown = token.word().filter(|word| !is_known(word));
            let parts = unknown.and_then(|word| {
                let of_property = || {
                    self.property_words.iter().find_map(|property| {
                        let property = words(property).pop()?;
                        let begin = word.written().strip_suffix(property.written())?;
                        let mut begins =
                            ["", "s", "n"].iter().filter_map(|joint| begin.strip_suffix(joint));
                        let begin = begins.find_map(|begin| words(begin).pop().filter(may_be))?;
                        Some([begin, property])
                    })
                };
                let of_verb = || {
                    self.pronoun_words.iter().find_map(|pronoun| {
                        let pronoun = words(pronoun).pop()?;
                        let verb = word.written().strip_suffix(pronoun.written())?;
                        let verb = words(verb).pop()?;
                        self.is_deed(&verb).then_some([verb, pronoun])
                    })
                };
                of_property().or_else(of_verb)
            });
            match parts {
                Some(parts) => all.extend(parts.into_iter().map(Token::of)),
                None => all.push(token.clone()),
            }
        }
        all
    }

    fn new(file: WordFile, language: LanguageSet) -> Self {
        let table = file.sentence;
        let groups = &table.groups;
        let mut lexicon = Self {
            language,
            count_words: table.count.iter().map(|text| first_word(text)).collect(),
            color_words: named_words(&table.colors),
            mode_words: named_words(&table.modes),
            property_words: single_words(table.properties.values().flatten()),
            pronoun_words: single_words(table.pronouns.values().flatten()),
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
        let orders = table.orders.iter().filter(|(deed, _)| names_its_action(deed));
        for (deed, texts) in orders.chain(&table.hints) {
            lexicon.hints.add(texts, groups, *deed);
        }
        lexicon.excuses.add_each(&table.excuses, groups, |excuse| excuse);
        for (part, texts) in &table.parts {
            let part = part.parse().unwrap_or_default();
            lexicon.parts.add(texts, groups, part);
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
        for (list, texts) in &table.lists {
            let patterns = lexicon.lists.entry(*list).or_default();
            patterns.add(texts, groups, ());
        }
        Self { table, ..lexicon }
    }
}

/// Returns the patterns that are single words.
fn single_words<'t>(patterns: impl Iterator<Item = &'t String>) -> Vec<String> {
    patterns
        .flat_map(|text| text.split('/'))
        .filter(|word| !word.contains(['_', ' ', '~', '^']))
        .map(str::to_owned)
        .collect()
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
    let lexicons = FILES.iter().enumerate().map(|(place, file)| {
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
                ("polite", &table.polite),
                ("fillers", &table.fillers),
                ("asking", &table.asking),
                ("any", &table.any),
                ("little", &table.little),
            ];
            for (name, list) in lists {
                assert!(!list.is_empty(), "{code} lacks {name}");
            }
            // "At" is a word before a value in English alone.
            let lists = english.lists.keys().filter(|list| **list != WordList::At);
            for list in lists {
                let texts = table.lists.get(list);
                assert!(
                    texts.is_some_and(|texts| !texts.is_empty()),
                    "{code} lacks {list:?}"
                );
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
