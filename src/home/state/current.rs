//! Facts as single values, for a page that draws controls.

use serde::Serialize;

use crate::home::color::Color;
use crate::home::fact::{Barrier, Fact};
use crate::home::text;

/// The states of a device's controls, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Current {
    /// True if the device is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// The brightness or speed in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The position in percent; 100 is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u8>,
    /// The position of the slats in percent; 100 is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slats: Option<u8>,
    /// "opening" or "closing", if the device reports that it moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moving: Option<&'static str>,
    /// True if a sensor or a valve is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<bool>,
    /// True if a lock is locked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// True if the door that a lock sits on is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub door_open: Option<bool>,
    /// A thermostat's mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The temperature that a thermostat is set to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// The temperature that a thermostat heats to, if it cools too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_low: Option<f64>,
    /// The temperature that a thermostat cools to, if it heats too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_high: Option<f64>,
    /// The unit of the temperatures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// A light's color as `#rrggbb`; `None` for a white.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

impl Current {
    /// Collects the facts about controls, the first of each sort. Returns `None` if there are none.
    pub fn of(facts: &[Fact]) -> Option<Self> {
        let mut current = Self::default();
        // In reverse, so that the first fact overwrites later ones.
        for fact in facts.iter().rev() {
            current.set(fact);
        }
        (current != Self::default()).then_some(current)
    }

    fn set(&mut self, fact: &Fact) {
        match fact {
            Fact::Switched(on) => self.on = Some(*on),
            Fact::Level(level) => {
                self.on = Some(true);
                self.level = Some(level.get());
            }
            Fact::Position(position) => self.position = Some(position.get()),
            Fact::Slats(position) => self.slats = Some(position.get()),
            Fact::Barrier(Barrier::Opening) => self.moving = Some("opening"),
            Fact::Barrier(Barrier::Closing) => self.moving = Some("closing"),
            Fact::Open(open) => self.open = Some(*open),
            Fact::Tilted => self.open = Some(true),
            Fact::Locked(locked) => self.locked = Some(*locked),
            Fact::DoorOpen(open) => self.door_open = Some(*open),
            Fact::Mode(name) => self.mode = Some(text::word(name)),
            Fact::SetTo { degrees, unit, .. } => {
                self.target = Some(*degrees);
                self.unit = Some(text::word(unit));
            }
            Fact::SetBetween(low, high, unit) => {
                self.target_low = Some(*low);
                self.target_high = Some(*high);
                self.unit = Some(text::word(unit));
            }
            Fact::Color(Color::Rgb(red, green, blue)) => {
                self.color = Some(format!("#{red:02x}{green:02x}{blue:02x}"));
            }
            _ => {}
        }
    }
}
