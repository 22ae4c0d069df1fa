//! The parts of the languages that [`Word`](crate::word::Word) needs: numbers, spellings and elided
//! articles.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::table::{LANGUAGES, WordUse, pair};
use crate::letters::{spellings, squash, squash_long};

/// The greatest number whose word counts as the number in a name.
const MAX_NUMBER: u8 = 12;

static NUMBERS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    LANGUAGES
        .iter()
        .flat_map(|language| {
            let numbers = (0..=MAX_NUMBER).zip(&language.sentence.count).skip(1);
            numbers.filter(|(_, text)| !language.list(WordUse::NotNumbers).contains(text))
        })
        .flat_map(|(number, text)| spellings(text).map(move |text| (text, number)))
        .collect()
});

/// Pairs of an ending's unusual spelling and its usual spelling. Each spelling has two forms: without umlauts
/// ("tur") and with umlauts spelled out ("tuer").
static SPELLINGS: LazyLock<Vec<[[String; 2]; 2]>> = LazyLock::new(|| {
    let forms = |text: &str| {
        [
            squash(text),
            squash_long(text).unwrap_or_else(|| squash(text)),
        ]
    };
    let pairs = LANGUAGES.iter().flat_map(|language| language.list(WordUse::Spellings));
    pairs
        .filter_map(|text| pair(text))
        .map(|(other, usual)| [forms(other), forms(usual)])
        .collect()
});

/// Returns the number that a folded word stands for, 1 to 12. An article such as "ein" is not a number.
pub(crate) fn number_of(word: &str) -> Option<u8> {
    NUMBERS.get(word).copied()
}

/// Returns true if a folded word is an article that lost its vowel before an apostrophe.
pub(crate) fn is_elided(word: &str) -> bool {
    LANGUAGES
        .iter()
        .flat_map(|language| language.list(WordUse::Elided))
        .any(|text| text == word)
}

/// Replaces an unusual spelling of a word's ending with the usual one. Takes and returns two forms of the word:
/// without umlauts ("tur") and with umlauts spelled out ("tuer"). Returns `None` if the word has no such ending.
pub(crate) fn usual_spelling(plain: &str, long: &str) -> Option<(String, String)> {
    let respell = |text: &str, from: &str, to: &str| {
        let begin = text.strip_suffix(from)?;
        Some(format!("{begin}{to}"))
    };
    SPELLINGS
        .iter()
        .find_map(|[[plain_other, long_other], [plain_usual, long_usual]]| {
            // If an umlaut was typed as two letters ("tuere"), the plain form has both letters, too.
            let plain = respell(plain, plain_other, plain_usual)
                .or_else(|| respell(plain, long_other, long_usual))?;
            Some((plain, respell(long, long_other, long_usual)?))
        })
}
