//! Parses a control call: the device, and an action with its arguments or a step up or down.

use serde_json::{Map, Value as Json};

use super::fields::{self, Field, Fields};
use super::values::{self, Amount, cut, read_amount, read_flag, read_text, to_text};
use super::{
    ArgumentError, CallAsSent, ControlArguments, ControlForm, check_length, read_as, wrong_form,
};
use crate::home::color::Color;
use crate::home::intent::{Action, Adjustment, Intent};
use crate::home::letters::squash;
use crate::home::model::quantity::{Percent, Temperature};
use crate::mcp::resources::address::Address;

/// Words that models send as the room if they mean no particular one.
const EVERYWHERE: [&str; 5] = ["all", "any", "every", "everywhere", "anywhere"];

/// Parses the arguments of `control_zwave_device`, and returns them as they were sent, too.
pub fn read_control(
    arguments: Option<Map<String, Json>>,
) -> (CallAsSent, Result<ControlArguments, ArgumentError>) {
    let fields = Fields::new(fields::CONTROL, arguments);
    let or_empty = |json: Option<&Json>| json.map_or_else(String::new, to_text);
    let sent = CallAsSent {
        device: or_empty(fields.value(Field::DeviceName)),
        action: or_empty(sent_action(&fields)),
        room: fields.value(Field::Room).and_then(read_room),
        known_action: sent_action(&fields).and_then(values::read_action),
    };
    (sent, read(&fields))
}

/// Returns the value of the action. Some models send it under a name for the level: {"value": "on"}.
fn sent_action(fields: &Fields) -> Option<&Json> {
    fields.value(Field::Action).or_else(|| {
        let level = fields.value(Field::Level)?;
        (read_amount(level).is_none() && values::read_action(level).is_some()).then_some(level)
    })
}

fn read(fields: &Fields) -> Result<ControlArguments, ArgumentError> {
    if let Some(name) = fields.unknown.first() {
        return Err(ArgumentError::UnknownName {
            nearest: fields.nearest(name),
            known: fields.known_names(),
            name: name.clone(),
        });
    }
    let named = fields.value(Field::DeviceName).ok_or(ArgumentError::NoDevice)?;
    let device = read_as(
        "deviceName",
        "one device's name, as a string",
        named,
        read_text,
    )?;
    // A resource address may be longer than a name, so the texts that it encodes are checked instead.
    let device = match Address::read(device.trim()) {
        Some(address) if address.is_readable() => device,
        _ => check_length("deviceName", device)?,
    };
    if let Some(room) = fields.value(Field::Room) {
        let name = read_as("room", "a room's name, as a string", room, read_text)?;
        check_length("room", name)?;
    }
    let sent = sent_action(fields).ok_or(ArgumentError::NoAction)?;
    let action =
        values::read_action(sent).ok_or_else(|| ArgumentError::UnknownAction(cut(sent)))?;
    let conflict = fields.first_conflict(|field, other| {
        let first = fields.value(field);
        matters(action, field) && !first.is_some_and(|first| means_the_same(field, first, other))
    });
    if let Some((field, names)) = conflict {
        return Err(ArgumentError::Conflict { field, names });
    }
    // {"action": "on", "value": "on"} has the action twice and no level.
    let repeats_action =
        |json: &Json| read_amount(json).is_none() && values::read_action(json) == Some(action);
    let relevant = |field| {
        let json = fields.value(field).filter(|_| matters(action, field));
        json.filter(|json| field != Field::Level || !repeats_action(json))
    };
    let step = read_step(fields, sent, action)?;
    let level = match relevant(Field::Level) {
        Some(json) if step.is_none() => Some(read_as("level", "a number", json, read_amount)?),
        _ => None,
    };
    let relevant_text = |field, name, expected| match relevant(field) {
        Some(json) => check_length(name, read_as(name, expected, json, read_text)?).map(Some),
        None => Ok(None),
    };
    let mode = relevant_text(Field::Mode, "mode", "the name of a mode, as a string")?;
    let expected = "a color's name or #rrggbb, as a string";
    let color = relevant_text(Field::Color, "color", expected)?;
    let form = ControlForm {
        device_name: device,
        action,
        level,
        mode,
        color,
    };
    Ok(ControlArguments {
        room: fields.value(Field::Room).and_then(read_room),
        intent: step.map_or_else(|| form.intent(), |step| Ok(Intent::Adjust(step)))?,
        device: form.device_name,
    })
}

