//! Folds letters for comparisons: to lower case, without accents, and with two spellings for umlauts ("a" and
//! "ae" for "ä").

use unicode_normalization::UnicodeNormalization;

use super::text::{is_invisible, is_mark};

/// Returns the letters and digits of a text in one run: "Blind/East", "blind east" and `blind_east` are all
/// "blindeast". A number keeps its point, and two numbers stay two: neither "Lamp 1.5" nor "Lamp 1 5" is "lamp15".
pub fn squash(text: &str) -> String {
    collect_letters(letters(text).map(|letter| (letter.base, None)))
}

/// Works like [`squash`], but spells ä as ae, ö as oe and so on. Returns `None` if that changes nothing.
pub fn squash_long(text: &str) -> Option<String> {
    let letters = letters(text);
    let has_long = letters.clone().any(|letter| letter.second.is_some());
    has_long.then(|| collect_letters(letters.map(|letter| (letter.base, letter.second))))
}

/// Returns the result of [`squash`], and then that of [`squash_long`] if there is one.
pub fn spellings(text: &str) -> impl Iterator<Item = String> {
    std::iter::once(squash(text)).chain(squash_long(text))
}

/// Returns a key for natural sort order, in which "Relay 2" comes before "Relay 10".
pub fn sort_key(text: &str) -> String {
    let mut key = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != is_number);
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        if is_number {
            let digits = part.trim_start_matches('0');
            // A number with more digits is larger, so the count of digits comes first, as a character. Not
            // every number is a valid character, but small counts are.
            key.extend(u32::try_from(digits.len()).ok().and_then(char::from_u32));
            key.push_str(digits);
        } else {
            key.push_str(part);
        }
        rest = after;
    }
    key
}

fn collect_letters(letters: impl Iterator<Item = (char, Option<char>)>) -> String {
    let mut squashed = String::new();
    let mut letters = letters.peekable();
    // Combining marks, such as vowel signs, are dropped if no letter precedes them.
    let mut follows_letter = false;
    while let Some((base, second)) = letters.next() {
        let mut digit_next = || letters.peek().is_some_and(|(next, _)| next.is_numeric());
        let is_mark = is_mark(base);
        if base.is_alphanumeric() || (is_mark && follows_letter) {
            squashed.push(base);
            squashed.extend(second);
        } else if squashed.ends_with(char::is_numeric) && digit_next() {
            let is_point = matches!(base, '.' | ',');
            squashed.push(if is_point { '.' } else { ' ' });
        }
        follows_letter = base.is_alphabetic() || (is_mark && follows_letter);
    }
    squashed
}

/// Returns a text as it looks to a reader: letters of other alphabets become the Latin letters that they
/// look like ("Gаte" with a Cyrillic а), and single letters between spaces or marks become a word ("G a t e", "G.A.T.E.").
/// Returns `None` if nothing changes.
pub fn replace_look_alikes(text: &str) -> Option<String> {
    let latin: String = text.nfkc().map(looks_like).collect();
    let mut shown = String::new();
    let mut words = latin.split_whitespace().peekable();
    let is_letter = |word: &str| word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    while let Some(word) = words.next() {
        let mut parts = word
            .split(|letter: char| !letter.is_alphanumeric() && !is_mark(letter))
            .filter(|part| !part.is_empty());
        if parts.clone().count() > 1 && parts.clone().all(is_letter) {
            shown.extend(&mut parts);
        } else {
            shown.push_str(word);
        }
        let is_spaced = is_letter(word) && words.peek().is_some_and(|next| is_letter(next));
        if !is_spaced {
            shown.push(' ');
        }
    }
    let shown = shown.trim().to_owned();
    (shown != text.trim()).then_some(shown)
}

/// The letters of other alphabets behind the Latin letter that each looks like, by Unicode's table of confusable
/// characters (UTS #39).
const LOOK_ALIKES: &str = include_str!("look_alikes.txt");

/// Returns the Latin letter that a letter of another alphabet looks like, or the letter itself.
fn looks_like(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    let row = LOOK_ALIKES.lines().find(|row| row.contains(letter));
    row.and_then(|row| row.chars().next()).unwrap_or(letter)
}

/// A character without accents.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    pub(super) base: char,
    /// The letter that the long spelling adds: the e of "ae" for ä.
    pub(super) second: Option<char>,
}

/// Returns the characters of a text in lower case, in Unicode's compatibility form (NFKC), without accents and
/// without invisible characters.
pub(super) fn letters(text: &str) -> impl Iterator<Item = Letter> + Clone + '_ {
    // Most texts are ASCII, where nothing but the case can differ.
    let (ascii, other) = if text.is_ascii() {
        (text, "")
    } else {
        ("", text)
    };
    let ascii = ascii.chars().map(|letter| Letter {
        base: letter.to_ascii_lowercase(),
        second: None,
    });
    let other = other
        .nfkc()
        .flat_map(char::to_lowercase)
        .filter(|letter| !is_invisible(*letter))
        // A letter and its accent can now be composed, because no invisible character separates them.
        .nfc()
        .flat_map(strip_accents);
    ascii.chain(other)
}

/// Returns a letter without its accents. Letters with a long spelling ("ae" for ä) are spelled out.
fn strip_accents(letter: char) -> impl Iterator<Item = Letter> + Clone {
    let umlaut = Some(letter).filter(|letter| matches!(letter, 'ä' | 'ö' | 'ü' | 'å'));
    let stripped = std::iter::once(letter)
        .nfd()
        .filter(move |part| umlaut.is_none() && !matches!(part, '\u{300}'..='\u{36f}'));
    umlaut.into_iter().chain(stripped).flat_map(spell_out)
}

/// Replaces special letters with those that people type instead: "ss" for ß, and "a" or "ae" for ä.
fn spell_out(letter: char) -> impl Iterator<Item = Letter> + Clone {
    // The first letter, a second one for the long spelling only, and a second one for both spellings.
    let (base, long, both) = match letter {
        'ß' => ('s', None, Some('s')),
        'æ' => ('a', None, Some('e')),
        'œ' => ('o', None, Some('e')),
        'þ' => ('t', None, Some('h')),
        'ä' => ('a', Some('e'), None),
        'å' => ('a', Some('a'), None),
        'ö' | 'ø' => ('o', Some('e'), None),
        'ü' => ('u', Some('e'), None),
        'đ' | 'ð' => ('d', None, None),
        'ł' => ('l', None, None),
        'ı' => ('i', None, None),
        other => (other, None, None),
    };
    let first = Letter { base, second: long };
    let second = both.map(|base| Letter { base, second: None });
    std::iter::once(first).chain(second)
}
