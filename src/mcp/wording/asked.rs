//! What was asked for, in words.

use super::phrases::decimal;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Wish;
use crate::home::plan::{Plan, Planned};
use crate::home::text;

/// What was asked for, as a noun: "switching on", "18 °C".
pub(super) fn wanted(planned: &Planned, wish: &Wish) -> String {
    match wish {
        Wish::On(None) => "switching on".to_owned(),
        Wish::On(Some(percent)) | Wish::Dim(percent) => format!("dimming to {} %", percent.get()),
        Wish::Off => "switching off".to_owned(),
        Wish::Toggle => "toggling".to_owned(),
        Wish::Open(Some(position)) => format!("opening to {} %", position.get()),
        Wish::Open(None) => "opening".to_owned(),
        Wish::Close => "closing".to_owned(),
        Wish::Stop => "stopping".to_owned(),
        Wish::Lock => "locking".to_owned(),
        Wish::Unlock => "unlocking".to_owned(),
        Wish::SetTemperature(wished) => {
            // In the device's own unit, as it is sent.
            let step = planned.plan.step();
            let degrees = step.and_then(|step| step.write.value.number());
            let unit = step.and_then(|step| step.words.unit.as_deref());
            let degrees = decimal(degrees.unwrap_or(wished.degrees));
            format!("{degrees} {}", text::word(unit.unwrap_or("degrees")))
        }
        Wish::SetMode(mode) => format!("mode {}", text::word(mode)),
        Wish::SetColor(_) => "the color".to_owned(),
    }
}

/// Whether a level beside "on" was left out, because the device has no levels.
pub fn left_out_level(planned: &Planned, wish: &Wish) -> bool {
    let without = match &planned.plan {
        Plan::Direct(step) => step.expected == ExpectedState::On,
        Plan::Scene { .. } => true,
        _ => false,
    };
    without && matches!(wish, Wish::On(Some(_)))
}

/// What was asked for, as something that happened: "may or may not have switched on".
pub(super) fn done(wish: &Wish) -> &'static str {
    match wish {
        Wish::On(None) => "switched on",
        Wish::On(Some(_)) | Wish::Dim(_) => "dimmed",
        Wish::Off => "switched off",
        Wish::Toggle => "toggled",
        Wish::Open(_) => "opened",
        Wish::Close => "closed",
        Wish::Stop => "stopped",
        Wish::Lock => "locked",
        Wish::Unlock => "unlocked",
        Wish::SetTemperature(_) | Wish::SetMode(_) | Wish::SetColor(_) => "changed",
    }
}

/// The state that a set is brought to.
pub(super) fn set_state(wish: &Wish) -> String {
    match wish {
        Wish::On(None) => "on".to_owned(),
        Wish::On(Some(percent)) | Wish::Dim(percent) if percent.get() > 0 => {
            format!("on at {} %", percent.get())
        }
        Wish::On(Some(_)) | Wish::Dim(_) | Wish::Off => "off".to_owned(),
        Wish::Open(Some(position)) => format!("{} % open", position.get()),
        Wish::Open(None) => "open".to_owned(),
        Wish::Close => "closed".to_owned(),
        other => done(other).to_owned(),
    }
}
