//! Interprets what a device reports about the state that a step changes. For a toggle, the report says
//! whether the device is on. For a change up or down, the report gives the number to start from.

use super::position::level_of;
use super::{Fact, Goal, Percent, Reading, Step};
use crate::goal::StateReport;
use crate::outcome::{CommandFailure, Outcome, RangeEnd};
use crate::plan::Adjust;

impl Step {
    /// Converts a reading of the device's state to a fact. Returns `None` if the reading encodes "unknown" or
    /// is invalid.
    pub fn fact(&self, reading: &Reading) -> Option<Fact> {
        self.meaning.fact(reading, &self.meta)?.into_clean()
    }

    /// Converts the goal to a fact. Returns `None` for standstill, which any position meets.
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

    /// Returns true if the report says that the device is on or open, and `None` if the report does not tell.
    /// While the device moves, its target counts.
    pub fn is_on(&self, report: &StateReport) -> Option<bool> {
        match self.fact(report.heading()?)? {
            Fact::Switched(on) | Fact::Open(on) => Some(on),
            Fact::Color(_) => Some(true),
            Fact::Level(percent) | Fact::Position(percent) => Some(percent.get() > 0),
            _ => None,
        }
    }
}

impl Adjust {
    /// Computes the write from the device's report. While the device moves, its target counts.
    ///
    /// # Errors
    /// Returns the outcome if there is nothing to write: the device is at a limit, off, or in an unknown state.
    pub fn resolve(&self, report: &StateReport) -> Result<Step, Outcome> {
        const UNKNOWN: Outcome = Outcome::Failed(CommandFailure::StateUnknown);
        let heading = report.heading().and_then(|heading| self.step.fact(heading));
        let fact = heading.ok_or(UNKNOWN)?;
        if fact == Fact::Switched(false) {
            return Err(Outcome::Failed(CommandFailure::IsOff));
        }
        let current = amount(&fact).ok_or(UNKNOWN)?;
        let (min, max) = (*self.limits.start(), *self.limits.end());
        let wanted = (current + self.by).min(max).max(min);
        // A device that is outside of the limits must not be moved in the wrong direction.
        let is_forward = (wanted - current) * self.by > 0.0;
        if !is_forward {
            let current = report.current.as_ref().and_then(|reading| self.step.fact(reading));
            let target = Some(fact);
            // What still moves to the end of its range is not there.
            return Err(if current == target {
                Outcome::Confirmed(target)
            } else {
                Outcome::Moving { current, target }
            });
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
            (_, None) => return Err(UNKNOWN),
        };
        let mut step = self.step.clone();
        step.write.value = value.into();
        step.goal = goal;
        step.is_adjustment = true;
        Ok(step)
    }

    /// Returns the end of the range in the direction of this adjustment, if a device in this state has reached it.
    pub fn end_at(&self, fact: &Fact) -> Option<RangeEnd> {
        let amount = amount(fact)?;
        if self.by > 0.0 {
            (amount >= *self.limits.end()).then_some(RangeEnd::Max)
        } else {
            (amount <= *self.limits.start()).then_some(RangeEnd::Min)
        }
    }
}

/// Returns the percentage or the degrees that an adjustment changes.
fn amount(fact: &Fact) -> Option<f64> {
    match fact {
        Fact::Level(percent) | Fact::Position(percent) => Some(f64::from(percent.get())),
        Fact::SetTo { degrees, .. } => Some(*degrees),
        _ => None,
    }
}
