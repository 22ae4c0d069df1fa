//! Sets the temperature of a thermostat: chooses the setpoint, and checks its limits.

use super::{
    Climate, Degrees, DeviceRefusal, Goal, Meaning, Meta, Plan, Side, Step, Temperature, Value,
    unit_of,
};
use crate::intent::Adjustment;
use crate::plan::TemperatureRange;

/// A setpoint to write to.
struct Choice<'a> {
    value: &'a Value,
    /// The side of this setpoint, and the temperature of the other setpoint, if known. `None` if only one setpoint
    /// applies in the current mode.
    side: Option<(Side, Option<f64>)>,
}

pub(super) fn has_any(climate: Climate) -> bool {
    climate.setpoints().into_iter().any(|value| value.meta.writeable)
}

impl Climate<'_> {
    /// Returns the temperatures that the thermostat can be set to, if its current mode has a setpoint.
    pub fn range(self) -> Option<TemperatureRange> {
        let setpoints = self.active_setpoints();
        setpoints.first().map(|setpoint| range(setpoint))
    }
}

/// Plans setting a temperature. If the thermostat both heats and cools, a temperature above that of the room
/// is set for heating, and any other temperature for cooling.
pub(super) fn step(climate: Climate, wanted: Temperature) -> Result<Step, DeviceRefusal> {
    let choice = choose(climate, |room, heating, _| {
        let unit = unit_of(&heating.meta);
        wanted.in_unit(unit) > room.in_unit(unit)
    })?;
    let range = range(choice.value);
    let degrees = wanted.in_unit(range.unit);
    // Heating to 25° while cooling to 23° would never end.
    let crosses = |side, other| match side {
        Side::Heating => degrees >= other,
        Side::Cooling => degrees <= other,
    };
    if let Some((side, Some(other))) = choice.side
        && crosses(side, other)
    {
        return Err(DeviceRefusal::Crosses {
            side,
            wanted: degrees,
            other,
            unit: range.spelling,
        });
    }
    if !(range.min..=range.max).contains(&degrees) {
        return Err(DeviceRefusal::OutOfLimits(range));
    }
    choice.write(climate, degrees)
}

/// Plans to raise or lower the temperature that is set. If the thermostat both heats and cools, changes the
/// setpoint that is nearer to the room's temperature. Keeps the setpoint for heating below that for cooling.
pub(super) fn adjust(climate: Climate, adjustment: Adjustment) -> Result<Plan, DeviceRefusal> {
    let choice = choose(climate, |room, heating, cooling| {
        let distance = |value: &Value| {
            let degrees = value.number().unwrap_or(f64::INFINITY);
            (degrees - room.in_unit(unit_of(&value.meta))).abs()
        };
        distance(heating) <= distance(cooling)
    })?;
    let range = range(choice.value);
    let resolution = choice.value.meta.step.unwrap_or(1.0);
    let usual_step = if resolution == 0.5 { 0.5 } else { 1.0 };
    let by = adjustment.signed_size(usual_step);
    let by = match (adjustment.unit, range.unit) {
        (Some(Degrees::Celsius), Degrees::Fahrenheit) => by * 1.8,
        (Some(Degrees::Fahrenheit), Degrees::Celsius) => by / 1.8,
        _ => by,
    };
    let max_step = match range.unit {
        Degrees::Celsius => 5.0,
        Degrees::Fahrenheit => 10.0,
    };
    if by.abs() > max_step {
        return Err(DeviceRefusal::StepTooLarge(max_step, Some(range.spelling)));
    }
    let limits = match choice.side {
        Some((Side::Heating, Some(cooling))) => range.min..=range.max.min(cooling - resolution),
        Some((Side::Cooling, Some(heating))) => range.min.max(heating + resolution)..=range.max,
        _ => range.min..=range.max,
    };
    // The temperature here is a placeholder for one that is computed later.
    let current = choice.value.number().unwrap_or(range.min);
    let step = choice.write(climate, current.clamp(range.min, range.max))?;
    Ok(Plan::adjust(step, by, limits))
}

/// Chooses the setpoint to write to. If the thermostat both heats and cools, `picks_heating` gets the room's
/// temperature and both setpoints, and returns true to choose the setpoint for heating.
fn choose(
    climate: Climate<'_>,
    picks_heating: impl Fn(Temperature, &Value, &Value) -> bool,
) -> Result<Choice<'_>, DeviceRefusal> {
    match climate.active_setpoints().as_slice() {
        [] => Err(DeviceRefusal::NoSetpoint),
        [value] => Ok(Choice { value, side: None }),
        _ if climate.is_mode_unknown() => Err(DeviceRefusal::ModeUnknown),
        [heating, cooling, ..] => {
            let room = climate.room_temperature().ok_or(DeviceRefusal::RoomTemperatureUnknown)?;
            let (value, side, other) = if picks_heating(room, heating, cooling) {
                (heating, Side::Heating, cooling)
            } else {
                (cooling, Side::Cooling, heating)
            };
            let side = Some((side, other.number()));
            Ok(Choice { value, side })
        }
    }
}

impl Choice<'_> {
    fn write(&self, climate: Climate, degrees: f64) -> Result<Step, DeviceRefusal> {
        let goal = Goal::Degrees {
            wanted: degrees,
            within: precision(&self.value.meta, degrees),
        };
        let meaning = Meaning::Setpoint(self.side.map(|(side, _)| side));
        climate
            .step(self.value, degrees, goal, meaning)
            .ok_or(DeviceRefusal::NoSetpoint)
    }
}

/// Returns the largest difference that rounding may make: half of the device's resolution. If the resolution
/// is unknown, a fraction may be rounded to a whole degree, and a whole number may change by less than half a
/// degree.
fn precision(meta: &Meta, degrees: f64) -> f64 {
    match meta.step {
        Some(step) => step / 2.0,
        None if degrees.fract() == 0.0 => 0.4,
        None => 0.5,
    }
}

/// Returns the limits of a setpoint, or sensible ones if the gateway reports none. The temperature that is set is
/// within its limits: what is set above the limits of a room heats water.
fn range(value: &Value) -> TemperatureRange {
    let meta = &value.meta;
    let unit = unit_of(meta);
    let (coldest, hottest, hottest_water): (f64, f64, f64) = match unit {
        Degrees::Celsius => (4.0, 40.0, 90.0),
        Degrees::Fahrenheit => (39.0, 104.0, 194.0),
    };
    let current = value.number().unwrap_or(coldest);
    let coldest = coldest.min(current);
    let hottest = if current > hottest {
        hottest_water.max(current)
    } else {
        hottest
    };
    let (min, max) = meta.limits();
    TemperatureRange {
        min: min.unwrap_or(max.map_or(coldest, |max| coldest.min(max))),
        max: max.unwrap_or(min.map_or(hottest, |min| hottest.max(min))),
        unit,
        spelling: meta.unit.as_deref().unwrap_or("degrees").to_owned(),
    }
}
