//! A device's kind and state in words.

use super::phrases::{decimal, span};
use crate::home::device::Device;
use crate::home::fact::Side;
use crate::home::fact::{Barrier, Fact};
use crate::home::kind::Kind;
use crate::home::model::quantity::Percent;
use crate::home::model::value::Evidence;
use crate::home::state::DeviceState;
use crate::home::{bounds, text};
use crate::mcp::entry::Entry;

/// The word for what a device is. A cover is called what its name calls it.
pub fn kind_word(device: &Device) -> &'static str {
    if device.kind != Kind::Cover {
        return device.kind.word();
    }
    let name = &device.name.words;
    let says = |word: &&str| name.telling().any(|own| own.text().starts_with(word));
    let covers = ["blind", "shade", "shutter", "curtain", "awning"];
    covers.into_iter().find(says).unwrap_or("blind")
}

/// What is out of the ordinary about a device.
pub fn exceptions(entry: &Entry) -> Vec<String> {
    let mut exceptions = Vec::new();
    exceptions.extend(entry.dead.then(|| "not responding".to_owned()));
    exceptions.extend(entry.asleep.then(|| "asleep".to_owned()));
    let battery = entry.low_battery();
    exceptions.extend(battery.map(|battery| format!("battery {battery} %")));
    let silence = entry.silence;
    exceptions.extend(silence.map(|silence| format!("not heard of for {}", span(silence))));
    exceptions
}

/// A state in a list: the main fact first, with units, as far as the device's line has room for it;
/// none where there is none to tell. What a dead device said last is no state.
pub fn entry_state(entry: &Entry) -> Option<String> {
    if entry.dead {
        return None;
    }
    if entry.state.facts.is_empty() {
        return entry.lacks_state().then(|| "state unknown".to_owned());
    }
    let device = entry.device;
    let mut others = vec![format!("- {}: {}", device.listed(), kind_word(device))];
    others.extend(exceptions(entry));
    let others = others.iter().map(|part| part.chars().count() + JOINT.len());
    let most = bounds::LINE.saturating_sub(others.sum());
    Some(state(&entry.state, most))
}

/// Words the facts of a state apart: how the device is, and what it measures. What a dead device said
/// last is no state.
pub fn split_facts(entry: &Entry) -> (Vec<String>, Vec<String>) {
    let facts = entry.state.facts.iter().filter(|_| !entry.dead);
    let (measured, others): (Vec<_>, Vec<_>) = facts
        .take(bounds::FACTS)
        .partition(|fact| matches!(fact, Fact::Measured { .. }));
    let words = |facts: Vec<&Fact>| facts.into_iter().map(fact).collect();
    (words(others), words(measured))
}

/// What joins the facts of a line.
const JOINT: &str = ", ";

/// What says that there are more, with the number, in characters.
const MORE: usize = 12;

/// The first facts that fit, and how many more there are.
fn state(state: &DeviceState, most: usize) -> String {
    let count = state.facts.len();
    let mut text = String::new();
    for (index, known) in state.facts.iter().enumerate() {
        let mut next = fact(known);
        if index == 0 {
            next.push_str(match state.evidence {
                Evidence::Reported => "",
                Evidence::LastKnown => " (last known)",
                Evidence::Guessed => " (unconfirmed)",
            });
        }
        let length = text.chars().count() + JOINT.len() + next.chars().count();
        let last = index + 1 == count;
        let fits = length + if last { 0 } else { MORE } <= most && index < bounds::FACTS;
        if index > 0 && !fits {
            text.push_str(&format!("{JOINT}{} more", count - index));
            break;
        }
        if index > 0 {
            text.push_str(JOINT);
        }
        text.push_str(&next);
    }
    text::cut(text, most)
}

/// One fact in a list.
pub fn fact(fact: &Fact) -> String {
    match fact {
        Fact::Switched(true) => "on".to_owned(),
        Fact::Switched(false) => "off".to_owned(),
        Fact::Level(level) => format!("on {} %", level.get()),
        Fact::Position(position) => open(*position),
        Fact::Slats(position) => format!("slats {}", open(*position)),
        Fact::Unknown(what) => format!("{what} unknown"),
        Fact::Barrier(Barrier::Closing) => "closing".to_owned(),
        Fact::Barrier(Barrier::Stopped) => "stopped half-way".to_owned(),
        Fact::Barrier(Barrier::Opening) => "opening".to_owned(),
        Fact::Locked(true) => "locked".to_owned(),
        Fact::Locked(false) => "unlocked".to_owned(),
        Fact::Open(true) => "open".to_owned(),
        Fact::Open(false) => "closed".to_owned(),
        Fact::Tilted => "tilted".to_owned(),
        Fact::DoorOpen(true) => "door open".to_owned(),
        Fact::DoorOpen(false) => "door closed".to_owned(),
        Fact::Mode(name) | Fact::Operating(name) => name.clone(),
        Fact::FanMode(name) => format!("fan {name}"),
        Fact::SetTo {
            degrees,
            unit,
            side,
        } => {
            let to = match side {
                None => "to",
                Some(Side::Heating) => "to heat to",
                Some(Side::Cooling) => "to cool to",
            };
            format!("set {to} {} {unit}", decimal(*degrees))
        }
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

/// One fact in a sentence: "Lamp is now on at 50 %."
pub fn fact_in_sentence(known: &Fact) -> String {
    match known {
        Fact::Level(level) => format!("on at {} %", level.get()),
        Fact::Mode(name) if name != "off" => format!("in mode {name}"),
        Fact::FanMode(name) => format!("in fan mode {name}"),
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
        // "sensor 2: 21.5 °C"
        (what, unit) if what.ends_with(|last: char| last.is_ascii_digit()) => {
            format!("{what}: {number} {unit}")
        }
        (what, unit) => format!("{what} {number} {unit}"),
    }
}