/// Reads a step up or down: an action such as "increase" or "up", a level such as "+10" or "brighter", or a
/// level along with the argument "relative". Returns `None` if the call is not a step.
fn read_step(
    fields: &Fields,
    sent: &Json,
    action: Action,
) -> Result<Option<Adjustment>, ArgumentError> {
    let level = fields.value(Field::Level);
    let word = level.filter(|json| read_amount(json).is_none()).and_then(values::read_action);
    let number = level.and_then(read_amount).map(|amount| amount.number);
    let is_relative = fields.value(Field::Relative).and_then(read_flag) == Some(true)
        || level.is_some_and(values::is_signed);
    let opens = values::is_up_or_down(sent);
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
            let expected = "a number above 0, by how much";
            let by = read_as("level", expected, json, read_amount)?;
            let contradicts_direction =
                (up && by.number < 0.0) || (!up && by.number > 0.0 && values::is_signed(json));
            match by.number {
                // "Down" with level 0 means closed, not a step of 0.
                0.0 if opens => None,
                0.0 => return Err(wrong_form("level", expected, json)),
                _ if contradicts_direction => return Err(wrong_form("level", expected, json)),
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

/// Reads a room. Returns `None` for "everywhere" and the like.
fn read_room(json: &Json) -> Option<String> {
    read_text(json).filter(|room| !EVERYWHERE.contains(&squash(room).as_str()))
}

/// Returns true if two values mean the same: "on" and "turn on", 50 and "50 %".
fn means_the_same(field: Field, one: &Json, other: &Json) -> bool {
    match field {
        Field::Action => {
            values::read_action(one).is_some()
                && values::read_action(one) == values::read_action(other)
        }
        Field::Level => read_amount(one).is_some() && read_amount(one) == read_amount(other),
        _ => false,
    }
}

/// Returns false for an argument that is ignored for an action. Small models fill in every argument of the
/// schema, so an argument that can't have been meant is not an error, whatever its value.
fn matters(action: Action, field: Field) -> bool {
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
    /// Returns the intent. An argument that the action does not take is an error, because ignoring it
    /// could do something other than what was meant.
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
                let level = self.level.ok_or(needs("level"))?;
                Intent::SetTemperature(Temperature {
                    degrees: level.number,
                    unit: level.unit,
                })
            }
            Action::SetMode => Intent::SetMode(self.mode.clone().ok_or(needs("mode"))?),
            Action::Increase | Action::Decrease => {
                Intent::Adjust(Adjustment::new(action == Action::Increase))
            }
            Action::SetColor => {
                let name = self.color.clone().ok_or(needs("color"))?;
                Intent::SetColor(Color::read(&name).ok_or(ArgumentError::UnknownColor(name))?)
            }
        })
    }

    /// Returns the level in percent, if the action takes one and one was given. Fails if the action does not
    /// take a given level, mode or color.
    fn percent(&self) -> Result<Option<Percent>, ArgumentError> {
        let action = self.action;
        let takes_no = |field| Err(ArgumentError::TakesNo(action, field));
        let Amount { number, unit } = match self.level {
            _ if self.mode.is_some() && action != Action::SetMode => return takes_no("mode"),
            _ if self.color.is_some() && action != Action::SetColor => return takes_no("color"),
            Some(level) if action != Action::SetTemperature => level,
            _ => return Ok(None),
        };
        match action {
            _ if unit.is_some() => takes_no("temperature"),
            // Models add a level of 100 to "on".
            Action::On if number == 100.0 => Ok(None),
            Action::Off | Action::Close if number != 0.0 => takes_no("level"),
            Action::On | Action::Open | Action::Dim => {
                Percent::new(number).map(Some).ok_or(ArgumentError::OutOfRange(number))
            }
            _ => Ok(None),
        }
    }
}
