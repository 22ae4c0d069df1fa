//! Thermostats and radiator valves: Thermostat Mode 64, Setpoint 67, Fan Mode 68.
//!
//! A thermostat's values may be spread over several endpoints of its node, some of which repeat
//! others or were never heard.

mod modes;
mod setpoints;

use super::Channel;
use crate::home::fact::{Fact, Side, means_nothing};
use crate::home::intent::Intent;
use crate::home::model::ids::{CommandClass as Cc, ValueId};
use crate::home::model::node::Node;
use crate::home::model::quantity::{Degrees, Percent, Temperature};
use crate::home::model::value::{Evidence, Meta, Reading, Value};
use crate::home::plan::{DeviceRefusal, Meaning, Plan};

pub use modes::modes;

/// The keys of setpoints (`docs/GATEWAY.md#values`).
const HEAT: u32 = 1;
const COOL: u32 = 2;
const CHANGEOVER: u32 = 10;

/// What a thermostat does for the temperature, by its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Nothing: mode 0, or one without a setpoint.
    Off,
    /// It keeps one setpoint, by its key.
    One(u32),
    /// It heats or cools, whichever is needed.
    Both,
    /// It has no mode; a radiator valve only heats.
    Always,
    /// It has a mode and has not said which.
    Unknown,
}

/// A thermostat's values, wherever its node has them.
#[derive(Clone, Copy, Debug)]
pub struct Climate<'a>(Channel<'a>);

impl<'a> Climate<'a> {
    /// The thermostat of a channel.
    pub fn of(channel: Channel<'a>) -> Self {
        Self(channel)
    }

    fn node(self) -> &'a Node {
        self.0.node
    }

    /// A value on the thermostat's own endpoint or another of its endpoints; one that was heard
    /// before one that never was.
    fn value(self, id: impl Fn(u8) -> ValueId) -> Option<&'a Value> {
        let endpoints = std::iter::once(&self.0.endpoint).chain(self.0.reads);
        let found = || {
            let endpoints = endpoints.clone();
            endpoints.filter_map(|endpoint| self.node().value(&id(*endpoint)))
        };
        let heard = found().find(|value| value.reading.is_some());
        heard.or_else(|| found().next())
    }

    fn mode(self) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::new(Cc::THERMOSTAT_MODE, endpoint, "mode"))
    }

    fn fan(self) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::new(Cc::THERMOSTAT_FAN_MODE, endpoint, "mode"))
    }

    fn operating(self) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::new(Cc::THERMOSTAT_OPERATING_STATE, endpoint, "state"))
    }

    fn setpoint(self, key: u32) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::keyed(Cc::THERMOSTAT_SETPOINT, endpoint, "setpoint", key))
    }

    /// The keys of the setpoints it has.
    fn keys(self) -> Vec<u32> {
        let keys = 1..=15;
        keys.filter(|key| self.setpoint(*key).is_some()).collect()
    }

    fn doing(self) -> Doing {
        let Some(mode) = self.mode() else {
            return Doing::Always;
        };
        let Some(mode) = mode.number() else {
            return Doing::Unknown;
        };
        match mode as i64 {
            1 | 4 => Doing::One(HEAT),
            2 => Doing::One(COOL),
            3 => Doing::Both,
            mode @ (7..=13 | 15) => Doing::One(mode as u32),
            _ => Doing::Off,
        }
    }

    /// The setpoints that count at the moment, the heating one first.
    fn active(self) -> Vec<&'a Value> {
        let of = |keys: &[u32]| -> Vec<&'a Value> {
            let setpoints = keys.iter().filter_map(|key| self.setpoint(*key));
            setpoints.collect()
        };
        let keys = self.keys();
        match self.doing() {
            Doing::Off => Vec::new(),
            Doing::One(key) => of(&[key]),
            Doing::Both => match of(&[HEAT, COOL]) {
                none if none.is_empty() => of(&[CHANGEOVER]),
                both => both,
            },
            Doing::Always => of(keys.get(..1).unwrap_or_default()),
            Doing::Unknown if keys.len() == 1 => of(&keys),
            Doing::Unknown => of(&[HEAT, COOL]),
        }
    }

    /// The room's temperature, by the thermostat's own sensor.
    fn room(self) -> Option<Temperature> {
        let sensor = |endpoint| ValueId::new(Cc::MULTILEVEL_SENSOR, endpoint, "Air temperature");
        let root = || self.node().value(&sensor(0));
        let value = self.value(sensor).or_else(root)?;
        Some(Temperature {
            degrees: value.number()?,
            unit: Some(unit_of(&value.meta)),
        })
    }
}

