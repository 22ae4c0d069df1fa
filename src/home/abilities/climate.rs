//! Thermostats and radiator valves: Thermostat Mode (class 64), Setpoint (67) and Fan Mode (68).
//!
//! A thermostat's values may be spread over several endpoints of its node. Some of the values are duplicates,
//! and some were never reported.

mod modes;
mod setpoints;

use std::collections::BTreeSet;

use ecow::{EcoString, eco_format};

use super::{
    Cc, Channel, DeviceRefusal, Fact, Goal, Intent, Meaning, Meta, Node, Percent, Plan,
    PropertyName, Reading, Step, ValueId,
};
use crate::fact::{Side, is_unknown_name};
use crate::model::node::DeviceClass;
use crate::model::quantity::{Degrees, Temperature};
use crate::model::value::Value;

pub use modes::modes;

/// The keys of setpoints (`docs/dev/GATEWAY.md#values`).
const HEAT: u32 = 1;
const COOL: u32 = 2;
const FURNACE: u32 = 7;
const CHANGEOVER: u32 = 10;

/// A thermostat: the part of a node that is one device. Its values may be on any endpoint in that part.
#[derive(Clone, Copy, Debug)]
pub struct Climate<'a>(Channel<'a>);

impl<'a> Climate<'a> {
    /// Makes a thermostat from a device's channel.
    pub fn of(channel: Channel<'a>) -> Self {
        Self(channel)
    }

