//! A thermostat's temperatures: which setpoint is meant, and within which limits.

use super::{Climate, Doing, unit_of};
use crate::home::fact::Side;
use crate::home::goal::Goal;
use crate::home::intent::Adjustment;
use crate::home::model::quantity::{Degrees, Temperature};
use crate::home::model::value::{Meta, Value};
use crate::home::plan::{DeviceRefusal, Meaning, Plan, Step, TemperatureRange};

pub(super) fn has_any(climate: Climate) -> bool {
    let setpoints = climate.keys().into_iter();
    let mut values = setpoints.filter_map(|key| climate.setpoint(key));
    values.any(|value| value.meta.writeable)
}

impl Climate<'_> {
    /// The temperatures that it can be set to now; none in a mode without a temperature.
    pub fn range(self) -> Option<TemperatureRange> {
        self.active().first().map(|setpoint| range(&setpoint.meta))
    }
}

pub(super) fn step(climate: Climate, wanted: Temperature) -> Result<Step, DeviceRefusal> {
    let (value, side) = match climate.active().as_slice() {
        [] => return Err(DeviceRefusal::NoSetpoint),
        [only] => (*only, None),
        _ if climate.doing() == Doing::Unknown => return Err(DeviceRefusal::ModeUnknown),
        [heating, cooling, ..] => one_of_both(climate, heating, cooling, wanted)?,
    };
    let range = range(&value.meta);
    let degrees = wanted.in_unit(range.unit);
    if !(range.min..=range.max).contains(&degrees) {
        return Err(DeviceRefusal::OutOfLimits(range));
    }
    write(climate, value, degrees, side)
}

fn write(
    climate: Climate,
    value: &Value,
    degrees: f64,
    side: Option<Side>,
) -> Result<Step, DeviceRefusal> {
    let goal = Goal::Degrees {
        wanted: degrees,
        within: precision(&value.meta, degrees),
    };
    let (id, meaning) = (&value.id, Meaning::Setpoint(side));
    let step = Step::new(
        climate.node(),
        id.clone(),
        degrees,
        goal,
        id.clone(),
        meaning,
    );
    let step = step.ok_or(DeviceRefusal::NoSetpoint)?;
    Ok(step.with_meta(&value.meta))
}

/// A step up or down from what it is set to. Of one that both heats and cools, the setpoint that is
/// nearer to the room's temperature is the one that counts, and it stays on its side of the other.
pub(super) fn adjust(climate: Climate, adjustment: Adjustment) -> Result<Plan, DeviceRefusal> {
    let (value, side, other) = match climate.active().as_slice() {
        [] => return Err(DeviceRefusal::NoSetpoint),
        [only] => (*only, None, None),
        _ if climate.doing() == Doing::Unknown => return Err(DeviceRefusal::ModeUnknown),
        [heating, cooling, ..] => {
            let room = climate
                .room()
                .ok_or(DeviceRefusal::RoomTemperatureUnknown)?;
            let distance = |value: &Value| {
                let degrees = value.number().unwrap_or(f64::INFINITY);
                (degrees - room.in_unit(unit_of(&value.meta))).abs()
            };
            if distance(heating) <= distance(cooling) {
                (*heating, Some(Side::Heating), cooling.number())
            } else {
                (*cooling, Some(Side::Cooling), heating.number())
            }
        }
    };
    let range = range(&value.meta);
    let meta_step = value.meta.step.unwrap_or(1.0);
    let usual = if meta_step == 0.5 { 0.5 } else { 1.0 };
    let by = match (adjustment.unit, range.unit) {
        (Some(Degrees::Celsius), Degrees::Fahrenheit) => adjustment.signed(usual) * 1.8,
        (Some(Degrees::Fahrenheit), Degrees::Celsius) => adjustment.signed(usual) / 1.8,
        _ => adjustment.signed(usual),
    };
    let most_by = match range.unit {
        Degrees::Celsius => 5.0,
        Degrees::Fahrenheit => 10.0,
    };
    if by.abs() > most_by {
        return Err(DeviceRefusal::StepTooLarge(most_by, Some(range.spelling)));
    }
    let mut limits = range.min..=range.max;
    match (side, other) {
        (Some(Side::Heating), Some(cooling)) => {
            limits = range.min..=range.max.min(cooling - meta_step);
        }
        (Some(Side::Cooling), Some(heating)) => {
            limits = range.min.max(heating + meta_step)..=range.max;
        }
        _ => {}
    }
    let current = value
        .number()
        .unwrap_or(range.min)
        .clamp(range.min, range.max);
    let step = write(climate, value, current, side)?;
    Ok(Plan::adjust(step, by, limits))
}

/// Of a thermostat that both heats and cools, the setpoint on the wanted temperature's side of the
/// room's. What it heats to stays below what it cools to.
fn one_of_both<'a>(
    climate: Climate,
    heating: &'a Value,
    cooling: &'a Value,
    wanted: Temperature,
) -> Result<(&'a Value, Option<Side>), DeviceRefusal> {
    let room = climate
        .room()
        .ok_or(DeviceRefusal::RoomTemperatureUnknown)?;
    let unit = unit_of(&heating.meta);
    let (value, other, side) = if wanted.in_unit(unit) > room.in_unit(unit) {
        (heating, cooling, Side::Heating)
    } else {
        (cooling, heating, Side::Cooling)
    };
    let degrees = wanted.in_unit(unit_of(&value.meta));
    let crosses = |limit: &f64| match side {
        Side::Heating => degrees >= *limit,
        Side::Cooling => degrees <= *limit,
    };
    match other.number().filter(crosses) {
        Some(other) => Err(DeviceRefusal::Crosses {
            side,
            wanted: degrees,
            other,
            unit: spelling(&value.meta),
        }),
        None => Ok((value, Some(side))),
    }
}

fn spelling(meta: &Meta) -> String {
    meta.unit.as_deref().unwrap_or("degrees").to_owned()
}

/// How far from what was written a device may be that rounds it: half of its own step. If that is
/// unknown, it may have whole degrees, but then it does not change a whole number.
fn precision(meta: &Meta, degrees: f64) -> f64 {
    match meta.step {
        Some(step) => step / 2.0,
        None if degrees.fract() == 0.0 => 0.4,
        None => 0.5,
    }
}

/// A setpoint's limits. Many devices don't say any, and then no sensible house has others.
fn range(meta: &Meta) -> TemperatureRange {
    let unit = unit_of(meta);
    let (coldest, hottest): (f64, f64) = match unit {
        Degrees::Celsius => (4.0, 40.0),
        Degrees::Fahrenheit => (39.0, 104.0),
    };
    let (min, max) = meta.limits();
    TemperatureRange {
        min: min.unwrap_or(max.map_or(coldest, |max| coldest.min(max))),
        max: max.unwrap_or(min.map_or(hottest, |min| hottest.max(min))),
        unit,
        spelling: spelling(meta),
    }
}
