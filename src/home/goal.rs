//! The state that a write must lead to, and what a device reports about it.

use std::time::Duration;

use super::model::value::{Components, Reading};

/// The state that proves a write: a predicate of the device's own reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// On: true, or any level above 0.
    On,
    /// Off: false, or level 0.
    Off,
    /// A level of 0 to 99, within one step, but never on for off or off for on.
    Level(u8),
    /// The position of something that takes its time, such as a blind: as with a level.
    Position(u8),
    /// A state by its number, such as a thermostat's mode.
    State(u8),
    /// A lock is secured: mode 255, or locked.
    Locked,
    /// A lock is in any mode that is not secured.
    Unlocked,
    /// A barrier is open: state 255.
    Opened,
    /// A barrier is closed: state 0.
    Closed,
    /// A temperature.
    Degrees {
        /// The degrees, in the device's unit.
        wanted: f64,
        /// How far from it the device may round it.
        within: f64,
    },
    /// The lamps of a colour light.
    Color(Components),
    /// Not moving, wherever that is.
    Standstill,
}

impl Goal {
    /// On or off.
    pub fn switched(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }

    /// Returns true if a reading is this state.
    pub fn is_met_by(self, reading: &Reading) -> bool {
        match (self, reading) {
            (Self::On, switch) => switch.is_on() == Some(true),
            (Self::Off, switch) => switch.is_on() == Some(false),
            (Self::Level(wanted) | Self::Position(wanted), Reading::Number(level)) => {
                let wanted = f64::from(wanted);
                (level - wanted).abs() <= 1.0 && (*level == 0.0) == (wanted == 0.0)
            }
            (Self::State(wanted), Reading::Number(state)) => *state == f64::from(wanted),
            (Self::Locked, lock) => lock.is_locked() == Some(true),
            (Self::Unlocked, lock) => lock.is_locked() == Some(false),
            (Self::Opened, Reading::Number(state)) => *state == 255.0,
            (Self::Closed, Reading::Number(state)) => *state == 0.0,
            (Self::Degrees { wanted, within }, Reading::Number(degrees)) => {
                (degrees - wanted).abs() <= within + f64::EPSILON * 64.0
            }
            (Self::Color(wanted), Reading::Components(shines)) => wanted.shines_like(*shines),
            _ => false,
        }
    }

    /// Returns true if a reading encodes "unknown", such as a lock's mode 254, or is no level.
    pub fn is_unknown(self, reading: &Reading) -> bool {
        match (self, reading) {
            (Self::Locked | Self::Unlocked, Reading::Number(mode)) => *mode == 254.0,
            (Self::On | Self::Off | Self::Level(_) | Self::Position(_), Reading::Number(_)) => {
                reading.is_on().is_none()
            }
            _ => false,
        }
    }

    /// The level to reach, if the state is one.
    pub fn level(self) -> Option<u8> {
        match self {
            Self::Level(level) | Self::Position(level) => Some(level),
            Self::Off => Some(0),
            _ => None,
        }
    }

    /// Returns true if a device may pass other states on its way to it.
    pub fn is_gradual(self) -> bool {
        matches!(
            self,
            Self::On | Self::Off | Self::Level(_) | Self::Position(_) | Self::Standstill
        )
    }

    /// Returns true if a device takes its time, and some report nothing before they arrive.
    pub fn travels(self) -> bool {
        matches!(self, Self::Position(_))
    }

    /// Returns true for a bolt, which may jam after the lock said that it is done.
    pub fn may_jam(self) -> bool {
        matches!(self, Self::Locked | Self::Unlocked)
    }
}

/// How long a device says it still needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remaining {
    /// About this long, in whole seconds or minutes; 0 is standstill.
    Known(Duration),
    /// It is on its way and does not know how long (zwave-js Duration "unknown").
    Unknown,
}

impl Remaining {
    /// Returns true unless it stands still.
    pub fn is_moving(self) -> bool {
        self != Self::Known(Duration::ZERO)
    }
}

/// A device's own answer to a question (`docs/GATEWAY.md#asking-the-device`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateReport {
    /// The state it is in.
    pub current: Option<Reading>,
    /// The state it is going to, where its report says.
    pub target: Option<Reading>,
    /// How long it still needs, where its report says.
    pub remaining: Option<Remaining>,
}

