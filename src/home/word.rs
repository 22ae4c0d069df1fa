//! Splits names and requests into words. Case, punctuation, spaces and accents don't count when words are
//! compared (`docs/NAMES.md#how-words-are-compared`).

use ecow::EcoString;

use super::language::spelling::{is_elided, number_of, usual_spelling};
use super::letters::{Letter, letters};
use super::text::is_mark;

/// A word in the forms that are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word {
    /// Lower case, without accents. A number consists of digits, with a point before its decimals.
    text: EcoString,
    /// The form with ä as ae, if it differs from `text`: "kueche" for "Küche". For a number that was written
    /// out, `written` is "two" and `text` is "2".
    written: Option<EcoString>,
    /// The spellings without a possessive 's: "bjorn" and "bjoern" for "Björn's". Empty if the word
    /// has no 's.
    owners: Box<[Box<str>]>,
    marks: Marks,
}

/// A Bloom filter: one bit for each spelling of a word, with and without its 's. Words without a common bit
/// never match, which spares most comparisons in a large house.
pub type Marks = u64;

/// Returns the bit of a spelling, by its FNV-1a hash.
pub fn mark(spelling: &str) -> Marks {
    let hash = spelling.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    1 << ((hash >> 32) % u64::from(Marks::BITS))
}

/// Returns the bits of several words.
pub fn marks_of<'w>(words: impl IntoIterator<Item = &'w Word>) -> Marks {
    words.into_iter().fold(0, |all, word| all | word.marks)
}

impl Word {
    /// Returns the plainest form: "kuche", "2", "bjorns".
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the plainest form, and the [written](Self::written) form if it differs.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.text).chain(self.written.as_deref())
    }

    /// Returns the [written](Self::written) form, and the plainest form if it differs.
    pub fn forms(&self) -> impl Iterator<Item = &str> + Clone {
        self.written.as_deref().into_iter().chain(std::iter::once(&*self.text))
    }

    /// Returns the spellings without a possessive 's: "bjorn" and "bjoern" for "Björn's".
    pub fn without_possessive(&self) -> impl Iterator<Item = &str> {
        self.owners.iter().map(|owner| &**owner)
    }

    /// Returns the spellings with and without a possessive 's.
    pub fn all_spellings(&self) -> impl Iterator<Item = &str> {
        self.spellings().chain(self.without_possessive())
    }

    /// Returns the form that the tables of words use: in lower case, without accents, and with ä as ae. A
    /// number that was written as a word stays a word.
    pub fn written(&self) -> &str {
        self.written.as_deref().unwrap_or(&self.text)
    }

    /// Returns the marks of the word's spellings. Words that match have a mark in common.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// Returns true if `other` is the same word, in any spelling.
    pub fn is(&self, other: &Self) -> bool {
        self.marks & other.marks != 0 && self.spellings().any(|own| other.is_spelled(own))
    }

    /// Returns true if the words differ only by an 's, which either may have: "bjorn" and "Björn's".
    pub fn differs_by_possessive(&self, other: &Self) -> bool {
        self.is_possessive_of(other) || other.is_possessive_of(self)
    }

    /// Returns true if `said` is this word without its 's: "bjorn" for "Björn's".
    pub fn is_possessive_of(&self, said: &Self) -> bool {
        self.marks & said.marks != 0 && self.owners.iter().any(|owner| said.is_spelled(owner))
    }

    /// Returns true if `said` is this word, with or without its 's.
    pub fn is_said_as(&self, said: &Self) -> bool {
        self.is(said) || self.is_possessive_of(said)
    }

    /// Returns true if `text` is one of the spellings. `text` must be in lower case, without accents.
    pub fn is_spelled(&self, text: &str) -> bool {
        &*self.text == text || self.written.as_deref() == Some(text)
    }

    /// Returns true if the word is a number.
    pub fn is_number(&self) -> bool {
        self.text.starts_with(char::is_numeric)
    }

    /// Makes a word from its form without umlauts ("kuche") and its form with ä as ae ("kueche").
    fn new(plain: &str, long: &str, is_possessive: bool) -> Self {
        let usual = usual_spelling(plain, long);
        let (plain, long) = usual.as_ref().map_or((plain, long), |(plain, long)| (plain, long));
        let (text, written) = if plain.starts_with(char::is_numeric) {
            (plain_number(plain), None)
        } else if let Some(number) = number_of(long) {
            (number.to_string(), Some(long))
        } else {
            (plain.to_owned(), (long != plain).then_some(long))
        };
        let owners: Box<[Box<str>]> = if is_possessive {
            let owner = |spelled: &str| spelled.strip_suffix('s').map(Box::from);
            [plain, long].into_iter().filter_map(owner).collect()
        } else {
            Box::default()
        };
        let spellings = [Some(text.as_str()), written]
            .into_iter()
            .flatten()
            .chain(owners.iter().map(|owner| &**owner));
        Self {
            marks: spellings.map(mark).fold(0, |all, one| all | one),
            text: text.into(),
            written: written.map(EcoString::from),
            owners,
        }
    }
}

