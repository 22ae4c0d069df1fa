//! Arguments as models send them: forgiving in what is read, strict in what is done with it.
//!
//! Read here and not by serde, so that a mistake gets a sentence that says what would be right. The
//! tools' schemas are those of [`ListArguments`] and [`ControlForm`].

mod fields;
mod values;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value as Json};

use crate::home::bounds;
use crate::home::color::Color;
use crate::home::decide::RefusalReason;
use crate::home::intent::{Action, Adjustment, Intent};
use crate::home::letters::squashed;
use crate::home::model::quantity::{Percent, Temperature};
use crate::mcp::resources::address::Address;
use fields::{Field, Fields};
use values::{Amount, amount, cut, flag, text, written};

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
    /// One argument was sent twice, with different values.
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
    /// More was said than is read.
    TooLong(&'static str),
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

impl From<&ArgumentError> for RefusalReason {
    fn from(error: &ArgumentError) -> Self {
        match error {
            ArgumentError::OutOfRange(_) => Self::OutOfRange,
            _ => Self::Arguments,
        }
    }
}

/// The name of the tool that lists devices.
pub const LIST: &str = "list_zwave_devices";

/// The name of the tool that controls them.
pub const CONTROL: &str = "control_zwave_device";

/// The arguments of `list_zwave_devices`. A field's doc comment is what a model reads of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ListArguments {
    /// Words of a room, name or kind, e.g. "kitchen" or "bedroom lights"; or "problems" for what is
    /// wrong. Omit for all devices.
    #[schemars(default)]
    pub filter: String,
    /// Also list devices that do not respond.
    #[schemars(default)]
    pub include_inactive: bool,
    /// The names of arguments that mean nothing to a list, as they were sent.
    #[schemars(skip)]
    pub passed_over: Vec<String>,
}

/// The arguments of `control_zwave_device`. A field's doc comment is what a model reads of it.
#[allow(clippy::doc_markdown)]
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ControlForm {
    /// Name from list_zwave_devices, with its room if needed: "Office Ceiling". Several: "all
    /// kitchen lights".
    device_name: String,
    #[schemars(schema_with = "actions")]
    action: Action,
    /// Percent 0-100 for dim and open; degrees for set_temperature; by how much for increase and
    /// decrease, or omit.
    #[schemars(default, with = "f64")]
    level: Option<Amount>,
    /// Only for set_mode: heat, cool, auto, off, …
    #[schemars(default, with = "String")]
    mode: Option<String>,
    /// Only for set_color: a name, #rrggbb or white like 2700K.
    #[schemars(default, with = "String")]
    color: Option<String>,
}

fn actions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Action::ALL.map(Action::name) })
}

/// What a control call means.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlArguments {
    /// The device's name as it was said.
    pub device: String,
    /// The room that was said beside it.
    pub room: Option<String>,
    /// What is wanted.
    pub intent: Intent,
}

/// A control call as it was sent, right or not: what its line in the log says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallAsSent {
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
    let fields = Fields::new(fields::LIST, arguments);
    if let Some((field, names)) = fields.first_twice(|_, _| true) {
        return Err(ArgumentError::SaidTwice { field, names });
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
        filter: bounded("filter", words.join(" "))?,
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
) -> (CallAsSent, Result<ControlArguments, ArgumentError>) {
    let fields = Fields::new(fields::CONTROL, arguments);
    let as_written = |json: Option<&Json>| json.map_or_else(String::new, written);
    let said = CallAsSent {
        device: as_written(fields.one(Field::DeviceName)),
        action: as_written(action_said(&fields)),
        room: fields.one(Field::Room).and_then(room),
        meant: action_said(&fields).and_then(values::action),
    };
    (said, read(&fields))
}

/// What was said to do. {"value": "on"} says it too.
fn action_said(fields: &Fields) -> Option<&Json> {
    let instead = || {
        let said = fields.one(Field::Level);
        said.filter(|json| amount(json).is_none() && values::action(json).is_some())
    };
    fields.one(Field::Action).or_else(instead)
}

