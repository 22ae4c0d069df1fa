//! The words that each language uses in sentences, loaded from `src/home/words` and indexed for look-ups.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::element::{
    Element, Instruction, Pronoun, Property, QuestionForm, Sensed, State, TimeWord,
};
use super::house::KnownHouse;
use super::pattern::{Groups, Patterns, all_of, each};
use super::tokens::Token;
use crate::assistant::due::{Day, DayPart};
use crate::home::device::Tag;
use crate::home::language::{ENGLISH, FILES, LanguageSet, Topic};
use crate::home::names::may_be_said;
use crate::home::word::{Word, words};

/// The maximum number of words in a tag: "node 12 endpoint 2".
const MAX_TAG_WORDS: usize = 4;

/// The parts of a language's file that sentences need.
#[derive(Debug, Default, Deserialize)]
struct WordFile {
    sentence: SentenceTable,
    #[serde(default)]
    topics: BTreeMap<Topic, Vec<String>>,
    #[serde(default)]
    alternatives: Vec<String>,
}

/// The `sentence` table of a language's file. Most lists contain patterns.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SentenceTable {
    /// The language's code: "en".
    pub code: String,
    /// True if a color may follow the device's name without a word such as "to": "lamp red".
    pub bare_color: bool,
    /// True if a word for light is an order to switch on even without a command: "lumière dans la cuisine".
    pub lights_alone: bool,
    /// The words of the elements that have no kinds.
    elements: BTreeMap<Element, Vec<String>>,
    /// The numbers from 0 to 100.
    pub count: Vec<String>,
    groups: Groups,
    /// Words for a part of the whole, such as "half". The key is the part in percent.
    parts: BTreeMap<String, Vec<String>>,
    pub colors: BTreeMap<String, Vec<String>>,
    pub modes: BTreeMap<String, Vec<String>>,
    orders: BTreeMap<Instruction, Vec<String>>,
    asks: BTreeMap<QuestionForm, Vec<String>>,
    states: BTreeMap<State, Vec<String>>,
    properties: BTreeMap<Property, Vec<String>>,
    /// Phrases that ask for a property: "how warm is it".
    how: BTreeMap<Property, Vec<String>>,
    sensed: BTreeMap<Sensed, Vec<String>>,
    pronouns: BTreeMap<Pronoun, Vec<String>>,
    excuses: BTreeMap<String, Vec<String>>,
    hints: BTreeMap<Instruction, Vec<String>>,
    /// The small words of times and spans.
    when: BTreeMap<TimeWord, Vec<String>>,
    /// The units of spans. The key has the seconds.
    pub units: BTreeMap<String, Vec<String>>,
    /// Phrases for a span, such as "half an hour". The key has the minutes.
    spans: BTreeMap<String, Vec<String>>,
    /// Hours with a name, such as "noon". The key has the hour, 24 for midnight.
    hours: BTreeMap<String, Vec<String>>,
    /// Phrases before the hour, such as "half past", and behind it, such as "y media". The key has the minutes to add.
    minutes_before: BTreeMap<String, Vec<String>>,
    minutes_after: BTreeMap<String, Vec<String>>,
    /// Words for days. The key has the number of days after today, or a day of the week: "Mon".
    pub days: BTreeMap<String, Vec<String>>,
    day_parts: BTreeMap<DayPart, Vec<String>>,
    /// The phrases for answers.
    pub phrases: BTreeMap<String, String>,
    /// The words for states in answers. A state has one form for all subjects, or four forms: masculine
    /// singular, feminine singular, masculine plural and feminine plural.
    pub forms: BTreeMap<State, Vec<String>>,
    /// The words for detected events in answers.
    pub senses: BTreeMap<Sensed, String>,
    /// Nouns by gender, each as "singular/plural".
    pub nouns: BTreeMap<char, Vec<String>>,
    /// Articles. A key has up to three letters, in this order:
    ///
    /// - The gender. It is left out if all genders share the article.
    /// - `v` before a vowel, or `s` before the sounds that take "lo" in Italian. The key of "lo" is `ms`.
    /// - `p` for plural. The key of "gli" before a vowel is `mvp`.
    pub articles: BTreeMap<String, String>,
    #[serde(flatten)]
    lists: BTreeMap<WordList, Vec<String>>,
}

