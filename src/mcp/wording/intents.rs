//! Words for intents and actions.

use super::phrases::decimal;
use crate::home::decide::Target;
use crate::home::fact::Fact;
use crate::home::intent::{Action, Intent};
use crate::home::plan::Step;
use crate::home::text;

/// The words for each action: while it happens, after it has happened, and as a command.
const WORDS: [(Action, &str, &str, &str); 14] = [
    (Action::On, "switching on", "switched on", "Switch on"),
    (Action::Off, "switching off", "switched off", "Switch off"),
    (Action::Dim, "dimming", "dimmed", "Dim"),
    (Action::Toggle, "toggling", "toggled", "Toggle"),
    (Action::Open, "opening", "opened", "Open"),
    (Action::Close, "closing", "closed", "Close"),
    (Action::Stop, "stopping", "stopped", "Stop"),
    (Action::Lock, "locking", "locked", "Lock"),
    (Action::Unlock, "unlocking", "unlocked", "Unlock"),
    (Action::SetTemperature, "changing", "changed", "Change"),
    (Action::SetMode, "changing", "changed", "Change"),
    (Action::SetColor, "changing", "changed", "Change"),
    (Action::Increase, "turning up", "turned up", "Turn up"),
    (Action::Decrease, "turning down", "turned down", "Turn down"),
];

/// Words an intent after it has happened: "may or may not have switched on".
pub(super) fn done(intent: &Intent) -> &'static str {
    words(intent).1
}

/// Words an intent as the command that begins a question: "Unlock".
pub(super) fn imperative(intent: &Intent) -> &'static str {
    words(intent).2
}

fn words(intent: &Intent) -> (&'static str, &'static str, &'static str) {
    let action = match intent {
        Intent::On(Some(_)) => Action::Dim,
        intent => intent.action(),
    };
    let mut rows = WORDS.iter();
    let row = rows.find(|(own, ..)| *own == action);
    row.map_or(("changing", "changed", "Change"), |row| {
        (row.1, row.2, row.3)
    })
}

/// Words an intent as the subject of a sentence: "switching on", "18 °C".
pub(super) fn wanted(target: &Target) -> String {
    match &target.intent {
        intent @ (Intent::On(Some(percent))
        | Intent::Dim(percent)
        | Intent::Open(Some(percent))) => {
            format!("{} to {} %", words(intent).0, percent.get())
        }
        // The plan has the temperature in the device's own unit.
        Intent::SetTemperature(wanted) => {
            match target.planned().plan.step().and_then(Step::goal_fact) {
                Some(Fact::SetTo { degrees, unit, .. }) => format!("{} {unit}", decimal(degrees)),
                _ => format!("{} degrees", decimal(wanted.degrees)),
            }
        }
        Intent::SetMode(mode) => format!("mode {}", text::word(mode)),
        Intent::SetColor(_) => "the color".to_owned(),
        intent => words(intent).0.to_owned(),
    }
}

/// Words the state that an intent leads to.
pub(super) fn set_state(intent: &Intent) -> String {
    match intent {
        Intent::On(None) => "on".to_owned(),
        Intent::On(Some(percent)) | Intent::Dim(percent) if percent.get() > 0 => {
            format!("on at {} %", percent.get())
        }
        Intent::On(Some(_)) | Intent::Dim(_) | Intent::Off => "off".to_owned(),
        Intent::Open(Some(position)) => format!("{} % open", position.get()),
        Intent::Open(None) => "open".to_owned(),
        other => done(other).to_owned(),
    }
}
