//! Values as they are said: "to 42 %", "at half", "twenty-one and a half degrees", "in red", "auf Heizen".

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
    /// Its name in the tool.
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
    /// The color temperature of a white.
    Kelvin(f64),
    /// A number without a unit.
    Number(f64),
    /// The index of a color among the language's colors.
    Color(usize),
    /// The index of a mode among the language's modes.
    Mode(usize),
}

/// A value as it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SaidValue {
    pub value: Value,
    /// A word such as "to" stands before it.
    pub to: bool,
    /// The word before it may stand before a time too: "at".
    pub at_time: bool,
    /// The word before it may stand before a difference too: "di".
    pub of: bool,
    /// It is a difference: "by 20 %".
    pub by: bool,
    /// An article or a preposition that is none of these stands before it.
    pub after_article: bool,
    /// It is a part of the whole: "half", "the highest".
    pub part: bool,
    /// The place of its first word.
    pub at: usize,
}

/// Returns every value that begins at a place, with its length.
pub(super) fn values(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Vec<(usize, SaidValue)> {
    let is_article = |at: usize| tokens.get(at).is_some_and(Token::is_article);
    let mut found = Vec::new();
    let mut begins: Vec<(usize, Option<WordList>)> = vec![(0, None)];
    for list in [To, At, Of, By, ToColor] {
        let lengths = lexicon.lengths_at(list, tokens, at);
        begins.extend(lengths.map(|length| (length, Some(list))));
    }
    for (before, list) in begins {
        let start = at + before;
        let to = !matches!(list, None | Some(By));
        let mut add = |length: usize, value: Value, part: bool| {
            let said_value = SaidValue {
                value,
                to,
                at_time: list == Some(At),
                of: list == Some(Of),
                by: list == Some(By),
                after_article: list.is_none() && at > 0 && is_article(at - 1),
                part,
                at,
            };
            found.push((before + length, said_value));
        };
        if let Some((length, color)) = lexicon.colors.at(tokens, start) {
            add(length, Value::Color(color), false);
        }
        if list == Some(ToColor) {
            continue;
        }
        if let Some((length, value)) = amount(tokens, start, lexicon) {
            add(length, value, false);
        }
        // "Auf die höchste Stufe"; "a las 7" is a time.
        let article = usize::from(to && is_article(start));
        let part = [0, article].into_iter().find_map(|article| {
            let (length, part) = lexicon.parts.at(tokens, start + article)?;
            Some((article + length, part))
        });
        if let Some((length, part)) = part {
            add(length, Value::Percent(f64::from(part)), true);
        }
        if let Some((length, mode)) = lexicon.modes.at(tokens, start) {
            add(length, Value::Mode(mode), false);
        }
    }
    found
}

/// Returns the longest amount at a place.
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

/// Returns the longest number at a place, in digits or in words up to a hundred.
fn number(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<(usize, f64)> {
    let (length, whole) = whole_number(tokens, at, lexicon)?;
    if let Some(half) = lexicon.length_at(WordList::AndAHalf, tokens, at + length) {
        return Some((length + half, whole + 0.5));
    }
    let point = lexicon.length_at(WordList::Point, tokens, at + length);
    let decimals = point.and_then(|point| {
        let (digit, decimal) = self::whole_number(tokens, at + length + point, lexicon)?;
        (decimal < 10.0).then_some((point + digit, decimal / 10.0))
    });
    let (more, decimal) = decimals.unwrap_or((0, 0.0));
    Some((length + more, whole + decimal))
}

fn whole_number(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<(usize, f64)> {
    // A digit is also the word for its number.
    let token = tokens.get(at).filter(|token| !token.unusable)?;
    if let Some((length, number)) = lexicon.count.at(tokens, at) {
        return Some((length, f64::from(number)));
    }
    let word = token.word().filter(|word| word.is_number())?;
    Some((1, word.text().parse().ok()?))
}

/// Returns the length of a bare hour, with the word before it and the minutes after it.
pub(super) fn hour_length(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<usize> {
    let before = lexicon.length_at(WordList::Times, tokens, at)?;
    let number = |at: usize, max: f64| {
        let numbers = values(tokens, at, lexicon).into_iter().filter(|(_, said)| {
            let is_bare = !said.to && !said.by;
            is_bare && matches!(said.value, Value::Number(n) if n <= max && n.fract() == 0.0)
        });
        numbers.map(|(length, _)| length).max()
    };
    let hour = number(at + before, 24.0)?;
    let minutes = number(at + before + hour, 59.0).unwrap_or(0);
    Some(before + hour + minutes)
}
