//! Parses a control call into a device, its room and an intent. An intent may be a step up or down.

use serde_json::{Map, Value as Json};

use super::fields::{self, Fields};
use super::values::{self, Amount, cut, read_action, read_amount, read_flag, read_text, to_text};
use super::{
    ArgumentError, CallAsSent, ControlArguments, ControlForm, check_length, read_as, wrong_form,
};
use crate::home::color::Color;
use crate::home::intent::{Action, Adjustment, Intent};
use crate::home::letters::squash;
use crate::home::model::quantity::{Percent, Temperature};
use crate::mcp::resources::address::Address;

/// Words that models send as the room if they mean no particular room.
const EVERYWHERE: [&str; 5] = ["all", "any", "every", "everywhere", "anywhere"];

/// Parses the arguments of `control_zwave_device`. Returns the call as it was sent, and the result of parsing it.
pub fn read_control(
    arguments: Option<Map<String, Json>>,
) -> (CallAsSent, Result<ControlArguments, ArgumentError>) {
    let fields = Fields::new(fields::CONTROL, arguments);
    let or_empty = |json: Option<&Json>| json.map_or_else(String::new, to_text);
    let sent = CallAsSent {
        device: or_empty(fields.value("deviceName")),
        action: or_empty(sent_action(&fields)),
        room: fields.value("room").and_then(read_room),
        known_action: sent_action(&fields).and_then(read_action),
    };
    (sent, read(&fields))
}

/// Returns the value that was sent as the action. Some models put the action into the argument `level`, or
/// into a synonym of `level` such as `value`: {"value": "on"}.
fn sent_action(fields: &Fields) -> Option<&Json> {
    let level = || fields.value("level").filter(|level| action_as_level(level).is_some());
    fields.value("action").or_else(level)
}

/// Returns the action that a level names, if the level is not a number.
fn action_as_level(level: &Json) -> Option<Action> {
    read_action(level).filter(|_| read_amount(level).is_none())
}

fn read(fields: &Fields) -> Result<ControlArguments, ArgumentError> {
    if let Some(name) = fields.unknown.first() {
        return Err(ArgumentError::UnknownName {
            nearest: fields.nearest(name),
            known: fields.known_names(),
            name: name.clone(),
        });
    }
    let device_name = read_device(fields)?;
    if let Some(room) = fields.value("room") {
        let name = read_as("room", "a room's name, as a string", room, read_text)?;
        check_length("room", name)?;
    }
    let action_json = sent_action(fields).ok_or(ArgumentError::NoAction)?;
    let action =
        read_action(action_json).ok_or_else(|| ArgumentError::UnknownAction(cut(action_json)))?;
    let conflict = fields.first_conflict(|field, first, later| {
        matters(action, field) && !means_the_same(field, first, later)
    });
    if let Some((field, names)) = conflict {
        return Err(ArgumentError::Conflict { field, names });
    }
    let relevant = |field| fields.value(field).filter(|_| matters(action, field));
    // {"action": "on", "value": "on"} has the action twice and no level.
    let level = relevant("level").filter(|json| action_as_level(json) != Some(action));
    let step = read_step(fields, action_json, action)?;
    let level = level.filter(|_| step.is_none());
    let level = level.map(|json| read_as("level", "a number", json, read_amount)).transpose()?;
    let relevant_text = |field, expected| {
        let text = |json| check_length(field, read_as(field, expected, json, read_text)?);
        relevant(field).map(text).transpose()
    };
    let form = ControlForm {
        device_name,
        action,
        level,
        mode: relevant_text("mode", "the name of a mode, as a string")?,
        color: relevant_text("color", "a color's name or #rrggbb, as a string")?,
    };
    Ok(ControlArguments {
        room: fields.value("room").and_then(read_room),
        intent: step.map_or_else(|| form.intent(), |step| Ok(Intent::Adjust(step)))?,
        device: form.device_name,
        said: None,
        asker: None,
    })
}

fn read_device(fields: &Fields) -> Result<String, ArgumentError> {
    let named = fields.value("deviceName").ok_or(ArgumentError::NoDevice)?;
    let expected = "one device's name, as a string";
    let name = read_as("deviceName", expected, named, read_text)?;
    // A resource's URI may be longer than a name. The lengths of the room and the name in it are checked instead.
    match Address::read(&name) {
        Some(address) if address.is_readable() => Ok(name),
        _ => check_length("deviceName", name),
    }
}

