//! Interprets a device's answer to a planned step: as a fact, as the state to toggle, or as the value to
//! step from.

use super::position::level_of;
use crate::home::fact::Fact;
use crate::home::goal::{Goal, StateReport};
use crate::home::model::quantity::Percent;
use crate::home::model::value::Reading;
use crate::home::outcome::CommandFailure;
use crate::home::plan::{Adjust, Adjusted, End, Step};

impl Step {
    /// Converts a reading of the device's state to a fact. Returns `None` if it encodes "unknown" or is
    /// invalid.
    pub fn fact(&self, reading: &Reading) -> Option<Fact> {
        self.meaning.fact(reading, &self.meta)?.into_clean()
    }

    /// Converts the goal to a fact. Returns `None` for standstill, which has no single state.
    pub fn goal_fact(&self) -> Option<Fact> {
        let reading = match self.goal {
            Goal::On | Goal::Locked | Goal::Opened => Reading::Number(255.0),
            Goal::Off | Goal::Unlocked | Goal::Closed => Reading::Number(0.0),
            Goal::Level(level) | Goal::Position(level) | Goal::State(level) => {
                Reading::Number(f64::from(level))
            }
            Goal::Degrees { wanted, .. } => Reading::Number(wanted),
            Goal::Color(lamps) => Reading::Components(lamps),
            Goal::Standstill => return None,
        };
        self.fact(&reading)
    }

    /// Returns true if the report says that the device is on or open, and `None` if the report does not
    /// say. While the device moves, its target counts.
    pub fn is_on(&self, report: &StateReport) -> Option<bool> {
        match self.fact(report.heading()?)? {
            Fact::Switched(on) | Fact::Open(on) => Some(on),
            Fact::Level(percent) | Fact::Position(percent) => Some(percent.get() > 0),
            _ => None,
        }
    }
}

impl Adjust {
    /// Computes the write from the state that the device reports. While the device moves, its target
    /// counts.
    ///
    /// # Errors
    /// Fails if the device is off or its state is unknown.
    pub fn resolve(&self, report: &StateReport) -> Result<Adjusted, CommandFailure> {
        let heading = report.heading().and_then(|heading| self.step.fact(heading));
        let fact = heading.ok_or(CommandFailure::StateUnknown)?;
        let current = match &fact {
            Fact::Level(percent) | Fact::Position(percent) => f64::from(percent.get()),
            Fact::SetTo { degrees, .. } => *degrees,
            Fact::Switched(false) => return Err(CommandFailure::IsOff),
            _ => return Err(CommandFailure::StateUnknown),
        };
        let (min, max) = (*self.limits.start(), *self.limits.end());
        let wanted = (current + self.by).min(max).max(min);
        // A device that is outside of the limits is never moved in the opposite direction.
        let is_forward = (wanted - current) * self.by > 0.0;
        if !is_forward {
            return Ok(Adjusted::AtEnd(fact));
        }
        let (value, goal) = match (self.step.goal, Percent::new(wanted)) {
            (Goal::Degrees { within, .. }, _) => {
                let wanted = (wanted * 10.0).round() / 10.0;
                (wanted, Goal::Degrees { wanted, within })
            }
            (Goal::Position(_), Some(percent)) => {
                let level = level_of(percent, self.step.meaning);
                (f64::from(level), Goal::Position(level))
            }
            (_, Some(percent)) => (f64::from(percent.level()), Goal::Level(percent.level())),
            (_, None) => return Err(CommandFailure::StateUnknown),
        };
        let mut step = self.step.clone();
        step.write.value = value.into();
        step.goal = goal;
        Ok(Adjusted::Write(Box::new(step)))
    }

    /// Returns the limit that a device with this fact has reached in the direction of the adjustment, if
    /// any.
    pub fn reached_end(&self, fact: &Fact) -> Option<End> {
        let number = match fact {
            Fact::Level(percent) | Fact::Position(percent) => f64::from(percent.get()),
            Fact::SetTo { degrees, .. } => *degrees,
            _ => return None,
        };
        if self.by > 0.0 {
            (number >= *self.limits.end()).then_some(End::Most)
        } else {
            (number <= *self.limits.start()).then_some(End::Least)
        }
    }
}
