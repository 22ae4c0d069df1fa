//! Turns a device's values into facts that a person would ask for.

mod meters;
mod sensors;

use super::abilities::Channel;
use super::device::Device;
use super::fact::Fact;
use super::kind::Kind;
use super::model::ids::CommandClass as Cc;
use super::model::node::Node;
use super::model::value::Evidence;
pub use sensors::DOOR;

/// The state of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceState {
    /// The facts, the main one first.
    pub facts: Vec<Fact>,
    /// The evidence for the main fact. For a thermostat, this is the weakest evidence for its mode and
    /// setpoints. For a sensor, this is the strongest evidence for its values.
    pub evidence: Evidence,
}

/// The classes of a thermostat's mode and setpoints.
const CLIMATE: [Cc; 2] = [Cc::THERMOSTAT_MODE, Cc::THERMOSTAT_SETPOINT];

/// The classes of what a sensor tells.
const SENSORS: [Cc; 6] = [
    Cc::BASIC,
    Cc::BINARY_SENSOR,
    Cc::NOTIFICATION,
    Cc::MULTILEVEL_SENSOR,
    Cc::METER,
    Cc::ENERGY_PRODUCTION,
];

/// Returns the state of a device, from the values of its node.
pub fn state_of(device: &Device, node: &Node) -> DeviceState {
    let channel = Channel::of(device, node);
    let main = channel
        .main_state(device.kind)
        .and_then(|(id, meaning)| Some((node.value(&id)?, meaning)));
    let main_fact =
        main.and_then(|(value, meaning)| meaning.fact(value.reading.as_ref()?, &value.meta));
    let reads = &device.reads;
    let evidence = match main {
        // Weaker evidence compares as greater.
        _ if device.kind.heats() => node.evidence(reads, &CLIMATE).max().unwrap_or_default(),
        Some((value, _)) if main_fact.is_some() => value.evidence,
        // If the state is unknown, there is no fact to doubt.
        Some(_) => Evidence::Reported,
        None => node.evidence(reads, &SENSORS).min().unwrap_or_default(),
    };
    let unknown = main.map(|(_, meaning)| {
        Fact::Unknown(if meaning.is_position() {
            "position"
        } else {
            "state"
        })
    });
    let mut facts: Vec<Fact> = main_fact.or(unknown).into_iter().collect();
    for ability in device.kind.abilities() {
        facts.extend(ability.more_facts(channel));
    }
    if facts.first() == Some(&Fact::Switched(false)) {
        // Nobody asks for the color of a light that is off.
        facts.retain(|fact| !matches!(fact, Fact::Color(_)));
    }
    if matches!(device.kind, Kind::Remote | Kind::Keypad) {
        facts.extend(node.battery().map(Fact::Battery));
    }
    let mut sensed = sensors::facts_of(device, node);
    if device.kind == Kind::Lock {
        // The door is told once, by its own sensor if it has one. The lock may only repeat what that reports.
        for fact in &mut sensed {
            if let Fact::Open(open) = *fact {
                *fact = Fact::DoorOpen(open);
            }
        }
        if sensed.iter().any(is_door) {
            facts.retain(|fact| !is_door(fact));
        }
    }
    for fact in sensed {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let facts = facts.into_iter().filter_map(Fact::into_clean).collect();
    DeviceState { facts, evidence }
}

fn is_door(fact: &Fact) -> bool {
    matches!(fact, Fact::DoorOpen(_))
}
