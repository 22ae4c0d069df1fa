//! The words of a name or a room. Small words, such as articles, usually do not count when names are compared.

use std::collections::BTreeMap;

use super::language::{ALL_LANGUAGES, LanguageSet, WordUse, find_small_words, head_length};
use super::word::{Marks, Word, marks_of, words};

/// The words of a name or a room.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phrase {
    /// The marks of all words. It is the first field, so that `==` compares the marks first, which is fast.
    marks: Marks,
    words: Box<[Word]>,
    /// The words that do not count, one bit each. The lowest bit stands for the first word.
    small: u64,
}

impl Phrase {
    /// Reads the words of a text. Small words such as articles count only at the end ("Lamp A"), or if all
    /// other words are numbers ("Device 2").
    pub fn new(text: &str) -> Self {
        Self::of(words(text), 0)
    }

    fn of(words: Vec<Word>, spoken: LanguageSet) -> Self {
        let mut phrase = Self {
            marks: marks_of(&words),
            words: words.into_boxed_slice(),
            small: 0,
        };
        phrase.ignore_small_words(spoken);
        phrase
    }

    /// Does the same as [`Self::new`], in a house in which these languages are spoken.
    pub fn in_languages(text: &str, spoken: LanguageSet) -> Self {
        Self::of(words(text), spoken)
    }

    /// Makes the small words of these languages not count, besides those of the phrase's own languages and English.
    pub fn ignore_small_words(&mut self, spoken: LanguageSet) {
        let small = find_small_words(&self.words, spoken);
        self.small = 0;
        for (at, _) in small.iter().enumerate().filter(|(_, small)| **small) {
            if at + 1 < self.words.len() && at < u64::BITS as usize {
                self.small |= 1 << at;
            }
        }
        if self.main_words().all(Word::is_number) {
            self.small = 0;
        }
    }

    /// Returns true if the phrase may contain one of the words from which these marks were made.
    pub fn may_share(&self, marks: Marks) -> bool {
        self.marks & marks != 0
    }

    /// Returns every word.
    pub fn all(&self) -> &[Word] {
        &self.words
    }

    /// Returns the words that count, in their order.
    pub fn main_words(&self) -> impl Iterator<Item = &Word> + Clone {
        self.words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| self.counts(at).then_some(word))
    }

    /// Returns the words that do not count, in their order.
    pub fn small_words(&self) -> impl Iterator<Item = &Word> {
        self.words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| (!self.counts(at)).then_some(word))
    }

    /// Returns true if the word at this position counts. From the 65th word on, every word counts.
    fn counts(&self, at: usize) -> bool {
        at >= u64::BITS as usize || self.small & (1 << at) == 0
    }

    /// Returns the words that count in the head of the name. The head ends before the first preposition.
    pub fn head(&self) -> Vec<&Word> {
        let words = self.words.iter().enumerate();
        words
            .take(head_length(&self.words))
            .filter_map(|(at, word)| self.counts(at).then_some(word))
            .collect()
    }

    /// Returns what stands behind the head and a word such as "for". No small word counts there, in any language.
    pub fn purpose(&self) -> Option<Self> {
        let rest = self.words.get(head_length(&self.words)..)?;
        let length = WordUse::Purposes.length_at(rest)?;
        Some(Self::of(rest.get(length..)?.to_vec(), ALL_LANGUAGES))
    }

    /// Returns the words that count, in a vector.
    pub fn collect_main_words(&self) -> Vec<&Word> {
        self.main_words().collect()
    }

    /// Returns true if there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if a word is among those that count.
    pub fn has(&self, word: &Word) -> bool {
        self.may_share(word.marks()) && self.main_words().any(|own| own.is(word))
    }

    /// Returns the words that count, joined into a text for sorting and comparing.
    pub fn key(&self) -> String {
        let words: Vec<&str> = self.main_words().map(Word::text).collect();
        words.join(" ")
    }
}

/// Makes every word count in phrases that differ only by their small words, such as "The Lamp" and "Lamp".
pub fn count_where_equal<'a>(phrases: impl Iterator<Item = &'a mut Phrase>) {
    let mut phrases_by_key: BTreeMap<String, Vec<&mut Phrase>> = BTreeMap::new();
    for phrase in phrases {
        phrases_by_key.entry(phrase.key()).or_default().push(phrase);
    }
    for phrases in phrases_by_key.into_values() {
        let differ =
            |pair: &[&mut Phrase]| matches!(pair, [one, other] if one.words != other.words);
        if phrases.windows(2).any(differ) {
            for phrase in phrases {
                phrase.small = 0;
            }
        }
    }
}
