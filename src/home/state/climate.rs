//! Thermostats and radiator valves: mode, setpoint, what they do, how far the valve is open.

use super::fact::{Fact, means_nothing};
use crate::home::climate::{Climate, Doing};
use crate::home::device::Device;
use crate::home::model::ids::{CommandClass as Cc, ValueId};
use crate::home::model::node::Node;
use crate::home::model::quantity::Percent;
use crate::home::model::value::{Evidence, Value};

/// The facts of a thermostat, mode first.
pub(super) fn facts(device: &Device, node: &Node) -> Vec<Fact> {
    let climate = Climate::of(node, device.endpoint, &device.reads);
    let mut facts = Vec::new();
    facts.extend(climate.mode().and_then(named).map(Fact::Mode));
    let setpoint = |key: u32| {
        let value = climate.setpoint(key)?;
        let degrees = value.number()?;
        let unit = value.meta.unit.as_deref().unwrap_or("°").to_owned();
        Some((degrees, unit))
    };
    let found: Vec<(f64, String)> = climate.active().into_iter().filter_map(setpoint).collect();
    match found.as_slice() {
        [(degrees, unit)] => facts.push(Fact::SetTo(*degrees, unit.clone())),
        [(low, unit), (high, _)] => facts.push(Fact::SetBetween(*low, *high, unit.clone())),
        _ => {}
    }
    if climate.doing() != Doing::Off {
        facts.extend(climate.operating().and_then(named).map(Fact::Operating));
    }
    facts.extend(valve(device, node));
    facts
}

/// What stands behind its mode and its temperatures, the worst of it.
pub(super) fn evidence(device: &Device, node: &Node) -> Evidence {
    let own = |value: &&Value| {
        let class = value.id.class;
        device.reads.contains(&value.id.endpoint)
            && matches!(class, Cc::THERMOSTAT_MODE | Cc::THERMOSTAT_SETPOINT)
    };
    let values = node.values.iter().filter(own);
    values.map(|value| value.evidence).max().unwrap_or_default()
}

/// How far the valve is open, where the thermostat tells it.
fn valve(device: &Device, node: &Node) -> Option<Fact> {
    let mut endpoints = device.reads.iter();
    endpoints.find_map(|endpoint| {
        let id = ValueId::new(Cc::MULTILEVEL_SWITCH, *endpoint, "currentValue");
        (node.class_of(*endpoint).generic == 8).then_some(())?;
        let level = Percent::of_level(node.reading(&id)?.number()?)?;
        Some(Fact::Measured {
            what: "valve".to_owned(),
            value: f64::from(level.get()),
            unit: "%".to_owned(),
        })
    })
}

/// The name of the state that a value reads, in lower case.
fn named(value: &Value) -> Option<String> {
    let name = value.meta.state(value.number()?)?;
    (!means_nothing(name)).then(|| name.to_lowercase())
}
