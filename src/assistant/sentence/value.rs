//! Finds values in a sentence: "to 42 %", "at half", "twenty-one and a half degrees", "in red", "auf Heizen".

use super::lexicon::Lexicon;
use super::lexicon::WordList::{self, At, By, Of, To, ToColor};
use super::tokens::Token;

/// A unit of temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Celsius,
    Fahrenheit,
}

impl Scale {
    /// Returns the name that the control tool accepts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Celsius => "celsius",
            Self::Fahrenheit => "fahrenheit",
        }
    }
}

/// A value in an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Percent(f64),
    Degrees(f64, Option<Scale>),
    /// A color temperature.
    Kelvin(f64),
    /// A number without a unit.
    Number(f64),
    /// A color, by its index in [`Lexicon::color_words`].
    Color(usize),
    /// A mode, by its index in [`Lexicon::mode_words`].
    Mode(usize),
}

/// A value, and how it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SaidValue {
    pub value: Value,
    /// True after a word that introduces a target: "to", "at", "in" for a color, or "di".
    pub after_to: bool,
    /// True after a word that also introduces a time: "at".
    pub after_at: bool,
    /// True after a word that also introduces a difference: "di".
    pub after_of: bool,
    /// True after a word that introduces a difference: "by".
    pub after_by: bool,
    /// True after an article or a short preposition that is none of these words.
    pub after_article: bool,
    /// True for a part of the whole: "half", "the highest".
    pub is_part: bool,
    /// The index of the first token.
    pub start: usize,
}

/// Returns every value that begins at `at`, with or without an introducing word, and its length in tokens.
pub(super) fn values_at(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Vec<(usize, SaidValue)> {
    let is_article = |at: usize| tokens.get(at).is_some_and(Token::is_article);
    let mut found = Vec::new();
    let mut introductions: Vec<(usize, Option<WordList>)> = vec![(0, None)];
    for list in [To, At, Of, By, ToColor] {
        let lengths = lexicon.lengths_at(list, tokens, at);
        introductions.extend(lengths.map(|length| (length, Some(list))));
    }
    for (before, list) in introductions {
        let start = at + before;
        let after_to = !matches!(list, None | Some(By));
        let mut add = |length: usize, value: Value, is_part: bool| {
            let said_value = SaidValue {
                value,
                after_to,
                after_at: list == Some(At),
                after_of: list == Some(Of),
                after_by: list == Some(By),
                after_article: list.is_none() && at > 0 && is_article(at - 1),
                is_part,
                start: at,
            };
            found.push((before + length, said_value));
        };
        if let Some((length, color)) = lexicon.colors.longest_at(tokens, start) {
            add(length, Value::Color(color), false);
        }
        if list == Some(ToColor) {
            continue;
        }
        if let Some((length, value)) = amount(tokens, start, lexicon) {
            add(length, value, false);
        }
        // "Auf die höchste Stufe". Only a part may follow an article: "a las 7" is a time.
        let article = usize::from(after_to && is_article(start));
        let part = [0, article].into_iter().find_map(|article| {
            let (length, part) = lexicon.parts.longest_at(tokens, start + article)?;
            Some((article + length, part))
        });
        if let Some((length, part)) = part {
            add(length, Value::Percent(f64::from(part)), true);
        }
        if let Some((length, mode)) = lexicon.modes.longest_at(tokens, start) {
            add(length, Value::Mode(mode), false);
        }
    }
    found
}

/// Returns the number at `at` with its unit, if any, and its length in tokens.
fn amount(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<(usize, Value)> {
    let (length, number) = number(tokens, at, lexicon)?;
    let unit_at = at + length;
    if let Some(unit) = lexicon.length_at(WordList::Percent, tokens, unit_at) {
        return Some((length + unit, Value::Percent(number)));
    }
    if let Some(unit) = lexicon.length_at(WordList::Kelvin, tokens, unit_at) {
        return Some((length + unit, Value::Kelvin(number)));
    }
    let degrees = lexicon.length_at(WordList::Degrees, tokens, unit_at).unwrap_or_default();
    let scales = [
        (WordList::Celsius, Scale::Celsius),
        (WordList::Fahrenheit, Scale::Fahrenheit),
    ];
    let scale = scales.into_iter().find_map(|(list, scale)| {
        let unit = lexicon.length_at(list, tokens, unit_at + degrees)?;
        Some((unit, scale))
    });
    let unit = scale.map_or(0, |(unit, _)| unit);
    let value = if degrees + unit > 0 {
        Value::Degrees(number, scale.map(|(_, scale)| scale))
    } else {
        Value::Number(number)
    };
    Some((length + degrees + unit, value))
}

/// Returns the number at `at`, in digits or in words up to a hundred, and its length in tokens.
fn number(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<(usize, f64)> {
    let (length, whole) = whole_number(tokens, at, lexicon)?;
    if let Some(half) = lexicon.length_at(WordList::AndAHalf, tokens, at + length) {
        return Some((length + half, whole + 0.5));
    }
    let point = lexicon.length_at(WordList::Point, tokens, at + length);
    let decimals = point.and_then(|point| {
        let (digit, decimal) = whole_number(tokens, at + length + point, lexicon)?;
        (decimal < 10.0).then_some((point + digit, decimal / 10.0))
    });
    let (more, decimal) = decimals.unwrap_or((0, 0.0));
    Some((length + more, whole + decimal))
}

fn whole_number(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<(usize, f64)> {
    // `unusable` is checked first, because digits match `count` too.
    let token = tokens.get(at).filter(|token| !token.unusable)?;
    if let Some((length, number)) = lexicon.count.longest_at(tokens, at) {
        return Some((length, f64::from(number)));
    }
    let word = token.word().filter(|word| word.is_number())?;
    Some((1, word.text().parse().ok()?))
}

/// Returns the length in tokens of a time without a word such as "o'clock": a preposition, an hour, and
/// minutes if there are any.
pub(super) fn hour_length(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<usize> {
    let before = lexicon.length_at(WordList::Times, tokens, at)?;
    let number = |at: usize, max: f64| {
        let numbers = values_at(tokens, at, lexicon).into_iter().filter(|(_, said)| {
            let is_bare = !said.after_to && !said.after_by;
            is_bare && matches!(said.value, Value::Number(n) if n <= max && n.fract() == 0.0)
        });
        numbers.map(|(length, _)| length).max()
    };
    let hour = number(at + before, 24.0)?;
    let minutes = number(at + before + hour, 59.0).unwrap_or(0);
    Some(before + hour + minutes)
}
