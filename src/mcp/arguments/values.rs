//! Single values as models write them: a number with its unit, a flag as a word, an action by
//! another name.

use serde_json::Value as Json;

use crate::home::intent::Action;
use crate::home::letters::squashed;
use crate::home::model::quantity::Degrees;
use crate::home::text;

/// A number with the unit of temperature it was said in, if any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The number, finite.
    pub number: f64,
    /// The unit.
    pub unit: Option<Degrees>,
}

/// A number, also as "50", "50%", "50 percent", "21.5 °C".
pub fn amount(json: &Json) -> Option<Amount> {
    let amount = |number: f64, unit| number.is_finite().then_some(Amount { number, unit });
    if let Some(number) = json.as_f64() {
        return amount(number, None);
    }
    let text = text(json)?
        .to_lowercase()
        .replace(',', ".")
        .replace('−', "-");
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let unit = match text.get(digits.len()..)?.trim() {
        "" | "%" | "percent" | "°" | "degrees" | "degree" => None,
        "c" | "°c" | "celsius" | "degrees celsius" => Some(Degrees::Celsius),
        "f" | "°f" | "fahrenheit" | "degrees fahrenheit" => Some(Degrees::Fahrenheit),
        _ => return None,
    };
    amount(digits.trim().parse().ok()?, unit)
}

/// A flag, also as "true", "yes", 1.
pub fn flag(json: &Json) -> Option<bool> {
    if let Some(flag) = json.as_bool() {
        return Some(flag);
    }
    match text(json)?.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// An action by its name, or by what people and models call it.
pub fn action(json: &Json) -> Option<Action> {
    let said = match json {
        Json::Bool(true) => return Some(Action::On),
        Json::Bool(false) => return Some(Action::Off),
        json => squashed(&text(json)?),
    };
    Some(match said.as_str() {
        "on" | "turnon" | "switchon" | "poweron" | "activate" | "enable" | "true" | "run"
        | "start" => Action::On,
        "off" | "turnoff" | "switchoff" | "poweroff" | "deactivate" | "disable" | "false" => {
            Action::Off
        }
        "dim" | "dimto" | "setlevel" | "setbrightness" | "brightness" => Action::Dim,
        "toggle" | "flip" => Action::Toggle,
        "open" | "up" | "raise" => Action::Open,
        "close" | "down" | "lower" | "shut" => Action::Close,
        "stop" | "halt" | "pause" => Action::Stop,
        "lock" => Action::Lock,
        "unlock" => Action::Unlock,
        "settemperature" | "temperature" | "settemp" | "setpoint" | "setsetpoint" => {
            Action::SetTemperature
        }
        "setmode" | "mode" => Action::SetMode,
        "setcolor" | "setcolour" | "color" | "colour" => Action::SetColor,
        "increase"
        | "increment"
        | "brighter"
        | "brighten"
        | "warmer"
        | "hotter"
        | "more"
        | "higher"
        | "faster"
        | "turnup"
        | "stepup"
        | "increasebrightness"
        | "increasetemperature"
        | "increaselevel"
        | "increasespeed" => Action::Increase,
        "decrease"
        | "decrement"
        | "reduce"
        | "darker"
        | "dimmer"
        | "darken"
        | "cooler"
        | "colder"
        | "less"
        | "slower"
        | "turndown"
        | "stepdown"
        | "decreasebrightness"
        | "decreasetemperature"
        | "decreaselevel"
        | "decreasespeed" => Action::Decrease,
        _ => return None,
    })
}

/// Returns true for "up" and "down" and their like, which are steps unless said of what opens.
pub fn is_up_or_down(json: &Json) -> bool {
    let said = text(json).map(|text| squashed(&text));
    matches!(said.as_deref(), Some("up" | "down" | "raise" | "lower"))
}

/// Returns true for a number in a string with a sign: "+10" is a step. A number without quotation marks is
/// a value, whatever its sign.
pub fn is_signed(json: &Json) -> bool {
    matches!(json, Json::String(text) if text.trim().starts_with(['+', '-', '−']))
}

/// A word or a name; a number stands for its digits, a list of one for what is in it.
pub fn text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => Some(text.trim().to_owned()),
        Json::Number(number) => Some(number.to_string()),
        Json::Array(items) => match items.as_slice() {
            [item] => text(item),
            _ => None,
        },
        _ => None,
    }
}

/// What was sent, for an answer: at most 60 characters of it.
pub fn cut(json: &Json) -> String {
    text::name(&written(json))
}

/// A value as it was written, without quotation marks.
pub fn written(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        json => json.to_string(),
    }
}

/// What models write for nothing, in lower case.
const NOTHING: [&str; 6] = ["null", "none", "undefined", "nil", "n/a", "nan"];

/// Whether nothing was said, in any of the ways in which models say so.
pub fn absent(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::String(said) => {
            let said = said.trim();
            let empty = matches!(said.replace(' ', "").as_str(), "[]" | "{}");
            empty
                || NOTHING.iter().any(|word| said.eq_ignore_ascii_case(word))
                || text::name(said).is_empty()
        }
        Json::Array(items) => items.iter().all(absent),
        Json::Object(fields) => fields.values().all(absent),
        _ => false,
    }
}

/// Whether two values say the same, as a number or as its digits, in either case.
pub fn alike(one: &Json, other: &Json) -> bool {
    let said = |json: &Json| match json {
        Json::String(text) => text.trim().to_lowercase(),
        json => json.to_string(),
    };
    said(one) == said(other)
}
