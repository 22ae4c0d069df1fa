//! Understands a sentence: what is to be done or answered in a house.
//!
//! Each word must belong to the order or the question, name something in the house, or be a filler, all in
//! one language. Every way to read the sentence is found; something is done only if all of them agree.

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
    /// Two ways to read it mean different things.
    Ambiguous(&'static Lexicon),
    /// It is not understood: the unknown words, and what it seems to be instead.
    Unknown {
        lexicon: &'static Lexicon,
        words: Vec<String>,
        excuse: Option<Excuse>,
    },
}

impl Understanding<'_> {
    /// Returns the code of the language of the answer.
    pub fn language(&self) -> &'static str {
        let (Self::Meant(lexicon, _) | Self::Ambiguous(lexicon) | Self::Unknown { lexicon, .. }) =
            self;
        &lexicon.code
    }
}

static EMPTY: LazyLock<Lexicon> = LazyLock::new(Lexicon::default);

/// Returns the language with a code, or English if there is none.
pub(super) fn lexicon(code: Option<&str>) -> &'static Lexicon {
    language_with(code).or(LEXICONS.first()).unwrap_or(&EMPTY)
}

fn language_with(code: Option<&str>) -> Option<&'static Lexicon> {
    LEXICONS
        .iter()
        .find(|lexicon| Some(lexicon.code.as_str()) == code)
}

/// Understands a sentence. `language` decides if it is a sentence in two languages.
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
    let spoken = language_with(language);
    let is_spoken = |lexicon: &Lexicon| spoken.is_some_and(|spoken| spoken.code == lexicon.code);
    let mut readers: Vec<Reader> = LEXICONS
        .iter()
        .map(|lexicon| Reader::new(house, lexicon, &sentence, context))
        .collect();
    let was_last = |lexicon: &Lexicon| context.language == Some(lexicon.code.as_str());
    // English comes first among the languages, so it wins the last tie.
    readers.sort_by_cached_key(|reader| {
        let familiar = Reverse(reader.familiar_words());
        (
            !is_spoken(reader.lexicon),
            familiar,
            !was_last(reader.lexicon),
        )
    });
    let mut found: Vec<(&'static Lexicon, usize, Read)> = Vec::new();
    // The language that has the most words, among those without unknown words.
    let mut best: Option<(&'static Lexicon, usize)> = None;
    for reader in &readers {
        // Looking at each word is cheaper than trying every way to combine them.
        if !reader.unknown_words().is_empty() {
            continue;
        }
        let familiar = reader.familiar_words();
        if best.is_none_or(|(_, most)| familiar > most) {
            best = Some((reader.lexicon, familiar));
        }
        match reader.meaning() {
            Read::Nothing => {}
            read => found.push((reader.lexicon, familiar, read)),
        }
        if is_spoken(reader.lexicon) && !found.is_empty() {
            break;
        }
    }
    let Some((first, most, read)) = found.first() else {
        return not_understood(&readers, &is_spoken);
    };
    let (first, most) = (*first, *most);
    let lexicon = match best {
        // The words of one language may be put together by another one's rules.
        Some((best, familiar)) if familiar > most && !is_spoken(first) => best,
        _ => first,
    };
    // A question moves nothing, so the language that has the most of its words decides alone.
    let asks = matches!(read, Read::Meant(Meaning::Asked(_)));
    let found = found
        .into_iter()
        .filter(|(_, familiar, _)| !asks || *familiar == most);
    let meanings = found.flat_map(|(.., read)| read.meanings());
    match agreed(meanings.collect()) {
        Read::Meant(meaning) => Understanding::Meant(lexicon, meaning),
        Read::Differs | Read::Nothing => Understanding::Ambiguous(lexicon),
    }
}

/// Describes a sentence that no language understands: its unknown words in the language that knows most of
/// it.
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
