//! Matches the arguments of a call to those of a tool, by the names in the schema and by other names that
//! models use.

use serde_json::{Map, Value as Json};

use super::values::{is_absent, is_alike};
use crate::home::bounds;
use crate::home::letters::squash;
use crate::json::object;

/// An argument of a tool. Two are accepted but not in the schema: `Room`, and `Relative`, which turns a
/// level into a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The variants are named like the arguments.
pub enum Field {
    Filter,
    IncludeInactive,
    DeviceName,
    Room,
    Action,
    Level,
    Relative,
    Mode,
    Color,
}

/// An argument and its names.
#[derive(Debug)]
pub struct Argument {
    field: Field,
    /// The name in the schema.
    name: &'static str,
    /// All accepted names, [squashed](squash) and separated by spaces.
    accepted_names: &'static str,
}

/// The arguments of `list_zwave_devices`.
pub const LIST: &[Argument] = &[
    Argument::new(
        Field::Filter,
        "filter",
        "filter room location area name type kind device devicename devicetype query search filters",
    ),
    Argument::new(
        Field::IncludeInactive,
        "includeInactive",
        "includeinactive inactive includedead showinactive",
    ),
];

/// The arguments of `control_zwave_device`.
pub const CONTROL: &[Argument] = &[
    Argument::new(
        Field::DeviceName,
        "deviceName",
        "devicename device name target entity entityname",
    ),
    Argument::new(Field::Room, "room", "room location area"),
    Argument::new(
        Field::Action,
        "action",
        "action command cmd operation state actiontype",
    ),
    Argument::new(
        Field::Level,
        "level",
        "level brightness value percent percentage temperature position setpoint degrees \
         targettemperature dimlevel",
    ),
    Argument::new(Field::Relative, "relative", "relative isrelative"),
    Argument::new(Field::Mode, "mode", "mode hvacmode thermostatmode"),
    Argument::new(Field::Color, "color", "color colour colorname rgb hex"),
];

impl Argument {
    const fn new(field: Field, name: &'static str, accepted_names: &'static str) -> Self {
        Self {
            field,
            name,
            accepted_names,
        }
    }

    fn accepted_names(&self) -> impl Iterator<Item = &'static str> {
        self.accepted_names.split(' ')
    }

    /// Returns the similarity of a name to the most similar accepted name, in percent.
    fn similarity(&self, name: &str) -> u32 {
        self.accepted_names()
            .map(|accepted| (strsim::normalized_levenshtein(name, accepted) * 100.0) as u32)
            .max()
            .unwrap_or_default()
    }
}

/// The arguments of a call, without absent ones.
#[derive(Debug)]
pub struct Fields {
    /// The arguments that the tool takes.
    arguments: &'static [Argument],
    sent: Vec<SentArgument>,
    /// The unknown names.
    pub unknown: Vec<String>,
}

/// An argument with the name under which it was sent.
#[derive(Debug)]
struct SentArgument {
    argument: &'static Argument,
    name: String,
    json: Json,
}

impl Fields {
    /// Looks up each argument that was sent among those of a tool.
    pub fn new(arguments: &'static [Argument], sent: Option<Map<String, Json>>) -> Self {
        let mut all = unwrap_arguments(sent.unwrap_or_default(), MAX_DEPTH);
        // Names from the schema come first, because they take precedence over other names for the same
        // argument.
        all.sort_by_key(|(name, _)| !arguments.iter().any(|argument| argument.name == name));
        let mut fields = Self {
            arguments,
            sent: Vec::new(),
            unknown: Vec::new(),
        };
        for (name, json) in all {
            let folded = squash(&name);
            let mut arguments = arguments.iter();
            match arguments.find(|argument| argument.accepted_names().any(|name| name == folded)) {
                Some(argument) => fields.sent.push(SentArgument {
                    argument,
                    name,
                    json,
                }),
                None => fields.unknown.push(name),
            }
        }
        fields
    }

    /// Returns the value of an argument, which is the first one if it was sent more than once.
    pub fn value(&self, field: Field) -> Option<&Json> {
        self.values(field).next()
    }

    /// Returns all values of an argument.
    pub fn values(&self, field: Field) -> impl Iterator<Item = &Json> {
        self.sent
            .iter()
            .filter(move |sent| sent.argument.field == field)
            .map(|sent| &sent.json)
    }

    /// Finds the first argument that was sent twice with different values. `matters` is called with the
    /// later value, and returns false if it does no harm. Returns the argument's name in the schema, and the
    /// two names under which it was sent. A filter may be sent in parts, so it never conflicts.
    pub fn first_conflict(
        &self,
        matters: impl Fn(Field, &Json) -> bool,
    ) -> Option<(&'static str, (String, String))> {
        self.sent.iter().find_map(|later| {
            let Argument { field, name, .. } = *later.argument;
            let first = self.sent.iter().find(|sent| sent.argument.field == field)?;
            let differs = field != Field::Filter && !is_alike(&first.json, &later.json);
            (differs && matters(field, &later.json))
                .then(|| (name, (first.name.clone(), later.name.clone())))
        })
    }

    fn in_schema(&self) -> impl Iterator<Item = &'static Argument> {
        self.arguments
            .iter()
            .filter(|argument| !matches!(argument.field, Field::Room | Field::Relative))
    }

    /// Returns the names in the schema.
    pub fn known_names(&self) -> Vec<&'static str> {
        self.in_schema().map(|argument| argument.name).collect()
    }

    /// Returns the argument that was probably meant by an unknown name, unless that argument was sent, too.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        // The time to compare grows with the product of the lengths, so a long name is truncated.
        let folded = squash(bounds::cut_input(name));
        self.in_schema()
            .filter(|argument| self.value(argument.field).is_none())
            .max_by_key(|argument| argument.similarity(&folded))
            .filter(|argument| argument.similarity(&folded) >= MIN_SIMILARITY)
            .map(|argument| argument.name)
    }
}

/// The minimum similarity of a suggested name, in percent.
const MIN_SIMILARITY: u32 = 60;

/// Names under which models send all arguments as one object.
const WRAPPERS: [&str; 4] = ["input", "args", "arguments", "parameters"];

/// The maximum number of nested wrappers.
const MAX_DEPTH: usize = 4;

/// Takes arguments out of their wrappers, and drops absent ones.
fn unwrap_arguments(sent: Map<String, Json>, depth: usize) -> Vec<(String, Json)> {
    sent.into_iter()
        .filter(|(_, json)| !is_absent(json))
        .flat_map(|(name, json)| {
            let wraps = depth > 0 && WRAPPERS.contains(&squash(&name).as_str());
            match wraps.then(|| object(json.clone()).ok()).flatten() {
                Some(inner) => unwrap_arguments(inner, depth - 1),
                None => vec![(name, json)],
            }
        })
        .collect()
}
