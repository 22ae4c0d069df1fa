//! Goals and state reports. A goal is the state that a write must lead to. A report can prove that a device
//! has reached a goal.

use std::time::Duration;

use super::model::value::{ColorComponents, Reading};

/// The state that a write must lead to, as a predicate of the device's reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// On: true, or any level above 0.
    On,
    /// Off: false, or level 0.
    Off,
    /// A level from 0 to 99. The reading may differ by 1, but 0 never counts as 1, and 1 never as 0.
    Level(u8),
    /// A level of a slow device, such as a blind. The reading may differ as for `Level`.
    Position(u8),
    /// A state by its number, such as a thermostat's mode.
    State(u8),
    /// A secured lock: mode 255, or true for "locked".
    Locked,
    /// An unsecured lock, in any of its modes.
    Unlocked,
    /// An open barrier: state 255.
    Opened,
    /// A closed barrier: state 0.
    Closed,
    /// A temperature.
    Degrees {
        /// The degrees, in the device's unit.
        wanted: f64,
        /// The largest difference that the device's rounding may make.
        within: f64,
    },
    /// Levels of the lamps of a color light.
    Color(ColorComponents),
    /// Standing still, at any position. No single reading meets this goal.
    Standstill,
}

impl Goal {
    /// Returns true if a reading meets this goal.
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
            // The added constant allows for rounding errors in the floating-point arithmetic.
            (Self::Degrees { wanted, within }, Reading::Number(degrees)) => {
                (degrees - wanted).abs() <= within + f64::EPSILON * 64.0
            }
            (Self::Color(wanted), Reading::Components(lamps)) => wanted.is_met_by(*lamps),
            _ => false,
        }
    }

    /// Returns true if a reading encodes "unknown": 254 for a goal of a lock, or an invalid number for on,
    /// off, a level or a position. Returns false for every other goal.
    pub fn is_unknown(self, reading: &Reading) -> bool {
        match (self, reading) {
            (Self::Locked | Self::Unlocked, Reading::Number(mode)) => *mode == 254.0,
            (Self::On | Self::Off | Self::Level(_) | Self::Position(_), Reading::Number(_)) => {
                reading.is_on().is_none()
            }
            _ => false,
        }
    }

    /// Returns the level that the goal asks for, if it asks for a single level.
    pub fn level(self) -> Option<u8> {
        match self {
            Self::Level(level) | Self::Position(level) => Some(level),
            Self::Off => Some(0),
            _ => None,
        }
    }

    /// Returns true if a device may pass through other states on its way to the goal.
    pub fn is_gradual(self) -> bool {
        matches!(
            self,
            Self::On | Self::Off | Self::Level(_) | Self::Position(_) | Self::Standstill
        )
    }

    /// Returns true for the goals of a lock. Its bolt may jam after the lock has reported success.
    pub fn may_jam(self) -> bool {
        matches!(self, Self::Locked | Self::Unlocked)
    }
}

/// The remaining time of a movement, as the device reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remaining {
    /// About this long, in whole seconds or minutes. Zero means that the device is not moving.
    Known(Duration),
    /// The device is moving, for an unknown time (zwave-js Duration "unknown").
    Unknown,
}

impl Remaining {
    /// Returns true unless the remaining time is zero.
    pub fn is_moving(self) -> bool {
        self != Self::Known(Duration::ZERO)
    }
}

/// A device's own answer to a query (`docs/dev/GATEWAY.md#asking-the-device`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateReport {
    /// The current state.
    pub current: Option<Reading>,
    /// The state that the device is moving to, if the report has it.
    pub target: Option<Reading>,
    /// The remaining time of the movement, if the report has it.
    pub remaining: Option<Remaining>,
}

impl StateReport {
    /// Returns true if the report proves that a goal is reached. Standstill is proven if no time remains,
    /// or if the device is at its target.
    pub fn proves(&self, goal: Goal) -> bool {
        let Some(current) = &self.current else {
            return false;
        };
        match goal {
            Goal::Standstill => {
                let target = self.target.as_ref().filter(|target| target.is_on().is_some());
                target == Some(current) || self.needs_no_time()
            }
            Goal::On => {
                goal.is_met_by(current) && !self.may_be_moving() && !self.has_other_target(goal)
            }
            _ => {
                // Rounding is tolerated only after the device has stopped.
                let is_exact = |level| *current == Reading::Number(f64::from(level));
                goal.is_met_by(current)
                    && !self.leaves(goal)
                    && (!self.is_moving() || goal.level().is_none_or(is_exact))
            }
        }
    }

    /// Returns the distance to the target, and the target. Returns `None` unless the report has the current
    /// state and the target as numbers.
    fn distance(&self) -> Option<(f64, f64)> {
        let number = |reading: &Option<Reading>| reading.as_ref().and_then(Reading::number);
        let target = number(&self.target)?;
        Some(((number(&self.current)? - target).abs(), target))
    }

    fn is_moving(&self) -> bool {
        self.remaining.is_some_and(Remaining::is_moving)
    }

    fn needs_no_time(&self) -> bool {
        self.remaining == Some(Remaining::Known(Duration::ZERO))
    }

    /// Returns true if the device is not at its target. If the report has no number for the current state or
    /// for the target, the remaining time decides.
    fn may_be_moving(&self) -> bool {
        match self.distance() {
            // A target above 100, such as 254 for "unknown", is not a level.
            Some((distance, target)) => distance > 1.0 && target <= 100.0,
            None => self.is_moving(),
        }
    }

    /// Returns the target if the report has it and the device is moving, and otherwise the current state.
    pub fn heading(&self) -> Option<&Reading> {
        let target = self.target.as_ref().filter(|_| self.is_moving());
        target.or(self.current.as_ref())
    }

    /// Returns true if the device has a target that does not meet the goal.
    pub fn has_other_target(&self, goal: Goal) -> bool {
        let target = self.target.as_ref();
        target.is_some_and(|target| !goal.is_met_by(target))
    }

    /// Returns true if the report says that no time remains, or that the device is at its target.
    pub fn is_still(&self) -> bool {
        self.needs_no_time() || self.distance().is_some_and(|(distance, _)| distance <= 1.0)
    }

    /// Returns true if the device is moving to a target that does not meet the goal. A lamp that is fading
    /// out is not on, however bright it still is.
    pub fn leaves(&self, goal: Goal) -> bool {
        self.has_other_target(goal) && self.is_moving()
    }

    /// Returns true if the device is moving to the goal and has not reached the goal yet.
    ///
    /// A barrier reports its movement as a state: 254 opening, 252 closing (`docs/dev/GATEWAY.md#values`).
    /// A dimmer counts as moving to "on" until it has reached its target level.
    pub fn moves_to(&self, goal: Goal) -> bool {
        match (goal, &self.current) {
            (Goal::Opened, Some(Reading::Number(254.0)))
            | (Goal::Closed, Some(Reading::Number(252.0))) => return true,
            (Goal::On, Some(current)) if goal.is_met_by(current) => {
                return !self.has_other_target(goal) && self.may_be_moving();
            }
            _ => {}
        }
        let aims_there = self
            .target
            .as_ref()
            .is_some_and(|target| goal.is_met_by(target) || goal == Goal::Standstill);
        aims_there && self.is_moving() && !self.proves(goal)
    }
}
