//! Chooses modes of a thermostat and of its fan by name.

use super::{Cc, Climate, DeviceRefusal, Goal, Meaning, Step, Value, is_unknown_name};
use crate::letters::squash;
use crate::model::value::NamedState;
use crate::only;
use crate::word::texts;

/// Other names that people use for modes, with the numbers of the modes (`docs/dev/GATEWAY.md#values`). Of several
/// modes with the same name, the first that the thermostat has is meant: a thermostat whose only automatic mode is
/// "auto changeover" (10) means this mode by "auto".
const OTHER_NAMES: [(&str, i64); 11] = [
    ("heating", 1),
    ("warm", 1),
    ("cooling", 2),
    ("automatic", 3),
    ("heatcool", 3),
    ("auto", 10),
    ("automatic", 10),
    ("heatcool", 10),
    ("eco", 11),
    ("energysaving", 11),
    ("saving", 11),
];

/// Plans setting the mode with this name. To mean a mode of the fan, the name must include the word "fan".
pub(super) fn choose(climate: Climate, name: &str) -> Result<Step, DeviceRefusal> {
    if let Some(mode) = climate.mode()
        && let Some(number) = mode_number(mode, name)
        && let Some(step) = step(climate, mode, number)
    {
        return Ok(step);
    }
    let words = texts(name);
    let fan = climate.fan().filter(|_| words.iter().any(|word| word == "fan"));
    let states = fan.map(|fan| fan_states(fan, &words)).unwrap_or_default();
    if let (Some(fan), [state]) = (fan, states.as_slice())
        && let Some(step) = step(climate, fan, state.number)
    {
        return Ok(step);
    }
    // If the name matches modes of the fan, only those are offered.
    Err(DeviceRefusal::UnknownMode(if states.is_empty() {
        modes(climate)
    } else {
        states.into_iter().map(fan_name).collect()
    }))
}

/// Plans setting a value to one of its named states.
pub(super) fn step(climate: Climate, value: &Value, number: i64) -> Option<Step> {
    value.meta.state(number as f64)?;
    let goal = Goal::State(u8::try_from(number).ok()?);
    let meaning = match value.id.class {
        Cc::THERMOSTAT_FAN_MODE => Meaning::FanMode,
        _ => Meaning::Mode,
    };
    climate.step(value, number as f64, goal, meaning)
}

/// Returns true if the thermostat or its fan has a mode to choose.
pub(super) fn has_any(climate: Climate) -> bool {
    [climate.mode(), climate.fan()]
        .into_iter()
        .flatten()
        .any(|value| value.meta.writeable && states(value).next().is_some())
}

/// Returns the mode that "on" means: the only mode besides off. Returns `None` if there is none, or several.
pub(super) fn only_mode_on(climate: Climate) -> Option<i64> {
    let modes = climate.mode()?.meta.states.iter().map(|state| state.number);
    only(modes.filter(|mode| *mode != 0))
}

/// Returns the names of all modes. Those of the fan begin with "fan".
pub fn modes(climate: Climate) -> Vec<String> {
    let modes = climate.mode().into_iter().flat_map(states);
    let fans = climate.fan().into_iter().flat_map(states);
    modes.map(|state| state.text.to_lowercase()).chain(fans.map(fan_name)).collect()
}

/// Returns the states that the gateway has a name for.
fn states(value: &Value) -> impl Iterator<Item = &NamedState> {
    value.meta.states.iter().filter(|state| !is_unknown_name(&state.text))
}

fn mode_number(mode: &Value, name: &str) -> Option<i64> {
    let wanted = squash(name);
    let exact = states(mode).find(|state| squash(&state.text) == wanted);
    let by_other_name = || {
        let mut numbers = OTHER_NAMES.iter().filter(|(name, _)| *name == wanted);
        numbers.find_map(|(_, number)| states(mode).find(|state| state.number == *number))
    };
    exact.or_else(by_other_name).map(|state| state.number)
}

/// Returns the fan's state whose name has exactly these words, or else all states whose names contain the words.
fn fan_states<'a>(fan: &'a Value, wanted: &[String]) -> Vec<&'a NamedState> {
    let wanted = content_words(wanted);
    if wanted.is_empty() {
        return Vec::new();
    }
    let words = |state: &NamedState| content_words(&texts(&state.text));
    if let Some(exact) = states(fan).find(|state| words(state) == wanted) {
        return vec![exact];
    }
    states(fan)
        .filter(|state| {
            let words = words(state);
            wanted.iter().all(|word| words.contains(word))
        })
        .collect()
}

/// Drops the words that may be in the name of any fan mode, and shortens "automatic" to "auto".
fn content_words(words: &[String]) -> Vec<String> {
    words
        .iter()
        .filter(|word| !matches!(word.as_str(), "fan" | "mode" | "speed"))
        .map(|word| word.replace("automatic", "auto"))
        .collect()
}

fn fan_name(state: &NamedState) -> String {
    format!("fan {}", state.text.to_lowercase())
}
