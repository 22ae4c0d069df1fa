//! Thermostats and radiator valves: mode, setpoint, what they do.

use super::Fact;
use crate::home::ids::{CommandClass as Cc, ValueId};
use crate::home::node::Node;
use crate::home::plan::climate::{Heating, active_setpoints, heating};
use crate::home::value::Reading;

/// The facts of a thermostat's endpoint, mode first.
pub(super) fn facts(node: &Node, endpoint: u8) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mode = ValueId::new(Cc::THERMOSTAT_MODE, endpoint, "mode");
    if let Some(name) = named(node, &mode) {
        facts.push(Fact::Mode(name));
    }
    let setpoint = |key: u32| {
        let id = ValueId::keyed(Cc::THERMOSTAT_SETPOINT, endpoint, "setpoint", key);
        let value = node.value(&id)?;
        let degrees = value.reading.as_ref().and_then(Reading::number)?;
        let unit = value.meta.unit.as_deref().unwrap_or("°").to_owned();
        Some((degrees, unit))
    };
    let active = heating(node, endpoint);
    let found: Vec<(f64, String)> = active_setpoints(node, endpoint, active)
        .into_iter()
        .filter_map(setpoint)
        .collect();
    match found.as_slice() {
        [(degrees, unit)] => facts.push(Fact::SetTo(*degrees, unit.clone())),
        [(low, unit), (high, _)] => facts.push(Fact::SetBetween(*low, *high, unit.clone())),
        _ => {}
    }
    let state = ValueId::new(Cc::THERMOSTAT_OPERATING_STATE, endpoint, "state");
    if active != Heating::Off
        && let Some(name) = named(node, &state)
    {
        facts.push(Fact::Operating(name));
    }
    facts
}

/// The name of the state that a value reads, in lower case.
fn named(node: &Node, id: &ValueId) -> Option<String> {
    let value = node.value(id)?;
    let state = value.reading.as_ref().and_then(Reading::number)?;
    value.meta.state(state).map(str::to_lowercase)
}
