//! Understands a sentence: what to do or answer in a house.
//!
//! In some language, each word must belong to an order or a question, name something in the house, or be a
//! filler. The sentence is read in every possible way, and something is done only if all ways agree.

use std::cmp::Reverse;
use std::sync::LazyLock;

use super::context::Context;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon};
use super::meaning::{Meaning, reconcile};
use super::reader::Reader;
use super::tokens::Sentence;

static EMPTY: LazyLock<Lexicon> = LazyLock::new(Lexicon::default);

/// Returns the language with this code, or English if there is none.
pub(super) fn lexicon_for(code: Option<&str>) -> &'static Lexicon {
    let found = LEXICONS.iter().find(|lexicon| Some(lexicon.code()) == code);
    found.or(LEXICONS.first()).unwrap_or(&EMPTY)
}

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
    let is_preferred = |lexicon: &Lexicon| language == Some(lexicon.code());
    let was_last = |lexicon: &Lexicon| context.language == Some(lexicon.code());
    let mut readers: Vec<Reader> = LEXICONS
        .iter()
        .map(|lexicon| Reader::new(house, lexicon, &sentence, context))
        .collect();
    // The sort is stable and English is the first language, so English wins any remaining tie.
    readers.sort_by_key(|reader| {
        let lexicon = reader.lexicon;
        let familiar = Reverse(reader.familiar_words);
        (!is_preferred(lexicon), familiar, !was_last(lexicon))
    });
    let mut found: Vec<(&'static Lexicon, usize, Meaning)> = Vec::new();
    // The language with the most familiar words, among those in which no word is unknown.
    let mut best: Option<(&'static Lexicon, usize)> = None;
    for reader in &readers {
        // Looking at each word is cheaper than trying every way to combine them.
        if !reader.unknown_words().is_empty() {
            continue;
        }
        let (lexicon, familiar) = (reader.lexicon, reader.familiar_words);
        if best.is_none_or(|(_, most)| familiar > most) {
            best = Some((lexicon, familiar));
        }
        let meaning = reader.meaning();
        found.extend(meaning.map(|meaning| (lexicon, familiar, meaning)));
        // The preferred language comes first and decides alone.
        if is_preferred(lexicon) && !found.is_empty() {
            break;
        }
    }
    let Some((first, most, meaning)) = found.first() else {
        return not_understood(&readers, &is_preferred);
    };
    let (first, most) = (*first, *most);
    let lexicon = match best {
        // The sentence may have the words of `best`, but be understood only by the rules of `first`.
        Some((best, familiar)) if familiar > most && !is_preferred(first) => best,
        _ => first,
    };
    // A question does nothing, so the languages with as many familiar words as the first one decide.
    let is_question = matches!(meaning, Meaning::Question(_));
    let meanings = found
        .into_iter()
        .filter(|(_, familiar, _)| !is_question || *familiar == most)
        .map(|(.., meaning)| meaning);
    let meaning = reconcile(meanings.collect());
    (lexicon, meaning.unwrap_or(Meaning::Unclear))
}

/// Returns the meaning of a sentence that no language understands: its unknown words in the preferred
/// language, or else in the language with the fewest, or the words for things that the house does not have.
fn not_understood<'h>(
    readers: &[Reader],
    is_preferred: &dyn Fn(&Lexicon) -> bool,
) -> (&'static Lexicon, Meaning<'h>) {
    let best = readers
        .iter()
        .map(|reader| (reader, reader.unknown_words()))
        .min_by_key(|(reader, unknown)| (!is_preferred(reader.lexicon), unknown.len()));
    best.map_or_else(
        || (lexicon_for(None), Meaning::Unknown(Vec::new(), None)),
        |(reader, unknown)| {
            let absent = reader.absent_words();
            let meaning = match reader.excuse() {
                None if unknown.is_empty() && !absent.is_empty() => Meaning::Absent(absent),
                excuse => Meaning::Unknown(unknown, excuse),
            };
            (reader.lexicon, meaning)
        },
    )
}
