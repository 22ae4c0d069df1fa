//! Finds values in a sentence: "to 42 %", "at half", "twenty-one and a half degrees", "in red", "auf Heizen".

use serde::{Deserialize, Serialize};

use super::lexicon::Lexicon;
use super::lexicon::WordList::{self, At, By, Of, Share, To, ToColor};
use super::tokens::Token;
use crate::home::model::quantity::{Degrees, Temperature};

/// A value to set, or the size of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OrderValue {
    Percent(f64),
    Temperature(Temperature),
    /// A color temperature.
    Kelvin(f64),
    /// A number without a unit. In a `DeviceCall`, the number is the size of a step.
    Number(f64),
    /// The control tool's name for a color.
    Color(String),
    /// A mode: in an `Order`, the control tool's name for it; in a `DeviceCall`, the device's name for it.
    Mode(String),
}

/// A value, and how it was said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SaidValue {
    pub value: OrderValue,
    /// The list with the word that introduces the value, such as `To` for "to 50 %".
    pub introduction: Option<WordList>,
    /// True if there is no introduction, and an article or a short preposition comes directly before the value.
    pub after_article: bool,
    /// True if a property comes directly before the value ("brightness 50 %"), or a pronoun before a color ("it red").
    pub after_property: bool,
    /// True if a name or a pronoun comes before the value: "lamp red".
    pub after_name: bool,
    /// True if words say which part of the range the value is: "half", "the highest".
    pub is_part: bool,
}

/// Returns every value that begins at `at`, with or without an introduction. The length, in tokens, includes
/// the introduction.
pub(super) fn values_at(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Vec<(usize, SaidValue)> {
    let is_article = |at: usize| tokens.get(at).is_some_and(Token::is_article);
    let mut introductions: Vec<(usize, Option<WordList>)> = vec![(0, None)];
    for list in [To, At, Of, Share, By, ToColor] {
        let lengths = lexicon.lengths_at(list, tokens, at);
        introductions.extend(lengths.map(|length| (length, Some(list))));
    }
    let mut said_values = Vec::new();
    for (before, introduction) in introductions {
        let start = at + before;
        let color = lexicon.colors.longest_at(tokens, start);
        let color = color.map(|(length, color)| (length, OrderValue::Color(color.to_owned())));
        // Each entry is the length without the introduction and the value, and `is_part`.
        let mut values = vec![(color, false)];
        if introduction != Some(ToColor) {
            // A part may have an article ("auf die höchste Stufe"). A number may not, because "a las 7" is a time.
            let may_skip_article = !matches!(introduction, None | Some(By)) && is_article(start);
            let part = [0, usize::from(may_skip_article)].into_iter().find_map(|skipped| {
                let (length, part) = lexicon.parts.longest_at(tokens, start + skipped)?;
                Some((skipped + length, OrderValue::Percent(f64::from(part))))
            });
            let mode = lexicon.modes.longest_at(tokens, start);
            let mode = mode.map(|(length, mode)| (length, OrderValue::Mode(mode.to_owned())));
            let amount = read_amount(tokens, start, lexicon);
            values.extend([(amount, false), (part, true), (mode, false)]);
        }
        let found = values.into_iter().filter_map(|(value, is_part)| Some((value?, is_part)));
        said_values.extend(found.map(|((length, value), is_part)| {
            let said_value = SaidValue {
                value,
                introduction,
                after_article: introduction.is_none() && at > 0 && is_article(at - 1),
                after_property: false,
                after_name: false,
                is_part,
            };
            (before + length, said_value)
        }));
    }
    said_values
}

/// Returns the number at `at` with its unit, if any, and the length of both in tokens.
fn read_amount(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<(usize, OrderValue)> {
    let (length, number) = read_number(tokens, at, lexicon)?;
    let unit_at = at + length;
    if let Some(unit) = lexicon.length_at(WordList::Percent, tokens, unit_at) {
        return Some((length + unit, OrderValue::Percent(number)));
    }
    if let Some(unit) = lexicon.length_at(WordList::Kelvin, tokens, unit_at) {
        return Some((length + unit, OrderValue::Kelvin(number)));
    }
    let degrees_length = lexicon.length_at(WordList::Degrees, tokens, unit_at).unwrap_or_default();
    let units = [
        (WordList::Celsius, Degrees::Celsius),
        (WordList::Fahrenheit, Degrees::Fahrenheit),
    ];
    let unit = units.into_iter().find_map(|(list, unit)| {
        let length = lexicon.length_at(list, tokens, unit_at + degrees_length)?;
        Some((length, unit))
    });
    let length = length + degrees_length + unit.map_or(0, |(length, _)| length);
    // "21 grados y medio".
    let half = lexicon.length_at(WordList::AndAHalf, tokens, at + length);
    let half = half.filter(|_| length > unit_at - at && number.fract() == 0.0);
    let (length, number) = half.map_or((length, number), |half| (length + half, number + 0.5));
    let value = if length == unit_at - at {
        OrderValue::Number(number)
    } else {
        let unit = unit.map(|(_, unit)| unit);
        OrderValue::Temperature(Temperature {
            degrees: number,
            unit,
        })
    };
    Some((length, value))
}

/// Returns the number at `at`, in digits or in words up to a hundred, and the number's length in tokens.
pub(super) fn read_number(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<(usize, f64)> {
    let (length, whole) = read_whole_number(tokens, at, lexicon)?;
    if let Some(half) = lexicon.length_at(WordList::AndAHalf, tokens, at + length) {
        return Some((length + half, whole + 0.5));
    }
    let point = lexicon.length_at(WordList::Point, tokens, at + length);
    let decimals = point.and_then(|point| {
        let (digit, decimal) = read_whole_number(tokens, at + length + point, lexicon)?;
        (decimal < 10.0).then_some((point + digit, decimal / 10.0))
    });
    let (more, decimal) = decimals.unwrap_or((0, 0.0));
    Some((length + more, whole + decimal))
}

pub(super) fn read_whole_number(
    tokens: &[Token],
    at: usize,
    lexicon: &Lexicon,
) -> Option<(usize, f64)> {
    // Unusable numbers are left out first, because `count` would match their digits too.
    let token = tokens.get(at).filter(|token| !token.is_unusable)?;
    if let Some((length, number)) = lexicon.count.longest_at(tokens, at) {
        return Some((length, f64::from(number)));
    }
    let word = token.word().filter(|word| word.is_number())?;
    Some((1, word.text().parse().ok()?))
}
