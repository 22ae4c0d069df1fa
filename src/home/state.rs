//! What a device's values say, as facts a person would ask for.

mod climate;
mod current;
mod fact;
mod sensors;

use super::color::Color;
use super::device::Device;
use super::kind::{Kind, main_value, tilt, turns_slats};
use super::model::ids::{CommandClass as Cc, ValueId};
use super::model::node::Node;
use super::model::quantity::Percent;
use super::model::value::{Components, Evidence, Reading, Value};

pub use current::Current;
pub use fact::{Barrier, Fact};

/// What is known of a device's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceState {
    /// The facts, the main one first.
    pub facts: Vec<Fact>,
    /// What stands behind the main fact, or behind the worst of a thermostat's.
    pub evidence: Evidence,
}

/// The state of a device by its node's readings.
pub fn state_of(device: &Device, node: &Node) -> DeviceState {
    let main = main_value(node, device.endpoint, device.kind).and_then(|id| node.value(&id));
    let known = main.and_then(|value| main_fact_of(device, node, value));
    let evidence = match main {
        _ if device.kind.heats() => climate::evidence(device, node),
        Some(value) if known.is_some() => value.evidence,
        Some(_) => Evidence::Reported,
        None => sensors::evidence(device, node),
    };
    let unknown = main.map(|_| Fact::Unknown(unheard(device.kind)));
    let mut facts: Vec<Fact> = known.or(unknown).into_iter().collect();
    match device.kind {
        Kind::ColorLight if facts.first() != Some(&Fact::Switched(false)) => {
            facts.extend(color(node, device.endpoint));
        }
        kind if kind.heats() => facts.extend(climate::facts(device, node)),
        Kind::Lock => facts.extend(door(node, device.endpoint)),
        Kind::Cover => facts.extend(slats_beside(device, node)),
        Kind::Remote | Kind::Keypad => facts.extend(node.battery().map(Fact::Battery)),
        _ => {}
    }
    for fact in sensors::of_device(device, node) {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let facts = facts.into_iter().filter_map(Fact::tellable).collect();
    DeviceState { facts, evidence }
}

/// The fact that a device's main value means.
fn main_fact_of(device: &Device, node: &Node, value: &Value) -> Option<Fact> {
    let reading = value.reading.as_ref()?;
    if device.kind == Kind::Cover && turns_slats(node, device.endpoint) {
        return slats(reading).map(Fact::Position);
    }
    main_fact(device.kind, value.id.class, reading)
}

/// What is not known of a device that does not tell its main state.
fn unheard(kind: Kind) -> &'static str {
    match kind {
        Kind::Cover | Kind::GarageDoor | Kind::Gate => "position",
        _ => "state",
    }
}

/// How far open slats are that are open half-way and closed at both ends.
pub fn slats(reading: &Reading) -> Option<Percent> {
    let level = reading.number()?;
    Percent::of_level(level)?;
    let level = level.min(99.0);
    let open = if level <= 50.0 {
        level * 2.0
    } else {
        (99.0 - level) * 100.0 / 49.0
    };
    Percent::new(open)
}

/// The slats of a cover that has a position for them beside its own.
fn slats_beside(device: &Device, node: &Node) -> Option<Fact> {
    let level = node.reading(&tilt(node, &device.reads)?)?.number()?;
    Percent::of_level(level).map(Fact::Slats)
}

