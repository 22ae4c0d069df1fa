//! "Undo that": calls that bring devices back to the state that they reported before.

use super::call::{DeviceCall, Target};
use super::context::Undo;
use super::house::Standing;
use super::meaning::Step;
use crate::client::ToolResult;
use crate::home::intent::Action;

/// The key in a result's metadata that holds the state before the call.
const BEFORE: &str = "zwave-mcp-server/before";

/// Returns the undo for a call, given its result. Returns none if the state before is unknown, or no call
/// can restore it.
pub(super) fn plan_undo(step: &Step, result: &ToolResult) -> Option<Undo> {
    let devices = result.meta.as_ref()?.get(BEFORE)?.as_array()?;
    let current = devices.first()?.get("current")?.clone();
    let before: Standing = serde_json::from_value(current).ok()?;
    Some(Undo {
        name: step.facts.control_name.clone(),
        done: step.call.clone(),
        call: back_to(&before, &step.call)?,
        before,
    })
}

fn back_to(before: &Standing, call: &DeviceCall) -> Option<DeviceCall> {
    let plain = |action: Action| Some((action, Target::Nothing));
    let at = |action: Action, percent: f64| Some((action, Target::Percent(percent)));
    let brightness = || match (before.on, before.level) {
        (Some(false), _) | (_, Some(0.0)) => plain(Action::Off),
        (_, Some(level)) => at(Action::Dim, level),
        (Some(true), None) => plain(Action::On),
        (None, None) => None,
    };
    let position = || match (before.position, before.open.or(before.door_open)) {
        (Some(0.0), _) | (None, Some(false)) => plain(Action::Close),
        (Some(100.0), _) | (None, Some(true)) => plain(Action::Open),
        (Some(position), _) => at(Action::Open, position),
        (None, None) => None,
    };
    let target = || {
        let target = before.target?;
        Some((Action::SetTemperature, Target::Degrees(target, None)))
    };
    let mode = || Some((Action::SetMode, Target::Mode(before.mode.clone()?)));
    let (action, with) = match (call.action, &call.with) {
        (Action::SetTemperature, _) => target()?,
        (Action::SetMode, _) => mode()?,
        (Action::Lock | Action::Unlock, _) if before.locked == Some(true) => plain(Action::Lock)?,
        (Action::Lock | Action::Unlock, _) => plain(Action::Unlock)?,
        (Action::Open | Action::Close | Action::Stop, _) => position()?,
        (Action::Increase | Action::Decrease, _) => target().or_else(brightness)?,
        (Action::SetColor, _) => None?,
        (Action::On | Action::Off | Action::Toggle | Action::Dim, _) => {
            brightness().or_else(mode).or_else(position)?
        }
    };
    Some(DeviceCall { action, with })
}

/// The maximum difference from the value that was set, since devices round.
const PRECISION: f64 = 2.0;

/// The maximum step, in percent or degrees.
const MAX_STEP: f64 = 50.0;

impl Undo {
    /// Returns true if the device is still as the call left it.
    pub(super) fn is_as_left(&self, now: &Standing) -> bool {
        let near = |value: Option<f64>, wanted: f64| {
            value.is_some_and(|value| (value - wanted).abs() <= PRECISION)
        };
        let moved = |before: Option<f64>, after: Option<f64>, up: bool| {
            let change = after.zip(before).map(|(after, before)| after - before);
            let change = change.map(|change| if up { change } else { -change });
            change.is_some_and(|change| change > 0.0 && change <= MAX_STEP)
        };
        let is_open = now
            .open
            .or(now.door_open)
            .or(now.position.map(|position| position > 0.0));
        match (self.done.action, &self.done.with) {
            (Action::SetTemperature, Target::Degrees(degrees, unit)) => {
                // Degrees of another unit are not compared.
                unit.is_some() && now.target.is_some() || near(now.target, *degrees)
            }
            (Action::Dim, Target::Percent(0.0)) => now.on == Some(false),
            (Action::On | Action::Dim, Target::Percent(percent)) => near(now.level, *percent),
            (Action::Open, Target::Percent(percent)) => near(now.position, *percent),
            (step @ (Action::Increase | Action::Decrease), _) => {
                let up = step == Action::Increase;
                let share = |standing: &Standing| standing.level.or(standing.position);
                moved(self.before.target, now.target, up)
                    || moved(share(&self.before), share(now), up)
            }
            (Action::SetMode, Target::Mode(mode)) => now.mode.as_ref() == Some(mode),
            // A device that reports only a mode counts as on while it has one.
            (Action::On, _) => now.on.unwrap_or(now.mode.is_some()),
            (Action::Off, _) => !now.on.unwrap_or(now.mode.is_none()),
            (Action::Toggle, _) => now
                .on
                .zip(self.before.on)
                .is_some_and(|(now, before)| now != before),
            (Action::Open, _) => is_open == Some(true),
            (Action::Close, _) => is_open == Some(false) || now.moving.is_some(),
            (Action::Lock, _) => now.locked == Some(true),
            (Action::Unlock, _) => now.locked == Some(false),
            _ => true,
        }
    }
}
