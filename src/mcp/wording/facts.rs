//! Describes a device's kind and state, and what changed: when, from what, and by whom.

use std::borrow::Cow;

use super::phrases::{decimal, span};
use crate::gateway::{LocalTime, View};
use crate::home::changes::{Actor, Change};
use crate::home::device::Device;
use crate::home::fact::{Barrier, Fact, INPUT, Side, TRIGGER};
use crate::home::kind::Kind;
use crate::home::model::quantity::Percent;
use crate::home::model::value::Evidence;
use crate::home::published::ListedDevice;
use crate::home::{bounds, text};
use crate::mcp::entry::Entry;

/// Returns the word for a device's kind. For a cover, this is the word in its name ("shutter"), or else "blind".
pub fn kind_word(device: &Device) -> &'static str {
    if device.kind != Kind::Cover {
        return device.kind.word();
    }
    let name = &device.name.words;
    ["blind", "shade", "shutter", "curtain", "awning"]
        .into_iter()
        .find(|cover| name.main_words().any(|word| word.text().starts_with(cover)))
        .unwrap_or("blind")
}

/// Returns what the line of a list tells about a device.
pub fn listed_device(entry: &Entry) -> ListedDevice {
    ListedDevice {
        name: entry.device.listed_name(),
        room: entry.device.room.clone(),
        kind: kind_word(entry.device).to_owned(),
        responding: !entry.is_dead,
        asleep: entry.is_asleep,
        state: describe_state(entry),
        low_battery: entry.low_battery(),
        silent_for: entry.silence.map(span),
    }
}

/// Describes a device for its line of a list: its state, and what is unusual.
pub fn describe_listed(listed: &ListedDevice) -> String {
    let silence = listed.silent_for.clone();
    let unusual = describe_unusual(
        listed.responding,
        listed.asleep,
        listed.low_battery,
        silence,
    );
    let state = listed.state.clone().map(Cow::Owned);
    state.into_iter().chain(unusual).collect::<Vec<_>>().join(SEPARATOR)
}

/// Says if a device is dead, asleep, low on battery or silent.
fn describe_unusual(
    responding: bool,
    asleep: bool,
    low_battery: Option<u8>,
    silent_for: Option<String>,
) -> impl Iterator<Item = Cow<'static, str>> {
    [
        (!responding).then_some(Cow::Borrowed("not responding")),
        asleep.then_some(Cow::Borrowed("asleep")),
        low_battery.map(|battery| format!("battery {battery} %").into()),
        silent_for.map(|time| format!("not heard from for {time}").into()),
    ]
    .into_iter()
    .flatten()
}

/// Does the same as [`describe_unusual`], for an entry.
pub(super) fn unusual(entry: &Entry) -> impl Iterator<Item = Cow<'static, str>> {
    let silence = entry.silence.map(span);
    describe_unusual(
        !entry.is_dead,
        entry.is_asleep,
        entry.low_battery(),
        silence,
    )
}

/// Describes the state of a device, truncated to fit into its line of a list. A dead device has no state.
pub(super) fn describe_state(entry: &Entry) -> Option<String> {
    if entry.is_dead {
        return None;
    }
    if entry.state.facts.is_empty() {
        return entry.lacks_state().then(|| "state unknown".to_owned());
    }
    let others = unusual(entry).map(|part| part.chars().count() + SEPARATOR.len());
    let name = entry.device.listed_name().chars().count();
    let beginning = "- : ".len() + name + kind_word(entry.device).len() + SEPARATOR.len();
    let max = bounds::LINE.saturating_sub(beginning + others.sum::<usize>());
    Some(describe_fitting_facts(entry, max))
}

/// Describes the state of a device in two lists: first all facts but measurements, then the measurements.
/// A dead device has no state.
pub fn describe_facts(entry: &Entry) -> (Vec<String>, Vec<String>) {
    let facts = entry.state.facts.iter().filter(|_| !entry.is_dead);
    let (measured, others): (Vec<_>, Vec<_>) = facts
        .take(bounds::FACTS)
        .partition(|fact| matches!(fact, Fact::Measured { .. }));
    let words =
        |facts: Vec<&Fact>| facts.iter().map(|fact| fact_since(entry, fact).into_owned()).collect();
    (words(others), words(measured))
}

/// The separator of facts.
pub const SEPARATOR: &str = ", ";

/// The number of characters to leave free for the count of omitted facts, such as ", 12 more".
const SPACE_FOR_MORE: usize = 12;

/// Describes the first facts that fit into `max` characters, and counts the others.
fn describe_fitting_facts(entry: &Entry, max: usize) -> String {
    let state = &entry.state;
    let mut facts = state.facts.iter().map(|fact| fact_since(entry, fact));
    let mut text = String::with_capacity(bounds::LINE);
    text.extend(facts.next());
    text.push_str(match state.evidence {
        Evidence::Reported => "",
        Evidence::Moving => " (moving)",
        Evidence::LastKnown => " (last known)",
        Evidence::Guessed => " (unconfirmed)",
    });
    let mut shown = 1;
    while let Some(next) = facts.next() {
        let length = text.chars().count() + SEPARATOR.len() + next.chars().count();
        let reserved = if facts.len() == 0 { 0 } else { SPACE_FOR_MORE };
        if length + reserved > max || shown == bounds::FACTS {
            text.push_str(&format!("{SEPARATOR}{} more", facts.len() + 1));
            break;
        }
        text.push_str(SEPARATOR);
        text.push_str(&next);
        shown += 1;
    }
    text::cut(text, max)
}

