//! What a device's values say, as facts a person would ask for.

use super::device::Device;
use super::ids::{CommandClass as Cc, DeviceId, ValueId};
use super::kind::{Kind, main_value};
use super::node::Node;
use super::value::{Reading, Value};
use super::wish::Percent;

/// One thing a device reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// On or off.
    Switched(bool),
    /// On at a brightness.
    Level(Percent),
    /// How far open a cover or barrier is.
    Position(Percent),
    /// A barrier on its way, or stopped half-way.
    Barrier(Barrier),
    /// Locked or not.
    Locked(bool),
    /// A number with its unit; the name says what is measured, where the unit does not.
    Measured {
        /// What is measured, in lower case ("air temperature").
        what: String,
        /// The number.
        value: f64,
        /// The unit, as the gateway spells it; may be empty.
        unit: String,
    },
    /// Something sensed, and whether it is there ("motion", true).
    Sensed {
        /// What is sensed, in lower case.
        what: String,
        /// Whether it is there.
        there: bool,
    },
    /// A state in the gateway's own words.
    Said(String),
}

/// What a barrier does between open and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Barrier {
    Closing,
    Stopped,
    Opening,
}

/// What is known of a device's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The facts, the main one first.
    pub facts: Vec<Fact>,
    /// The main fact is the gateway's guess; the device was not heard since.
    pub guessed: bool,
}

/// The state of a device by its node's readings.
pub fn state_of(device: &Device, node: &Node) -> State {
    let main = main_value(node, device.id.endpoint, device.kind).and_then(|id| node.value(&id));
    let mut facts: Vec<Fact> = main
        .and_then(|value| value.reading.as_ref().map(|reading| (value, reading)))
        .and_then(|(value, reading)| main_fact(device.kind, value.id.class, reading))
        .into_iter()
        .collect();
    for value in values_of(device.id, node) {
        facts.extend(measured(value).or_else(|| sensed(value, node)));
    }
    State {
        facts,
        guessed: main.is_some_and(|value| value.guessed),
    }
}

/// The fact that a reading of a device's main value tells.
pub fn main_fact(kind: Kind, class: Cc, reading: &Reading) -> Option<Fact> {
    Some(match (kind, class, reading) {
        (Kind::Lock, Cc::DOOR_LOCK, Reading::Number(mode)) => match *mode {
            255.0 => Fact::Locked(true),
            254.0 => return None,
            _ => Fact::Locked(false),
        },
        (Kind::Lock, _, Reading::Bool(locked)) => Fact::Locked(*locked),
        (Kind::Lock, _, Reading::Number(locked)) => Fact::Locked(*locked > 0.0),
        (Kind::GarageDoor | Kind::Gate, Cc::BARRIER_OPERATOR, Reading::Number(state)) => {
            match *state {
                255.0 => Fact::Position(Percent::of_level(99.0)),
                254.0 => Fact::Barrier(Barrier::Opening),
                253.0 => Fact::Barrier(Barrier::Stopped),
                252.0 => Fact::Barrier(Barrier::Closing),
                position => Fact::Position(Percent::of_level(position)),
            }
        }
        (Kind::Cover | Kind::GarageDoor | Kind::Gate, _, Reading::Number(position)) => {
            Fact::Position(Percent::of_level(*position))
        }
        (Kind::GarageDoor | Kind::Gate, _, Reading::Bool(open)) => {
            Fact::Position(Percent::of_level(if *open { 99.0 } else { 0.0 }))
        }
        (Kind::Siren, Cc::SOUND_SWITCH, Reading::Number(tone)) => Fact::Switched(*tone > 0.0),
        (_, _, Reading::Number(level)) if *level == 0.0 => Fact::Switched(false),
        (_, _, Reading::Number(level)) => Fact::Level(Percent::of_level(*level)),
        (_, _, Reading::Bool(on)) => Fact::Switched(*on),
        _ => return None,
    })
}

/// The values that belong to a device: those of its endpoint, and for a node that is one device
/// those of the root.
fn values_of(id: DeviceId, node: &Node) -> impl Iterator<Item = &Value> {
    node.values_of(id.endpoint)
}

/// Sensors and meters. Of a meter only watts: volts and ampères say nothing to a person, and a sum
/// of kilowatt-hours is no state (DEVICES.md).
fn measured(value: &Value) -> Option<Fact> {
    let number = value.reading.as_ref()?.number()?;
    let unit = value.meta.unit.as_deref().unwrap_or_default();
    let what = match value.id.class {
        Cc::MULTILEVEL_SENSOR => value.id.property.text()?.to_lowercase(),
        Cc::METER if unit == "W" => "power".to_owned(),
        _ => return None,
    };
    Some(Fact::Measured {
        what,
        value: number,
        unit: unit.to_owned(),
    })
}

/// Binary sensors, and notifications where they tell what no binary sensor does.
fn sensed(value: &Value, node: &Node) -> Option<Fact> {
    let reading = value.reading.as_ref()?;
    match value.id.class {
        Cc::BINARY_SENSOR => {
            let there = reading.flag()?;
            let what = value.id.property.text()?.to_lowercase();
            if what == "door/window" {
                return door_state(node, value.id.endpoint).or(Some(Fact::Said(
                    if there { "open" } else { "closed" }.to_owned(),
                )));
            }
            Some(Fact::Sensed { what, there })
        }
        _ => None,
    }
}

/// Open or closed by the notification, which says it better than the binary sensor beside it.
fn door_state(node: &Node, endpoint: u8) -> Option<Fact> {
    let id = ValueId::keyed(Cc::NOTIFICATION, endpoint, "Access Control", "Door state");
    match node.reading(&id)?.number()? {
        22.0 => Some(Fact::Said("open".to_owned())),
        23.0 => Some(Fact::Said("closed".to_owned())),
        _ => None,
    }
}
