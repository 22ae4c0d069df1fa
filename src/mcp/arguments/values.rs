//! Parses single values as models write them: numbers with units, flags as words, actions as synonyms.

use serde_json::Value as Json;

use crate::home::intent::Action;
use crate::home::letters::squash;
use crate::home::model::quantity::Degrees;
use crate::home::text;

/// A number, with a unit of temperature if one was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The number, finite.
    pub number: f64,
    pub unit: Option<Degrees>,
}

/// Reads a number, also as "50", "50%", "50 percent", "21.5 °C".
pub fn read_amount(json: &Json) -> Option<Amount> {
    let (number, unit) = match json.as_f64() {
        Some(number) => (number, None),
        None => read_written_amount(&read_text(json)?.to_lowercase())?,
    };
    number.is_finite().then_some(Amount { number, unit })
}

fn read_written_amount(text: &str) -> Option<(f64, Option<Degrees>)> {
    let text = text.replace(',', ".").replace('−', "-");
    let digits =
        text.trim_end_matches(|character: char| !character.is_ascii_digit() && character != '.');
    let unit = match text.get(digits.len()..)?.trim() {
        "" | "%" | "percent" | "°" | "degrees" | "degree" => None,
        "c" | "°c" | "celsius" | "degrees celsius" => Some(Degrees::Celsius),
        "f" | "°f" | "fahrenheit" | "degrees fahrenheit" => Some(Degrees::Fahrenheit),
        _ => return None,
    };
    Some((digits.trim().parse().ok()?, unit))
}

/// Reads a flag, also as "true", "yes", 1.
pub fn read_flag(json: &Json) -> Option<bool> {
    if let Some(flag) = json.as_bool() {
        return Some(flag);
    }
    match read_text(json)?.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// The words for each action, [squashed](squash).
#[rustfmt::skip]
const ACTIONS: [(Action, &str); 14] = [
    (Action::On, "on turnon switchon poweron activate enable true run start"),
    (Action::Off, "off turnoff switchoff poweroff deactivate disable false"),
    (Action::Dim, "dim dimto setlevel setbrightness brightness"),
    (Action::Toggle, "toggle flip"),
    (Action::Open, "open up raise"),
    (Action::Close, "close down lower shut"),
    (Action::Stop, "stop halt pause"),
    (Action::Lock, "lock"),
    (Action::Unlock, "unlock"),
    (Action::SetTemperature, "settemperature temperature settemp setpoint setsetpoint"),
    (Action::SetMode, "setmode mode"),
    (Action::SetColor, "setcolor setcolour color colour"),
    (Action::Increase, "increase increment brighter brighten warmer hotter more higher faster turnup \
        stepup increasebrightness increasetemperature increaselevel increasespeed"),
    (Action::Decrease, "decrease decrement reduce darker dimmer darken cooler colder less slower \
        turndown stepdown decreasebrightness decreasetemperature decreaselevel decreasespeed"),
];

/// Reads an action by its name or a synonym. The JSON values true and false mean on and off.
pub fn read_action(json: &Json) -> Option<Action> {
    let name = match json {
        Json::Bool(on) => on.to_string(),
        json => squash(&read_text(json)?),
    };
    let row = ACTIONS
        .iter()
        .find(|(_, words)| words.split_whitespace().any(|word| word == name));
    row.map(|(action, _)| *action)
}

/// Returns true for "up", "down" and their synonyms, which mean a step for a device without a position.
pub fn is_up_or_down(json: &Json) -> bool {
    let word = read_text(json).map(|text| squash(&text));
    matches!(word.as_deref(), Some("up" | "down" | "raise" | "lower"))
}

/// Returns true for a string with a sign, such as "+10", which is a step. A JSON number's sign has no such meaning.
pub fn is_signed(json: &Json) -> bool {
    matches!(json, Json::String(text) if text.trim().starts_with(['+', '-', '−']))
}

/// Reads a text, also from a number or from a list with one item.
pub fn read_text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => Some(text.trim().to_owned()),
        Json::Number(number) => Some(number.to_string()),
        Json::Array(items) => match items.as_slice() {
            [item] => read_text(item),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a value for use in an answer, cleaned and truncated like a name.
pub fn cut(json: &Json) -> String {
    text::name(&to_text(json))
}

/// Returns a value as it was written, without quotation marks.
pub fn to_text(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        json => json.to_string(),
    }
}

/// Words that models send for an absent value.
const NOTHING: [&str; 6] = ["null", "none", "undefined", "nil", "n/a", "nan"];

/// Returns true for any of the ways in which models write an absent value.
pub fn is_absent(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::String(content) => {
            let content = content.trim();
            matches!(content.replace(' ', "").as_str(), "[]" | "{}")
                || NOTHING.iter().any(|word| content.eq_ignore_ascii_case(word))
                || text::name(content).is_empty()
        }
        Json::Array(items) => items.iter().all(is_absent),
        Json::Object(fields) => fields.values().all(is_absent),
        _ => false,
    }
}

/// Returns true if two values are equal, apart from case. A number equals a string of its digits.
pub fn is_alike(one: &Json, other: &Json) -> bool {
    let folded = |json: &Json| match json {
        Json::String(text) => text.trim().to_lowercase(),
        json => json.to_string(),
    };
    folded(one) == folded(other)
}
