//! Thermostats and radiator valves: Thermostat Mode 64, Setpoint 67, Fan Mode 68.

use super::{Plan, Question, Refusal, Step, write};
use crate::home::device::Device;
use crate::home::goal::Goal;
use crate::home::ids::{CommandClass as Cc, ValueId};
use crate::home::node::Node;
use crate::home::value::{Meta, Reading};
use crate::home::wish::{Action, Degrees, Temperature, Wish};
use crate::home::words::squashed;

/// What a thermostat is doing for the temperature, by its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heating {
    /// Nothing: mode 0, or one that has no setpoint.
    Off,
    /// One setpoint, by its key.
    One(u32),
    /// Heating and cooling, whichever is needed.
    Both,
    /// It has no mode; a radiator valve only heats.
    Always,
}

/// The heating setpoint and the cooling setpoint.
const HEAT: u32 = 1;
const COOL: u32 = 2;

/// What a thermostat is doing, by the mode it reads (captures, section 3: command classes 64 and 67).
pub fn heating(node: &Node, endpoint: u8) -> Heating {
    let mode = ValueId::new(Cc::THERMOSTAT_MODE, endpoint, "mode");
    if node.value(&mode).is_none() {
        return Heating::Always;
    }
    let Some(mode) = node.reading(&mode).and_then(Reading::number) else {
        return Heating::Off;
    };
    match mode as i64 {
        1 | 4 => Heating::One(HEAT),
        2 => Heating::One(COOL),
        3 => Heating::Both,
        mode @ (7..=13 | 15) => Heating::One(mode as u32),
        _ => Heating::Off,
    }
}

/// The setpoints that count at the moment, by their keys, the heating one first.
pub fn active_setpoints(node: &Node, endpoint: u8, heating: Heating) -> Vec<u32> {
    let exists = |key: &u32| setpoint(node, endpoint, *key).is_some();
    match heating {
        Heating::Off => Vec::new(),
        Heating::One(key) => vec![key].into_iter().filter(exists).collect(),
        Heating::Both => vec![HEAT, COOL].into_iter().filter(exists).collect(),
        Heating::Always => (1..=15).filter(exists).take(1).collect(),
    }
}

fn setpoint(node: &Node, endpoint: u8, key: u32) -> Option<ValueId> {
    let id = ValueId::keyed(Cc::THERMOSTAT_SETPOINT, endpoint, "setpoint", key);
    node.value(&id).is_some().then_some(id)
}

