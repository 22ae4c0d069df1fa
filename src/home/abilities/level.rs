//! Brightness and speed: Multilevel Switch 38.

use super::goal::Goal;
use super::{Channel, LEVEL, Meaning, Way};
use crate::home::intent::Intent;
use crate::home::model::quantity::Percent;
use crate::home::model::value::Reading;
use crate::home::plan::{Plan, Step};
use crate::home::state::Fact;

pub(super) const STATES: &[(Way, Meaning)] = &[(LEVEL, Meaning::Level)];

/// The level that means "on, as before" (`docs/GATEWAY.md#values`).
pub(super) const AS_BEFORE: f64 = 255.0;

pub(super) fn read(reading: &Reading) -> Option<Fact> {
    Some(match reading {
        Reading::Number(0.0) => Fact::Switched(false),
        // It is on, and does not say how bright.
        Reading::Number(255.0) => Fact::Switched(true),
        Reading::Number(level) => Fact::Level(Percent::of_level(*level)?),
        Reading::Bool(on) => Fact::Switched(*on),
        _ => return None,
    })
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Option<Plan> {
    let on = || step(channel, AS_BEFORE, Goal::On);
    let off = || step(channel, 0.0, Goal::Off);
    match intent {
        Intent::On(None) => on().map(Plan::direct),
        Intent::On(Some(percent)) | Intent::Dim(percent) => {
            let (level, goal) = level_for(*percent);
            step(channel, level, goal).map(Plan::direct)
        }
        Intent::Off => off().map(Plan::direct),
        Intent::Toggle => Plan::toggle(off(), on()),
        _ => None,
    }
}

/// The level on the wire for a percentage, and its goal.
pub(super) fn level_for(percent: Percent) -> (f64, Goal) {
    match percent.level() {
        0 => (0.0, Goal::Off),
        level => (f64::from(level), Goal::Level(level)),
    }
}

/// Writes a level.
pub(super) fn step(channel: Channel, level: f64, goal: Goal) -> Option<Step> {
    LEVEL.step(channel, level, goal, Meaning::Level)
}
