//! Finds the meaning of a sentence in a house.
//!
//! There must be a language in which each word belongs to an order or a question, names something in the
//! house, or is a filler such as "please". The sentence is read in every possible way. If the best ways
//! disagree, nothing is done.

use std::cmp::Reverse;

use super::call::DeviceCall;
use super::context::Context;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon, lexicon_for};
use super::meaning::{SentenceMeaning, SentencePlan, reconcile};
use super::reader::Reader;
use super::tokens::Sentence;
use crate::home::names::put_right;
use crate::home::word::{Word, words};

/// Returns the language and the meaning of a sentence. If the sentence has a meaning in several languages,
/// `language` is preferred. A sentence that is only understood without the slips in its words is `Near`.
pub(super) fn understand<'h>(
    house: &'h KnownHouse,
    text: &str,
    context: &Context,
    language: Option<&str>,
) -> (&'static Lexicon, SentenceMeaning<'h>) {
    let (lexicon, meaning) = understand_as_said(house, text, context, language);
    let unknown: &[String] = match &meaning {
        SentenceMeaning::Unknown(unknown, None) => unknown,
        // Only the end of a compound may be known.
        SentenceMeaning::Absent(_) => &[],
        _ => return (lexicon, meaning),
    };
    let near = understand_without_slips(house, text, unknown, context, language);
    near.unwrap_or((lexicon, meaning))
}

/// Returns the language and the meaning of a sentence without the slips in its unknown words. Returns `None` if it has
/// no meaning, or if what is guarded would be opened.
fn understand_without_slips<'h>(
    house: &'h KnownHouse,
    text: &str,
    unknown: &[String],
    context: &Context,
    language: Option<&str>,
) -> Option<(&'static Lexicon, SentenceMeaning<'h>)> {
    let unknown: Vec<Word> = unknown.iter().flat_map(|said| words(said)).collect();
    let is_understood =
        |word: &Word| !unknown.is_empty() && !unknown.iter().any(|unknown| unknown.is(word));
    let right = put_right(&house.names, text, is_understood)?;
    let (lexicon, meaning) = understand_as_said(house, &right, context, language);
    let is_unguarded = |call: DeviceCall, facts| call.check_unguarded(facts).is_ok();
    let is_offered = match &meaning {
        SentenceMeaning::Question(_) => true,
        SentenceMeaning::Do(plan) => {
            plan.steps.iter().all(|step| is_unguarded(step.call.clone(), step.facts))
        }
        SentenceMeaning::WhichOne(order, devices) => devices.iter().all(|device| {
            let facts = house.facts(device);
            order.call(facts, device).is_ok_and(|call| is_unguarded(call, facts))
        }),
        _ => false,
    };
    let near = match meaning {
        SentenceMeaning::Question(_) => SentenceMeaning::Near(right, SentencePlan::default()),
        SentenceMeaning::Do(plan) => SentenceMeaning::Near(right, plan),
        meaning => meaning,
    };
    is_offered.then_some((lexicon, near))
}

/// Reads a sentence as the answer to "Which one?".
pub(super) fn chosen<'h>(
    house: &'h KnownHouse,
    text: &str,
    context: &Context,
) -> Option<(&'static Lexicon, SentenceMeaning<'h>)> {
    let pending = context.pending.as_ref()?;
    let lexicon = lexicon_for(Some(pending.language));
    let reader = Reader::new(house, lexicon, &Sentence::read(text)?, context);
    Some((lexicon, reader.choice(pending)?))
}

