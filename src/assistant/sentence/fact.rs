//! Looks up states, detections and measurements in a device's facts.

use super::element::{Property, Sensed, State};
use crate::home::intent::Action;
use crate::home::published::{ControlState, Measurement, PublishedDevice};

/// A number and its unit.
pub(super) type Measure<'f> = (f64, &'f str);

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
        // A sensor that is "on" detects something.
        let is_sensed = || match self {
            Self::On | Self::Detected => senses(facts, None),
            Self::Off | Self::Clear => senses(facts, None).map(|is_there| !is_there),
            _ => None,
        };
        let is_true = self.is_reported_by(&facts.current).or_else(is_sensed);
        is_true.filter(|_| facts.listed.responding)
    }

    /// Returns whether a device that reports `current` is in this state, whatever its sensors detect.
    pub(super) fn is_reported_by(self, current: &ControlState) -> Option<bool> {
        let is_mode_on = || current.mode.as_ref().map(|mode| mode.to_lowercase() != "off");
        let is_raised = current.position.map(|position| position > 0);
        match self {
            Self::On => current.on.or_else(is_mode_on),
            Self::Open => current.open.or(is_raised).or(current.door_open),
            Self::Locked => current.locked,
            // A closed device is not tilted. It is unknown whether an open device is tilted.
            Self::Tilted => Self::Open.is_reported_by(current).filter(|is_open| !is_open),
            Self::Off | Self::Closed | Self::Unlocked => {
                self.opposite().is_reported_by(current).map(|is_opposite| !is_opposite)
            }
            Self::Detected | Self::Clear => None,
        }
    }

    /// Returns the state into which an action without a value puts a device, if it is always the same.
    pub(super) fn after(action: Action) -> Option<Self> {
        Some(match action {
            Action::On => Self::On,
            Action::Off => Self::Off,
            Action::Open => Self::Open,
            Action::Close => Self::Closed,
            Action::Lock => Self::Locked,
            Action::Unlock => Self::Unlocked,
            _ => return None,
        })
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
    /// Returns whether a device detects this event, or `None` if it has no such sensor or does not respond.
    pub(super) fn is_sensed_by(self, facts: &PublishedDevice) -> Option<bool> {
        // The names of the events in the readings of `zwave://devices`.
        let event = match self {
            Self::Motion => "motion",
            Self::Smoke => "smoke",
            Self::Leak => "leak",
            Self::CarbonMonoxide => "carbon monoxide",
        };
        senses(facts, Some(event)).filter(|_| facts.listed.responding)
    }
}

impl Property {
    /// Returns a device's readings of this property, recognized by their units.
    pub(super) fn readings(self, facts: &PublishedDevice) -> Vec<Measure<'_>> {
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
                let level = facts.battery.map(|charge| (charge.into(), "%"));
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
            Measurement::Measured { value, unit, .. } => Some((*value, unit.as_str())),
            Measurement::Sensed { .. } => None,
        });
        let has_unit = |(_, unit): &Measure| units.is_empty() || units.contains(unit);
        readings.filter(has_unit).collect()
    }
}
