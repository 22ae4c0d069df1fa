//! The words that each language uses in sentences, loaded from `src/words` and indexed for look-ups.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::element::{Command, Element, Excuse, Pronoun, Property, QuestionForm, Sensed, State};
use super::house::KnownHouse;
use super::pattern::{Groups, Patterns};
use super::tokens::{Mark, Token};
use crate::home::language::{FILES, LanguageSet, Topic};
use crate::home::names::may_be_said;
use crate::home::word::{Word, words};

/// The parts of a language's file that sentences need.
#[derive(Debug, Default, Deserialize)]
struct WordFile {
    sentence: SentenceTable,
    #[serde(default)]
    topics: BTreeMap<Topic, Vec<String>>,
}

/// The `sentence` table of a language's file. Most lists contain patterns.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SentenceTable {
    /// The language's code: "en".
    pub code: String,
    /// True if a color needs no word such as "to" after the device's name.
    pub bare_color: bool,
    /// True if a word for light, with a room, is an order to switch it on: "lumière dans la cuisine".
    pub lights_alone: bool,
    polite: Vec<String>,
    fillers: Vec<String>,
    /// Words that make a clause a question: "currently", "still".
    asking: Vec<String>,
    any: Vec<String>,
    little: Vec<String>,
    /// The numbers from 0 to 100.
    count: Vec<String>,
    groups: Groups,
    /// Parts of the whole, by their percentage: "half".
    parts: BTreeMap<String, Vec<String>>,
    colors: BTreeMap<String, Vec<String>>,
    modes: BTreeMap<String, Vec<String>>,
    orders: BTreeMap<Command, Vec<String>>,
    asks: BTreeMap<QuestionForm, Vec<String>>,
    states: BTreeMap<State, Vec<String>>,
    properties: BTreeMap<Property, Vec<String>>,
    /// Questions for a property: "how warm".
    how: BTreeMap<Property, Vec<String>>,
    sensed: BTreeMap<Sensed, Vec<String>>,
    pronouns: BTreeMap<Pronoun, Vec<String>>,
    excuses: BTreeMap<Excuse, Vec<String>>,
    hints: BTreeMap<Command, Vec<String>>,
    /// The phrases for answers.
    pub phrases: BTreeMap<String, String>,
    /// The words for states in answers. Either one form for all subjects, or four: masculine and feminine
    /// singular, masculine and feminine plural.
    pub forms: BTreeMap<State, Vec<String>>,
    /// The words for detected events in answers.
    pub senses: BTreeMap<Sensed, String>,
    /// Nouns by gender, each as "singular/plural".
    pub nouns: BTreeMap<char, Vec<String>>,
    /// Articles, with keys made of the gender, the sound that follows, and `p` for plural.
    pub articles: BTreeMap<String, String>,
    #[serde(flatten)]
    lists: BTreeMap<WordList, Vec<String>>,
}

/// A list of phrases for one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WordList {
    /// Words that join orders: "and", "then".
    Joins,
    /// Words before a value to set: "to".
    To,
    /// Words before a value to set or a time: "at".
    At,
    /// Words before an hour: "at", "um".
    Times,
    /// Words before a color.
    ToColor,
    /// Words before a value to set or a difference: "di 20 gradi".
    Of,
    /// Words before a difference: "by".
    By,
    /// Words that replace the noun in a name: "the kitchen one".
    Ones,
    /// Words that begin a location: "in", "upstairs".
    #[serde(rename = "places")]
    LocationStarters,
    /// Words for light in general, which name no particular lamp.
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
    /// Whole sentences that undo the last order.
    Undo,
    /// Words that begin an order that a small model may interpret.
    #[serde(rename = "urge")]
    OrderStarters,
}

/// The words of a language, indexed by first word.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    /// The language's own table, for answers.
    pub table: SentenceTable,
    /// The set that contains only this language.
    pub language: LanguageSet,
    lists: BTreeMap<WordList, Patterns<()>>,
    pub elements: Patterns<Element>,
    pub count: Patterns<u8>,
    /// The words for the numbers from 0 to 100.
    pub count_words: Vec<String>,
    /// Parts of the whole, in percent.
    pub parts: Patterns<u8>,
    /// Colors, by their indices in `color_words`.
    pub colors: Patterns<usize>,
    /// Modes, by their indices in `mode_words`.
    pub modes: Patterns<usize>,
    /// The control tool's name for each color, and the language's word.
    pub color_words: Vec<(String, String)>,
    /// The control tool's name for each mode, and the language's word.
    pub mode_words: Vec<(String, String)>,
    pub excuses: Patterns<Excuse>,
    /// Words that hint at a command, for a small model to choose from.
    pub hints: Patterns<Command>,
    /// Pronouns that can be the end of a verb: "apágala".
    pub pronoun_words: Vec<String>,
    /// Properties that can be the end of a compound: "woonkamertemperatuur".
    pub property_words: Vec<String>,
}

impl Lexicon {
    /// Returns the language's code: "en".
    pub fn code(&self) -> &str {
        &self.table.code
    }

    /// Returns the length in tokens of each phrase of a list that matches at `at`.
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

    /// Returns the length in tokens of the longest phrase of a list that matches at `at`.
    pub fn length_at(&self, list: WordList, tokens: &[Token], at: usize) -> Option<usize> {
        self.lengths_at(list, tokens, at).max()
    }

    /// Returns true if a phrase of a list matches at `at`.
    pub fn has_at(&self, list: WordList, tokens: &[Token], at: usize) -> bool {
        self.lengths_at(list, tokens, at).next().is_some()
    }

