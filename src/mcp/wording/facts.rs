//! A device's kind and state in words.

use super::decimal;
use crate::home::device::Device;
use crate::home::kind::Kind;
use crate::home::state::{Barrier, Fact, State};
use crate::home::wish::Percent;
use crate::mcp::list::Entry;

/// The word for what a device is. A cover is called what its name calls it.
pub fn kind_word(device: &Device) -> &'static str {
    let covers = ["blind", "shade", "shutter", "curtain", "awning"];
    if device.kind == Kind::Cover {
        let own = covers
            .into_iter()
            .find(|word| device.name.words.iter().any(|own| own.starts_with(word)));
        return own.unwrap_or("blind");
    }
    device.kind.word()
}

/// A state in a list: the main fact first, with units; none where there is none to tell. What a
/// dead device said last is no state.
pub fn entry_state(entry: &Entry) -> Option<String> {
    if entry.dead {
        return None;
    }
    if entry.state.facts.is_empty() {
        let stateless = matches!(
            entry.device.kind,
            Kind::Remote | Kind::Keypad | Kind::Group | Kind::Scene
        );
        return (!stateless).then(|| "state unknown".to_owned());
    }
    Some(state(&entry.state))
}

fn state(state: &State) -> String {
    let mut facts: Vec<String> = state.facts.iter().map(fact).collect();
    if state.guessed
        && let Some(main) = facts.first_mut()
    {
        main.push_str(" (unconfirmed)");
    }
    facts.join(", ")
}

/// One fact in a list.
pub fn fact(fact: &Fact) -> String {
    match fact {
        Fact::Switched(true) => "on".to_owned(),
        Fact::Switched(false) => "off".to_owned(),
        Fact::Level(level) => format!("on {} %", level.get()),
        Fact::Position(position) => open(*position),
        Fact::Barrier(Barrier::Closing) => "closing".to_owned(),
        Fact::Barrier(Barrier::Stopped) => "stopped half-way".to_owned(),
        Fact::Barrier(Barrier::Opening) => "opening".to_owned(),
        Fact::Locked(true) => "locked".to_owned(),
        Fact::Locked(false) => "unlocked".to_owned(),
        Fact::Open(true) => "open".to_owned(),
        Fact::Open(false) => "closed".to_owned(),
        Fact::DoorOpen(true) => "door open".to_owned(),
        Fact::DoorOpen(false) => "door closed".to_owned(),
        Fact::Mode(name) | Fact::Operating(name) => name.clone(),
        Fact::SetTo(degrees, unit) => format!("set to {} {unit}", decimal(*degrees)),
        Fact::SetBetween(low, high, unit) => {
            format!("set to {} to {} {unit}", decimal(*low), decimal(*high))
        }
        Fact::Color(color) => color.name(),
        Fact::Battery(charge) => format!("battery {charge} %"),
        Fact::Measured { what, value, unit } => measured(what, *value, unit),
        Fact::Sensed { what, there: true } => format!("{what} detected"),
        Fact::Sensed { what, there: false } => format!("no {what}"),
        Fact::Said(text) => text.clone(),
    }
}

/// The same fact in a sentence: "Lamp is now on at 50 %."
pub fn fact_in_sentence(known: &Fact) -> String {
    match known {
        Fact::Level(level) => format!("on at {} %", level.get()),
        known => fact(known),
    }
}

fn open(position: Percent) -> String {
    match position.get() {
        0 => "closed".to_owned(),
        100 => "open".to_owned(),
        part => format!("{part} % open"),
    }
}

fn measured(what: &str, value: f64, unit: &str) -> String {
    let number = decimal(value);
    match (what, unit) {
        ("air temperature", unit) => format!("{number} {unit}"),
        ("power", unit) => format!("{number} {unit}"),
        ("illuminance", "Lux") => format!("{number} lx"),
        (what, "") => format!("{what} {number}"),
        (what, unit) => format!("{what} {number} {unit}"),
    }
}
