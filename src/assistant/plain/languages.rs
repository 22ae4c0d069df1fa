//! The languages that plain commands are understood in.

use std::sync::LazyLock;

use super::english::ENGLISH;
use super::german::GERMAN;
use super::lexicon::Lexicon;
use super::manners::is_comma;
use super::spoken::words;

/// Every language, the likeliest first. Folding the tables takes longer than all of a sentence's
/// look-ups, and they never change.
pub(super) static LANGUAGES: LazyLock<[Lexicon; 2]> =
    LazyLock::new(|| [&ENGLISH, &GERMAN].map(Lexicon::new));

/// Whether a sentence, however it is punctuated, is one of those that cancel what is being answered.
pub fn cancels(sentence: &str) -> bool {
    let mut words = words(sentence).unwrap_or_default();
    words.retain(|word| !is_comma(word));
    let mut languages = LANGUAGES.iter();
    languages.any(|lexicon| lexicon.cancels.whole(&words).is_some())
}
