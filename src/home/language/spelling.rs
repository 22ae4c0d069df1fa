//! The parts of the languages that [`Word`](crate::home::word::Word) needs: numbers, spellings and elided
//! articles.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::table::{LANGUAGES, pair};
use crate::home::letters::{spellings, squash, squash_long};

static NUMBERS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    LANGUAGES
        .iter()
        .flat_map(|language| (1..).zip(&language.numbers))
        .filter(|(_, text)| !text.is_empty())
        .flat_map(|(number, text)| spellings(text).map(move |text| (text, number)))
        .collect()
});

/// An ending in both folded forms.
struct Ending {
    /// Without umlauts: "tur".
    plain: String,
    /// With umlauts spelled out: "tuer".
    long: String,
}

/// Pairs of an unusual spelling of an ending and the usual one.
static SPELLINGS: LazyLock<Vec<[Ending; 2]>> = LazyLock::new(|| {
    let folded = |text: &str| {
        let plain = squash(text);
        Ending {
            long: squash_long(text).unwrap_or_else(|| plain.clone()),
            plain,
        }
    };
    LANGUAGES
        .iter()
        .flat_map(|language| &language.spellings)
        .filter_map(|text| pair(text))
        .map(|(other, usual)| [folded(other), folded(usual)])
        .collect()
});

/// Returns the number that a folded word stands for, 1 to 12. An article such as "ein" is not a number.
pub(in crate::home) fn number_of(word: &str) -> Option<u8> {
    NUMBERS.get(word).copied()
}

/// Returns true if a folded word is an article that lost its vowel before an apostrophe.
pub(in crate::home) fn is_elided(word: &str) -> bool {
    LANGUAGES.iter().flat_map(|language| &language.elided).any(|text| text == word)
}

/// Replaces an unusual spelling of a word's ending with the usual one. Takes and returns the word's plain
/// and long form. Returns `None` if no ending is unusual.
pub(in crate::home) fn usual_spelling(plain: &str, long: &str) -> Option<(String, String)> {
    SPELLINGS.iter().find_map(|[other, usual]| {
        let respelled = |text: &str, [from, to]: [&str; 2]| {
            let begin = text.strip_suffix(from)?;
            Some(format!("{begin}{to}"))
        };
        let long_forms = [&*other.long, &*usual.long];
        let plain_forms = [&*other.plain, &*usual.plain];
        // An umlaut that was typed as two letters ("tuere") is in the plain form, too.
        let plain = respelled(plain, plain_forms).or_else(|| respelled(plain, long_forms));
        Some((plain?, respelled(long, long_forms)?))
    })
}
