//! Looks up states, detections and measurements in a device's facts.

use super::element::{Property, Sensed, State};
use crate::home::intent::Action;
use crate::home::published::{Measurement, PublishedDevice};

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeasuredFact<'f> {
    pub value: f64,
    pub unit: &'f str,
}

impl State {
    /// Returns true if the words for a change say that a device entered the state (`mcp::wording`).
    pub(super) fn is_told_by(self, after: &str) -> bool {
        let after = after.strip_prefix("door ").unwrap_or(after);
        match self {
            Self::On => after == "on" || after.starts_with("on "),
            Self::Off => after == "off",
            Self::Open => matches!(after, "open" | "tilted") || after.ends_with(" open"),
            Self::Closed => after == "closed",
            Self::Locked => after == "locked",
            Self::Unlocked => after == "unlocked",
            Self::Tilted => after == "tilted",
            Self::Detected => after.ends_with("detected"),
            Self::Clear => after.starts_with("no "),
        }
    }

    /// Returns the opposite of this state, such as `Off` for `On`.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::On => Self::Off,
            Self::Off => Self::On,
            Self::Open | Self::Tilted => Self::Closed,
            Self::Closed => Self::Open,
            Self::Locked => Self::Unlocked,
            Self::Unlocked => Self::Locked,
            Self::Detected => Self::Clear,
            Self::Clear => Self::Detected,
        }
    }

    /// Returns true if a device can be put into this state or the opposite. A sensor can't.
    pub(super) fn applies(self, facts: &PublishedDevice) -> bool {
        match self {
            Self::On | Self::Off => facts.can(Action::On) || facts.can(Action::Off),
            Self::Open | Self::Closed | Self::Tilted => facts.can(Action::Open),
            Self::Locked | Self::Unlocked => facts.can(Action::Lock),
            Self::Detected | Self::Clear => false,
        }
    }

    /// Returns whether a device is in this state, or `None` if that is unknown.
    pub(super) fn is_true_of(self, facts: &PublishedDevice) -> Option<bool> {
        let current = &facts.current;
        if !facts.listed.responding {
            return None;
        }
        let is_open = || {
            let position = current.position.map(|position| position > 0);
            current.open.or(position).or(current.door_open)
        };
        match self {
            Self::On => {
                let is_mode_on = || current.mode.as_ref().map(|mode| mode.to_lowercase() != "off");
                // A sensor that is "on" detects something.
                current.on.or_else(is_mode_on).or_else(|| senses(facts, None))
            }
            Self::Open => is_open(),
            Self::Locked => current.locked,
            Self::Detected => senses(facts, None),
            // A closed device is not tilted. It is unknown whether an open device is tilted.
            Self::Tilted => is_open().filter(|is_open| !is_open),
            Self::Off | Self::Closed | Self::Unlocked | Self::Clear => {
                self.opposite().is_true_of(facts).map(|is_opposite| !is_opposite)
            }
        }
    }
}

/// Returns whether the device's first sensor for `event` detects the event. Without an `event`, the first
/// sensor for any event counts. Returns `None` if there is no such sensor.
fn senses(facts: &PublishedDevice, event: Option<&str>) -> Option<bool> {
    facts.measured.iter().find_map(|measured| match measured {
        Measurement::Sensed { what, there } => {
            event.is_none_or(|event| event == what).then_some(*there)
        }
        Measurement::Measured { .. } => None,
    })
}

impl Sensed {
    /// Returns the name of this event in the readings of `zwave://devices`.
    fn word(self) -> &'static str {
        match self {
            Self::Motion => "motion",
            Self::Smoke => "smoke",
            Self::Leak => "leak",
            Self::CarbonMonoxide => "carbon monoxide",
        }
    }

    /// Returns whether a device detects this event, or `None` if it has no such sensor or does not respond.
    pub(super) fn is_sensed_by(self, facts: &PublishedDevice) -> Option<bool> {
        senses(facts, Some(self.word())).filter(|_| facts.listed.responding)
    }
}

impl Property {
    /// Returns a device's readings of this property, recognized by their units.
    pub(super) fn readings(self, facts: &PublishedDevice) -> Vec<MeasuredFact<'_>> {
        let units: &[&str] = match self {
            Self::Temperature => &["°C", "°F", "C", "F"],
            Self::Humidity => &["%"],
            Self::Brightness => &["lux", "lx", "Lux"],
            Self::Power => &["W", "kW"],
            Self::Voltage => &["V", "mV"],
            Self::Current => &["A", "mA"],
            Self::Energy => &["kWh", "Wh"],
            Self::CarbonDioxide => &["ppm"],
            Self::Battery => {
                let level = facts.battery.map(|charge| MeasuredFact {
                    value: charge.into(),
                    unit: "%",
                });
                return level.into_iter().collect();
            }
            // Every measurement, whatever its unit.
            Self::State => &[],
            _ => return Vec::new(),
        };
        if !facts.listed.responding {
            return Vec::new();
        }
        let readings = facts.measured.iter().filter_map(|reading| match reading {
            Measurement::Measured { value, unit, .. } => Some(MeasuredFact {
                value: *value,
                unit,
            }),
            Measurement::Sensed { .. } => None,
        });
        let has_unit = |reading: &MeasuredFact| units.is_empty() || units.contains(&reading.unit);
        readings.filter(has_unit).collect()
    }
}