/// The unit of a temperature; °C if none is said.
fn unit_of(meta: &Meta) -> Degrees {
    match meta.unit.as_deref() {
        Some("°F" | "F") => Degrees::Fahrenheit,
        _ => Degrees::Celsius,
    }
}

/// Returns true if an endpoint is a thermostat by itself: it has a setpoint and, if it has a mode
/// at all, a mode, and both were heard. One that lacks either, or is something else by its own
/// class, is a part of another.
pub fn stands_alone(node: &Node, endpoint: u8) -> bool {
    let own_class = node.endpoint(endpoint).and_then(|known| known.class);
    let climate = Climate(Channel::endpoint(node, endpoint));
    let is_heard = |value: &Value| value.reading.is_some();
    let mut setpoints = climate
        .keys()
        .into_iter()
        .filter_map(|key| climate.setpoint(key));
    own_class.is_none_or(|class| class.generic == 8)
        && climate.mode().is_none_or(is_heard)
        && setpoints.any(is_heard)
}

/// Reads a setpoint.
pub(super) fn read_setpoint(reading: &Reading, meta: &Meta, side: Option<Side>) -> Option<Fact> {
    Some(Fact::SetTo {
        degrees: reading.number()?,
        unit: meta.unit.as_deref().unwrap_or("°").to_owned(),
        side,
    })
}

/// Reads a mode by its name.
pub(super) fn read_mode(reading: &Reading, meta: &Meta) -> Option<String> {
    let name = meta.state(reading.number()?)?;
    Some(name.to_lowercase())
}

/// The facts of a thermostat, the mode first.
pub(super) fn facts(channel: Channel) -> Vec<Fact> {
    let climate = Climate(channel);
    let mut facts = Vec::new();
    facts.extend(climate.mode().and_then(state_name).map(Fact::Mode));
    let set_to = |value: &Value| Meaning::Setpoint(None).fact(value.reading.as_ref()?, &value.meta);
    let found: Vec<Fact> = climate.active().into_iter().filter_map(set_to).collect();
    match found.as_slice() {
        [
            Fact::SetTo {
                degrees: low, unit, ..
            },
            Fact::SetTo { degrees: high, .. },
        ] => {
            facts.push(Fact::SetBetween(*low, *high, unit.clone()));
        }
        [only] => facts.push(only.clone()),
        _ => {}
    }
    if climate.doing() != Doing::Off {
        facts.extend(
            climate
                .operating()
                .and_then(state_name)
                .map(Fact::Operating),
        );
    }
    facts.extend(valve(channel));
    facts
}

/// The evidence for its mode and its temperatures, the worst of it.
pub fn evidence(channel: Channel) -> Evidence {
    let is_own = |value: &&Value| {
        let class = value.id.class;
        channel.reads.contains(&value.id.endpoint)
            && matches!(class, Cc::THERMOSTAT_MODE | Cc::THERMOSTAT_SETPOINT)
    };
    let values = channel.node.values.iter().filter(is_own);
    values.map(|value| value.evidence).max().unwrap_or_default()
}

/// How far the valve is open, if the thermostat tells it.
fn valve(channel: Channel) -> Option<Fact> {
    let mut endpoints = channel.reads.iter();
    endpoints.find_map(|endpoint| {
        let id = ValueId::new(Cc::MULTILEVEL_SWITCH, *endpoint, "currentValue");
        (channel.node.class_of(*endpoint).generic == 8).then_some(())?;
        let level = Percent::of_level(channel.node.reading(&id)?.number()?)?;
        Some(Fact::Measured {
            what: "valve".to_owned(),
            value: f64::from(level.get()),
            unit: "%".to_owned(),
        })
    })
}

/// The name of the state that a value reads, in lower case.
fn state_name(value: &Value) -> Option<String> {
    let name = read_mode(value.reading.as_ref()?, &value.meta)?;
    (!means_nothing(&name)).then_some(name)
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    let climate = Climate(channel);
    let mode = |number| modes::step(climate, climate.mode()?, number).map(Plan::direct);
    Ok(match intent.without_level() {
        Intent::Off => mode(0),
        Intent::On(_) => modes::only_other(climate).and_then(mode),
        Intent::SetMode(said) if modes::has_any(climate) => {
            Some(Plan::direct(modes::named(climate, &said)?))
        }
        Intent::SetTemperature(wanted) if setpoints::has_any(climate) => {
            Some(Plan::direct(setpoints::step(climate, wanted)?))
        }
        Intent::Adjust(adjustment) if setpoints::has_any(climate) => {
            Some(setpoints::adjust(climate, adjustment)?)
        }
        _ => None,
    })
}
