//! Converts facts to single values, for a page that draws controls.

use serde_json::{Map, Value as Json, json};

use crate::home::color::Color;
use crate::home::fact::{Barrier, Fact};
use crate::home::text;

/// The names of the states, in the order in which a page gets them (`docs/RESOURCES.md`).
const NAMES: [&str; 14] = [
    "on",
    "level",
    "position",
    "slats",
    "moving",
    "open",
    "locked",
    "doorOpen",
    "mode",
    "target",
    "targetLow",
    "targetHigh",
    "unit",
    "color",
];

/// Returns the states of a device's controls by name, in the order of `NAMES`. If several facts give the same
/// state, the first fact counts. Returns `None` if no fact gives a state.
pub fn current_states(facts: &[Fact]) -> Option<Map<String, Json>> {
    let states: Vec<(&str, Json)> = facts.iter().flat_map(states_of).collect();
    let first_of = |name: &&str| states.iter().find(|(state, _)| state == name).cloned();
    let current: Map<String, Json> = NAMES
        .iter()
        .filter_map(first_of)
        .map(|(name, state)| (name.to_owned(), state))
        .collect();
    (!current.is_empty()).then_some(current)
}

fn states_of(fact: &Fact) -> Vec<(&'static str, Json)> {
    match fact {
        Fact::Switched(on) => vec![("on", json!(on))],
        Fact::Level(level) => vec![("on", json!(true)), ("level", json!(level.get()))],
        Fact::Position(position) => vec![("position", json!(position.get()))],
        Fact::Slats(position) => vec![("slats", json!(position.get()))],
        Fact::Barrier(Barrier::Opening) => vec![("moving", json!("opening"))],
        Fact::Barrier(Barrier::Closing) => vec![("moving", json!("closing"))],
        Fact::Open(open) => vec![("open", json!(open))],
        Fact::Tilted => vec![("open", json!(true))],
        Fact::Locked(locked) => vec![("locked", json!(locked))],
        Fact::DoorOpen(open) => vec![("doorOpen", json!(open))],
        Fact::Mode(name) => vec![("mode", json!(text::word(name)))],
        Fact::SetTo { degrees, unit, .. } => {
            vec![
                ("target", json!(degrees)),
                ("unit", json!(text::word(unit))),
            ]
        }
        Fact::SetBetween(low, high, unit) => vec![
            ("targetLow", json!(low)),
            ("targetHigh", json!(high)),
            ("unit", json!(text::word(unit))),
        ],
        // `Color::White` is left out, because it has a color temperature instead of a color.
        Fact::Color(Color::Rgb(red, green, blue)) => {
            vec![("color", json!(format!("#{red:02x}{green:02x}{blue:02x}")))]
        }
        _ => Vec::new(),
    }
}
