//! The languages that plain commands are understood in.

use std::sync::LazyLock;

use super::english::ENGLISH;
use super::german::GERMAN;
use super::lexicon::Lexicon;

/// Every language, the likeliest first. Folding the tables takes longer than all of a sentence's
/// look-ups, and they never change.
pub(super) static LANGUAGES: LazyLock<[Lexicon; 2]> =
    LazyLock::new(|| [&ENGLISH, &GERMAN].map(Lexicon::new));