fn understand_as_said<'h>(
    house: &'h KnownHouse,
    text: &str,
    context: &Context,
    language: Option<&str>,
) -> (&'static Lexicon, SentenceMeaning<'h>) {
    let Some(sentence) = Sentence::read(text) else {
        return not_understood(&[], house, context, language);
    };
    if let Some(chosen) = chosen(house, text, context) {
        return chosen;
    }
    let is_preferred = |reader: &Reader| language == Some(reader.lexicon.code());
    let is_last_language = |reader: &Reader| context.language == Some(reader.lexicon.code());
    let mut readers: Vec<Reader> = LEXICONS
        .iter()
        .map(|lexicon| Reader::new(house, lexicon, &sentence, context))
        .collect();
    let speaks = |reader: &Reader| house.names.languages() & reader.lexicon.language != 0;
    // The preferred language comes first, then the languages with more familiar words. In a tie, the language
    // of the last answer comes first, then the house's, then English: the sort is stable, and English is first in
    // `LEXICONS`.
    readers.sort_by_key(|reader| {
        (
            !is_preferred(reader),
            Reverse(reader.familiar_words),
            !is_last_language(reader),
            !speaks(reader),
        )
    });
    // Drop the languages with unknown words before the slow part: reading the sentence in every way.
    let without_unknown: Vec<&Reader> =
        readers.iter().filter(|reader| reader.unknown_words().is_empty()).collect();
    let mut understood: Vec<(&Reader, SentenceMeaning)> = Vec::new();
    for reader in &without_unknown {
        understood.extend(reader.meaning().map(|meaning| (*reader, meaning)));
        // If the preferred language understands the sentence, it decides alone.
        if is_preferred(reader) && !understood.is_empty() {
            break;
        }
    }
    let Some((first, meaning)) = understood.first() else {
        return not_understood(&readers, house, context, language);
    };
    let most = first.familiar_words;
    // "Is the kitchen door open?" is no Dutch question, although all of its words are Dutch, too.
    let is_of_another_language = matches!(meaning, SentenceMeaning::Question(_))
        && !is_preferred(first)
        && without_unknown.iter().any(|reader| reader.familiar_words > most);
    if is_of_another_language {
        return not_understood(&readers, house, context, language);
    }
    // If the preferred language understands the sentence, the answer is in that language. Otherwise, it is in
    // the language that knows more of the words, if there is one, even if it does not understand the sentence.
    let more_familiar = without_unknown
        .iter()
        .find(|reader| reader.familiar_words > most)
        .filter(|_| !is_preferred(first));
    let lexicon = more_familiar.unwrap_or(first).lexicon;
    // All languages that understand an order must agree on its meaning. If nothing is done, it is enough if the languages
    // with the most familiar words agree: "door" is a small word in Dutch.
    let does_nothing = matches!(meaning, SentenceMeaning::Question(_)) || meaning.stops();
    let counts = |(reader, meaning): &(&Reader, SentenceMeaning)| {
        reader.familiar_words == most || !does_nothing && !meaning.stops()
    };
    let meanings = understood.into_iter().filter(counts).map(|(_, meaning)| meaning);
    let meaning = reconcile(meanings.collect());
    (lexicon, meaning.unwrap_or(SentenceMeaning::Unclear))
}

/// Returns the language and the meaning of a sentence that no language understands. The language is the
/// preferred one, or else the one with the fewest unknown words. One word fewer is not enough to leave the language
/// of the last answer or else of the house: "even more" is not Dutch in an English chat. If there are words for
/// things that the house lacks, but no unknown words and no excuse, the meaning is `Meaning::Absent` with these
/// words. Otherwise, the meaning is `Meaning::Unknown` with the unknown words and the excuse.
fn not_understood<'h>(
    readers: &[Reader],
    house: &KnownHouse,
    context: &Context,
    language: Option<&str>,
) -> (&'static Lexicon, SentenceMeaning<'h>) {
    let rank = |(reader, unknown): &(&Reader, Vec<String>)| {
        let code = reader.lexicon.code();
        let is_usual = match context.language {
            Some(last) => last == code,
            None => house.names.languages() & reader.lexicon.language != 0,
        };
        let is_unusual = !unknown.is_empty() && !is_usual;
        (
            language != Some(code),
            unknown.len() + usize::from(is_unusual),
            is_unusual,
        )
    };
    let readers = readers.iter().map(|reader| (reader, reader.unknown_words()));
    let best = readers.min_by_key(rank);
    let Some((reader, unknown)) = best else {
        let meaning = SentenceMeaning::Unknown(Vec::new(), None);
        return (lexicon_for(language), meaning);
    };
    let absent = reader.absent_words();
    let meaning = match reader.excuse() {
        None if unknown.is_empty() && !absent.is_empty() => SentenceMeaning::Absent(absent),
        excuse => SentenceMeaning::Unknown(unknown, excuse),
    };
    (reader.lexicon, meaning)
}