/// Describes a fact and, if known, since when and by whom: "unlocked since 14:05 (by keypad, user 3)".
fn fact_since<'a>(entry: &Entry, fact: &'a Fact) -> Cow<'a, str> {
    let mut text = describe_fact(fact);
    if let Some(since) = entry.since.iter().find(|since| since.fact == *fact) {
        text.to_mut().push_str(&format!(" since {}", format_clock(since.at)));
        if let Some(by) = since.by {
            text.to_mut().push_str(&format!(" ({})", describe_actor(by)));
        }
    }
    text
}

/// Describes a fact for a list: "on 50 %".
pub fn describe_fact(fact: &Fact) -> Cow<'_, str> {
    match fact {
        Fact::Switched(true) => "on".into(),
        Fact::Switched(false) => "off".into(),
        Fact::Level(level) => format!("on {} %", level.get()).into(),
        Fact::Position(position) => describe_position(*position),
        Fact::Slats(position) => format!("slats {}", describe_position(*position)).into(),
        Fact::Unknown(what) => format!("{what} unknown").into(),
        Fact::Barrier(Barrier::Closing) => "closing".into(),
        Fact::Barrier(Barrier::Stopped) => "stopped half-way".into(),
        Fact::Barrier(Barrier::Opening) => "opening".into(),
        Fact::Locked(true) => "locked".into(),
        Fact::Locked(false) => "unlocked".into(),
        Fact::Open(true) => "open".into(),
        Fact::Open(false) => "closed".into(),
        Fact::Tilted => "tilted".into(),
        Fact::DoorOpen(true) => "door open".into(),
        Fact::DoorOpen(false) => "door closed".into(),
        Fact::Mode(name) | Fact::Operating(name) => name.as_str().into(),
        Fact::FanMode(name) => format!("fan {name}").into(),
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
            format!("set {to} {} {unit}", decimal(*degrees)).into()
        }
        Fact::SetBetween(low, high, unit) => {
            format!("set to {} to {} {unit}", decimal(*low), decimal(*high)).into()
        }
        Fact::Color(color) => color.name().into(),
        Fact::Battery(charge) => format!("battery {charge} %").into(),
        Fact::Measured { what, value, unit } => describe_measurement(what, *value, unit).into(),
        Fact::Sensed {
            what: TRIGGER,
            detected,
        } => if *detected {
            "triggered"
        } else {
            "not triggered"
        }
        .into(),
        Fact::Sensed {
            what: INPUT,
            detected,
        } => format!("input {}", if *detected { "on" } else { "off" }).into(),
        Fact::Sensed { what, detected } if *detected => format!("{what} detected").into(),
        Fact::Sensed { what, .. } => format!("no {what}").into(),
        Fact::Notified(text) => text.as_str().into(),
        Fact::Responding(true) => "responding".into(),
        Fact::Responding(false) => "not responding".into(),
    }
}

/// Describes a fact for a sentence: "Lamp is now on at 50 %."
pub fn describe_fact_in_sentence(fact: &Fact) -> String {
    match fact {
        Fact::Level(level) => format!("on at {} %", level.get()),
        Fact::Mode(name) if name != "off" => format!("in mode {name}"),
        Fact::FanMode(name) => format!("in fan mode {name}"),
        other => describe_fact(other).into_owned(),
    }
}

fn describe_position(position: Percent) -> Cow<'static, str> {
    match position.get() {
        0 => "closed".into(),
        100 => "open".into(),
        part => format!("{part} % open").into(),
    }
}

fn describe_measurement(what: &str, value: f64, unit: &str) -> String {
    let number = decimal(value);
    match (what, unit) {
        ("air temperature", unit) => format!("{number} {unit}"),
        ("power", unit) => format!("{number} {unit}"),
        ("illuminance", "Lux") => format!("{number} lx"),
        (what, "") => format!("{what} {number}"),
        // A name that ends in a number: "sensor 2: 21.5 °C".
        (what, unit) if what.ends_with(|last: char| last.is_ascii_digit()) => {
            format!("{what}: {number} {unit}")
        }
        (what, unit) => format!("{what} {number} {unit}"),
    }
}

/// Formats a time of day: "14:05", "yesterday 14:05", "3 days ago 14:05".
pub fn format_clock(time: LocalTime) -> String {
    let clock = time_of_day(time);
    match time.days_ago {
        0 => clock,
        1 => format!("yesterday {clock}"),
        days => format!("{days} days ago {clock}"),
    }
}

/// Formats the hour and the minute: "14:05".
pub fn time_of_day(time: LocalTime) -> String {
    format!("{:02}:{:02}", time.hour, time.minute)
}

/// Describes who or what changed something: "by keypad, user 3".
pub fn describe_actor(actor: Actor) -> String {
    match actor {
        Actor::Keypad(Some(user)) => format!("by keypad, user {user}"),
        Actor::Keypad(None) => "by keypad".to_owned(),
        Actor::Hand => "by hand".to_owned(),
        Actor::Radio => "by radio".to_owned(),
        Actor::Itself => "by itself".to_owned(),
        Actor::Server => "by this server".to_owned(),
    }
}

/// Describes a change: "unlocked by keypad, user 3, 14:05; before: locked".
pub fn describe_change(view: &View, change: &Change) -> String {
    let by = change.by.map_or_else(String::new, |by| format!(" {}", describe_actor(by)));
    let time = describe_time(view, change);
    let [before, after] = [&change.before, &change.after].map(describe_fact);
    format!("{after}{by}, {time}; before: {before}")
}

fn describe_time(view: &View, change: &Change) -> String {
    let at = view.local_time(change.at);
    match change.not_before.map(|at| view.local_time(at)) {
        Some(not_before) if not_before != at => {
            format!(
                "between {} and {}",
                format_clock(not_before),
                format_clock(at)
            )
        }
        _ => format_clock(at),
    }
}