fn read(fields: &Fields) -> Result<ControlArguments, ArgumentError> {
    if let Some(name) = fields.unknown.first() {
        return Err(ArgumentError::UnknownName {
            nearest: fields.nearest(name),
            known: fields.known(),
            name: name.clone(),
        });
    }
    let named = fields
        .one(Field::DeviceName)
        .ok_or(ArgumentError::NoDevice)?;
    let device =
        text(named).ok_or_else(|| wrong("deviceName", "one device's name, as a string", named))?;
    // What is encoded in an address takes more room than the name itself.
    let device = match Address::read(device.trim()) {
        Some(address) if address.is_readable() => device,
        _ => bounded("deviceName", device)?,
    };
    if let Some(room) = fields.one(Field::Room) {
        let said = text(room).ok_or_else(|| wrong("room", "a room's name, as a string", room))?;
        bounded("room", said)?;
    }
    let said = action_said(fields).ok_or(ArgumentError::NoAction)?;
    let action = values::action(said).ok_or_else(|| ArgumentError::UnknownAction(cut(said)))?;
    let differs = |field, other: &Json| {
        let first = fields.one(field);
        !first.is_some_and(|first| means_the_same(field, first, other))
    };
    let twice = fields.first_twice(|field, other| counts(action, field) && differs(field, other));
    if let Some((field, names)) = twice {
        return Err(ArgumentError::SaidTwice { field, names });
    }
    // {"action": "on", "value": "on"} says one thing.
    let again = |json: &Json| amount(json).is_none() && values::action(json) == Some(action);
    let counting = |field| {
        let json = fields.one(field).filter(|_| counts(action, field));
        json.filter(|json| field != Field::Level || !again(json))
    };
    let step = step_said(fields, said, action)?;
    let level = match counting(Field::Level) {
        Some(json) if step.is_none() => {
            Some(amount(json).ok_or_else(|| wrong("level", "a number", json))?)
        }
        _ => None,
    };
    let word = |field, name, right| match counting(field) {
        Some(json) => {
            let said = text(json).ok_or_else(|| wrong(name, right, json))?;
            bounded(name, said).map(Some)
        }
        None => Ok(None),
    };
    let mode = word(Field::Mode, "mode", "the name of a mode, as a string")?;
    let right = "a color's name or #rrggbb, as a string";
    let color = word(Field::Color, "color", right)?;
    let form = ControlForm {
        device_name: device,
        action,
        level,
        mode,
        color,
    };
    Ok(ControlArguments {
        room: fields.one(Field::Room).and_then(room),
        intent: step.map_or_else(|| form.intent(), |step| Ok(Intent::Adjust(step)))?,
        device: form.device_name,
    })
}

/// The step up or down that was said: by its action, by the sign of a level that is a string, by a word
/// such as "brighter" for the level, or beside "relative".
fn step_said(
    fields: &Fields,
    said: &Json,
    action: Action,
) -> Result<Option<Adjustment>, ArgumentError> {
    let level = fields.one(Field::Level);
    let word = level
        .filter(|json| amount(json).is_none())
        .and_then(values::action);
    let number = level.and_then(amount).map(|amount| amount.number);
    let is_relative = fields.one(Field::Relative).and_then(flag) == Some(true)
        || level.is_some_and(values::is_signed);
    let opens = values::is_up_or_down(said);
    let up = match (action, word) {
        (Action::Increase, _) => true,
        (Action::Decrease, _) => false,
        (Action::Open | Action::Close, _) if opens => action == Action::Open,
        (Action::Dim | Action::SetTemperature, Some(Action::Increase)) => true,
        (Action::Dim | Action::SetTemperature, Some(Action::Decrease)) => false,
        (Action::Dim | Action::SetTemperature, None) if is_relative => number > Some(0.0),
        _ => return Ok(None),
    };
    let by = match level.filter(|_| word.is_none()) {
        None => None,
        Some(json) => {
            let right = "a number above 0, by how much";
            let by = amount(json).ok_or_else(|| wrong("level", right, json))?;
            let is_contrary =
                (up && by.number < 0.0) || (!up && by.number > 0.0 && values::is_signed(json));
            match by.number {
                // "Down" to 0 is closed.
                0.0 if opens => None,
                0.0 => return Err(wrong("level", right, json)),
                _ if is_contrary => return Err(wrong("level", right, json)),
                _ => Some(by),
            }
        }
    };
    Ok(Some(Adjustment {
        up,
        by: by.map(|by| by.number.abs()),
        unit: by.and_then(|by| by.unit),
        opens,
    }))
}

