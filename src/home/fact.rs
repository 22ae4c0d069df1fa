//! Facts about devices. Text from the wire is made safe to show.

use ecow::EcoString;

use super::color::Color;
use super::model::quantity::Percent;
use super::text;

/// A fact about a device. All facts but [`Responding`](Self::Responding) come from the device's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// On or off.
    Switched(bool),
    /// On at a brightness or speed.
    Level(Percent),
    /// The position of a cover or barrier; 100 % is open.
    Position(Percent),
    /// The position of a cover's slats; 100 % is open.
    Slats(Percent),
    /// The main state is unknown. The text says what is unknown: "position" or "state".
    Unknown(&'static str),
    /// Open or closed, as a sensor or a valve reports it.
    Open(bool),
    /// Tilted, like a window that lets in air.
    Tilted,
    /// A barrier that moves or has stopped half-way.
    Barrier(Barrier),
    /// Locked or unlocked.
    Locked(bool),
    /// The state of the door that a lock sits on.
    DoorOpen(bool),
    /// A thermostat's mode, in the gateway's words.
    Mode(EcoString),
    /// The mode of a thermostat's fan, in the gateway's words.
    FanMode(EcoString),
    /// The temperature that a thermostat or radiator valve is set to.
    SetTo {
        /// The degrees.
        degrees: f64,
        /// The unit.
        unit: EcoString,
        /// Heating or cooling, if the thermostat does both in its current mode.
        side: Option<Side>,
    },
    /// The temperatures that a thermostat heats to and cools to, and their unit.
    SetBetween(f64, f64, EcoString),
    /// The activity of a thermostat, in the gateway's words.
    Operating(EcoString),
    /// The color of a light.
    Color(Color),
    /// A measurement.
    Measured {
        /// The name of the measured quantity or of the sensor, in lower case ("air temperature").
        what: EcoString,
        /// The number.
        value: f64,
        /// The unit, as the gateway spells it; may be empty.
        unit: EcoString,
    },
    /// Something that a sensor detects or does not detect.
    Sensed {
        /// The thing to detect, in lower case ("motion").
        what: &'static str,
        /// True if the thing is detected.
        detected: bool,
    },
    /// The battery's charge in percent, for remotes and keypads.
    Battery(u8),
    /// An unusual state, in the gateway's words.
    Notified(EcoString),
    /// True if the device responds. Occurs only in the record of changes.
    Responding(bool),
}

/// The thing that a sensor of an unknown type detects.
pub const TRIGGER: &str = "trigger";

/// The thing that an input of a module detects: whatever its owner has connected.
pub const INPUT: &str = "input";

/// The purpose of a setpoint, if the thermostat both heats and cools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names explain themselves.
pub enum Side {
    Heating,
    Cooling,
}

/// The state of a barrier between open and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names explain themselves.
pub enum Barrier {
    Closing,
    Stopped,
    Opening,
}

impl Fact {
    /// Makes the text from the wire safe to show. Returns `None` if a text other than a unit becomes empty.
    pub(super) fn into_clean(mut self) -> Option<Self> {
        let is_empty = match &mut self {
            Self::Mode(words)
            | Self::FanMode(words)
            | Self::Operating(words)
            | Self::Notified(words) => {
                text::clean_word(words);
                words.is_empty()
            }
            Self::SetTo { unit, .. } | Self::SetBetween(_, _, unit) => {
                text::clean_word(unit);
                false
            }
            Self::Measured { what, unit, .. } => {
                text::clean_name(what);
                text::clean_word(unit);
                what.is_empty()
            }
            _ => false,
        };
        (!is_empty).then_some(self)
    }
}

/// Returns true for a name such as "Unknown (0x2a)", which the gateway gives to states and types that it does
/// not know.
pub(super) fn is_unknown_name(text: &str) -> bool {
    text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("unknown"))
}