/// Reads a step up or down: an action such as "increase" or "up", a level such as "+10" or "brighter", or a
/// level along with the argument "relative". Returns `None` if the call is not a step.
fn read_step(
    fields: &Fields,
    action_json: &Json,
    action: Action,
) -> Result<Option<Adjustment>, ArgumentError> {
    let level = fields.value("level");
    let level_action = level.and_then(action_as_level);
    let opens = values::is_up_or_down(action_json);
    let is_above_zero = |json: &Json| read_amount(json).is_some_and(|amount| amount.number > 0.0);
    let is_relative = fields.value("relative").and_then(read_flag) == Some(true)
        || level.is_some_and(values::is_signed);
    let is_up = match (action, level_action) {
        (Action::Increase, _) => true,
        (Action::Decrease, _) => false,
        (Action::Open | Action::Close, _) if opens => action == Action::Open,
        (Action::Dim | Action::SetTemperature, Some(Action::Increase)) => true,
        (Action::Dim | Action::SetTemperature, Some(Action::Decrease)) => false,
        (Action::Dim | Action::SetTemperature, None) if is_relative => {
            level.is_some_and(is_above_zero)
        }
        _ => return Ok(None),
    };
    let mut step = Adjustment {
        opens,
        ..Adjustment::new(is_up)
    };
    if let Some(json) = level.filter(|_| level_action.is_none()) {
        let expected = "the size of the step, a number above 0";
        let Amount { number, unit } = read_as("level", expected, json, read_amount)?;
        let contradicts_direction =
            (is_up && number < 0.0) || (!is_up && number > 0.0 && values::is_signed(json));
        if contradicts_direction || (number == 0.0 && !opens) {
            return Err(wrong_form("level", expected, json));
        }
        // Only the steps "up" and "down" may have level 0. It is a position (closed), and not a size.
        if number != 0.0 {
            step.by = Some(number.abs());
            step.unit = unit;
        }
    }
    Ok(Some(step))
}

/// Reads a room. Returns `None` for "everywhere" and the like.
fn read_room(json: &Json) -> Option<String> {
    read_text(json).filter(|room| !EVERYWHERE.contains(&squash(room).as_str()))
}

/// Returns true if two values mean the same: "on" and "turn on", 50 and "50 %".
fn means_the_same(field: &str, one: &Json, other: &Json) -> bool {
    match field {
        "action" => read_action(one).is_some() && read_action(one) == read_action(other),
        "level" => read_amount(one).is_some() && read_amount(one) == read_amount(other),
        _ => false,
    }
}

/// Returns false if the action ignores the argument, whatever its value. Small models fill in every argument
/// of the schema, so an argument that is certainly not meant is ignored instead of refused.
fn matters(action: Action, field: &str) -> bool {
    let ignored: &[&str] = match action {
        Action::Lock | Action::Unlock | Action::Stop => &["level", "mode", "color"],
        Action::Toggle => &["level"],
        Action::SetMode => &["level", "color"],
        Action::SetColor => &["level", "mode"],
        Action::Increase | Action::Decrease => &["mode", "color"],
        _ => &[],
    };
    !ignored.contains(&field)
}

impl ControlForm {
    /// Returns the intent. The arguments that the action [ignores](matters) are already gone. Any other
    /// argument that the action does not take is an error, because the caller may have meant something else.
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

    /// Returns the given level, if the action takes a percentage. Fails if the level is out of range, or if the
    /// action does not take a level, mode or color that was given.
    fn percent(&self) -> Result<Option<Percent>, ArgumentError> {
        let action = self.action;
        let takes_no = |field| Err(ArgumentError::TakesNo(action, field));
        if self.mode.is_some() && action != Action::SetMode {
            return takes_no("mode");
        }
        if self.color.is_some() && action != Action::SetColor {
            return takes_no("color");
        }
        let level = self.level.filter(|_| action != Action::SetTemperature);
        let Some(Amount { number, unit }) = level else {
            return Ok(None);
        };
        match action {
            _ if unit.is_some() => takes_no("temperature"),
            // Models add a level of 100 to "on" without meaning it.
            Action::On if number == 100.0 => Ok(None),
            Action::Off | Action::Close if number != 0.0 => takes_no("level"),
            Action::On | Action::Open | Action::Dim => {
                Percent::new(number).map(Some).ok_or(ArgumentError::OutOfRange(number))
            }
            _ => Ok(None),
        }
    }
}
