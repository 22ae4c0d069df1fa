//! Argument names: the right ones, and what models write for them.

use serde_json::{Map, Value as Json};

use super::values::{absent, alike};
use crate::home::bounds;
use crate::home::letters::squashed;
use crate::json::object;

/// An argument of a tool. `Room`, which says which "Ceiling" is meant, and `Relative`, which makes a level a
/// step, are not in the schema.
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

/// An argument: its name in the schema, and every name it is known by, folded to letters and digits,
/// with spaces between them.
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
    /// Every name it is known by.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.2.split(' ')
    }

    /// How much a folded name looks like one of its own, in percent.
    fn likeness(&self, folded: &str) -> u32 {
        let likeness = |own| (strsim::normalized_levenshtein(folded, own) * 100.0) as u32;
        self.names().map(likeness).max().unwrap_or_default()
    }
}

/// The arguments that were sent, by field; what is absent is not among them.
#[derive(Debug)]
pub struct Fields {
    /// Those of the tool that was called.
    arguments: &'static [Argument],
    sent: Vec<SentArgument>,
    /// Names that map to nothing.
    pub unknown: Vec<String>,
}

/// An argument under the name that it was sent by.
#[derive(Debug)]
struct SentArgument {
    argument: &'static Argument,
    name: String,
    json: Json,
}

impl Fields {
    /// Sorts what was sent by field. Absent values are dropped first, so that a name counts as sent
    /// only with something in it.
    pub fn new(arguments: &'static [Argument], sent: Option<Map<String, Json>>) -> Self {
        let all = unwrapped(sent.unwrap_or_default(), DEEPEST);
        // The right names first: another name maps only where the right one was not sent.
        let is_right = |name: &str| arguments.iter().any(|argument| argument.1 == name);
        let (right, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(name, _)| is_right(name));
        let mut fields = Self {
            arguments,
            sent: Vec::new(),
            unknown: Vec::new(),
        };
        for (name, json) in right.into_iter().chain(others) {
            let folded = squashed(&name);
            let known = |argument: &&Argument| argument.names().any(|own| own == folded);
            match arguments.iter().find(known) {
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

    /// The value of an argument.
    pub fn one(&self, field: Field) -> Option<&Json> {
        self.all(field).next()
    }

    /// Every value of an argument that may be sent in parts.
    pub fn all(&self, field: Field) -> impl Iterator<Item = &Json> {
        let own = self
            .sent
            .iter()
            .filter(move |sent| sent.argument.0 == field);
        own.map(|sent| &sent.json)
    }

    /// The first of the arguments that was sent twice with different values, and counts, by what was
    /// sent the second time; and the names it was sent under. Filter words may come in parts: a room
    /// here, a kind there.
    pub fn first_twice(
        &self,
        counts: impl Fn(Field, &Json) -> bool,
    ) -> Option<(&'static str, (String, String))> {
        self.sent.iter().find_map(|again| {
            let Argument(field, right, _) = *again.argument;
            let mut own = self.sent.iter().filter(|sent| sent.argument.0 == field);
            let first = own.next()?;
            let differs = field != Field::Filter && !alike(&first.json, &again.json);
            let names = || (first.name.clone(), again.name.clone());
            (differs && counts(field, &again.json)).then(|| (right, names()))
        })
    }

    /// The arguments of the schema.
    fn in_schema(&self) -> impl Iterator<Item = &'static Argument> {
        let hidden = [Field::Room, Field::Relative];
        self.arguments
            .iter()
            .filter(move |own| !hidden.contains(&own.0))
    }

    /// Every name in the schema.
    pub fn known(&self) -> Vec<&'static str> {
        self.in_schema().map(|own| own.1).collect()
    }

    /// What may have been meant by a name that maps to nothing, if something is near.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        // Comparing takes the product of both lengths.
        let folded = squashed(bounds::read(name));
        self.in_schema()
            .filter(|own| self.one(own.0).is_none())
            .max_by_key(|own| own.likeness(&folded))
            .filter(|own| own.likeness(&folded) >= 60)
            .map(|own| own.1)
    }
}

/// Names under which models send all arguments at once.
const WRAPPERS: [&str; 4] = ["input", "args", "arguments", "parameters"];

/// How deep such wrappings are followed.
const DEEPEST: usize = 4;

/// The arguments without absent ones, those taken out of their wrapping that were sent whole under
/// one name.
fn unwrapped(sent: Map<String, Json>, depth: usize) -> Vec<(String, Json)> {
    let sent = sent.into_iter().filter(|(_, json)| !absent(json));
    sent.flat_map(|(name, json)| {
        let wraps = depth > 0 && WRAPPERS.contains(&squashed(&name).as_str());
        match wraps.then(|| object(json.clone()).ok()).flatten() {
            Some(inner) => unwrapped(inner, depth - 1),
            None => vec![(name, json)],
        }
    })
    .collect()
}