/// A list of phrases for one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WordList {
    /// Words that join orders: "and", "then".
    Conjunctions,
    /// "Or".
    Alternatives,
    /// Words before a value to set: "to".
    To,
    /// Words before a value to set or before a time: "at 50 %".
    At,
    /// Words before a color.
    ToColor,
    /// Words before a value that may be a target or a difference: Italian "di 20 gradi".
    Of,
    /// Words before a share, which says how far closed what is closed is: German "zu 70 %".
    Share,
    /// Words before a difference: "by 10 %".
    By,
    /// Words that replace the noun in a name: "the kitchen one".
    Ones,
    /// Whole sentences that say yes.
    Confirms,
    /// Words that begin a location: "in", "outside".
    LocationStarters,
    /// Words that name no particular lamp: "light".
    LightInGeneral,
    AndAHalf,
    Point,
    Percent,
    Degrees,
    Celsius,
    Fahrenheit,
    Kelvin,
    /// Whole sentences, such as "stop", that cancel the current answer.
    Cancels,
    /// Whole sentences, such as "never mind", that also cancel the timer that was just set.
    Withdraws,
    /// Whole sentences that undo the last order.
    Undo,
    /// The word "timer".
    Timer,
    /// Fillers that say that an order is not for later: "now".
    Now,
    /// Whole sentences that ask for the timers.
    WhichTimers,
    /// Whole sentences that ask how long the timers still run.
    HowLong,
    /// Whole sentences that cancel the only timer.
    CancelTimer,
    /// Whole sentences that cancel all timers.
    CancelTimers,
    /// Phrases before the name of a device whose timer is to be cancelled.
    CancelTimerFor,
    /// Words that make a question one about the past: "was".
    Was,
    /// Whole sentences that ask what the assistant can do.
    Help,
    /// Whole sentences that only greet.
    Greetings,
    /// Whole sentences that only thank.
    Thanks,
    /// Words that begin an order that a small model may interpret.
    OrderStarters,
}

/// The word patterns of a language, indexed by first word.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// The language's own table, for answers.
    pub table: &'static SentenceTable,
    /// The set that contains only this language.
    pub language: LanguageSet,
    lists: BTreeMap<WordList, Patterns<()>>,
    pub elements: Patterns<Element>,
    pub count: Patterns<u8>,
    /// Words for a part of the whole. The meaning is the part in percent.
    pub parts: Patterns<i32>,
    /// Words for colors. The meaning is the control tool's name for the color.
    pub colors: Patterns<&'static str>,
    /// Words for modes. The meaning is the control tool's name for the mode.
    pub modes: Patterns<&'static str>,
    /// Words because of which a sentence is not carried out, such as "tomorrow" and "not". The meaning is
    /// the name of the phrase that gives the reason: "later", "denial".
    pub excuses: Patterns<&'static str>,
    /// The words of times. The meanings are those of the tables with these names.
    pub times: Patterns<TimeWord>,
    pub units: Patterns<i32>,
    pub spans: Patterns<i32>,
    pub hours: Patterns<i32>,
    pub minutes_before: Patterns<i32>,
    pub minutes_after: Patterns<i32>,
    pub days: Patterns<Day>,
    pub day_parts: Patterns<DayPart>,
    /// Words that hint at a command. A small model chooses among the commands.
    pub hints: Patterns<Instruction>,
    /// Pronouns that can be the end of a verb: "apágala".
    pronoun_words: Vec<String>,
    /// Properties that can be the end of a compound: "woonkamertemperatuur".
    pub property_words: Vec<String>,
}

impl Lexicon {
    pub fn code(&self) -> &str {
        &self.table.code
    }