/// Splits a text into words, at spaces and punctuation, and between letters and digits. A number keeps its
/// decimals ("1.5", "1,5"). An apostrophe is dropped ("Kid's" is "kids"), but separates an article from its
/// noun ("l'eau" is "l eau").
pub fn words(text: &str) -> Vec<Word> {
    let letters: Vec<Letter> = letters(text).collect();
    let mut words = Vec::new();
    let mut word = Pending::default();
    let mut rest = letters.as_slice();
    while let [letter, after @ ..] = rest {
        rest = after;
        let next = after.first().map(|next| next.base);
        let before_digit = next.is_some_and(char::is_numeric);
        let before_letter = next.is_some_and(char::is_alphabetic);
        match letter.base {
            point @ ('.' | ',') if word.is_number() && before_digit => word.push('.', point),
            apostrophe if is_apostrophe(apostrophe) => {
                let is_possessive = next == Some('s')
                    && !after.get(1).is_some_and(|next| next.base.is_alphanumeric());
                if before_letter && !is_possessive && is_elided(&word.base) {
                    // The article is a word of its own.
                    words.extend(word.end());
                } else {
                    // The word continues. `Pending::end` uses the position to recognize an 's.
                    word.apostrophe = word.base.len();
                }
            }
            // Combining marks, such as vowel signs, are dropped if no letter precedes them.
            mark if is_mark(mark) && !word.ends_with_letter() => {}
            base if is_part_of_word(base) => {
                if !word.base.is_empty() && word.is_number() != base.is_numeric() {
                    words.extend(word.end());
                }
                word.push(base, base);
                word.long.extend(letter.second);
            }
            _ => words.extend(word.end()),
        }
    }
    words.extend(word.end());
    words
}

/// Returns the words of a text, each in its plainest form.
pub fn texts(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text().to_owned()).collect()
}

/// A word that is not complete yet.
#[derive(Default)]
struct Pending {
    /// The form without umlauts.
    base: String,
    /// The form with ä as ae.
    long: String,
    /// The number of bytes of `base` before the last apostrophe.
    apostrophe: usize,
}

impl Pending {
    fn is_number(&self) -> bool {
        self.base.starts_with(char::is_numeric)
    }

    /// Returns true if the last character was a letter, not an apostrophe or a digit.
    fn ends_with_letter(&self) -> bool {
        !self.is_number() && self.base.len() > self.apostrophe
    }

    fn push(&mut self, base: char, long: char) {
        self.base.push(base);
        self.long.push(long);
    }

    fn end(&mut self) -> Option<Word> {
        let Self {
            base,
            long,
            apostrophe,
        } = std::mem::take(self);
        let (owner, ending) = base.split_at_checked(apostrophe)?;
        let is_possessive = ending == "s" && !owner.is_empty();
        (!base.is_empty()).then(|| Word::new(&base, &long, is_possessive))
    }
}

/// Removes the leading zeros of a number.
fn plain_number(digits: &str) -> String {
    let plain = digits.trim_start_matches('0');
    match plain.chars().next() {
        Some(first) if first != '.' => plain.to_owned(),
        _ => format!("0{plain}"),
    }
}

pub(super) fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '‘' | '`' | '´' | 'ʼ')
}

/// Returns true for letters, digits and combining marks. Accents are no longer in the text here, but some
/// scripts write their vowels as marks.
pub(super) fn is_part_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || is_mark(letter)
}
