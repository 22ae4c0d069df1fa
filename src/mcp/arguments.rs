//! Arguments as models send them: forgiving in what is read, strict in what is done with it.
//!
//! Read here and not by serde, so that a mistake gets a sentence that says what would be right.

mod fields;

use serde_json::{Map, Value as Json};

use crate::home::color::Color;
use crate::home::intent::{Action, Wish};
use crate::home::letters::squashed;
use crate::home::model::quantity::{Degrees, Percent, Temperature};
use crate::home::text;
use fields::{Field, Fields, Tool, fields};

/// What is wrong with a call's arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentError {
    /// A name that maps to nothing; the nearest right one, if one is near.
    UnknownName {
        /// The name that was sent.
        name: String,
        /// The right one.
        nearest: Option<&'static str>,
        /// Every name there is.
        known: Vec<&'static str>,
    },
    /// One thing was said twice, and differently.
    SaidTwice {
        /// The argument.
        field: &'static str,
        /// The names it was sent under.
        names: (String, String),
    },
    /// The value has the wrong form.
    WrongForm {
        /// The argument.
        field: &'static str,
        /// What would be right.
        right: &'static str,
        /// What was sent, cut.
        sent: String,
    },
    /// No device was named.
    NoDevice,
    /// No action was named.
    NoAction,
    /// There is no such action.
    UnknownAction(String),
    /// The action needs another argument.
    Needs(Action, &'static str),
    /// The action does not take the argument.
    TakesNo(Action, &'static str),
    /// A percentage outside 0 to 100.
    OutOfRange(f64),
    /// `on` or `open` with level 0.
    Contradiction(Action),
    /// There is no such colour.
    UnknownColor(String),
}

/// A call to `list_zwave_devices`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListArguments {
    /// The words to match; empty for everything.
    pub filter: String,
    /// Dead devices too.
    pub include_inactive: bool,
    /// The names of arguments that mean nothing to a list, as they were sent.
    pub passed_over: Vec<String>,
}

/// A call to `control_zwave_device`.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlArguments {
    /// The device's name as it was said.
    pub device: String,
    /// The room that was said beside it.
    pub room: Option<String>,
    /// What is wanted.
    pub wish: Wish,
}

/// A control call as it was sent, right or not: what its line in the log says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The device, under whatever name it was sent; empty where none was.
    pub device: String,
    /// The action; empty where none was.
    pub action: String,
    /// The room that was said beside the device.
    pub room: Option<String>,
    /// What the action means, if it means anything.
    pub meant: Option<Action>,
}

/// Reads the arguments of `list_zwave_devices`. A list tells nothing that it is not asked for, so
/// what it does not know changes nothing.
pub fn list(arguments: Option<Map<String, Json>>) -> Result<ListArguments, ArgumentError> {
    let fields = fields(Tool::List, arguments);
    if let Some(twice) = fields.first_twice(|_, _| true) {
        return Err(twice);
    }
    let mut words = Vec::new();
    for json in fields.all(Field::Filter) {
        words.push(text(json).ok_or_else(|| wrong("filter", "a string of words", json))?);
    }
    let include_inactive = match fields.one(Field::IncludeInactive) {
        Some(json) => flag(json).ok_or_else(|| wrong("includeInactive", "true or false", json))?,
        None => false,
    };
    Ok(ListArguments {
        filter: words.join(" "),
        include_inactive,
        passed_over: fields.unknown,
    })
}

/// Rooms that are none.
const EVERYWHERE: [&str; 5] = ["all", "any", "every", "everywhere", "anywhere"];

/// Reads the arguments of `control_zwave_device`.
pub fn control(arguments: Option<Map<String, Json>>) -> Result<ControlArguments, ArgumentError> {
    heard(arguments).1
}

