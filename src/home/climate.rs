//! What a thermostat says: its mode, its setpoints, how warm the room is. Its values may be spread
//! over several endpoints of its node, some of which repeat others or were never heard.

use super::model::ids::{CommandClass as Cc, ValueId};
use super::model::node::Node;
use super::model::quantity::{Degrees, Temperature};
use super::model::value::{Meta, Value};

/// The heating setpoint's key.
pub const HEAT: u32 = 1;
/// The cooling setpoint's key.
pub const COOL: u32 = 2;
/// The setpoint for heating and cooling together.
const CHANGEOVER: u32 = 10;

/// What a thermostat is doing for the temperature, by its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Nothing: mode 0, or one that has no setpoint.
    Off,
    /// One setpoint, by its key.
    One(u32),
    /// Heating and cooling, whichever is needed.
    Both,
    /// It has no mode; a radiator valve only heats.
    Always,
    /// It has a mode and has not said which.
    Unknown,
}

/// A thermostat's values, wherever its node has them.
#[derive(Clone, Copy, Debug)]
pub struct Climate<'a> {
    node: &'a Node,
    endpoint: u8,
    endpoints: &'a [u8],
}

impl<'a> Climate<'a> {
    /// A thermostat on an endpoint that has others as its own too.
    pub fn of(node: &'a Node, endpoint: u8, endpoints: &'a [u8]) -> Self {
        Self {
            node,
            endpoint,
            endpoints,
        }
    }

    /// A value on the thermostat's own endpoint or another of its endpoints; one that was heard
    /// before one that never was.
    fn value(&self, id: impl Fn(u8) -> ValueId) -> Option<&'a Value> {
        let endpoints = std::iter::once(&self.endpoint).chain(self.endpoints);
        let found = || {
            endpoints
                .clone()
                .filter_map(|endpoint| self.node.value(&id(*endpoint)))
        };
        let heard = found().find(|value| value.reading.is_some());
        heard.or_else(|| found().next())
    }

    /// The mode.
    pub fn mode(&self) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::new(Cc::THERMOSTAT_MODE, endpoint, "mode"))
    }

    /// The fan's mode.
    pub fn fan(&self) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::new(Cc::THERMOSTAT_FAN_MODE, endpoint, "mode"))
    }

    /// What it does at the moment.
    pub fn operating(&self) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::new(Cc::THERMOSTAT_OPERATING_STATE, endpoint, "state"))
    }

    /// A setpoint by its key.
    pub fn setpoint(&self, key: u32) -> Option<&'a Value> {
        self.value(|endpoint| ValueId::keyed(Cc::THERMOSTAT_SETPOINT, endpoint, "setpoint", key))
    }

    /// The keys of the setpoints it has.
    pub fn setpoints(&self) -> Vec<u32> {
        let keys = 1..=15;
        keys.filter(|key| self.setpoint(*key).is_some()).collect()
    }

    /// What it is doing, by the mode it reads (docs/GATEWAY.md).
    pub fn doing(&self) -> Doing {
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

    /// The setpoints that count at the moment, by their keys, the heating one first.
    pub fn active(&self) -> Vec<u32> {
        let exists = |key: &u32| self.setpoint(*key).is_some();
        let of = |keys: &[u32]| -> Vec<u32> { keys.iter().copied().filter(exists).collect() };
        match self.doing() {
            Doing::Off => Vec::new(),
            Doing::One(key) => of(&[key]),
            Doing::Both => match of(&[HEAT, COOL]) {
                none if none.is_empty() => of(&[CHANGEOVER]),
                both => both,
            },
            Doing::Always => self.setpoints().into_iter().take(1).collect(),
            Doing::Unknown => match self.setpoints().as_slice() {
                [only] => vec![*only],
                _ => of(&[HEAT, COOL]),
            },
        }
    }

    /// How warm the room is, by the thermostat's own sensor.
    pub fn room(&self) -> Option<Temperature> {
        let sensor = |endpoint| ValueId::new(Cc::MULTILEVEL_SENSOR, endpoint, "Air temperature");
        let value = self.value(sensor).or_else(|| self.node.value(&sensor(0)))?;
        Some(Temperature {
            degrees: value.number()?,
            unit: Some(unit_of(&value.meta)),
        })
    }
}

/// The unit of a temperature; °C where none is said.
pub fn unit_of(meta: &Meta) -> Degrees {
    match meta.unit.as_deref() {
        Some("°F" | "F") => Degrees::Fahrenheit,
        _ => Degrees::Celsius,
    }
}

/// Whether an endpoint is a thermostat by itself: it has a setpoint and, if it has a mode at all, a
/// mode, and both were heard. One that lacks either, or is something else by its own class, is a
/// part of another.
pub fn stands_alone(node: &Node, endpoint: u8) -> bool {
    let own_class = node.endpoint(endpoint).and_then(|known| known.class);
    let only = [endpoint];
    let climate = Climate::of(node, endpoint, &only);
    let heard = |value: &Value| value.reading.is_some();
    own_class.is_none_or(|class| class.generic == 8)
        && climate.mode().is_none_or(heard)
        && climate
            .setpoints()
            .into_iter()
            .any(|key| climate.setpoint(key).is_some_and(heard))
}