pub(super) fn actions(device: &Device, node: &Node) -> Vec<Action> {
    let mode = mode_value(node, device.endpoint);
    let can = |wish: &Wish, action| match plan(device, node, wish) {
        Ok(Some(_)) => Some(action),
        _ => None,
    };
    let has_setpoint = (1..=15).any(|key| setpoint(node, device.endpoint, key).is_some());
    [
        can(&Wish::On(None), Action::On),
        can(&Wish::Off, Action::Off),
        has_setpoint.then_some(Action::SetTemperature),
        mode.map(|_| Action::SetMode),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(super) fn plan(device: &Device, node: &Node, wish: &Wish) -> Result<Option<Plan>, Refusal> {
    let endpoint = device.endpoint;
    let mode = |number: i64| mode_step(node, endpoint, number).map(Plan::direct);
    Ok(match wish {
        Wish::Off => mode(0),
        Wish::On(None) => only_other_mode(node, endpoint).and_then(mode),
        Wish::SetMode(said) => Some(Plan::direct(named_mode(node, endpoint, said)?)),
        Wish::SetTemperature(wished) => Some(set_temperature(node, endpoint, *wished)?),
        _ => None,
    })
}

fn set_temperature(node: &Node, endpoint: u8, wished: Temperature) -> Result<Plan, Refusal> {
    let doing = heating(node, endpoint);
    let keys = active_setpoints(node, endpoint, doing);
    let (&first, rest) = keys.split_first().ok_or(Refusal::NoSetpoint)?;
    let key = match rest.first() {
        None => first,
        // Both: the one in whose direction the wish lies.
        Some(cooling) => {
            let room = room_temperature(node, endpoint).ok_or(Refusal::RoomTemperatureUnknown)?;
            let heats = setpoint(node, endpoint, first);
            let unit = heats
                .and_then(|id| Some(unit_of(&node.value(&id)?.meta)))
                .unwrap_or(Degrees::Celsius);
            if wished.in_unit(unit) > room.in_unit(unit) {
                first
            } else {
                *cooling
            }
        }
    };
    let id = setpoint(node, endpoint, key).ok_or(Refusal::NoSetpoint)?;
    let meta = &node.value(&id).ok_or(Refusal::NoSetpoint)?.meta;
    let unit = unit_of(meta);
    let degrees = wished.in_unit(unit);
    let (min, max) = limits(meta, unit);
    if !(min..=max).contains(&degrees) {
        let unit = meta.unit.as_deref().unwrap_or("degrees").to_owned();
        return Err(Refusal::OutOfLimits { min, max, unit });
    }
    let write = write(node, id.clone(), Reading::Number(degrees)).ok_or(Refusal::NoSetpoint)?;
    Ok(Plan::direct(Step {
        node: node.id,
        write,
        goal: Goal::Degrees(degrees),
        question: Question::Poll(id.clone()),
        words: meta.clone(),
        state: id,
    }))
}

/// What the room has, by the sensor of the thermostat.
fn room_temperature(node: &Node, endpoint: u8) -> Option<Temperature> {
    let sensor = |endpoint| ValueId::new(Cc::MULTILEVEL_SENSOR, endpoint, "Air temperature");
    let value = node
        .value(&sensor(endpoint))
        .or_else(|| node.value(&sensor(0)))?;
    Some(Temperature {
        degrees: value.reading.as_ref()?.number()?,
        unit: Some(unit_of(&value.meta)),
    })
}

fn unit_of(meta: &Meta) -> Degrees {
    match meta.unit.as_deref() {
        Some("°F" | "F") => Degrees::Fahrenheit,
        _ => Degrees::Celsius,
    }
}

/// A setpoint's limits; many devices do not say any, and then no sensible house has others.
fn limits(meta: &Meta, unit: Degrees) -> (f64, f64) {
    let (coldest, hottest) = match unit {
        Degrees::Celsius => (4.0, 40.0),
        Degrees::Fahrenheit => (39.0, 104.0),
    };
    (meta.min.unwrap_or(coldest), meta.max.unwrap_or(hottest))
}

fn mode_value(node: &Node, endpoint: u8) -> Option<ValueId> {
    let id = ValueId::new(Cc::THERMOSTAT_MODE, endpoint, "mode");
    node.value(&id).is_some().then_some(id)
}

fn mode_step(node: &Node, endpoint: u8, number: i64) -> Option<Step> {
    state_step(node, mode_value(node, endpoint)?, number)
}

fn state_step(node: &Node, id: ValueId, number: i64) -> Option<Step> {
    let has = node.value(&id)?.meta.states.iter();
    let named = has.map(|state| state.number).any(|own| own == number);
    Some(Step {
        node: node.id,
        write: write(node, id.clone(), Reading::Number(number as f64)).filter(|_| named)?,
        goal: Goal::State(u8::try_from(number).ok()?),
        question: Question::Poll(id.clone()),
        words: node.value(&id)?.meta.clone(),
        state: id,
    })
}

/// The mode that "on" means: the only one besides off.
fn only_other_mode(node: &Node, endpoint: u8) -> Option<i64> {
    let meta = &node.value(&mode_value(node, endpoint)?)?.meta;
    let mut others = meta
        .states
        .iter()
        .map(|state| state.number)
        .filter(|mode| *mode != 0);
    others.next().filter(|_| others.next().is_none())
}

/// A mode by its name among those the device has; a fan's after the word "fan".
fn named_mode(node: &Node, endpoint: u8, said: &str) -> Result<Step, Refusal> {
    let mode = ValueId::new(Cc::THERMOSTAT_MODE, endpoint, "mode");
    let fan = ValueId::new(Cc::THERMOSTAT_FAN_MODE, endpoint, "mode");
    let said = squashed(said);
    let find = |id: &ValueId, said: &str| {
        let states = &node.value(id)?.meta.states;
        let own = |text: &str| squashed(text);
        states
            .iter()
            .find(|state| own(&state.text) == said || heats_or_cools(said) == Some(state.number))
            .map(|state| state.number)
    };
    let step = match said
        .strip_prefix("fan")
        .filter(|_| node.value(&fan).is_some())
    {
        Some(rest) if !rest.is_empty() && find(&mode, &said).is_none() => {
            let number = find(&fan, rest.trim_start_matches("mode"));
            number.and_then(|number| state_step(node, fan.clone(), number))
        }
        _ => find(&mode, &said).and_then(|number| state_step(node, mode.clone(), number)),
    };
    step.ok_or_else(|| Refusal::UnknownMode(modes(node, &mode, &fan)))
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

/// The names of the modes a device has.
fn modes(node: &Node, mode: &ValueId, fan: &ValueId) -> Vec<String> {
    let of = |id: &ValueId, before: &str| -> Vec<String> {
        let states = node.value(id).map(|value| value.meta.states.iter());
        let states = states.into_iter().flatten();
        states
            .map(|state| format!("{before}{}", state.text.to_lowercase()))
            .collect()
    };
    let mut modes = of(mode, "");
    modes.extend(of(fan, "fan "));
    modes
}
