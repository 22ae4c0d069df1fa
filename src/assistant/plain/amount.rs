//! Numbers as they are said: "42 %", "forty-two percent", "half", "twenty-one and a half degrees".

use super::lexicon::Lexicon;
use super::spoken::{SpokenWord, key};

/// A number with what it is one of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SaidAmount {
    /// Percent.
    Percent(f64),
    /// Degrees, with the unit where one was said.
    Degrees(f64, Option<&'static str>),
    /// It was not said of what.
    Bare(f64),
}

/// The amount that all of these words are.
pub(super) fn amount(words: &[SpokenWord], lexicon: &Lexicon) -> Option<SaidAmount> {
    if let Some(part) = lexicon.parts.whole(words) {
        return Some(SaidAmount::Percent(f64::from(part)));
    }
    // "22c" is one word.
    let apart = apart(words);
    let words = apart.as_deref().unwrap_or(words);
    let before = |unit: usize| words.split_at_checked(words.len() - unit);
    if let Some((said, _)) = lexicon.percent.at_end(words).and_then(before) {
        return number(said, lexicon).map(SaidAmount::Percent);
    }
    if let Some((said, unit)) = lexicon.degrees.at_end(words).and_then(before) {
        let unit = unit.iter().find_map(|word| match word.key.chars().next()? {
            'c' => Some("celsius"),
            'f' => Some("fahrenheit"),
            _ => None,
        });
        return number(said, lexicon).map(|number| SaidAmount::Degrees(number, unit));
    }
    number(words, lexicon).map(SaidAmount::Bare)
}

/// The most words of an amount: "twenty one and a half degrees celsius".
const MOST_WORDS: usize = 7;

/// The longest amount at the beginning, and how many words it has; "forty two" is not forty.
pub(super) fn amount_at_start(
    words: &[SpokenWord],
    lexicon: &Lexicon,
) -> Option<(usize, SaidAmount)> {
    let mut lengths = (1..=MOST_WORDS.min(words.len())).rev();
    lengths.find_map(|length| Some((length, amount(words.get(..length)?, lexicon)?)))
}

/// Every amount that words end with, the longest first.
pub(super) fn amounts_at_end(
    words: &[SpokenWord],
    lexicon: &Lexicon,
) -> impl Iterator<Item = SaidAmount> {
    let tails = (0..words.len()).filter_map(|at| words.get(at..));
    tails.filter_map(|tail| amount(tail, lexicon))
}

/// The same words, the last one's number and letters apart.
fn apart(words: &[SpokenWord]) -> Option<Vec<SpokenWord>> {
    let (last, others) = words.split_last()?;
    let digits = last.said.trim_end_matches(char::is_alphabetic);
    let unit = last.said.get(digits.len()..)?;
    let is_number = digits.ends_with(|last: char| last.is_ascii_digit()) && !unit.is_empty();
    let word = |said: &str| SpokenWord {
        said: said.to_owned(),
        key: key(said),
    };
    is_number.then(|| {
        let mut words = others.to_vec();
        words.extend([word(digits), word(unit)]);
        words
    })
}

/// The number that all of these words are.
fn number(words: &[SpokenWord], lexicon: &Lexicon) -> Option<f64> {
    let whole = |words| whole(words, lexicon);
    if let Some(number) = whole(words) {
        return Some(number);
    }
    if let Some(length) = lexicon.and_a_half.at_end(words) {
        return Some(whole(words.get(..words.len() - length)?)? + 0.5);
    }
    let at = words.iter().position(|word| lexicon.point.has(word))?;
    let (before, decimal) = (words.get(..at)?, words.get(at + 1..)?);
    let [decimal] = decimal else { return None };
    let decimal = whole(std::slice::from_ref(decimal)).filter(|decimal| *decimal < 10.0)?;
    Some(whole(before)? + decimal / 10.0)
}

/// The number in digits, or in words up to a hundred.
fn whole(words: &[SpokenWord], lexicon: &Lexicon) -> Option<f64> {
    let of = |number: u8| Some(f64::from(number));
    if lexicon.hundred.whole(words).is_some() {
        return of(100);
    }
    match words {
        [word] => {
            if let Some(number) = in_digits(&word.said) {
                return Some(number);
            }
            let one_word = lexicon
                .ones
                .whole(words)
                .or_else(|| lexicon.tens.whole(words));
            if let Some(number) = one_word {
                return of(number);
            }
            if let Some((ten, one)) = word.said.split_once('-') {
                return of(joined(ten, one, lexicon)?);
            }
            let (one, ten) = word.key.split_once(lexicon.one_before_ten?)?;
            of(joined(ten, one, lexicon)?)
        }
        [ten, one] => of(joined(&ten.key, &one.key, lexicon)?),
        _ => None,
    }
}

/// A number as it is written, as "42", "21.5" or "21,5". "-5" and "1/2" are none that a device takes,
/// and "1,000" may be one or a thousand.
fn in_digits(said: &str) -> Option<f64> {
    let text = said.replace(',', ".");
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|own| own.is_ascii_digit());
    let fits = match text.split_once('.') {
        Some((whole, decimals)) => is_number(whole) && is_number(decimals) && decimals.len() <= 2,
        None => is_number(&text),
    };
    fits.then(|| text.parse().ok()).flatten()
}

fn joined(ten: &str, one: &str, lexicon: &Lexicon) -> Option<u8> {
    let word = |said: &str| {
        [SpokenWord {
            said: said.to_owned(),
            key: key(said),
        }]
    };
    let one = lexicon
        .ones
        .whole(&word(one))
        .filter(|one| (1..10).contains(one))?;
    Some(lexicon.tens.whole(&word(ten))? + one)
}
