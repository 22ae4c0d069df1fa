//! The same facts as single values, for whoever draws a control of a device.

use serde::Serialize;

use crate::home::color::Color;
use crate::home::fact::{Barrier, Fact};
use crate::home::text;

/// What is known of where a device's controls stand. What is not known is not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Current {
    /// It is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// How bright or fast it is while it is on, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// How far open it is, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u8>,
    /// How far open its slats are, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slats: Option<u8>,
    /// Where it is on its way to, as far as it says so itself: "opening" or "closing".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moving: Option<&'static str>,
    /// It is open, sensed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<bool>,
    /// It is locked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// The door that a lock sits on is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub door_open: Option<bool>,
    /// A thermostat's mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// What it is set to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// What it heats to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_low: Option<f64>,
    /// What it cools to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_high: Option<f64>,
    /// The unit of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Its colour, as `#rrggbb`; a white lamp alone has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

impl Current {
    /// What facts tell, the first of each sort; none where they tell nothing of any control.
    pub fn of(facts: &[Fact]) -> Option<Self> {
        let mut current = Self::default();
        // The last word counts, and is the first fact's.
        for fact in facts.iter().rev() {
            current.learn(fact);
        }
        (current != Self::default()).then_some(current)
    }

    fn learn(&mut self, fact: &Fact) {
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
            Fact::Barrier(Barrier::Stopped)
            | Fact::Color(Color::White(_))
            | Fact::Unknown(_)
            | Fact::Operating(_)
            | Fact::FanMode(_)
            | Fact::Measured { .. }
            | Fact::Sensed { .. }
            | Fact::Battery(_)
            | Fact::Said(_) => {}
        }
    }
}