/// The fact that a reading of a device's main value tells.
pub fn main_fact(kind: Kind, class: Cc, reading: &Reading) -> Option<Fact> {
    // A Binary Switch is on or off, whatever it says that with.
    let switched = reading.is_on().filter(|_| class == Cc::BINARY_SWITCH);
    let switched = switched.map(Reading::Bool);
    Some(match (kind, class, switched.as_ref().unwrap_or(reading)) {
        (Kind::Lock, Cc::DOOR_LOCK, Reading::Number(mode)) => match *mode {
            255.0 => Fact::Locked(true),
            0.0 | 1.0 | 16.0 | 17.0 | 32.0 | 33.0 => Fact::Locked(false),
            // 254 is the lock's own word for unknown.
            _ => return None,
        },
        (Kind::Lock, _, Reading::Bool(locked)) => Fact::Locked(*locked),
        (Kind::Lock, _, locked @ Reading::Number(_)) => Fact::Locked(locked.is_on()?),
        (Kind::GarageDoor | Kind::Gate, Cc::BARRIER_OPERATOR, Reading::Number(state)) => {
            match *state {
                255.0 => Fact::Position(Percent::of_level(99.0)?),
                254.0 => Fact::Barrier(Barrier::Opening),
                253.0 => Fact::Barrier(Barrier::Stopped),
                252.0 => Fact::Barrier(Barrier::Closing),
                position => Fact::Position(Percent::of_level(position)?),
            }
        }
        (Kind::Cover | Kind::GarageDoor | Kind::Gate, _, Reading::Number(position)) => {
            Fact::Position(Percent::of_level(*position)?)
        }
        (Kind::Cover | Kind::GarageDoor | Kind::Gate, _, Reading::Bool(open)) => {
            Fact::Position(Percent::of_level(if *open { 99.0 } else { 0.0 })?)
        }
        (Kind::Valve, _, Reading::Bool(open)) => Fact::Open(*open),
        (Kind::Valve, _, level @ Reading::Number(_)) => Fact::Open(level.is_on()?),
        (_, Cc::SOUND_SWITCH, Reading::Number(tone @ 0.0..=255.0)) => Fact::Switched(*tone > 0.0),
        (_, Cc::SOUND_SWITCH | Cc::INDICATOR, level @ Reading::Number(_)) => {
            Fact::Switched(level.is_on()?)
        }
        (_, Cc::COLOR_SWITCH, Reading::Components(lamps)) => Fact::Color(Color::shown(*lamps)?),
        (_, Cc::THERMOSTAT_SETPOINT | Cc::THERMOSTAT_MODE | Cc::THERMOSTAT_FAN_MODE, _) => {
            return None;
        }
        (_, _, Reading::Number(level)) if *level == 0.0 => Fact::Switched(false),
        // It is on, and does not say how bright.
        (_, _, Reading::Number(255.0)) => Fact::Switched(true),
        (_, _, Reading::Number(level)) => Fact::Level(Percent::of_level(*level)?),
        (_, _, Reading::Bool(on)) => Fact::Switched(*on),
        _ => return None,
    })
}

/// The lamps of a colour light, as each of them was last heard: the compound value can stay behind
/// (`docs/GATEWAY.md#values`).
pub fn lamps(node: &Node, endpoint: u8) -> Components {
    let mut lamps = Components::default();
    for (component, lamp) in (0_u32..).zip(&mut lamps.0) {
        let id = ValueId::keyed(Cc::COLOR_SWITCH, endpoint, "currentColor", component);
        let level = node.value(&id).map(|value| value.reading.as_ref());
        *lamp = level.map(|reading| {
            let level = reading.and_then(Reading::number).unwrap_or_default();
            level.clamp(0.0, 255.0) as u8
        });
    }
    lamps
}

fn color(node: &Node, endpoint: u8) -> Option<Fact> {
    let heard = |component: u32| {
        let id = ValueId::keyed(Cc::COLOR_SWITCH, endpoint, "currentColor", component);
        node.reading(&id).is_some()
    };
    if !(0..5).any(heard) {
        return None;
    }
    Color::shown(lamps(node, endpoint)).map(Fact::Color)
}

/// The door that a lock sits on, where the lock can tell.
fn door(node: &Node, endpoint: u8) -> Option<Fact> {
    let id = ValueId::new(Cc::DOOR_LOCK, endpoint, "doorStatus");
    match node.reading(&id)?.text()? {
        "open" => Some(Fact::DoorOpen(true)),
        "closed" => Some(Fact::DoorOpen(false)),
        _ => None,
    }
}
