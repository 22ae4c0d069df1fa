//! Understands a sentence: what to do or answer in a house.
//!
//! In some language, each word must belong to an order or a question, name something in the house, or be a
//! filler. The sentence is read in every possible way, and something is done only if all ways agree.

use std::cmp::Reverse;

use super::context::Context;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon, lexicon_for};
use super::meaning::{Meaning, reconcile};
use super::reader::Reader;
use super::tokens::Sentence;

/// Returns the language and the meaning of a sentence. `language` is preferred if the sentence has a meaning
/// in several languages.
pub(super) fn understand<'h>(
    house: &'h KnownHouse,
    text: &str,
    context: &Context,
    language: Option<&str>,
) -> (&'static Lexicon, Meaning<'h>) {
    let Some(sentence) = Sentence::read(text) else {
        return (lexicon_for(language), Meaning::Unknown(Vec::new(), None));
    };
    if let Some(pending) = &context.pending {
        let lexicon = lexicon_for(Some(pending.language));
        let reader = Reader::new(house, lexicon, &sentence, context);
        if let Some(meaning) = reader.choice(pending) {
            return (lexicon, meaning);
        }
    }
    let is_preferred = |reader: &Reader| language == Some(reader.lexicon.code());
    let was_last = |reader: &Reader| context.language == Some(reader.lexicon.code());
    let mut readers: Vec<Reader> = LEXICONS
        .iter()
        .map(|lexicon| Reader::new(house, lexicon, &sentence, context))
        .collect();
    // The sort is stable and English is the first language, so English wins any remaining tie.
    readers.sort_by_key(|reader| {
        (
            !is_preferred(reader),
            Reverse(reader.familiar_words),
            !was_last(reader),
        )
    });
    // Looking at each word is cheaper than trying every way to combine them.
    let without_unknown: Vec<&Reader> =
        readers.iter().filter(|reader| reader.unknown_words().is_empty()).collect();
    let mut found: Vec<(&Reader, Meaning)> = Vec::new();
    for reader in &without_unknown {
        found.extend(reader.meaning().map(|meaning| (*reader, meaning)));
        // The preferred language comes first and decides alone.
        if is_preferred(reader) && !found.is_empty() {
            break;
        }
    }
    let Some((first, meaning)) = found.first() else {
        return not_understood(&readers, is_preferred);
    };
    let most = first.familiar_words;
    // The sentence may have more words of another language, but be understood only by the rules of `first`.
    let more_familiar = without_unknown
        .iter()
        .filter(|reader| !is_preferred(first) && reader.familiar_words > most)
        .min_by_key(|reader| Reverse(reader.familiar_words));
    let lexicon = more_familiar.unwrap_or(first).lexicon;
    // A question does nothing, so the languages with as many familiar words as the first one decide.
    let is_question = matches!(meaning, Meaning::Question(_));
    let meanings = found
        .into_iter()
        .filter(|(reader, _)| !is_question || reader.familiar_words == most)
        .map(|(_, meaning)| meaning);
    let meaning = reconcile(meanings.collect());
    (lexicon, meaning.unwrap_or(Meaning::Unclear))
}

/// Returns the meaning of a sentence that no language understands: its unknown words in the preferred
/// language, or else in the language with the fewest, or the words for things that the house does not have.
fn not_understood<'h>(
    readers: &[Reader],
    is_preferred: impl Fn(&Reader) -> bool,
) -> (&'static Lexicon, Meaning<'h>) {
    let best = readers
        .iter()
        .map(|reader| (reader, reader.unknown_words()))
        .min_by_key(|(reader, unknown)| (!is_preferred(reader), unknown.len()));
    let Some((reader, unknown)) = best else {
        return (lexicon_for(None), Meaning::Unknown(Vec::new(), None));
    };
    let absent = reader.absent_words();
    let meaning = match reader.excuse() {
        None if unknown.is_empty() && !absent.is_empty() => Meaning::Absent(absent),
        excuse => Meaning::Unknown(unknown, excuse),
    };
    (reader.lexicon, meaning)
}
