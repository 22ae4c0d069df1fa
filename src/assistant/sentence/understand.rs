//! From a sentence to what is to be done or answered, given the house.
//!
//! Every word must be of the order or the question, of the house, or a small one, in one language. All
//! ways to read the sentence are found; something is done only where all of them come to the same.

use std::cmp::Reverse;
use std::sync::LazyLock;

use super::context::Context;
use super::element::Excuse;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon};
use super::meaning::{Meaning, Read, agreed};
use super::reader::Reader;
use super::tokens::Sentence;

/// The meaning of a sentence, and the language that it is in.
#[derive(Debug)]
pub(super) enum Understanding<'h> {
    Meant(&'static Lexicon, Meaning<'h>),
    /// Two ways to read it come to different things.
    Ambiguous(&'static Lexicon),
    /// It is not understood: the words that nobody knows, and what it seems to be instead.
    Unknown {
        lexicon: &'static Lexicon,
        words: Vec<String>,
        excuse: Option<Excuse>,
    },
}

static EMPTY: LazyLock<Lexicon> = LazyLock::new(Lexicon::default);

/// The language with a code; English where there is none.
pub(super) fn lexicon(code: Option<&str>) -> &'static Lexicon {
    spoken(code).or(LEXICONS.first()).unwrap_or(&EMPTY)
}

fn spoken(code: Option<&str>) -> Option<&'static Lexicon> {
    LEXICONS.iter().find(|own| Some(own.code.as_str()) == code)
}

/// Understands a sentence. The language settles what is a sentence in two.
pub(super) fn understand<'h>(
    house: &'h KnownHouse,
    text: &str,
    context: &Context,
    language: Option<&str>,
) -> Understanding<'h> {
    let Some(sentence) = Sentence::read(text) else {
        return Understanding::Unknown {
            lexicon: lexicon(language),
            words: Vec::new(),
            excuse: None,
        };
    };
    if let Some(pending) = &context.pending {
        let lexicon = lexicon(Some(&pending.language));
        let reader = Reader::new(house, lexicon, &sentence, context);
        if let Read::Meant(meaning) = reader.choice(pending) {
            return Understanding::Meant(lexicon, meaning);
        }
    }
    let spoken = spoken(language);
    let is_spoken = |own: &Lexicon| spoken.is_some_and(|spoken| spoken.code == own.code);
    let mut readers: Vec<Reader> = LEXICONS
        .iter()
        .map(|lexicon| Reader::new(house, lexicon, &sentence, context))
        .collect();
    // The language that knows most of the words is that of the answer.
    readers.sort_by_cached_key(|reader| {
        (!is_spoken(reader.lexicon), Reverse(reader.familiar_words()))
    });
    let mut found: Vec<(&'static Lexicon, Read)> = Vec::new();
    for reader in &readers {
        // A look at each word is cheaper than all ways to take them together.
        if !reader.unknown_words().is_empty() {
            continue;
        }
        match reader.meaning() {
            Read::Nothing => {}
            read => found.push((reader.lexicon, read)),
        }
        if is_spoken(reader.lexicon) && !found.is_empty() {
            break;
        }
    }
    let Some((lexicon, _)) = found.first() else {
        return not_understood(&readers, &is_spoken);
    };
    let lexicon = *lexicon;
    let meanings = found.into_iter().flat_map(|(_, read)| read.meanings());
    match agreed(meanings.collect()) {
        Read::Meant(meaning) => Understanding::Meant(lexicon, meaning),
        Read::Differs | Read::Nothing => Understanding::Ambiguous(lexicon),
    }
}

/// Tells what is left of a sentence that nobody understands: the words that are unknown in the language that
/// knows the most of it.
fn not_understood<'h>(
    readers: &[Reader],
    is_spoken: &dyn Fn(&Lexicon) -> bool,
) -> Understanding<'h> {
    let all = readers
        .iter()
        .map(|reader| (reader, reader.unknown_words()));
    let best = all.min_by_key(|(reader, unknown)| (!is_spoken(reader.lexicon), unknown.len()));
    match best {
        Some((reader, words)) => Understanding::Unknown {
            lexicon: reader.lexicon,
            words,
            excuse: reader.excuse(),
        },
        None => Understanding::Unknown {
            lexicon: lexicon(None),
            words: Vec::new(),
            excuse: None,
        },
    }
}
