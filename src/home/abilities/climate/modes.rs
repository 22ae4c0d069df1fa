//! A thermostat's modes by their names, and its fan's.

use super::Climate;
use crate::home::goal::Goal;
use crate::home::letters::squashed;
use crate::home::model::ids::CommandClass as Cc;
use crate::home::model::value::{NamedState, Value};
use crate::home::plan::{DeviceRefusal, Meaning, Step};
use crate::home::words::texts;

/// Modes that people call otherwise, and their numbers (`docs/GATEWAY.md#values`).
const OTHER_NAMES: [(&str, i64); 8] = [
    ("heating", 1),
    ("warm", 1),
    ("cooling", 2),
    ("automatic", 3),
    ("heatcool", 3),
    ("eco", 11),
    ("energysaving", 11),
    ("saving", 11),
];

/// Chooses a mode by its name among those the device has; a fan's beside the word "fan".
pub(super) fn named(climate: Climate, said: &str) -> Result<Step, DeviceRefusal> {
    let of_mode = || {
        let mode = climate.mode()?;
        step(climate, mode, mode_number(mode, said)?)
    };
    if let Some(step) = of_mode() {
        return Ok(step);
    }
    let spoken = texts(said);
    let fan = climate
        .fan()
        .filter(|_| spoken.iter().any(|word| word == "fan"));
    let Some(fan) = fan else {
        return Err(DeviceRefusal::UnknownMode(modes(climate)));
    };
    match fan_states(fan, &spoken).as_slice() {
        [only] => step(climate, fan, only.number)
            .ok_or_else(|| DeviceRefusal::UnknownMode(vec![fan_name(only)])),
        [] => Err(DeviceRefusal::UnknownMode(modes(climate))),
        several => {
            let names = several.iter().map(|state| fan_name(state));
            Err(DeviceRefusal::UnknownMode(names.collect()))
        }
    }
}

/// Writes one of a value's own states.
pub(super) fn step(climate: Climate, value: &Value, number: i64) -> Option<Step> {
    value.meta.state(number as f64)?;
    let goal = Goal::State(u8::try_from(number).ok()?);
    let meaning = match value.id.class {
        Cc::THERMOSTAT_FAN_MODE => Meaning::FanMode,
        _ => Meaning::Mode,
    };
    let id = &value.id;
    let step = Step::new(
        climate.node(),
        id.clone(),
        number as f64,
        goal,
        id.clone(),
        meaning,
    )?;
    Some(step.with_meta(&value.meta))
}

/// Returns true if it has a mode to choose, of its own or of its fan.
pub(super) fn has_any(climate: Climate) -> bool {
    let mut values = [climate.mode(), climate.fan()].into_iter().flatten();
    values.any(|value| value.meta.writeable && states(value).next().is_some())
}

/// The mode that "on" means: the only one besides off.
pub(super) fn only_other(climate: Climate) -> Option<i64> {
    let states = climate.mode()?.meta.states.iter();
    let mut others = states.map(|state| state.number).filter(|mode| *mode != 0);
    others.next().filter(|_| others.next().is_none())
}

/// The names of the modes a device has, those of its fan with the word "fan".
pub fn modes(climate: Climate) -> Vec<String> {
    let modes = climate.mode().into_iter().flat_map(states);
    let fans = climate.fan().into_iter().flat_map(states);
    modes
        .map(|state| state.text.to_lowercase())
        .chain(fans.map(fan_name))
        .collect()
}

/// The states that have a name to tell.
fn states(value: &Value) -> impl Iterator<Item = &NamedState> {
    let has_name = |state: &&NamedState| !state.text.to_lowercase().starts_with("unknown");
    value.meta.states.iter().filter(has_name)
}

fn mode_number(mode: &Value, said: &str) -> Option<i64> {
    let said = squashed(said);
    let exact = states(mode).find(|state| squashed(&state.text) == said);
    let meant = || {
        let (_, number) = OTHER_NAMES.iter().find(|(name, _)| *name == said)?;
        states(mode).find(|state| state.number == *number)
    };
    exact.or_else(meant).map(|state| state.number)
}

/// The states of a fan that are meant: the one of just these words, else every one that has all of
/// them. Automatic is auto.
fn fan_states<'a>(fan: &'a Value, said: &[String]) -> Vec<&'a NamedState> {
    let telling = |words: &[String]| -> Vec<String> {
        words
            .iter()
            .filter(|word| !matches!(word.as_str(), "fan" | "mode" | "speed"))
            .map(|word| word.replace("automatic", "auto"))
            .collect()
    };
    let said = telling(said);
    if said.is_empty() {
        return Vec::new();
    }
    let own = |state: &NamedState| telling(&texts(&state.text));
    if let Some(exact) = states(fan).find(|state| own(state) == said) {
        return vec![exact];
    }
    let has_all = |state: &&NamedState| {
        let own = own(state);
        said.iter().all(|word| own.contains(word))
    };
    states(fan).filter(has_all).collect()
}

fn fan_name(state: &NamedState) -> String {
    format!("fan {}", state.text.to_lowercase())
}
