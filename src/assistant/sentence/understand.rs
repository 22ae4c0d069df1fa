//! Understands a sentence: what is to be done or answered in a house.
//!
//! Each word must belong to the order or the question, name something in the house, or be a filler, all in
//! one language. Every way to read the sentence is found; something is done only if all of them agree.

use std::cmp::Reverse;
use std::sync::LazyLock;

use super::context::Context;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon};
use super::meaning::{Meaning, reconcile};
use super::reader::Reader;
use super::tokens::Sentence;

static EMPTY: LazyLock<Lexicon> = LazyLock::new(Lexicon::default);

/// Returns the language with a code, or English if there is none.
pub(super) fn lexicon(code: Option<&str>) -> &'static Lexicon {
    language_with(code).or(LEXICONS.first()).unwrap_or(&EMPTY)
}

fn language_with(code: Option<&str>) -> Option<&'static Lexicon> {
    LEXICONS.iter().find(|lexicon| Some(lexicon.code()) == code)
}

/// Returns the language that a sentence is in, and its meaning. `language` decides if it is a sentence in
/// two languages.
pub(super) fn understand<'h>(
    house: &'h KnownHouse,
    text: &str,
    context: &Context,
    language: Option<&str>,
) -> (&'static Lexicon, Meaning<'h>) {
    let Some(sentence) = Sentence::read(text) else {
        return (lexicon(language), Meaning::Unknown(Vec::new(), None));
    };
    if let Some(pending) = &context.pending {
        let lexicon = lexicon(Some(pending.language));
        let reader = Reader::new(house, lexicon, &sentence, context);
        if let Some(meaning) = reader.choice(pending) {
            return (lexicon, meaning);
        }
    }
    let spoken = language_with(language);
    let is_spoken =
        |lexicon: &Lexicon| spoken.is_some_and(|spoken| spoken.code() == lexicon.code());
    let was_last = |lexicon: &Lexicon| context.language == Some(lexicon.code());
    let mut readers: Vec<Reader> = LEXICONS
        .iter()
        .map(|lexicon| Reader::new(house, lexicon, &sentence, context))
        .collect();
    // English comes first among the languages, so it wins the last tie.
    readers.sort_by_key(|reader| {
        let lexicon = reader.lexicon;
        let familiar = Reverse(reader.familiar_words);
        (!is_spoken(lexicon), familiar, !was_last(lexicon))
    });
    let mut found: Vec<(&'static Lexicon, usize, Meaning)> = Vec::new();
    // The language that has the most words, among those without unknown words.
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
        if is_spoken(lexicon) && !found.is_empty() {
            break;
        }
    }
    let Some((first, most, meaning)) = found.first() else {
        return not_understood(&readers, &is_spoken);
    };
    let (first, most) = (*first, *most);
    let lexicon = match best {
        // The words of one language may be put together by another one's rules.
        Some((best, familiar)) if familiar > most && !is_spoken(first) => best,
        _ => first,
    };
    // A question moves nothing, so the language that has the most of its words decides alone.
    let asks = matches!(meaning, Meaning::Asked(_));
    let meanings = found
        .into_iter()
        .filter(|(_, familiar, _)| !asks || *familiar == most)
        .map(|(.., meaning)| meaning);
    let meaning = reconcile(meanings.collect());
    (lexicon, meaning.unwrap_or(Meaning::Unclear))
}

/// Describes a sentence that no language understands: its unknown words in the language that knows most of
/// it, or else the words for things that the house lacks.
fn not_understood<'h>(
    readers: &[Reader],
    is_spoken: &dyn Fn(&Lexicon) -> bool,
) -> (&'static Lexicon, Meaning<'h>) {
    let best = readers
        .iter()
        .map(|reader| (reader, reader.unknown_words()))
        .min_by_key(|(reader, unknown)| (!is_spoken(reader.lexicon), unknown.len()));
    best.map_or_else(
        || (lexicon(None), Meaning::Unknown(Vec::new(), None)),
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
