//! What a value is (its metadata) and what was last heard of it (its reading).

use super::ids::ValueId;
use super::quantity::Percent;

/// What a value reads, or what is written to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// true or false.
    Bool(bool),
    /// Any number; levels are 0 to 99, or 255 for "as before".
    Number(f64),
    /// A word, such as a bolt's "locked" or a colour's "ff8800".
    Text(Box<str>),
    /// The lamps of a colour light.
    Components(Components),
    /// Something with parts of its own that nothing here reads (durations, lists).
    Other,
}

/// The lamps of a colour light, 0 to 255 each, by Color Switch component: 0 warm white, 1 cold
/// white, 2 red, 3 green, 4 blue. None is a lamp that the light does not have, or that does not
/// matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Components(pub [Option<u8>; 5]);

impl Components {
    /// The names zwave-js gives them, by component.
    pub const NAMES: [&str; 5] = ["warmWhite", "coldWhite", "red", "green", "blue"];

    /// Whether every lamp that matters here shines like that there.
    pub fn shines_like(self, other: Self) -> bool {
        let mut lamps = self.0.into_iter().zip(other.0);
        lamps.all(|(wanted, shines)| wanted.is_none() || wanted == shines)
    }

    /// Red, green and blue, where all three are known.
    pub fn rgb(self) -> Option<(u8, u8, u8)> {
        let [_, _, red, green, blue] = self.0;
        Some((red?, green?, blue?))
    }
}

/// The mode of a lock that is secured.
pub const SECURED: f64 = 255.0;

/// The modes of a lock that is not secured: from both sides, from inside, from outside, each with
/// and without a time after which it locks itself (`docs/GATEWAY.md#values`; zwave-js,
/// `DoorLockMode`).
pub const UNSECURED: [f64; 6] = [0.0, 1.0, 32.0, 33.0, 16.0, 17.0];

impl Reading {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether a switch or a level is on, 255 among the levels: it says only that. None for what is
    /// no level, such as 254, a device's own word for unknown.
    pub fn is_on(&self) -> Option<bool> {
        match self {
            Self::Bool(on) => Some(*on),
            Self::Number(255.0) => Some(true),
            Self::Number(level) => Percent::of_level(*level).map(|_| *level > 0.0),
            _ => None,
        }
    }

    /// Returns whether a lock is locked; none for 254, a lock's own word for unknown.
    pub fn is_locked(&self) -> Option<bool> {
        match self {
            Self::Bool(locked) => Some(*locked),
            Self::Number(SECURED) => Some(true),
            Self::Number(mode) => UNSECURED.contains(mode).then_some(false),
            _ => None,
        }
    }

    /// The flag, if it is one.
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<bool> for Reading {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<f64> for Reading {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// One of the named states of a value, such as a thermostat's 1 = "Heat".
#[derive(Clone, Debug, PartialEq)]
pub struct NamedState {
    /// The number on the wire.
    pub number: i64,
    /// What the gateway calls it.
    pub text: Box<str>,
}

/// What the gateway says about a value, apart from what it reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Whether it can be read.
    pub readable: bool,
    /// Whether it can be written.
    pub writeable: bool,
    /// Whether it is true or false and nothing else.
    pub boolean: bool,
    /// The smallest number allowed; 0 for many values that have no real limit
    /// (`docs/GATEWAY.md#values-out-of-range`).
    pub min: Option<f64>,
    /// The largest number allowed.
    pub max: Option<f64>,
    /// By how much two neighbouring numbers differ, where the gateway says it.
    pub step: Option<f64>,
    /// The unit, as the gateway spells it ("°C", "Lux", "W").
    pub unit: Option<Box<str>>,
    /// The gateway's label for the value.
    pub label: Option<Box<str>>,
    /// Its named states; where there are any, no other number exists.
    pub states: Box<[NamedState]>,
}

impl Meta {
    /// The smallest and the largest number allowed; limits that leave nothing between them are none.
    pub fn limits(&self) -> (Option<f64>, Option<f64>) {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min > max => (None, None),
            limits => limits,
        }
    }

    /// The name of a state.
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
    /// Which one.
    pub id: ValueId,
    /// What it is.
    pub meta: Meta,
    /// What was last heard of it; nothing until the device has said something.
    pub reading: Option<Reading>,
    /// What stands behind this reading.
    pub evidence: Evidence,
}

/// What stands behind a reading, the best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The device said so, as far as anybody knows.
    #[default]
    Reported,
    /// It is from before the gateway began anew, and the device was not heard since: the gateway tells
    /// what it kept in a file (`docs/GATEWAY.md#liveness`).
    LastKnown,
    /// The gateway made it up: it published what a write without supervision asked for, and the device
    /// has not been heard since (`docs/GATEWAY.md#optimistic-values`).
    Guessed,
}

impl Value {
    /// The number that it reads, if it reads one.
    pub fn number(&self) -> Option<f64> {
        self.reading.as_ref()?.number()
    }
}

/// A value to write, once.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The value; always one that can be written.
    pub target: ValueId,
    /// What to write; always within the value's own range, type and states, because zwave-js-ui
    /// lets anything through (`docs/GATEWAY.md#values-out-of-range`).
    pub value: Reading,
}
