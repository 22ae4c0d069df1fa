//! Parses the arguments of the two tools: lenient about names and spellings, strict about ranges.
//!
//! Serde does not parse the arguments, because its errors do not say what would be right. The tools' schemas
//! come from [`ListArguments`] and [`ControlForm`].

mod control;
mod fields;
mod values;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value as Json};

use crate::home::bounds;
use crate::home::intent::{Action, Intent};
use crate::home::outcome::RefusalReason;
use fields::Fields;
use values::{Amount, cut, read_flag, read_text};

pub use crate::home::published::{CONTROL, LIST};
pub use control::read_control;
pub use values::read_action;

/// A mistake in a call's arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentError {
    /// An unknown argument name.
    UnknownName {
        /// The name that was sent.
        name: String,
        /// The most similar known name, if any is similar enough.
        nearest: Option<&'static str>,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// An argument that was sent twice, with different values.
    Conflict {
        /// The argument.
        field: &'static str,
        /// The names under which it was sent.
        names: (String, String),
    },
    /// A value of the wrong form.
    WrongForm {
        /// The argument.
        field: &'static str,
        /// A description of the expected form.
        expected: &'static str,
        /// The value that was sent, truncated.
        sent: String,
    },
    /// A text longer than [`bounds::INPUT`].
    TooLong(&'static str),
    /// No device was given.
    NoDevice,
    /// No action was given.
    NoAction,
    /// An unknown action.
    UnknownAction(String),
    /// An action without an argument that the action needs.
    Needs(Action, &'static str),
    /// An argument that the action does not take.
    TakesNo(Action, &'static str),
    /// A percentage outside 0 to 100.
    OutOfRange(f64),
    /// `on` or `open` with level 0.
    Contradiction(Action),
    /// An unknown color.
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

/// The arguments of `list_zwave_devices`. Models read the fields' doc comments in the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ListArguments {
    /// Words of a room, name or kind, e.g. "kitchen" or "bedroom lights"; or "problems" (what is
    /// wrong), "changed" (what changed). Omit for all devices.
    #[schemars(default)]
    pub filter: String,
    /// Also list devices that do not respond.
    #[schemars(default)]
    pub include_inactive: bool,
    /// The names of unknown arguments.
    #[schemars(skip)]
    pub unknown_names: Vec<String>,
    /// The room of whoever asks, if the host has told it.
    #[schemars(skip)]
    pub asker: Option<String>,
}

/// The arguments of `control_zwave_device`. Models read the fields' doc comments in the schema.
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

/// The arguments of a valid control call.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlArguments {
    /// The device's name as the caller wrote it.
    pub device: String,
    /// The room that was given along with the device.
    pub room: Option<String>,
    /// The phrase that the call came from, if the host has told it.
    pub said: Option<String>,
    /// The room of whoever asks, if the host has told it.
    pub asker: Option<String>,
    /// The intent.
    pub intent: Intent,
}

/// A control call as it was sent, valid or not, for the log and for error answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallAsSent {
    /// The device; empty if there was none.
    pub device: String,
    /// The action; empty if there was none.
    pub action: String,
    /// The room that was given along with the device.
    pub room: Option<String>,
    /// The action, if it is a known one.
    pub known_action: Option<Action>,
}

/// Parses the arguments of `list_zwave_devices`. Unknown arguments are harmless here, so they are reported
/// but not rejected.
pub fn read_list(arguments: Option<Map<String, Json>>) -> Result<ListArguments, ArgumentError> {
    let fields = Fields::new(fields::LIST, arguments);
    let always_matters = |_: &str, _: &Json, _: &Json| true;
    if let Some((field, names)) = fields.first_conflict(always_matters) {
        return Err(ArgumentError::Conflict { field, names });
    }
    let words = fields
        .values("filter")
        .map(|json| read_as("filter", "a string of words", json, read_text))
        .collect::<Result<Vec<_>, _>>()?;
    let inactive = fields
        .value("includeInactive")
        .map(|json| read_as("includeInactive", "true or false", json, read_flag));
    Ok(ListArguments {
        filter: check_length("filter", words.join(" "))?,
        include_inactive: inactive.transpose()?.unwrap_or_default(),
        unknown_names: fields.unknown,
        asker: None,
    })
}

/// Checks that a text is not too long.
fn check_length(field: &'static str, value: String) -> Result<String, ArgumentError> {
    if bounds::is_too_long(&value) {
        return Err(ArgumentError::TooLong(field));
    }
    Ok(value)
}

/// Reads a value with `read`. The error says which form was expected.
fn read_as<T>(
    field: &'static str,
    expected: &'static str,
    json: &Json,
    read: impl Fn(&Json) -> Option<T>,
) -> Result<T, ArgumentError> {
    read(json).ok_or_else(|| wrong_form(field, expected, json))
}

fn wrong_form(field: &'static str, expected: &'static str, json: &Json) -> ArgumentError {
    ArgumentError::WrongForm {
        field,
        expected,
        sent: cut(json),
    }
}
