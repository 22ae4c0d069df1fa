//! Argument names: the right ones, and what models write for them.

use serde_json::{Map, Value as Json};

use super::ArgumentError;
use crate::home::words::squashed;

/// Whose arguments they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `list_zwave_devices`.
    List,
    /// `control_zwave_device`.
    Control,
}

/// An argument of a tool. `Room` is none of the schema's, but says which "Ceiling" is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Field {
    Filter,
    IncludeInactive,
    DeviceName,
    Room,
    Action,
    Level,
    Mode,
    Color,
}

/// A field, its right name, and other names for it, folded to letters and digits.
type Row = (Field, &'static str, &'static [&'static str]);

const LIST: &[Row] = &[
    (
        Field::Filter,
        "filter",
        &[
            "filter",
            "room",
            "location",
            "area",
            "name",
            "type",
            "kind",
            "device",
            "devicename",
            "devicetype",
            "query",
            "search",
            "filters",
        ],
    ),
    (
        Field::IncludeInactive,
        "includeInactive",
        &["includeinactive", "inactive", "includedead", "showinactive"],
    ),
];

const CONTROL: &[Row] = &[
    (
        Field::DeviceName,
        "deviceName",
        &[
            "devicename",
            "device",
            "name",
            "target",
            "entity",
            "entityname",
        ],
    ),
    (Field::Room, "room", &["room", "location", "area"]),
    (
        Field::Action,
        "action",
        &[
            "action",
            "command",
            "cmd",
            "operation",
            "state",
            "actiontype",
        ],
    ),
    (
        Field::Level,
        "level",
        &[
            "level",
            "brightness",
            "value",
            "percent",
            "percentage",
            "temperature",
            "position",
            "setpoint",
            "degrees",
            "targettemperature",
            "dimlevel",
        ],
    ),
    (Field::Mode, "mode", &["mode", "hvacmode", "thermostatmode"]),
    (
        Field::Color,
        "color",
        &["color", "colour", "colorname", "rgb", "hex"],
    ),
];

/// Names under which models send all arguments at once.
const WRAPPERS: [&str; 4] = ["input", "args", "arguments", "parameters"];

/// How deep such wrappings are followed.
const DEEPEST: usize = 4;

impl Tool {
    fn rows(self) -> &'static [Row] {
        match self {
            Self::List => LIST,
            Self::Control => CONTROL,
        }
    }

    /// The schema's names.
    fn names(self) -> Vec<&'static str> {
        let rows = self.rows().iter();
        rows.filter(|(field, ..)| *field != Field::Room)
            .map(|(_, name, _)| *name)
            .collect()
    }
}

/// The arguments that were sent, by field.
#[derive(Debug, Default)]
pub struct Fields(Vec<(Field, Json)>);

impl Fields {
    /// The value of an argument.
    pub fn one(&self, field: Field) -> Option<&Json> {
        self.all(field).next()
    }

    /// Every value of an argument that may be sent in parts.
    pub fn all(&self, field: Field) -> impl Iterator<Item = &Json> {
        self.0
            .iter()
            .filter(move |(own, _)| *own == field)
            .map(|(_, json)| json)
    }
}

/// Sorts what was sent by field. Absent values are dropped first, so that a name counts as sent
/// only with something in it.
pub fn fields(tool: Tool, arguments: Option<Map<String, Json>>) -> Result<Fields, ArgumentError> {
    let mut sent = unwrapped(arguments.unwrap_or_default(), DEEPEST);
    let mut fields = Fields::default();
    // The right names first: another name maps only where the right one was not sent.
    for (field, name, _) in tool.rows() {
        if let Some(json) = sent.remove(*name) {
            fields.0.push((*field, json));
        }
    }
    for (name, json) in sent {
        let folded = squashed(&name);
        let row = tool
            .rows()
            .iter()
            .find(|(_, _, others)| others.contains(&folded.as_str()));
        let Some((field, right, _)) = row else {
            return Err(unknown(tool, name, &fields));
        };
        match fields.one(*field) {
            // Filter words may come in parts: a room here, a kind there.
            _ if *field == Field::Filter => fields.0.push((*field, json)),
            None => fields.0.push((*field, json)),
            Some(known) if *known == json => {}
            Some(_) => return Err(ArgumentError::SaidTwice { field: right, name }),
        }
    }
    Ok(fields)
}

/// The arguments without absent ones, taken out of an object that was sent whole under one name.
fn unwrapped(sent: Map<String, Json>, depth: usize) -> Map<String, Json> {
    let sent: Map<String, Json> = sent.into_iter().filter(|(_, json)| !absent(json)).collect();
    let mut items = sent.iter();
    if depth > 0
        && let (Some((name, json)), None) = (items.next(), items.next())
        && WRAPPERS.contains(&squashed(name).as_str())
    {
        let inner = match json {
            Json::Object(inner) => Some(inner.clone()),
            Json::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        };
        if let Some(inner) = inner {
            return unwrapped(inner, depth - 1);
        }
    }
    sent
}

/// What models send for nothing.
fn absent(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::String(text) => {
            let text = text.trim();
            text.is_empty() || text.eq_ignore_ascii_case("null")
        }
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn unknown(tool: Tool, name: String, sent: &Fields) -> ArgumentError {
    let folded = squashed(&name);
    let near = |row: &&Row| {
        row.2
            .iter()
            .map(|other| (strsim::normalized_levenshtein(&folded, other) * 100.0) as u32)
            .max()
    };
    let nearest = tool
        .rows()
        .iter()
        .filter(|(field, ..)| sent.one(*field).is_none())
        .max_by_key(near)
        .filter(|row| near(row) >= Some(60))
        .map(|(_, name, _)| *name);
    ArgumentError::UnknownName {
        name,
        nearest,
        known: tool.names(),
    }
}
