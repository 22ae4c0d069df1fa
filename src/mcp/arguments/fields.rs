//! Sorts arguments by their names: the right ones, and those that models write instead.

use serde_json::{Map, Value as Json};

use super::values::{is_absent, is_alike};
use crate::home::bounds;
use crate::home::letters::squash;
use crate::json::object;

/// An argument of a tool. `Room` and `Relative`, which makes a level a step, are not in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
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

/// An argument with its name in the schema and all names by which it is understood, in letters and
/// digits alone.
#[derive(Debug)]
pub struct Argument(Field, &'static str, &'static str);

/// The arguments of `list_zwave_devices`.
pub const LIST: &[Argument] = &[
    Argument(
        Field::Filter,
        "filter",
        "filter room location area name type kind device devicename devicetype query search filters",
    ),
    Argument(
        Field::IncludeInactive,
        "includeInactive",
        "includeinactive inactive includedead showinactive",
    ),
];

/// The arguments of `control_zwave_device`.
pub const CONTROL: &[Argument] = &[
    Argument(
        Field::DeviceName,
        "deviceName",
        "devicename device name target entity entityname",
    ),
    Argument(Field::Room, "room", "room location area"),
    Argument(
        Field::Action,
        "action",
        "action command cmd operation state actiontype",
    ),
    Argument(
        Field::Level,
        "level",
        "level brightness value percent percentage temperature position setpoint degrees \
         targettemperature dimlevel",
    ),
    Argument(Field::Relative, "relative", "relative isrelative"),
    Argument(Field::Mode, "mode", "mode hvacmode thermostatmode"),
    Argument(Field::Color, "color", "color colour colorname rgb hex"),
];

impl Argument {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.2.split(' ')
    }

    /// Returns how similar a name is to one of the argument's own, in percent.
    fn similarity(&self, name: &str) -> u32 {
        self.names()
            .map(|right| (strsim::normalized_levenshtein(name, right) * 100.0) as u32)
            .max()
            .unwrap_or_default()
    }
}

/// The arguments that were sent, without absent ones.
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
    /// Sorts the arguments that were sent to a tool.
    pub fn new(arguments: &'static [Argument], sent: Option<Map<String, Json>>) -> Self {
        let mut all = unwrap_arguments(sent.unwrap_or_default(), MAX_DEPTH);
        // Right names first, because they win over other names for the same argument.
        all.sort_by_key(|(name, _)| !arguments.iter().any(|argument| argument.1 == name));
        let mut fields = Self {
            arguments,
            sent: Vec::new(),
            unknown: Vec::new(),
        };
        for (name, json) in all {
            let folded = squash(&name);
            let mut arguments = arguments.iter();
            match arguments.find(|argument| argument.names().any(|name| name == folded)) {
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

    /// Returns the value of an argument.
    pub fn value(&self, field: Field) -> Option<&Json> {
        self.values(field).next()
    }

    /// Returns all values of an argument.
    pub fn values(&self, field: Field) -> impl Iterator<Item = &Json> {
        self.sent
            .iter()
            .filter(move |sent| sent.argument.0 == field)
            .map(|sent| &sent.json)
    }

    /// Finds an argument that was sent twice with different values, of which the second one `matters`.
    /// Returns its right name and the names under which it was sent. A filter may come in parts.
    pub fn first_twice(
        &self,
        matters: impl Fn(Field, &Json) -> bool,
    ) -> Option<(&'static str, (String, String))> {
        self.sent.iter().find_map(|again| {
            let Argument(field, right, _) = *again.argument;
            let first = self.sent.iter().find(|sent| sent.argument.0 == field)?;
            let differs = field != Field::Filter && !is_alike(&first.json, &again.json);
            (differs && matters(field, &again.json))
                .then(|| (right, (first.name.clone(), again.name.clone())))
        })
    }

    fn in_schema(&self) -> impl Iterator<Item = &'static Argument> {
        self.arguments
            .iter()
            .filter(|argument| !matches!(argument.0, Field::Room | Field::Relative))
    }

    /// Returns the names in the schema.
    pub fn known_names(&self) -> Vec<&'static str> {
        self.in_schema().map(|argument| argument.1).collect()
    }

    /// Returns the argument that was probably meant by an unknown name, unless it was sent too.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        // Comparing takes time in the product of both lengths.
        let folded = squash(bounds::read(name));
        self.in_schema()
            .filter(|argument| self.value(argument.0).is_none())
            .max_by_key(|argument| argument.similarity(&folded))
            .filter(|argument| argument.similarity(&folded) >= 60)
            .map(|argument| argument.1)
    }
}

/// Names under which models send all arguments as one object.
const WRAPPERS: [&str; 4] = ["input", "args", "arguments", "parameters"];

/// The maximum depth of such objects.
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
