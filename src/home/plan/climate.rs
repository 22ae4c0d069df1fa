//! Thermostats and radiator valves: Thermostat Mode 64, Setpoint 67, Fan Mode 68.

use super::modes::{self, state_step};
use super::planned::{Plan, Refusal};
use super::step::{StateMeaning, Step};
use crate::home::climate::{Climate, Doing, unit_of};
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Intent;
use crate::home::model::node::Node;
use crate::home::model::quantity::{Degrees, Temperature};
use crate::home::model::value::{Meta, Value};

pub(super) fn plan(device: &Device, node: &Node, intent: &Intent) -> Result<Option<Plan>, Refusal> {
    let climate = &Climate::of(node, device.endpoint, &device.reads);
    let mode = |number: i64| state_step(node, climate.mode()?, number).map(Plan::direct);
    Ok(match intent.without_level() {
        Intent::Off => mode(0),
        Intent::On(_) => only_other_mode(climate).and_then(mode),
        Intent::SetMode(said) if has_modes(climate) => {
            Some(Plan::direct(modes::named(node, climate, &said)?))
        }
        Intent::SetTemperature(wanted) if has_setpoints(climate) => {
            Some(set_temperature(node, climate, wanted)?)
        }
        _ => None,
    })
}

fn has_modes(climate: &Climate) -> bool {
    let values = [climate.mode(), climate.fan()];
    values.into_iter().flatten().any(modes::has_any)
}

fn has_setpoints(climate: &Climate) -> bool {
    let setpoints = climate.setpoints().into_iter();
    let mut values = setpoints.filter_map(|key| climate.setpoint(key));
    values.any(|value| value.meta.writeable)
}

fn set_temperature(node: &Node, climate: &Climate, wanted: Temperature) -> Result<Plan, Refusal> {
    let active = climate.active();
    let mut setpoints = active.iter().filter_map(|key| climate.setpoint(*key));
    let first = setpoints.next().ok_or(Refusal::NoSetpoint)?;
    let (value, meaning) = match setpoints.next() {
        None => (first, StateMeaning::Plain),
        Some(_) if climate.doing() == Doing::Unknown => return Err(Refusal::ModeUnknown),
        Some(cooling) => one_of_both(climate, first, cooling, wanted)?,
    };
    let meta = &value.meta;
    let unit = unit_of(meta);
    let degrees = wanted.in_unit(unit);
    let (min, max) = limits(meta, unit);
    if !(min..=max).contains(&degrees) {
        return Err(Refusal::OutOfLimits {
            min,
            max,
            unit: unit_word(meta),
        });
    }
    let expected = ExpectedState::Degrees {
        wanted: degrees,
        within: precision(meta, degrees),
    };
    let id = &value.id;
    let step = Step::new(node, id.clone(), degrees, expected, id.clone());
    let step = step.ok_or(Refusal::NoSetpoint)?;
    let step = step.with_words(meta);
    Ok(Plan::direct(Step { meaning, ..step }))
}

/// Of a thermostat that both heats and cools, the setpoint in whose direction the wanted temperature
/// lies from the room's. What it heats to stays below what it cools to.
fn one_of_both<'a>(
    climate: &Climate,
    heating: &'a Value,
    cooling: &'a Value,
    wanted: Temperature,
) -> Result<(&'a Value, StateMeaning), Refusal> {
    let room = climate.room().ok_or(Refusal::RoomTemperatureUnknown)?;
    let unit = unit_of(&heating.meta);
    let heats = wanted.in_unit(unit) > room.in_unit(unit);
    let (value, other, meaning) = if heats {
        (heating, cooling, StateMeaning::Heating)
    } else {
        (cooling, heating, StateMeaning::Cooling)
    };
    let degrees = wanted.in_unit(unit_of(&value.meta));
    let limit = other.number();
    let crosses = |limit: f64| (heats && degrees >= limit) || (!heats && degrees <= limit);
    match limit.filter(|limit| crosses(*limit)) {
        Some(other) => Err(Refusal::Crosses {
            heats,
            wanted: degrees,
            other,
            unit: unit_word(&value.meta),
        }),
        None => Ok((value, meaning)),
    }
}

fn unit_word(meta: &Meta) -> String {
    meta.unit.as_deref().unwrap_or("degrees").to_owned()
}

/// How far from what was written a device may be that rounds it: half of its own step. Where that
/// is not known, it may have whole degrees, but then it does not change a whole number.
fn precision(meta: &Meta, degrees: f64) -> f64 {
    match meta.step {
        Some(step) => step / 2.0,
        None if degrees.fract() == 0.0 => 0.4,
        None => 0.5,
    }
}

/// A setpoint's limits; many devices do not say any, and then no sensible house has others.
fn limits(meta: &Meta, unit: Degrees) -> (f64, f64) {
    let (coldest, hottest): (f64, f64) = match unit {
        Degrees::Celsius => (4.0, 40.0),
        Degrees::Fahrenheit => (39.0, 104.0),
    };
    let (min, max) = meta.limits();
    let coldest = max.map_or(coldest, |max| coldest.min(max));
    let hottest = min.map_or(hottest, |min| hottest.max(min));
    (min.unwrap_or(coldest), max.unwrap_or(hottest))
}

/// The mode that "on" means: the only one besides off.
fn only_other_mode(climate: &Climate) -> Option<i64> {
    let states = climate.mode()?.meta.states.iter();
    let mut others = states.map(|state| state.number).filter(|mode| *mode != 0);
    others.next().filter(|_| others.next().is_none())
}