impl StateReport {
    /// Returns true if it proves that a goal is reached. Standstill is proven by the device's word that
    /// it needs no more time, or that it is where it is going.
    pub fn proves(&self, goal: Goal) -> bool {
        let Some(current) = &self.current else {
            return false;
        };
        if goal == Goal::Standstill {
            let still = self.remaining == Some(Remaining::Known(Duration::ZERO));
            return still
                || self.target.as_ref().filter(|at| at.is_on().is_some()) == Some(current);
        }
        if goal == Goal::On {
            return goal.is_met_by(current) && self.stands() && !self.aims_elsewhere(goal);
        }
        goal.is_met_by(current) && !self.leaves(goal)
    }

    /// Returns true if nothing in it says that the device moves: it is where it is going, or tells
    /// neither a target nor a time that it needs.
    fn stands(&self) -> bool {
        let number = |reading: &Option<Reading>| reading.as_ref().and_then(Reading::number);
        match (number(&self.current), number(&self.target)) {
            (Some(current), Some(target)) => (current - target).abs() <= 1.0 || target > 100.0,
            _ => !self.remaining.is_some_and(Remaining::is_moving),
        }
    }

    /// The state that it is going to while it moves, and the one it is in otherwise.
    pub fn heading(&self) -> Option<&Reading> {
        let moves = self.remaining.is_some_and(Remaining::is_moving);
        let target = self.target.as_ref().filter(|_| moves);
        target.or(self.current.as_ref())
    }

    /// Returns true if its target is another state than the goal.
    pub fn aims_elsewhere(&self, goal: Goal) -> bool {
        let target = self.target.as_ref();
        target.is_some_and(|target| !goal.is_met_by(target))
    }

    /// Returns true if it says that the device stands: it needs no more time, or is where it is going.
    pub fn stands_still(&self) -> bool {
        let number = |reading: &Option<Reading>| reading.as_ref().and_then(Reading::number);
        let arrived = match (number(&self.current), number(&self.target)) {
            (Some(current), Some(target)) => (current - target).abs() <= 1.0,
            _ => false,
        };
        arrived || self.remaining == Some(Remaining::Known(Duration::ZERO))
    }

    /// Returns true if the device is on its way to another state: a lamp that fades out is not on,
    /// however bright it still is.
    pub fn leaves(&self, goal: Goal) -> bool {
        self.aims_elsewhere(goal) && self.remaining.is_some_and(Remaining::is_moving)
    }

    /// Returns true if the device is on its way to the goal: that is its target, it is not there yet,
    /// and it needs time. A barrier says so by its state: 254 opening, 252 closing
    /// (`docs/GATEWAY.md#values`). A dimmer that is on at another level than its target is on its
    /// way to "on".
    pub fn moves_to(&self, goal: Goal) -> bool {
        match (goal, &self.current) {
            (Goal::Opened, Some(Reading::Number(254.0)))
            | (Goal::Closed, Some(Reading::Number(252.0))) => return true,
            (Goal::On, Some(current)) if goal.is_met_by(current) => {
                return !self.aims_elsewhere(goal) && !self.stands();
            }
            _ => {}
        }
        let heads_there = self
            .target
            .as_ref()
            .is_some_and(|target| goal.is_met_by(target) || goal == Goal::Standstill);
        !self.proves(goal) && heads_there && self.remaining.is_some_and(Remaining::is_moving)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_is_any_level_above_zero() {
        assert!(Goal::On.is_met_by(&Reading::Number(1.0)));
        assert!(Goal::On.is_met_by(&Reading::Bool(true)));
        assert!(!Goal::On.is_met_by(&Reading::Number(0.0)));
        assert!(!Goal::On.is_met_by(&Reading::Text("on".into())));
    }

    #[test]
    fn a_level_is_reached_within_a_step_but_off_is_never_on() {
        assert!(Goal::Level(50).is_met_by(&Reading::Number(49.0)));
        assert!(!Goal::Level(50).is_met_by(&Reading::Number(48.0)));
        assert!(!Goal::Level(1).is_met_by(&Reading::Number(0.0)));
        assert!(!Goal::Level(0).is_met_by(&Reading::Number(1.0)));
    }

    #[test]
    fn a_report_of_a_ramp_says_that_it_moves() {
        // A dimmer that was asked at once after a write (docs/GATEWAY.md).
        let mut report = StateReport {
            current: Some(97.0.into()),
            target: Some(30.0.into()),
            remaining: Some(Remaining::Known(Duration::from_secs(4))),
        };
        assert!(report.moves_to(Goal::Level(30)));
        assert!(!report.moves_to(Goal::Level(60)), "it goes somewhere else");
        report.remaining = Some(Remaining::Known(Duration::ZERO));
        assert!(!report.moves_to(Goal::Level(30)), "it stands still");
    }
}