/// Reads the arguments of `control_zwave_device`, and what was said in them, right or not.
pub fn heard(
    arguments: Option<Map<String, Json>>,
) -> (Said, Result<ControlArguments, ArgumentError>) {
    let fields = fields(Tool::Control, arguments);
    let written = |json: Option<&Json>| match json {
        Some(Json::String(text)) => text.clone(),
        Some(json) => json.to_string(),
        None => String::new(),
    };
    let said = Said {
        device: written(fields.one(Field::DeviceName)),
        action: written(action_said(&fields)),
        room: fields.one(Field::Room).and_then(room),
        meant: action_said(&fields).and_then(named_action),
    };
    (said, read(&fields))
}

/// What was said to do. {"value": "on"} says it too.
fn action_said(fields: &Fields) -> Option<&Json> {
    let instead = || {
        let said = fields.one(Field::Level);
        said.filter(|json| amount(json).is_none() && named_action(json).is_some())
    };
    fields.one(Field::Action).or_else(instead)
}

fn read(fields: &Fields) -> Result<ControlArguments, ArgumentError> {
    if let Some(unknown) = fields.first_unknown(Tool::Control) {
        return Err(unknown);
    }
    let named = fields
        .one(Field::DeviceName)
        .ok_or(ArgumentError::NoDevice)?;
    let device =
        text(named).ok_or_else(|| wrong("deviceName", "one device's name, as a string", named))?;
    if let Some(room) = fields.one(Field::Room).filter(|room| text(room).is_none()) {
        return Err(wrong("room", "a room's name, as a string", room));
    }
    let said = action_said(fields).ok_or(ArgumentError::NoAction)?;
    let action = named_action(said).ok_or_else(|| ArgumentError::UnknownAction(cut(said)))?;
    let differs = |field, other: &Json| {
        let first = fields.one(field);
        !first.is_some_and(|first| means_the_same(field, first, other))
    };
    if let Some(twice) =
        fields.first_twice(|field, other| counts(action, field) && differs(field, other))
    {
        return Err(twice);
    }
    // {"action": "on", "value": "on"} says one thing.
    let again = |json: &Json| amount(json).is_none() && named_action(json) == Some(action);
    let counting = |field| {
        let json = fields.one(field).filter(|_| counts(action, field));
        json.filter(|json| field != Field::Level || !again(json))
    };
    let level = match counting(Field::Level) {
        Some(json) => Some(amount(json).ok_or_else(|| wrong("level", "a number", json))?),
        None => None,
    };
    let word = |field, name, right| match counting(field) {
        Some(json) => text(json).map(Some).ok_or_else(|| wrong(name, right, json)),
        None => Ok(None),
    };
    let mode = word(Field::Mode, "mode", "the name of a mode, as a string")?;
    let color = word(
        Field::Color,
        "color",
        "a color's name or #rrggbb, as a string",
    )?;
    Ok(ControlArguments {
        device,
        room: fields.one(Field::Room).and_then(room),
        wish: wish(action, level, mode, color)?,
    })
}

/// A room, unless it is none.
fn room(json: &Json) -> Option<String> {
    text(json).filter(|room| !EVERYWHERE.contains(&squashed(room).as_str()))
}

/// Whether two values of an argument are the same in other words: "on" and "turn on", 50 and "50 %".
fn means_the_same(field: Field, one: &Json, other: &Json) -> bool {
    match field {
        Field::Action => named_action(one).is_some() && named_action(one) == named_action(other),
        Field::Level => amount(one).is_some() && amount(one) == amount(other),
        _ => false,
    }
}

/// Whether an argument can change what is meant by an action. Small models fill in every argument
/// that the schema has; what can't change anything is left out of account, whatever is in it.
///
/// What is locked or stopped goes to no level, mode or color; a mode is no color and has no level,
/// nor the other way round; and toggling goes back to what was before.
fn counts(action: Action, field: Field) -> bool {
    !matches!(
        (action, field),
        (
            Action::Lock | Action::Unlock | Action::Stop,
            Field::Level | Field::Mode | Field::Color
        ) | (
            Action::Toggle | Action::SetMode | Action::SetColor,
            Field::Level
        ) | (Action::SetMode, Field::Color)
            | (Action::SetColor, Field::Mode)
    )
}

