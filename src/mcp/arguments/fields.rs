//! Finds the tool's argument for each name in a call. Models use the name in the schema, or another name.

use serde_json::{Map, Value as Json};

use super::values::{is_absent, is_alike};
use crate::home::bounds;
use crate::home::letters::squash;
use crate::json::object;

/// An argument of a tool: its name in the schema, and all accepted names. The accepted names are
/// [squashed](squash), and separated by spaces.
pub type Argument = (&'static str, &'static str);

/// The arguments of `list_zwave_devices`.
#[rustfmt::skip]
pub const LIST: &[Argument] = &[
    ("filter",
     "filter room location area name type kind device devicename devicetype query search filters"),
    ("includeInactive", "includeinactive inactive includedead showinactive"),
];

/// The arguments of `control_zwave_device`.
#[rustfmt::skip]
pub const CONTROL: &[Argument] = &[
    ("deviceName", "devicename device name target entity entityname"),
    ("room", "room location area"),
    ("action", "action command cmd operation state actiontype"),
    ("level", "level brightness value percent percentage temperature position setpoint degrees \
        targettemperature dimlevel"),
    ("relative", "relative isrelative"),
    ("mode", "mode hvacmode thermostatmode"),
    ("color", "color colour colorname rgb hex"),
];

/// Arguments that are accepted but are not in the schema. `relative` turns a level into a step.
const NOT_IN_SCHEMA: [&str; 2] = ["room", "relative"];

/// The arguments of a call, without those whose value is absent, such as null or "none".
#[derive(Debug)]
pub struct Fields {
    /// The arguments that the tool takes.
    arguments: &'static [Argument],
    sent: Vec<SentArgument>,
    /// The names that match no argument.
    pub unknown: Vec<String>,
}

#[derive(Debug)]
struct SentArgument {
    /// The argument's name in the schema.
    field: &'static str,
    /// The name under which it was sent.
    name: String,
    json: Json,
}

impl Fields {
    /// Finds the tool's argument for each name in `sent`.
    pub fn new(arguments: &'static [Argument], sent: Option<Map<String, Json>>) -> Self {
        let mut unwrapped = unwrap_arguments(sent.unwrap_or_default(), MAX_DEPTH);
        // Names from the schema come first, so that `value` prefers them to other names for the same argument.
        unwrapped.sort_by_key(|(name, _)| !arguments.iter().any(|(field, _)| field == name));
        let mut fields = Self {
            arguments,
            sent: Vec::new(),
            unknown: Vec::new(),
        };
        for (name, json) in unwrapped {
            let squashed = squash(&name);
            let accepts = |names: &str| names.split(' ').any(|accepted| accepted == squashed);
            match arguments.iter().find(|(_, accepted)| accepts(accepted)) {
                Some((field, _)) => fields.sent.push(SentArgument { field, name, json }),
                None => fields.unknown.push(name),
            }
        }
        fields
    }

    /// Returns the value of an argument. If the argument was sent more than once, this is the first value.
    pub fn value(&self, field: &str) -> Option<&Json> {
        self.values(field).next()
    }

    pub fn values(&self, field: &str) -> impl Iterator<Item = &Json> {
        self.sent.iter().filter(move |sent| sent.field == field).map(|sent| &sent.json)
    }

    /// Finds the first argument that was sent twice with different values. Returns the argument's name in the
    /// schema, and the two names under which it was sent. `matters` gets the name in the schema and both values,
    /// and returns false if the difference does no harm. A filter may be sent in parts, so it never conflicts.
    pub fn first_conflict(
        &self,
        matters: impl Fn(&str, &Json, &Json) -> bool,
    ) -> Option<(&'static str, (String, String))> {
        self.sent.iter().find_map(|later| {
            let field = later.field;
            let first = self.sent.iter().find(|sent| sent.field == field)?;
            let differs = field != "filter" && !is_alike(&first.json, &later.json);
            (differs && matters(field, &first.json, &later.json))
                .then(|| (field, (first.name.clone(), later.name.clone())))
        })
    }

    fn in_schema(&self) -> impl Iterator<Item = &'static Argument> {
        self.arguments.iter().filter(|(field, _)| !NOT_IN_SCHEMA.contains(field))
    }

    /// Returns the names in the schema.
    pub fn known_names(&self) -> Vec<&'static str> {
        self.in_schema().map(|(field, _)| *field).collect()
    }

    /// Returns the argument that was probably meant by an unknown name. An argument that was also sent under a
    /// known name can't be meant.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        // The time to compare grows with the product of the lengths, so a long name is truncated.
        let squashed = squash(bounds::cut_input(name));
        self.in_schema()
            .filter(|(field, _)| self.value(field).is_none())
            .map(|(field, accepted)| (similarity(&squashed, accepted), *field))
            .max_by_key(|(similarity, _)| *similarity)
            .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
            .map(|(_, field)| field)
    }
}

/// Returns the similarity of a name to the most similar accepted name, in percent.
fn similarity(name: &str, accepted: &str) -> u32 {
    accepted
        .split(' ')
        .map(|accepted| (strsim::normalized_levenshtein(name, accepted) * 100.0) as u32)
        .max()
        .unwrap_or_default()
}

/// The minimum similarity of a suggested name, in percent.
const MIN_SIMILARITY: u32 = 60;

/// Names under which models send all arguments as one object.
const WRAPPERS: [&str; 4] = ["input", "args", "arguments", "parameters"];

/// The maximum number of nested wrappers.
const MAX_DEPTH: usize = 4;

/// Takes arguments out of their wrappers, and drops absent values.
fn unwrap_arguments(sent: Map<String, Json>, depth: usize) -> Vec<(String, Json)> {
    sent.into_iter()
        .filter(|(_, json)| !is_absent(json))
        .flat_map(|(name, json)| {
            let is_wrapper = depth > 0 && WRAPPERS.contains(&squash(&name).as_str());
            match is_wrapper.then(|| object(json.clone()).ok()).flatten() {
                Some(inner) => unwrap_arguments(inner, depth - 1),
                None => vec![(name, json)],
            }
        })
        .collect()
}
