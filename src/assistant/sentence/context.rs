//! The context of a sentence: what was spoken of before, for "it", "the other one", the answer to
//! "Which one?", and "undo that".

use std::time::{Duration, Instant};

use super::call::{DeviceCall, Target};
use super::house::Standing;
use super::meaning::Step;
use super::order::Wish;
use crate::client::ToolResult;
use crate::home::intent::Action;

/// The time for which the context is remembered.
const MEMORY: Duration = Duration::from_secs(120);

/// The devices and orders that were spoken of before. Devices are remembered by the names that they are
/// controlled by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The devices that were spoken of last.
    pub(super) last: Vec<String>,
    /// The devices that were offered by "Which one?" and not chosen.
    pub(super) others: Vec<String>,
    /// The order that waits for the choice of a device.
    pub(super) pending: Option<Pending>,
    /// The calls that bring back the state before the last order.
    pub(super) undo: Vec<Undo>,
    /// The last order was to take back the one before it.
    pub(super) has_undone: bool,
    /// The language of the answer to the sentence before.
    pub(super) language: Option<&'static str>,
    at: Option<Instant>,
}

/// A call that takes back another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Undo {
    /// The name of the device.
    pub name: String,
    /// The call that is taken back.
    pub done: DeviceCall,
    /// The state before the call.
    pub before: Standing,
    /// The call that brings that state back.
    pub call: DeviceCall,
}

/// An order that waits for the answer to "Which one?".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    pub wish: Wish,
    pub names: Vec<String>,
    /// The language that it was asked in.
    pub language: &'static str,
}

impl Context {
    /// Forgets everything but the language if the last sentence was too long ago.
    pub(super) fn forget_before(&mut self, now: Instant) {
        if self.at.is_none_or(|at| now.duration_since(at) > MEMORY) {
            *self = Self {
                language: self.language,
                ..Self::default()
            };
        }
    }

    /// Forgets how to take back what was done: something else was done since.
    pub(in crate::assistant) fn forget_undo(&mut self) {
        self.undo.clear();
        self.has_undone = false;
    }

    /// Notes what is spoken of.
    pub(super) fn note(&mut self, names: Vec<String>, now: Instant) {
        let offered = self.pending.take().map(|pending| pending.names);
        let mut others = offered.unwrap_or_default();
        others.retain(|name| !names.contains(name));
        self.last = names;
        self.others = others;
        self.at = Some(now);
    }

    /// Notes a question about which device is meant. Until it is answered, "it" refers to nothing.
    pub(super) fn ask(&mut self, pending: Pending, now: Instant) {
        self.last.clear();
        self.others.clear();
        self.pending = Some(pending);
        self.at = Some(now);
    }
}

/// The key in a result's metadata that holds the state before the call.
const BEFORE: &str = "zwave-mcp-server/before";

/// Returns the undo for a call, given its result. Returns `None` if the state before is unknown, or no call
/// can restore it.
pub(super) fn plan_undo(step: &Step, result: &ToolResult) -> Option<Undo> {
    let devices = result.meta.as_ref()?.get(BEFORE)?.as_array()?;
    let current = devices.first()?.get("current")?.clone();
    let before: Standing = serde_json::from_value(current).ok()?;
    Some(Undo {
        name: step.facts.control_name.clone(),
        done: step.call.clone(),
        call: call_to_restore(&before, &step.call)?,
        before,
    })
}

fn call_to_restore(before: &Standing, call: &DeviceCall) -> Option<DeviceCall> {
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
        let is_open = now.open.or(now.door_open).or(now.position.map(|position| position > 0.0));
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
            (Action::Toggle, _) => {
                now.on.zip(self.before.on).is_some_and(|(now, before)| now != before)
            }
            (Action::Open, _) => is_open == Some(true),
            (Action::Close, _) => is_open == Some(false) || now.moving.is_some(),
            (Action::Lock, _) => now.locked == Some(true),
            (Action::Unlock, _) => now.locked == Some(false),
            _ => true,
        }
    }
}
