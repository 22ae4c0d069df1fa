//! The words of a name or a room, and which of them count.

use std::collections::BTreeMap;

use super::language::{find_small_words, head_length};
use super::word::{Marks, Word, marks_of, words};

/// The words of a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phrase {
    /// The marks of all its words. This is the first field, so that comparisons begin with it.
    marks: Marks,
    words: Box<[Word]>,
    /// A bit for each of the words that do not count, the first lowest.
    small: u64,
}

impl Phrase {
    /// Reads the words of a text. Articles and such count only at the end ("Lamp A"), or if there is nothing
    /// else but numbers ("Den").
    pub fn new(text: &str) -> Self {
        let words = words(text).into_boxed_slice();
        let small = find_small_words(&words);
        let mut flags = 0;
        for (at, _) in small.iter().enumerate().filter(|(_, small)| **small) {
            if at + 1 < words.len() && at < u64::BITS as usize {
                flags |= 1 << at;
            }
        }
        let mut phrase = Self {
            marks: marks_of(&words),
            words,
            small: flags,
        };
        if phrase.main_words().all(Word::is_number) {
            phrase.small = 0;
        }
        phrase
    }

    /// Returns the marks of all its words.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// Returns true if one of its words may fit one of the words with these marks.
    pub fn may_share(&self, marks: Marks) -> bool {
        self.marks & marks != 0
    }

    /// Returns every word.
    pub fn all(&self) -> &[Word] {
        &self.words
    }

    /// Returns the words that count, in their order.
    pub fn main_words(&self) -> impl Iterator<Item = &Word> {
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

    fn counts(&self, at: usize) -> bool {
        at >= u64::BITS as usize || self.small & (1 << at) == 0
    }

    /// Returns the words that count, up to a preposition that ends the head of the name.
    pub fn head(&self) -> Vec<&Word> {
        let words = self.words.iter().enumerate();
        words
            .take(head_length(&self.words))
            .filter_map(|(at, word)| self.counts(at).then_some(word))
            .collect()
    }

    /// Returns the words that count, for a look-up.
    pub fn slice(&self) -> Vec<&Word> {
        self.main_words().collect()
    }

    /// Returns true if there is no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if a word is among those that count.
    pub fn has(&self, word: &Word) -> bool {
        self.may_share(word.marks()) && self.main_words().any(|own| own.is(word))
    }

    /// Returns the words that count as one text, for sorting and for finding phrases that read the same.
    pub fn key(&self) -> String {
        let words: Vec<&str> = self.main_words().map(Word::text).collect();
        words.join(" ")
    }
}

/// Makes every word count in phrases that would otherwise read the same: "The Lamp" beside "Lamp".
pub fn count_where_equal<'a>(phrases: impl Iterator<Item = &'a mut Phrase>) {
    let mut alike: BTreeMap<String, Vec<&mut Phrase>> = BTreeMap::new();
    for phrase in phrases {
        alike.entry(phrase.key()).or_default().push(phrase);
    }
    for phrases in alike.into_values() {
        let differ = |pair: &[&mut Phrase]| match pair {
            [one, other] => one.words != other.words,
            _ => false,
        };
        if phrases.windows(2).any(differ) {
            for phrase in phrases {
                phrase.small = 0;
            }
        }
    }
}
