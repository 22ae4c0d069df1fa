//! What a device's values say, as facts a person would ask for.

mod current;
mod sensors;

use super::abilities::{Channel, climate};
use super::device::Device;
use super::fact::Fact;
use super::kind::Kind;
use super::model::node::Node;
use super::model::value::Evidence;

pub use current::Current;

/// What is known of a device's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceState {
    /// The facts, the main one first.
    pub facts: Vec<Fact>,
    /// The evidence for the main fact, or for the worst of a thermostat's.
    pub evidence: Evidence,
}

/// The state of a device by its node's readings.
pub fn state_of(device: &Device, node: &Node) -> DeviceState {
    let channel = Channel::of(device, node);
    let main = channel.main_state(device.kind);
    let value = main.as_ref().and_then(|(id, _)| node.value(id));
    let known = main
        .as_ref()
        .zip(value)
        .and_then(|((_, meaning), value)| meaning.fact(value.reading.as_ref()?, &value.meta));
    let evidence = match value {
        _ if device.kind.heats() => climate::evidence(channel),
        Some(value) if known.is_some() => value.evidence,
        Some(_) => Evidence::Reported,
        None => sensors::evidence(device, node),
    };
    let unknown = main.map(|(_, meaning)| {
        Fact::Unknown(if meaning.is_position() {
            "position"
        } else {
            "state"
        })
    });
    let mut facts: Vec<Fact> = known.or(unknown).into_iter().collect();
    for ability in device.kind.abilities() {
        facts.extend(ability.more_facts(channel));
    }
    if facts.first() == Some(&Fact::Switched(false)) {
        // A light that is off shows no color.
        facts.retain(|fact| !matches!(fact, Fact::Color(_)));
    }
    if matches!(device.kind, Kind::Remote | Kind::Keypad) {
        facts.extend(node.battery().map(Fact::Battery));
    }
    for fact in sensors::of_device(device, node) {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let facts = facts.into_iter().filter_map(Fact::tellable).collect();
    DeviceState { facts, evidence }
}
