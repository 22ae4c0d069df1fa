//! Values of nodes: their metadata, their last reading, and writes to them.

use derive_more::From;
use serde::{Deserialize, Serialize};

use super::ids::ValueId;
use super::quantity::Percent;

/// The content of a value, as a device reports it or as it is written.
#[derive(Clone, Debug, PartialEq, From)]
pub enum Reading {
    /// True or false.
    #[from]
    Bool(bool),
    /// A number. Levels are 0 to 99, or 255 for "on at the previous level".
    #[from]
    Number(f64),
    /// A text, such as a bolt's "locked" or the color "ff8800".
    Text(Box<str>),
    /// The levels of a color light's lamps.
    Components(ColorComponents),
    /// A structure that is not interpreted, such as a duration or a list.
    Other,
}

/// The levels of a color light's lamps, 0 to 255, by Color Switch component: 0 warm white, 1 cold white, 2 red,
/// 3 green, 4 blue. `None` if the light lacks the lamp, or if the lamp's level does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorComponents(pub [Option<u8>; 5]);

impl ColorComponents {
    /// The names that zwave-js gives the components.
    pub const NAMES: [&str; 5] = ["warmWhite", "coldWhite", "red", "green", "blue"];

    /// Returns true if `other` has the same level for every lamp that has a level in `self`.
    pub fn is_met_by(self, other: Self) -> bool {
        self.0
            .into_iter()
            .zip(other.0)
            .all(|(wanted, level)| wanted.is_none() || wanted == level)
    }

    /// Returns red, green and blue, if the levels of all three are known.
    pub fn rgb(self) -> Option<(u8, u8, u8)> {
        let [_, _, red, green, blue] = self.0;
        Some((red?, green?, blue?))
    }
}

/// The mode of a secured lock.
pub const SECURED: f64 = 255.0;

/// The modes of an unsecured lock, in order of preference: open from both sides, from outside, from inside. Each
/// comes without and with a timeout after which the lock secures itself (zwave-js, `DoorLockMode`).
pub const UNSECURED: [f64; 6] = [0.0, 1.0, 32.0, 33.0, 16.0, 17.0];

impl Reading {
    /// Returns the number, if the reading is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns true if a switch or a level is on. The level 255 is on, too. Returns `None` for other numbers outside
    /// 0 to 100, such as 254, which encodes "unknown".
    pub fn is_on(&self) -> Option<bool> {
        match self {
            Self::Bool(on) => Some(*on),
            Self::Number(255.0) => Some(true),
            Self::Number(level) => Percent::from_level(*level).map(|_| *level > 0.0),
            _ => None,
        }
    }

    /// Returns true if a lock is locked. Returns `None` for any mode that is neither [`SECURED`] nor in
    /// [`UNSECURED`], such as 254, which encodes "unknown".
    pub fn is_locked(&self) -> Option<bool> {
        match self {
            Self::Bool(locked) => Some(*locked),
            Self::Number(SECURED) => Some(true),
            Self::Number(mode) => UNSECURED.contains(mode).then_some(false),
            _ => None,
        }
    }

    /// Returns the text, if the reading is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A named state of a value, such as a thermostat's 1 = "Heat".
#[derive(Clone, Debug, PartialEq)]
pub struct NamedState {
    /// The number on the wire.
    pub number: i64,
    /// The gateway's name for the state.
    pub text: Box<str>,
}

/// The metadata of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// True if the value can be read.
    pub readable: bool,
    /// True if the value can be written.
    pub writeable: bool,
    /// True if the value is a boolean.
    pub boolean: bool,
    /// The smallest number allowed. It is 0 for many values without a real limit
    /// (`docs/dev/GATEWAY.md#values-out-of-range`).
    pub min: Option<f64>,
    /// The largest number allowed.
    pub max: Option<f64>,
    /// The step between valid numbers, if the gateway knows it.
    pub step: Option<f64>,
    /// The unit, as the gateway spells it ("°C", "Lux", "W").
    pub unit: Option<Box<str>>,
    /// The gateway's label for the value.
    pub label: Option<Box<str>>,
    /// The named states. If there are any, only their numbers are valid. Levels are an exception: their states
    /// name only the ends of the range.
    pub states: Box<[NamedState]>,
}

impl Meta {
    /// Returns the smallest and the largest number allowed. Limits that contradict each other are
    /// ignored.
    pub fn limits(&self) -> (Option<f64>, Option<f64>) {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min > max => (None, None),
            limits => limits,
        }
    }

    /// Returns the name of a state.
    pub fn state(&self, number: f64) -> Option<&str> {
        self.states
            .iter()
            .find(|state| state.number as f64 == number)
            .map(|state| &*state.text)
    }
}

/// A value of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The id.
    pub id: ValueId,
    /// The metadata.
    pub meta: Meta,
    /// The last reading, if the gateway has one.
    pub reading: Option<Reading>,
    /// The evidence for the reading.
    pub evidence: Evidence,
    /// The changes at each gateway are numbered. This is the number of the last visible change of the reading
    /// or its evidence.
    pub changed: u32,
}

/// The evidence for a reading, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Evidence {
    /// The device reported the reading, as far as we know.
    #[default]
    #[serde(rename = "confirmed")]
    Reported,
    /// The device reported the reading, and is on its way to another state.
    #[serde(rename = "moving")]
    Moving,
    /// The reading is from before the gateway's restart, perhaps from the gateway's cache file. The device has not
    /// reported since (`docs/dev/GATEWAY.md#liveness`).
    #[serde(rename = "last known")]
    LastKnown,
    /// The reading may be the target of an unsupervised write. The device has not reported since
    /// (`docs/dev/GATEWAY.md#optimistic-values`).
    #[serde(rename = "not confirmed")]
    Guessed,
}

impl Value {
    /// Returns the reading, if it is a number.
    pub fn number(&self) -> Option<f64> {
        self.reading.as_ref()?.number()
    }
}

/// A write to a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The value to write to, which must be writeable.
    pub target: ValueId,
    /// The content. It must be within the value's range, type and states, because zwave-js-ui does not check this
    /// (`docs/dev/GATEWAY.md#values-out-of-range`).
    pub value: Reading,
}
