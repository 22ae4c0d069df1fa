//! What was asked for, in words.

use super::phrases::decimal;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Intent;
use crate::home::plan::{Plan, Planned};
use crate::home::text;

/// What was asked for, as a noun: "switching on", "18 °C".
pub(super) fn wanted(planned: &Planned, intent: &Intent) -> String {
    match intent {
        Intent::On(None) => "switching on".to_owned(),
        Intent::On(Some(percent)) | Intent::Dim(percent) => {
            format!("dimming to {} %", percent.get())
        }
        Intent::Off => "switching off".to_owned(),
        Intent::Toggle => "toggling".to_owned(),
        Intent::Open(Some(position)) => format!("opening to {} %", position.get()),
        Intent::Open(None) => "opening".to_owned(),
        Intent::Close => "closing".to_owned(),
        Intent::Stop => "stopping".to_owned(),
        Intent::Lock => "locking".to_owned(),
        Intent::Unlock => "unlocking".to_owned(),
        Intent::SetTemperature(wanted) => {
            // In the device's own unit, as it is sent.
            let step = planned.plan.step();
            let degrees = step.and_then(|step| step.write.value.number());
            let unit = step.and_then(|step| step.words.unit.as_deref());
            let degrees = decimal(degrees.unwrap_or(wanted.degrees));
            format!("{degrees} {}", text::word(unit.unwrap_or("degrees")))
        }
        Intent::SetMode(mode) => format!("mode {}", text::word(mode)),
        Intent::SetColor(_) => "the color".to_owned(),
    }
}

/// Whether a level beside "on" was left out, because the device has no levels.
pub fn left_out_level(planned: &Planned, intent: &Intent) -> bool {
    let without = match &planned.plan {
        Plan::Direct(step) => step.expected == ExpectedState::On,
        Plan::Scene { .. } => true,
        _ => false,
    };
    without && matches!(intent, Intent::On(Some(_)))
}

/// What was asked for, as something that happened: "may or may not have switched on".
pub(super) fn done(intent: &Intent) -> &'static str {
    match intent {
        Intent::On(None) => "switched on",
        Intent::On(Some(_)) | Intent::Dim(_) => "dimmed",
        Intent::Off => "switched off",
        Intent::Toggle => "toggled",
        Intent::Open(_) => "opened",
        Intent::Close => "closed",
        Intent::Stop => "stopped",
        Intent::Lock => "locked",
        Intent::Unlock => "unlocked",
        Intent::SetTemperature(_) | Intent::SetMode(_) | Intent::SetColor(_) => "changed",
    }
}

/// Words the command that begins a question: "Unlock".
pub(super) fn imperative(intent: &Intent) -> &'static str {
    match intent {
        Intent::On(None) => "Switch on",
        Intent::On(Some(_)) | Intent::Dim(_) => "Dim",
        Intent::Off => "Switch off",
        Intent::Toggle => "Toggle",
        Intent::Open(_) => "Open",
        Intent::Close => "Close",
        Intent::Stop => "Stop",
        Intent::Lock => "Lock",
        Intent::Unlock => "Unlock",
        Intent::SetTemperature(_) | Intent::SetMode(_) | Intent::SetColor(_) => "Change",
    }
}

/// The state that a set is brought to.
pub(super) fn set_state(intent: &Intent) -> String {
    match intent {
        Intent::On(None) => "on".to_owned(),
        Intent::On(Some(percent)) | Intent::Dim(percent) if percent.get() > 0 => {
            format!("on at {} %", percent.get())
        }
        Intent::On(Some(_)) | Intent::Dim(_) | Intent::Off => "off".to_owned(),
        Intent::Open(Some(position)) => format!("{} % open", position.get()),
        Intent::Open(None) => "open".to_owned(),
        Intent::Close => "closed".to_owned(),
        other => done(other).to_owned(),
    }
}