    /// Returns true if all tokens together are a phrase of a list.
    pub fn is_all(&self, list: WordList, tokens: &[Token]) -> bool {
        self.lengths_at(list, tokens, 0).any(|length| length == tokens.len())
    }

    /// Returns true if a word is a command by itself.
    pub fn is_command(&self, word: &Word) -> bool {
        let token = Token::of(word.clone());
        self.elements.find_by_first_word(&token).into_iter().any(|(pattern, element)| {
            let alone = std::slice::from_ref(&token);
            matches!(element, Element::Command(_)) && pattern.length(alone, 0).is_some()
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

    /// Splits compounds that end with a property ("woonkamertemperatuur"), and verbs that end with a pronoun
    /// ("apágala").
    pub fn split_joined_words(&self, tokens: &[Token], house: &KnownHouse) -> Vec<Token> {
        let split = |token: &Token| {
            let word = token.word()?;
            let is_known = word.is_number()
                || may_be_said(&house.names, word, self.language)
                || !self.elements.find_by_first_word(token).is_empty();
            if is_known {
                return None;
            }
            self.split_compound(word, house).or_else(|| self.split_verb(word))
        };
        tokens
            .iter()
            .flat_map(|token| match split(token) {
                Some(parts) => parts.map(Token::of).to_vec(),
                None => vec![token.clone()],
            })
            .collect()
    }

    /// Splits a compound that begins with a word in the house and ends with a property.
    fn split_compound(&self, word: &Word, house: &KnownHouse) -> Option<[Word; 2]> {
        let may_name = |word: &Word| may_be_said(&house.names, word, self.language);
        self.property_words.iter().find_map(|property| {
            let property = words(property).pop()?;
            let stem = word.written().strip_suffix(property.written())?;
            // There may be a linking letter between the parts.
            let mut candidates = ["", "s", "n"].iter().filter_map(|link| stem.strip_suffix(link));
            let first = candidates.find_map(|stem| words(stem).pop().filter(may_name))?;
            Some([first, property])
        })
    }

    /// Splits a verb that ends with a pronoun.
    fn split_verb(&self, word: &Word) -> Option<[Word; 2]> {
        self.pronoun_words.iter().find_map(|pronoun| {
            let pronoun = words(pronoun).pop()?;
            let verb = word.written().strip_suffix(pronoun.written())?;
            let verb = words(verb).pop()?;
            self.is_command(&verb).then_some([verb, pronoun])
        })
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
        elements.add_each(&table.orders, groups, Element::Command);
        elements.add_each(&table.asks, groups, Element::QuestionPhrase);
        elements.add_each(&table.states, groups, Element::State);
        elements.add_each(&table.properties, groups, Element::Property);
        elements.add_each(&table.how, groups, Element::PropertyQuestion);
        elements.add_each(&table.sensed, groups, Element::Sensed);
        elements.add_each(&table.pronouns, groups, Element::Pronoun);
        elements.add_each(&file.topics, groups, Element::Topic);
        elements.add(&table.any, groups, Element::Any);
        elements.add(&table.little, groups, Element::Little);
        elements.add(&table.polite, groups, Element::Polite);
        elements.add(&table.fillers, groups, Element::Filler);
        elements.add(&table.asking, groups, Element::QuestionWord);
        // The verbs of `Set` and `Color`, such as "turn", hint at nothing: other commands use them too.
        let is_specific = |command: &Command| !matches!(command, Command::Set | Command::Color);
        let orders = table.orders.iter().filter(|(command, _)| is_specific(command));
        for (command, texts) in orders.chain(&table.hints) {
            lexicon.hints.add(texts, groups, *command);
        }
        lexicon.excuses.add_each(&table.excuses, groups, |excuse| excuse);
        for (part, texts) in &table.parts {
            let part = part.parse().unwrap_or_default();
            lexicon.parts.add(texts, groups, part);
        }
        for (index, texts) in table.colors.values().enumerate() {
            lexicon.colors.add(texts, groups, index);
        }
        for (index, texts) in table.modes.values().enumerate() {
            lexicon.modes.add(texts, groups, index);
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

/// Returns the single words among the alternatives of these patterns.
fn single_words<'t>(patterns: impl Iterator<Item = &'t String>) -> Vec<String> {
    patterns
        .flat_map(|text| text.split('/'))
        .filter(|word| !word.contains(['_', ' ', '~', '^']))
        .map(str::to_owned)
        .collect()
}

/// Returns the first alternative of the first slot of a pattern, as text.
fn first_word(text: &str) -> String {
    let first = text.split(['/', ' ']).next().unwrap_or_default();
    first.trim_end_matches('?').replace('_', " ")
}

/// Returns each name with the first word for it.
fn named_words(table: &BTreeMap<String, Vec<String>>) -> Vec<(String, String)> {
    let named = table
        .iter()
        .filter_map(|(name, texts)| Some((name.clone(), first_word(texts.first()?))));
    named.collect()
}

/// The languages, in the order of their files. They are indexed once, because that takes longer than all
/// look-ups for a sentence. A file that can't be parsed counts as empty, but a test parses them all.
pub(super) static LEXICONS: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    let lexicons = FILES.iter().enumerate().map(|(index, file)| {
        let file: WordFile = toml::from_str(file).unwrap_or_default();
        Lexicon::new(file, 1 << index)
    });
    lexicons.collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_sentence_words() {
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
            // Only English needs `At`.
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
                        // Other languages say "switch off" for `Command::Out` ("lights out").
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
