//! The table of words, folded for looking them up.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::all::{LANGUAGES, LanguageSet};
use super::meaning::Meaning;
use super::table::texts;
use crate::home::word::{Word, words_of_table};

/// The shortest beginning of a compound, in letters: "clamp" is no lamp, "clock" no lock.
pub(super) const SHORTEST_BEGINNING: usize = 3;

/// The shortest end of a compound that says what it is, in letters: Stefan is no fan, and what only
/// names say has to be longer still, so that a shepherd is no stove.
fn shortest_end(meaning: Meaning) -> Option<usize> {
    match meaning {
        Meaning::Opens(..) => Some(3),
        Meaning::Kind(_) | Meaning::Essential | Meaning::NoDoor => Some(4),
        Meaning::InNames(..) => Some(5),
        _ => None,
    }
}

/// The table, folded for looking words up.
pub(super) struct Index {
    pub(super) phrases: HashMap<String, Vec<Meaning>>,
    /// The words that also end compounds.
    ends: HashMap<String, Vec<Meaning>>,
    /// The languages that have a word as an article or such.
    pub(super) small: HashMap<String, LanguageSet>,
    /// The languages that have any other word.
    pub(super) known: HashMap<String, LanguageSet>,
}

// The table never changes, and folding it takes longer than all of a call's look-ups.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(Index::new);
impl Index {
    fn new() -> Self {
        let mut index = Self {
            phrases: HashMap::new(),
            ends: HashMap::new(),
            small: HashMap::new(),
            known: HashMap::new(),
        };
        for (place, language) in LANGUAGES.iter().enumerate() {
            let languages: LanguageSet = 1 << place;
            // What means "all" in some language is never left out.
            let all = |text: &&str| {
                let mut all = LANGUAGES
                    .iter()
                    .flat_map(|other| texts(other.all).chain(texts(other.everything)));
                all.any(|word| word == *text)
            };
            let small = texts(language.small).chain(texts(language.elided));
            for text in small.filter(|text| !all(text)) {
                *index.small.entry(text.to_owned()).or_default() |= languages;
            }
            for (text, meaning) in language.meanings(languages) {
                for key in index.keys(text, meaning) {
                    for word in key.split(' ') {
                        *index.known.entry(word.to_owned()).or_default() |= languages;
                    }
                    let length = key.chars().count();
                    let long = shortest_end(meaning).is_some_and(|least| length >= least);
                    if language.compounds && long && !key.contains(' ') {
                        index.ends.entry(key.clone()).or_default().push(meaning);
                    }
                    index.phrases.entry(key).or_default().push(meaning);
                }
            }
        }
        index
    }

    /// The forms in which a phrase of the table is found. A door is found as it is written alone: "Tür"
    /// and "Tuer", never "Tur".
    pub(super) fn keys(&self, text: &str, meaning: Meaning) -> Vec<String> {
        let all = words_of_table(text);
        let small = |word: &&Word| all.len() > 1 && self.small.contains_key(word.text());
        let all: Vec<&Word> = all.iter().filter(|word| !small(word)).collect();
        let written = joined(&all, Word::written);
        let plain = joined(&all, Word::text);
        if written == plain || matches!(meaning, Meaning::Opens(..)) {
            vec![written]
        } else {
            vec![written, plain]
        }
    }
}

fn joined<'a>(words: &[&'a Word], form: impl Fn(&'a Word) -> &'a str) -> String {
    let words: Vec<&str> = words.iter().map(|word| form(word)).collect();
    words.join(" ")
}

pub(super) fn meanings(phrase: &[&Word]) -> &'static [Meaning] {
    let forms: [fn(&Word) -> &str; 2] = [Word::written, Word::text];
    let mut found = forms.into_iter().map(|form| match phrase {
        // No key to make for the most of all look-ups.
        [word] => of_text(form(word)),
        phrase => of_text(&joined(phrase, form)),
    });
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// What a folded text means.
pub(super) fn of_text(text: &str) -> &'static [Meaning] {
    let found = INDEX.phrases.get(text);
    found.map(Vec::as_slice).unwrap_or_default()
}

/// What the longest end of a word says that also stands alone in the table.
pub(super) fn end_meanings(word: &Word) -> &'static [Meaning] {
    ends_of(word.written())
}

/// The same of a folded text.
pub(super) fn ends_of(text: &str) -> &'static [Meaning] {
    let begins = text.char_indices().skip(SHORTEST_BEGINNING);
    let mut found = begins.map(|(at, _)| ends(text.get(at..).unwrap_or_default()));
    found
        .find(|meanings| !meanings.is_empty())
        .unwrap_or_default()
}

/// What this end of a word says.
pub(super) fn ends(end: &str) -> &'static [Meaning] {
    INDEX.ends.get(end).map(Vec::as_slice).unwrap_or_default()
}
