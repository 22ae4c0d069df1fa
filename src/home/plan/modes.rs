//! A thermostat's modes by their names, and its fan's.

use super::planned::Refusal;
use super::step::Step;
use crate::home::climate::Climate;
use crate::home::expected_state::ExpectedState;
use crate::home::letters::squashed;
use crate::home::model::node::Node;
use crate::home::model::value::{NamedState, Value};
use crate::home::words::texts;

/// A mode by its name among those the device has; a fan's beside the word "fan".
pub(super) fn named(node: &Node, climate: &Climate, said: &str) -> Result<Step, Refusal> {
    let (mode, fan) = (climate.mode(), climate.fan());
    let number = mode.and_then(|mode| of_thermostat(mode, said));
    let of_mode = |number| state_step(node, mode?, number);
    if let Some(step) = number.and_then(of_mode) {
        return Ok(step);
    }
    let spoken = texts(said);
    let about_fan = spoken.iter().any(|word| word == "fan");
    let Some(fan) = fan.filter(|_| about_fan) else {
        return Err(Refusal::UnknownMode(all(mode, fan)));
    };
    let found = of_fan(fan, &spoken);
    let step = match found.as_slice() {
        [only] => state_step(node, fan, only.number),
        _ => None,
    };
    step.ok_or_else(|| {
        Refusal::UnknownMode(match found.as_slice() {
            [] => all(mode, Some(fan)),
            several => several.iter().map(|state| fan_name(state)).collect(),
        })
    })
}

/// Writing one of a value's own states.
pub(super) fn state_step(node: &Node, value: &Value, number: i64) -> Option<Step> {
    value.meta.state(number as f64)?;
    let expected = ExpectedState::State(u8::try_from(number).ok()?);
    let id = &value.id;
    let step = Step::new(node, id.clone(), number as f64, expected, id.clone())?;
    Some(step.with_words(&value.meta))
}

/// The states that have a name to tell.
fn states(value: &Value) -> impl Iterator<Item = &NamedState> {
    let named = |state: &&NamedState| !state.text.to_lowercase().starts_with("unknown");
    value.meta.states.iter().filter(named)
}

/// Whether a value has a state to choose.
pub(super) fn has_any(value: &Value) -> bool {
    value.meta.writeable && states(value).next().is_some()
}

fn of_thermostat(mode: &Value, said: &str) -> Option<i64> {
    let said = squashed(said);
    let exact = states(mode).find(|state| squashed(&state.text) == said);
    let meant = || {
        let number = heats_or_cools(&said)?;
        states(mode).find(|state| state.number == number)
    };
    exact.or_else(meant).map(|state| state.number)
}

/// Modes that people call otherwise.
fn heats_or_cools(said: &str) -> Option<i64> {
    match said {
        "heating" | "warm" => Some(1),
        "cooling" => Some(2),
        "automatic" | "heatcool" => Some(3),
        "eco" | "energysaving" | "saving" => Some(11),
        _ => None,
    }
}

/// The states of a fan that are meant: the one of just these words, else every one that has all of
/// them. Automatic is auto.
fn of_fan<'a>(fan: &'a Value, said: &[String]) -> Vec<&'a NamedState> {
    let folded = |words: &[String]| -> Vec<String> {
        let counts = |word: &&String| !matches!(word.as_str(), "fan" | "mode" | "speed");
        let plain = |word: &String| match word.as_str() {
            "automatic" => "auto".to_owned(),
            word => word.to_owned(),
        };
        words.iter().filter(counts).map(plain).collect()
    };
    let said = folded(said);
    if said.is_empty() {
        return Vec::new();
    }
    let own = |state: &NamedState| folded(&texts(&state.text));
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

/// The names of the modes a device has.
fn all(mode: Option<&Value>, fan: Option<&Value>) -> Vec<String> {
    let modes = mode.into_iter().flat_map(states);
    let modes = modes.map(|state| state.text.to_lowercase());
    let fans = fan.into_iter().flat_map(states);
    modes.chain(fans.map(fan_name)).collect()
}