    fn node(self) -> &'a Node {
        self.0.node
    }

    /// Finds a value on the endpoint that is written to, or else on the thermostat's other endpoints. A value
    /// with a reading is preferred.
    fn value(self, id: impl Fn(u8) -> ValueId) -> Option<&'a Value> {
        let values = || {
            std::iter::once(&self.0.endpoint)
                .chain(self.0.reads)
                .filter_map(|endpoint| self.node().value(&id(*endpoint)))
        };
        let reported = values().find(|value| value.reading.is_some());
        reported.or_else(|| values().next())
    }

    /// Plans writing a number to a value that also reports the resulting state.
    fn step(self, value: &Value, number: f64, goal: Goal, meaning: Meaning) -> Option<Step> {
        let (target, state) = (value.id.clone(), value.id.clone());
        let step = Step::new(self.node(), target, number, goal, state, meaning)?;
        let meta = value.meta.clone();
        Some(Step { meta, ..step })
    }

    /// Finds a value of the whole thermostat. A setpoint that is a device of its own has none.
    fn own(self, class: Cc, property: &str) -> Option<&'a Value> {
        let is_whole = self.0.key.is_none();
        is_whole.then(|| self.value(|endpoint| ValueId::new(class, endpoint, property)))?
    }

    fn mode(self) -> Option<&'a Value> {
        self.own(Cc::THERMOSTAT_MODE, "mode")
    }

    fn fan(self) -> Option<&'a Value> {
        self.own(Cc::THERMOSTAT_FAN_MODE, "mode")
    }

    fn operating(self) -> Option<&'a Value> {
        self.own(Cc::THERMOSTAT_OPERATING_STATE, "state")
    }

    fn setpoint(self, key: u32) -> Option<&'a Value> {
        if self.0.key.is_some_and(|own| own != key) {
            return None;
        }
        self.value(|endpoint| ValueId::with_key(Cc::THERMOSTAT_SETPOINT, endpoint, "setpoint", key))
    }

    /// Returns the thermostat's setpoints, in the order of their keys. The keys 3 to 6 are reserved. Some devices
    /// report such setpoints all the same, but set nothing by them (zwave-js, `ThermostatSetpointType`).
    fn setpoints(self) -> Vec<&'a Value> {
        let setpoints = self.node().values_of_class(Cc::THERMOSTAT_SETPOINT);
        let keys: BTreeSet<u32> =
            setpoints.iter().filter_map(|value| value.id.key.as_ref()?.number()).collect();
        let usable = keys.into_iter().filter(|key| matches!(key, 1..=2 | 7..=15));
        usable.filter_map(|key| self.setpoint(key)).collect()
    }

    /// Returns the setpoints that are devices of their own, such as that for hot water: those that are set whatever
    /// the mode. Without modes, these are all but the first, which is the thermostat's. If there are modes, only
    /// the setpoint of a furnace may have no mode. A device that is no thermostat has no setpoint itself.
    pub fn separate_setpoints(self, is_thermostat: bool) -> impl Iterator<Item = &'a Value> {
        let setpoints = self.setpoints();
        let first = setpoints.first().map(|setpoint| setpoint.id.clone());
        let modes = self.mode().map(|mode| &mode.meta);
        setpoints.into_iter().filter(move |setpoint| {
            let key = setpoint.id.key.as_ref().and_then(PropertyName::number);
            let is_own = is_thermostat
                && match modes {
                    None => first.as_ref() == Some(&setpoint.id),
                    Some(modes) => key != Some(FURNACE) || modes.state(FURNACE.into()).is_some(),
                };
            // The setpoints for saving energy and for absence belong to the thermostat's own modes.
            let is_setback = matches!(key, Some(11..=14));
            !is_own && !is_setback && setpoint.meta.writeable && setpoint.reading.is_some()
        })
    }

    /// Returns true if the thermostat is off, or in another mode without a setpoint.
    fn is_off(self) -> bool {
        let mode = self.mode().and_then(Value::number);
        // These numbers are the modes with a setpoint, as in `active_setpoints`.
        mode.is_some_and(|mode| !matches!(mode as i64, 1..=4 | 7..=13 | 15))
    }

    fn is_mode_unknown(self) -> bool {
        self.mode().is_some_and(|mode| mode.number().is_none())
    }

    /// Returns the setpoints that apply in the current mode, heating first. If the mode is unknown, returns
    /// those that may apply.
    fn active_setpoints(self) -> Vec<&'a Value> {
        let with_keys = |keys: &[u32]| -> Vec<&Value> {
            keys.iter().filter_map(|key| self.setpoint(*key)).collect()
        };
        let Some(mode) = self.mode() else {
            // For a device without modes, such as a radiator valve, the first setpoint applies.
            return self.setpoints().into_iter().take(1).collect();
        };
        // Mode 1 is heat, 2 cool, 3 auto and 4 auxiliary heat. From 7 on, a setpoint has the number of its mode.
        match mode.number().map(|mode| mode as u32) {
            Some(1 | 4) => with_keys(&[HEAT]),
            Some(2) => with_keys(&[COOL]),
            Some(3) => match with_keys(&[HEAT, COOL]) {
                none if none.is_empty() => with_keys(&[CHANGEOVER]),
                setpoints => setpoints,
            },
            Some(mode @ (7..=13 | 15)) => with_keys(&[mode]),
            // Off, resume, fan only, and modes that the maker has added.
            Some(_) => Vec::new(),
            None => match self.setpoints() {
                single if single.len() == 1 => single,
                _ => with_keys(&[HEAT, COOL]),
            },
        }
    }

    /// Returns the room's temperature from the thermostat's own sensor, or else from endpoint 0 of its node.
    fn room_temperature(self) -> Option<Temperature> {
        let sensor = |endpoint| ValueId::new(Cc::MULTILEVEL_SENSOR, endpoint, "Air temperature");
        let root = || self.node().value(&sensor(0));
        let value = self.value(sensor).or_else(root)?;
        Some(Temperature {
            degrees: value.number()?,
            unit: Some(unit_of(&value.meta)),
        })
    }
}

/// Returns the unit of a temperature, or °C if the gateway reports none.
fn unit_of(meta: &Meta) -> Degrees {
    match meta.unit.as_deref() {
        Some("°F" | "F") => Degrees::Fahrenheit,
        _ => Degrees::Celsius,
    }
}

