//! Brightness and speed: Multilevel Switch (class 38), or Basic (32) for a device that has nothing else.

use super::{BASIC, Channel, Fact, Goal, Intent, LEVEL, Meaning, Percent, Plan, Reading, Step};

/// The level that means "on, as before" (`docs/dev/GATEWAY.md#values`).
pub(crate) const AS_BEFORE: f64 = 255.0;

/// The usual step up or down, in percent.
pub(super) const USUAL_STEP: f64 = 10.0;

pub(super) fn read(reading: &Reading) -> Option<Fact> {
    Some(match reading {
        Reading::Number(0.0) => Fact::Switched(false),
        // On, at an unknown brightness.
        Reading::Number(255.0) => Fact::Switched(true),
        Reading::Number(level) => Fact::Level(Percent::from_level(*level)?),
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
        Intent::Adjust(adjustment) => {
            // The level here is a placeholder for one that is computed later.
            let step = step(channel, 1.0, Goal::Level(1))?;
            Some(Plan::adjust(
                step,
                adjustment.signed_size(USUAL_STEP),
                // Not below 1 %, because "down" must not switch a lamp off.
                1.0..=100.0,
            ))
        }
        _ => None,
    }
}

/// Returns the Z-Wave level for a percentage, and the goal of writing it.
pub(crate) fn level_for(percent: Percent) -> (f64, Goal) {
    match percent.level() {
        0 => (0.0, Goal::Off),
        level => (f64::from(level), Goal::Level(level)),
    }
}

pub(crate) fn step(channel: Channel, level: f64, goal: Goal) -> Option<Step> {
    LEVEL
        .step(channel, level, goal, Meaning::Level)
        .or_else(|| BASIC.step(channel, level, goal, Meaning::Level))
}
