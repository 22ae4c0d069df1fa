//! Argument names: the right ones, and what models write for them.

use serde_json::{Map, Value as Json};

use super::ArgumentError;
use crate::home::letters::squashed;
use crate::home::text;

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

/// The arguments that were sent, by field; what is absent is not among them.
#[derive(Debug, Default)]
pub struct Fields {
    sent: Vec<Sent>,
    /// Names that map to nothing.
    pub unknown: Vec<String>,
    /// What was said twice, and differently.
    twice: Vec<(Sent, ArgumentError)>,
}

/// An argument under the name that it was sent by.
#[derive(Debug)]
struct Sent {
    field: Field,
    name: String,
    json: Json,
}

impl Fields {
    /// The value of an argument.
    pub fn one(&self, field: Field) -> Option<&Json> {
        self.all(field).next()
    }

    /// Every value of an argument that may be sent in parts.
    pub fn all(&self, field: Field) -> impl Iterator<Item = &Json> {
        let own = self.sent.iter().filter(move |sent| sent.field == field);
        own.map(|sent| &sent.json)
    }

    fn add(&mut self, row: &Row, name: String, json: Json) {
        let &(field, right, _) = row;
        let known = self.sent.iter().find(|sent| sent.field == field);
        match known {
            // Filter words may come in parts: a room here, a kind there.
            Some(known) if field != Field::Filter => {
                if !alike(&known.json, &json) {
                    let twice = ArgumentError::SaidTwice {
                        field: right,
                        names: (known.name.clone(), name.clone()),
                    };
                    self.twice.push((Sent { field, name, json }, twice));
                }
            }
            _ => self.sent.push(Sent { field, name, json }),
        }
    }

    /// The first of the arguments that was said twice, and differently, and counts, by what was said
    /// the second time.
    pub fn first_twice(&self, counts: impl Fn(Field, &Json) -> bool) -> Option<ArgumentError> {
        let mut twice = self.twice.iter();
        let first = twice.find(|(again, _)| counts(again.field, &again.json));
        first.map(|(_, error)| error.clone())
    }

    /// The first name that maps to nothing, as an error that names the right one where one is near.
    pub fn first_unknown(&self, tool: Tool) -> Option<ArgumentError> {
        let name = self.unknown.first()?;
        let folded = squashed(name);
        let near = |row: &&Row| {
            let others = row.2.iter();
            others
                .map(|other| (strsim::normalized_levenshtein(&folded, other) * 100.0) as u32)
                .max()
        };
        let nearest = tool
            .rows()
            .iter()
            .filter(|(field, ..)| *field != Field::Room && self.one(*field).is_none())
            .max_by_key(near)
            .filter(|row| near(row) >= Some(60))
            .map(|(_, name, _)| *name);
        Some(ArgumentError::UnknownName {
            name: name.clone(),
            nearest,
            known: tool.names(),
        })
    }
}

/// Sorts what was sent by field. Absent values are dropped first, so that a name counts as sent
/// only with something in it.
pub fn fields(tool: Tool, arguments: Option<Map<String, Json>>) -> Fields {
    let sent = unwrapped(arguments.unwrap_or_default(), DEEPEST);
    let mut fields = Fields::default();
    // The right names first: another name maps only where the right one was not sent.
    let is_right = |name: &str| tool.rows().iter().any(|(_, right, _)| *right == name);
    let (right, others): (Vec<_>, Vec<_>) = sent.into_iter().partition(|(name, _)| is_right(name));
    for (name, json) in right.into_iter().chain(others) {
        let folded = squashed(&name);
        let mut rows = tool.rows().iter();
        match rows.find(|(_, _, others)| others.contains(&folded.as_str())) {
            Some(row) => fields.add(row, name, json),
            None => fields.unknown.push(name),
        }
    }
    fields
}

/// The arguments without absent ones, those taken out of their wrapping that were sent whole under
/// one name.
fn unwrapped(sent: Map<String, Json>, depth: usize) -> Vec<(String, Json)> {
    let sent = sent.into_iter().filter(|(_, json)| !absent(json));
    sent.flat_map(|(name, json)| {
        let wraps = depth > 0 && WRAPPERS.contains(&squashed(&name).as_str());
        let inner = match &json {
            Json::Object(inner) if wraps => Some(inner.clone()),
            Json::String(text) if wraps => serde_json::from_str(text).ok(),
            _ => None,
        };
        match inner {
            Some(inner) => unwrapped(inner, depth - 1),
            None => vec![(name, json)],
        }
    })
    .collect()
}

/// What models write for nothing, in lower case.
const NOTHING: [&str; 6] = ["null", "none", "undefined", "nil", "n/a", "nan"];

/// Whether nothing was said, in any of the ways in which models say so.
fn absent(json: &Json) -> bool {
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
fn alike(one: &Json, other: &Json) -> bool {
    let said = |json: &Json| match json {
        Json::String(text) => text.trim().to_lowercase(),
        json => json.to_string(),
    };
    said(one) == said(other)
}
