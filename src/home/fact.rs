//! One thing that a device reports.

use super::color::Color;
use super::model::quantity::Percent;
use super::text;

/// One thing a device reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// On or off.
    Switched(bool),
    /// On at a brightness or speed.
    Level(Percent),
    /// How far open a cover or barrier is.
    Position(Percent),
    /// How far open the slats of a cover are, beside its position.
    Slats(Percent),
    /// The main state was never heard, or the device does not know it: what of it ("position").
    Unknown(&'static str),
    /// Open or closed, sensed.
    Open(bool),
    /// A window that is tilted: open, and no thief's.
    Tilted,
    /// A barrier on its way, or stopped half-way.
    Barrier(Barrier),
    /// Locked or not.
    Locked(bool),
    /// The door that a lock sits on.
    DoorOpen(bool),
    /// A thermostat's mode, in the gateway's words.
    Mode(String),
    /// The mode of a thermostat's fan, in the gateway's words.
    FanMode(String),
    /// The temperature that a thermostat or radiator valve is set to.
    SetTo {
        /// The degrees.
        degrees: f64,
        /// Their unit.
        unit: String,
        /// The side of the room's temperature that it is for, if there are two.
        side: Option<Side>,
    },
    /// What a thermostat heats to and cools to, and the unit.
    SetBetween(f64, f64, String),
    /// What a thermostat does at the moment, in the gateway's words.
    Operating(String),
    /// The colour of a light.
    Color(Color),
    /// A number with its unit; the name says what is measured, where the unit does not.
    Measured {
        /// What is measured, in lower case ("air temperature").
        what: String,
        /// The number.
        value: f64,
        /// The unit, as the gateway spells it; may be empty.
        unit: String,
    },
    /// Something sensed, and whether it is there ("motion", true).
    Sensed {
        /// What is sensed, in lower case.
        what: &'static str,
        /// Whether it is there.
        there: bool,
    },
    /// A battery's charge in percent, for what has nothing else to tell.
    Battery(u8),
    /// Something out of the ordinary, in the gateway's own words.
    Said(String),
}

/// The side of the room's temperature that a setpoint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Side {
    Heating,
    Cooling,
}

/// What a barrier does between open and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Barrier {
    Closing,
    Stopped,
    Opening,
}

impl Fact {
    /// The fact with words from the wire as they can be shown; none where nothing is left of them.
    pub(super) fn tellable(self) -> Option<Self> {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let word = |text: String| some(text::word(&text));
        Some(match self {
            Self::Mode(name) => Self::Mode(word(name)?),
            Self::Operating(name) => Self::Operating(word(name)?),
            Self::Said(words) => Self::Said(word(words)?),
            Self::FanMode(name) => Self::FanMode(word(name)?),
            Self::SetTo {
                degrees,
                unit,
                side,
            } => Self::SetTo {
                degrees,
                unit: text::word(&unit),
                side,
            },
            Self::SetBetween(low, high, unit) => Self::SetBetween(low, high, text::word(&unit)),
            Self::Measured { what, value, unit } => Self::Measured {
                what: some(text::name(&what))?,
                value,
                unit: text::word(&unit),
            },
            other => other,
        })
    }
}

/// Whether a text of the gateway's tells a person nothing: a number that it has no name for.
pub(super) fn means_nothing(text: &str) -> bool {
    text.to_lowercase().starts_with("unknown")
}