/// A room, unless it is none.
fn room(json: &Json) -> Option<String> {
    text(json).filter(|room| !EVERYWHERE.contains(&squashed(room).as_str()))
}

/// Whether two values of an argument are the same in other words: "on" and "turn on", 50 and "50 %".
fn means_the_same(field: Field, one: &Json, other: &Json) -> bool {
    match field {
        Field::Action => {
            values::action(one).is_some() && values::action(one) == values::action(other)
        }
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
    match action {
        Action::Lock | Action::Unlock | Action::Stop => {
            !matches!(field, Field::Level | Field::Mode | Field::Color)
        }
        Action::Toggle => field != Field::Level,
        Action::SetMode => !matches!(field, Field::Level | Field::Color),
        Action::SetColor => !matches!(field, Field::Level | Field::Mode),
        Action::Increase | Action::Decrease => !matches!(field, Field::Mode | Field::Color),
        _ => true,
    }
}

impl ControlForm {
    /// The action with what belongs to it. What does not belong to it but could have been meant is an
    /// error, because leaving it out would do less than was asked, or something else.
    fn intent(&self) -> Result<Intent, ArgumentError> {
        let action = self.action;
        let needs = |field| ArgumentError::Needs(action, field);
        let percent = self.percent()?;
        let above_zero = match percent {
            Some(Percent::ZERO) => Err(ArgumentError::Contradiction(action)),
            percent => Ok(percent),
        };
        Ok(match action {
            Action::On => Intent::On(above_zero?),
            Action::Off => Intent::Off,
            Action::Dim => Intent::Dim(percent.ok_or(needs("level"))?),
            Action::Toggle => Intent::Toggle,
            Action::Open => Intent::Open(above_zero?),
            Action::Close => Intent::Close,
            Action::Stop => Intent::Stop,
            Action::Lock => Intent::Lock,
            Action::Unlock => Intent::Unlock,
            Action::SetTemperature => {
                let Amount {
                    number: degrees,
                    unit,
                } = self.level.ok_or(needs("level"))?;
                Intent::SetTemperature(Temperature { degrees, unit })
            }
            Action::SetMode => Intent::SetMode(self.mode.clone().ok_or(needs("mode"))?),
            // A step was read before.
            Action::Increase | Action::Decrease => {
                Intent::Adjust(Adjustment::new(action == Action::Increase))
            }
            Action::SetColor => {
                let said = self.color.clone().ok_or(needs("color"))?;
                Intent::SetColor(Color::read(&said).ok_or(ArgumentError::UnknownColor(said))?)
            }
        })
    }

    /// The level of an action that takes one in percent.
    fn percent(&self) -> Result<Option<Percent>, ArgumentError> {
        let action = self.action;
        let takes_no = |field| Err(ArgumentError::TakesNo(action, field));
        if self.mode.is_some() && action != Action::SetMode {
            return takes_no("mode");
        }
        if self.color.is_some() && action != Action::SetColor {
            return takes_no("color");
        }
        if action == Action::SetTemperature {
            return Ok(None);
        }
        let Some(Amount { number, unit }) = self.level else {
            return Ok(None);
        };
        if unit.is_some() {
            return takes_no("temperature");
        }
        match action {
            // What is on is on: 100 beside it is what models fill in.
            Action::On if number == 100.0 => Ok(None),
            Action::Off | Action::Close if number != 0.0 => takes_no("level"),
            Action::On | Action::Open | Action::Dim => Percent::new(number)
                .map(Some)
                .ok_or(ArgumentError::OutOfRange(number)),
            _ => Ok(None),
        }
    }
}

/// A name, a filter or a mode, if it is not longer than is read.
fn bounded(field: &'static str, said: String) -> Result<String, ArgumentError> {
    if bounds::is_too_long(&said) {
        return Err(ArgumentError::TooLong(field));
    }
    Ok(said)
}

fn wrong(field: &'static str, right: &'static str, json: &Json) -> ArgumentError {
    ArgumentError::WrongForm {
        field,
        right,
        sent: cut(json),
    }
}