    /// Returns the length, in tokens, of each phrase in `list` that matches at `at`.
    pub fn lengths_at<'l>(
        &'l self,
        list: WordList,
        tokens: &'l [Token],
        at: usize,
    ) -> impl Iterator<Item = usize> {
        let patterns = self.lists.get(&list).into_iter();
        patterns
            .flat_map(move |patterns| patterns.all_at(tokens, at))
            .map(|(length, _)| length)
    }

    /// Returns the length, in tokens, of the longest phrase in `list` that matches at `at`.
    pub fn length_at(&self, list: WordList, tokens: &[Token], at: usize) -> Option<usize> {
        self.lengths_at(list, tokens, at).max()
    }

    /// Returns true if a phrase in `list` matches at `at`.
    pub fn has_at(&self, list: WordList, tokens: &[Token], at: usize) -> bool {
        self.lengths_at(list, tokens, at).next().is_some()
    }

    /// Returns true if all tokens together are a phrase in `list`.
    pub fn is_all(&self, list: WordList, tokens: &[Token]) -> bool {
        self.lengths_at(list, tokens, 0).any(|length| length == tokens.len())
    }

    /// Returns true if a command without a verb, such as "on" in "lamp on", matches at `at`.
    pub fn has_particle_at(&self, tokens: &[Token], at: usize) -> bool {
        self.elements.all_at(tokens, at).any(|(_, (pattern, element))| {
            matches!(element, Element::Instruction(_)) && pattern.must_follow
        })
    }

    /// Prepares the tokens of a sentence for reading in this language. Splits compounds that end with a
    /// property ("woonkamertemperatuur"), and verbs that end with a pronoun ("apágala"). Marks the tokens
    /// that may belong to a name in the house.
    pub fn read_tokens(&self, tokens: &[Token], house: &KnownHouse) -> Vec<Token> {
        let may_name = |word: &Word| may_be_said(&house.names, word, self.language);
        let is_known = |token: &Token, word: &Word| {
            word.is_number()
                || may_name(word)
                || !self.elements.find_by_first_word(token).is_empty()
        };
        let (mut read, mut pronouns): (Vec<Token>, Vec<usize>) = Default::default();
        for token in tokens {
            let word = token.word().filter(|word| !is_known(token, word));
            let compound = word.and_then(|word| self.split_compound(word, &may_name));
            let verb = word.filter(|_| compound.is_none()).and_then(|word| self.split_verb(word));
            // "La" in "apágala" is no article.
            pronouns.extend(verb.iter().map(|_| read.len() + 1));
            match compound.or(verb) {
                Some(parts) => read.extend(parts.map(Token::of)),
                None => read.push(token.clone()),
            }
        }
        let is_or = |at| self.has_at(WordList::Alternatives, &read, at);
        let is_or: Vec<bool> = (0..read.len()).map(is_or).collect();
        for (at, (token, is_or)) in read.iter_mut().zip(is_or).enumerate() {
            let names = || token.word().map_or(token.is_sign('&'), may_name);
            token.may_name = is_or || !pronouns.contains(&at) && names();
        }
        mark_tags(&mut read);
        read
    }

    /// Splits a compound that begins with a word that may belong to a name, and ends with a property.
    fn split_compound(&self, word: &Word, may_name: &impl Fn(&Word) -> bool) -> Option<[Word; 2]> {
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
            let token = Token::of(verb.clone());
            let mut elements = self.elements.all_at(std::slice::from_ref(&token), 0);
            let is_command =
                |(_, (_, element)): (_, &(_, Element))| matches!(element, Element::Instruction(_));
            elements.any(is_command).then_some([verb, pronoun])
        })
    }

    fn new(file: &'static WordFile, language: LanguageSet) -> Self {
        let table = &file.sentence;
        let groups = &table.groups;
        let now = table.lists.get(&WordList::Now).map_or(&[][..], Vec::as_slice);
        let elements = each(&table.orders, |key| Element::Instruction(*key))
            .chain(each(&table.asks, |key| Element::QuestionPhrase(*key)))
            .chain(each(&table.states, |key| Element::State(*key)))
            .chain(each(&table.properties, |key| Element::Property(*key)))
            .chain(each(&table.how, |key| Element::PropertyQuestion(*key)))
            .chain(each(&table.sensed, |key| Element::Sensed(*key)))
            .chain(each(&table.pronouns, |key| Element::Pronoun(*key)))
            .chain(each(&file.topics, |key| Element::Topic(*key)))
            .chain(each(&table.elements, |element| *element))
            .chain(all_of(now, Element::Filler));
        // The verbs of `Set` and `Color`, such as "turn", hint at nothing, because other commands use them too.
        let hints = each(&table.orders, |command| *command)
            .filter(|(_, command)| !matches!(command, Instruction::Set | Instruction::Color))
            .chain(each(&table.hints, |command| *command));
        let list = |texts| Patterns::new(all_of(texts, ()), groups);
        let lists = table.lists.iter().map(|(name, texts)| (*name, list(texts)));
        let alternatives = (WordList::Alternatives, list(&file.alternatives));
        let names = |table: &'static BTreeMap<String, _>| {
            Patterns::new(each(table, String::as_str), groups)
        };
        let numbers = |table: &'static BTreeMap<String, _>| {
            Patterns::new(each(table, |key| key.parse().unwrap_or_default()), groups)
        };
        Self {
            table,
            language,
            lists: lists.chain([alternatives]).collect(),
            elements: Patterns::new(elements, groups),
            count: Patterns::new(table.count.iter().zip(0..), groups),
            parts: numbers(&table.parts),
            colors: names(&table.colors),
            modes: names(&table.modes),
            excuses: names(&table.excuses),
            times: Patterns::new(each(&table.when, |word| *word), groups),
            units: numbers(&table.units),
            spans: numbers(&table.spans),
            hours: numbers(&table.hours),
            minutes_before: numbers(&table.minutes_before),
            minutes_after: numbers(&table.minutes_after),
            days: Patterns::new(each(&table.days, |key| Day::of_key(key)), groups),
            day_parts: Patterns::new(each(&table.day_parts, |part| *part), groups),
            hints: Patterns::new(hints, groups),
            pronoun_words: single_words(table.pronouns.values().flatten()),
            property_words: single_words(table.properties.values().flatten()),
        }
    }
}