/// Returns true if an endpoint is a whole thermostat, not only a part of one. Its device class must be that of a
/// thermostat or missing. It must have reported a setpoint and, if it has modes, its mode.
pub fn is_whole_thermostat(node: &Node, endpoint: u8) -> bool {
    let class = node.endpoint(endpoint).and_then(|endpoint| endpoint.class);
    let climate = Climate(Channel::endpoint(node, endpoint));
    let is_known = |value: &Value| value.reading.is_some();
    class.is_none_or(|class| class.generic == DeviceClass::THERMOSTAT)
        && climate.mode().is_none_or(is_known)
        && climate.setpoints().into_iter().any(is_known)
}

pub(super) fn set_to(degrees: f64, meta: &Meta, side: Option<Side>) -> Fact {
    Fact::SetTo {
        degrees,
        unit: unit_text(meta),
        side,
    }
}

fn unit_text(meta: &Meta) -> EcoString {
    meta.unit.as_deref().unwrap_or("°").into()
}

pub(super) fn read_mode(reading: &Reading, meta: &Meta) -> Option<EcoString> {
    let name = meta.state(reading.number()?)?;
    Some(name.to_lowercase().into())
}

/// Returns the facts of a thermostat, the mode first.
pub(super) fn facts(channel: Channel) -> Vec<Fact> {
    let climate = Climate(channel);
    let mode = climate.mode().and_then(state_name).map(Fact::Mode);
    let setpoints: Vec<(f64, &Meta)> = climate
        .active_setpoints()
        .into_iter()
        .filter_map(|value| Some((value.number()?, &value.meta)))
        .collect();
    let temperature = match setpoints.as_slice() {
        [(low, meta), (high, _)] => Some(Fact::SetBetween(*low, *high, unit_text(meta))),
        [(degrees, meta)] => Some(set_to(*degrees, meta, None)),
        _ => None,
    };
    let operating = climate
        .operating()
        .filter(|_| !climate.is_off())
        .and_then(state_name)
        .map(Fact::Operating);
    let separate = climate.separate_setpoints(true).filter(|_| channel.key.is_none());
    let separate = separate.filter_map(|value| {
        Some(Fact::Measured {
            what: eco_format!("{} set to", setpoint_label(value).to_lowercase()),
            value: value.number()?,
            unit: unit_text(&value.meta),
        })
    });
    let facts = [mode, temperature, operating, valve(channel)];
    facts.into_iter().flatten().chain(separate).collect()
}

/// Returns the name of a setpoint: the words in parentheses of a label such as
/// "Setpoint (Furnace)".
pub fn setpoint_label(value: &Value) -> String {
    let label = value.meta.label.as_deref().unwrap_or_default();
    let inner = label.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    let inner = inner.filter(|inner| *inner != "property");
    let key = value.id.key.as_ref().and_then(PropertyName::number);
    inner.map_or_else(
        || format!("Setpoint {}", key.unwrap_or_default()),
        str::to_owned,
    )
}

/// Returns how far the valve is open, if the thermostat reports it.
fn valve(channel: Channel) -> Option<Fact> {
    let endpoints = channel.reads.iter().filter(|_| channel.key.is_none());
    endpoints.into_iter().find_map(|endpoint| {
        let id = ValueId::new(Cc::MULTILEVEL_SWITCH, *endpoint, "currentValue");
        if channel.node.class_of(*endpoint).generic != DeviceClass::THERMOSTAT {
            return None;
        }
        let level = Percent::from_level(channel.node.reading(&id)?.number()?)?;
        Some(Fact::Measured {
            what: "valve".into(),
            value: f64::from(level.get()),
            unit: "%".into(),
        })
    })
}

/// Returns the name of a value's current state in lower case, if the gateway has a name for that state.
fn state_name(value: &Value) -> Option<EcoString> {
    let name = read_mode(value.reading.as_ref()?, &value.meta)?;
    (!is_unknown_name(&name)).then_some(name)
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    let climate = Climate(channel);
    let mode = |number| modes::step(climate, climate.mode()?, number).map(Plan::direct);
    Ok(match intent.without_level() {
        Intent::Off => mode(0),
        Intent::On(_) => modes::only_mode_on(climate).and_then(mode),
        Intent::SetMode(name) if modes::has_any(climate) => {
            Some(Plan::direct(modes::choose(climate, &name)?))
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
