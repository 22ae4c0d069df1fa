//! Percentages and temperatures.

use serde::{Deserialize, Serialize};

/// A brightness, a speed or a position in percent, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u8);

impl Percent {
    /// 0 %.
    pub const ZERO: Self = Self(0);

    /// 50 %.
    pub const HALF: Self = Self(50);

    /// Returns 100 % for true and 0 % for false.
    pub fn from_bool(full: bool) -> Self {
        Self(if full { 100 } else { 0 })
    }

    /// Rounds to a whole percent. A positive number never becomes 0 %, which would mean off. Returns `None`
    /// outside 0 to 100.
    pub fn new(percent: f64) -> Option<Self> {
        let rounded = percent.round().max(if percent > 0.0 { 1.0 } else { 0.0 });
        (0.0..=100.0).contains(&percent).then_some(Self(rounded as u8))
    }

    /// Converts a Z-Wave level. Levels 0 to 98 are percentages; both 99 and 100 mean 100 %. Returns `None`
    /// for numbers outside 0 to 100, such as 254, which encodes "unknown".
    pub fn from_level(level: f64) -> Option<Self> {
        (0.0..=100.0).contains(&level).then_some(match level.round() as u8 {
            99.. => Self(100),
            percent => Self(percent),
        })
    }

    /// Returns the Z-Wave level, 0 to 99 (`docs/dev/GATEWAY.md#values`). Both 99 % and 100 % are level 99.
    pub fn level(self) -> u8 {
        self.0.min(99)
    }

    /// Returns the number, 0 to 100.
    pub fn get(self) -> u8 {
        self.0
    }
}

/// A temperature as a caller gave it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// The degrees.
    pub degrees: f64,
    /// The unit; `None` for the device's own.
    pub unit: Option<Degrees>,
}

/// The unit of a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // The variants speak for themselves.
pub enum Degrees {
    Celsius,
    Fahrenheit,
}

impl Temperature {
    /// Converts the degrees to a unit and rounds them to a tenth.
    pub fn in_unit(self, unit: Degrees) -> f64 {
        let degrees = match (self.unit, unit) {
            (Some(Degrees::Celsius), Degrees::Fahrenheit) => self.degrees * 1.8 + 32.0,
            (Some(Degrees::Fahrenheit), Degrees::Celsius) => (self.degrees - 32.0) / 1.8,
            _ => self.degrees,
        };
        (degrees * 10.0).round() / 10.0
    }
}