/// Marks the words of tags ("node 12") as words that may belong to a name.
fn mark_tags(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let words = tokens.iter().skip(at).map_while(Token::word).take(MAX_TAG_WORDS);
        let tag = Tag::read(&words.collect::<Vec<&Word>>());
        let length = tag.map_or(0, |(_, length)| length);
        tokens.iter_mut().skip(at).take(length).for_each(|token| token.may_name = true);
    }
}

/// Returns the single words among the alternatives of patterns: "temperature" of `temperature/light_level`.
fn single_words<'t>(patterns: impl Iterator<Item = &'t String>) -> Vec<String> {
    patterns
        .flat_map(|text| text.split('/'))
        .filter(|word| !word.contains(['_', ' ', '~', '^']))
        .map(str::to_owned)
        .collect()
}

/// Returns the first word of a pattern that is not optional, as text: `warm_white/warmwhite` → "warm white", and
/// `mode? auto` → "auto".
pub(super) fn first_word(text: &str) -> String {
    let needed = text.split(' ').find(|slot| !slot.ends_with('?')).unwrap_or_default();
    needed.split('/').next().unwrap_or_default().replace('_', " ")
}

/// The word files. A file that can't be parsed would count as empty; a test checks that all can be parsed.
static WORD_FILES: LazyLock<[WordFile; FILES.len()]> =
    LazyLock::new(|| FILES.map(|file| toml::from_str(file).unwrap_or_default()));

/// The languages, in the order of their files: English first. The words are indexed only once, because
/// indexing takes longer than all look-ups for a sentence.
pub(super) static LEXICONS: LazyLock<[Lexicon; FILES.len()]> = LazyLock::new(|| {
    let mut language = ENGLISH;
    WORD_FILES.each_ref().map(|file| {
        let lexicon = Lexicon::new(file, language);
        language <<= 1;
        lexicon
    })
});

/// Returns the language with this code, or English if no language has the code.
pub(super) fn lexicon_for(code: Option<&str>) -> &'static Lexicon {
    let [english, ..] = &*LEXICONS;
    let lexicon = LEXICONS.iter().find(|lexicon| Some(lexicon.code()) == code);
    lexicon.unwrap_or(english)
}
