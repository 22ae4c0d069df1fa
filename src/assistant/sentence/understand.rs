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

impl Understanding<'_> {
    /// The code of the language that it is answered in.
    pub fn language(&self) -> &'static str {
        let (Self::Meant(lexicon, _) | Self::Ambiguous(lexicon) | Self::Unknown { lexicon, .. }) =
            self;
        &lexicon.code
    }
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
    let was_last = |own: &Lexicon| context.language == Some(own.code.as_str());
    // English comes first among the languages, so it wins the last tie.
    readers.sort_by_cached_key(|reader| {
        let known = Reverse(reader.familiar_words());
        (!is_spoken(reader.lexicon), known, !was_last(reader.lexicon))
    });
    let mut found: Vec<(&'static Lexicon, usize, Read)> = Vec::new();
    // The language that has the most of the words, of those that have or find all of them.
    let mut best: Option<(&'static Lexicon, usize)> = None;
    for reader in &readers {
        // A look at each word is cheaper than all ways to take them together.
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
        // Words of one language may be taken together as another has it.
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