/// Puts an action together with what belongs to it. What does not belong to it but could have been
/// meant is an error, because leaving it out would do less than was asked, or something else.
fn wish(
    action: Action,
    level: Option<Amount>,
    mode: Option<String>,
    color: Option<String>,
) -> Result<Wish, ArgumentError> {
    if mode.is_some() && action != Action::SetMode {
        return Err(ArgumentError::TakesNo(action, "mode"));
    }
    if color.is_some() && action != Action::SetColor {
        return Err(ArgumentError::TakesNo(action, "color"));
    }
    let degrees = level.and_then(|level| level.unit);
    if degrees.is_some() && action != Action::SetTemperature {
        return Err(ArgumentError::TakesNo(action, "temperature"));
    }
    // What is on is on: 100 beside it is what models fill in.
    let filled_in = |level: &Amount| action == Action::On && level.number == 100.0;
    let level = level.filter(|level| !filled_in(level));
    let shuts = matches!(action, Action::Off | Action::Close);
    if shuts && level.is_some_and(|level| level.number != 0.0) {
        return Err(ArgumentError::TakesNo(action, "level"));
    }
    let percent = || match level {
        Some(level) => Percent::new(level.number)
            .map(Some)
            .ok_or(ArgumentError::OutOfRange(level.number)),
        None => Ok(None),
    };
    let above_zero = || match percent()? {
        Some(percent) if percent.get() == 0 => Err(ArgumentError::Contradiction(action)),
        percent => Ok(percent),
    };
    Ok(match action {
        Action::On => Wish::On(above_zero()?),
        Action::Off => Wish::Off,
        Action::Dim => Wish::Dim(percent()?.ok_or(ArgumentError::Needs(action, "level"))?),
        Action::Toggle => Wish::Toggle,
        Action::Open => Wish::Open(above_zero()?),
        Action::Close => Wish::Close,
        Action::Stop => Wish::Stop,
        Action::Lock => Wish::Lock,
        Action::Unlock => Wish::Unlock,
        Action::SetTemperature => {
            let Amount { number, unit } = level.ok_or(ArgumentError::Needs(action, "level"))?;
            Wish::SetTemperature(Temperature {
                degrees: number,
                unit,
            })
        }
        Action::SetMode => Wish::SetMode(mode.ok_or(ArgumentError::Needs(action, "mode"))?),
        Action::SetColor => {
            let said = color.ok_or(ArgumentError::Needs(action, "color"))?;
            Wish::SetColor(Color::read(&said).ok_or(ArgumentError::UnknownColor(said))?)
        }
    })
}

/// An action by its name, or by what people and models call it.
fn named_action(json: &Json) -> Option<Action> {
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
        _ => return None,
    })
}

/// A word or a name; a number stands for its digits, a list of one for what is in it.
fn text(json: &Json) -> Option<String> {
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

/// A number with the unit of temperature it was said in, if any.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Amount {
    number: f64,
    unit: Option<Degrees>,
}

/// A number, also as "50", "50%", "50 percent", "21.5 °C".
fn amount(json: &Json) -> Option<Amount> {
    let amount = |number: f64, unit| number.is_finite().then_some(Amount { number, unit });
    if let Some(number) = json.as_f64() {
        return amount(number, None);
    }
    let text = text(json)?.to_lowercase().replace(',', ".");
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
fn flag(json: &Json) -> Option<bool> {
    if let Some(flag) = json.as_bool() {
        return Some(flag);
    }
    match text(json)?.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

fn wrong(field: &'static str, right: &'static str, json: &Json) -> ArgumentError {
    ArgumentError::WrongForm {
        field,
        right,
        sent: cut(json),
    }
}

/// What was sent, for an answer: at most 60 characters of it.
fn cut(json: &Json) -> String {
    let whole = match json {
        Json::String(text) => text.clone(),
        json => json.to_string(),
    };
    text::name(&whole)
}
