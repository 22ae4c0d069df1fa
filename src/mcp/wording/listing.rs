//! The list of devices: a heading, then a short line each, grouped by room.

use std::time::Duration;

use super::facts::{entry_state, exceptions, kind_word};
use super::phrases::{quoted, some_names, span, spoken_list};
use crate::home::bounds;
use crate::home::device::{Device, WITHOUT_ROOM};
use crate::home::letters::squashed;
use crate::mcp::entry::Entry;

/// What stands above the devices.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// How many devices match, the inactive ones that are not shown left out.
    pub matching: usize,
    /// How many of them are shown.
    pub shown: usize,
    /// How many dead ones match.
    pub dead: usize,
    /// How many of them are not shown.
    pub hidden: usize,
    /// Whether a filter was given.
    pub filtered: bool,
    /// How old the values are, where they are not kept fresh.
    pub age: Option<Duration>,
    /// What is wrong, in sentences.
    pub troubles: Vec<String>,
    /// What is said about arguments that mean nothing.
    pub passed_over: Option<String>,
}

/// The list as one text, with the devices' lines.
pub fn listing(heading: &Heading, lines: &[String]) -> String {
    let mut text = head(heading);
    text.extend(lines.iter().map(String::as_str));
    if let Some(sentence) = &heading.passed_over {
        text.push('\n');
        text.push_str(sentence);
    }
    text
}

/// The line of each device, with its room's above the first one of a room, and its floor's above the
/// first one of a floor.
pub fn lines(entries: &[Entry]) -> Vec<String> {
    let mut room = None;
    let mut floor = None;
    let rooms = entries.iter().map(|entry| entry.device.room.as_str());
    let without = heading_without_room(rooms);
    let lines = entries.iter().map(|entry| {
        let own = entry.device.room.as_str();
        if room.replace(own) == Some(own) {
            return format!("\n- {}", line(entry));
        }
        let name = if own.is_empty() { without } else { own };
        // A heading that is no device's line, whatever the room is called.
        let heading = |name: &str| {
            let name = name.trim_start_matches(['-', '*', '•', ' ']);
            name.replace(':', "∶")
        };
        let floor = match (floor.replace(entry.floor), entry.floor) {
            (before, Some(own)) if before != Some(Some(own)) => format!("\n{}", heading(own)),
            (Some(Some(_)), None) => "\nOther rooms".to_owned(),
            _ => String::new(),
        };
        format!("{floor}\n{}:\n- {}", heading(name), line(entry))
    });
    lines.collect()
}

/// What no room of these is called.
fn heading_without_room<'a>(mut rooms: impl Iterator<Item = &'a str>) -> &'static str {
    let [usual, other] = WITHOUT_ROOM;
    if rooms.any(|room| squashed(room) == squashed(usual)) {
        other
    } else {
        usual
    }
}

fn head(heading: &Heading) -> String {
    let noun = if heading.matching == 1 {
        "device"
    } else {
        "devices"
    };
    let mut head = if heading.shown < heading.matching {
        format!(
            "{} {noun}; these are the first {}: say a room, kind or name in filter for others.",
            heading.matching, heading.shown
        )
    } else if heading.filtered {
        format!("{} matching {noun}.", heading.matching)
    } else {
        format!("{} {noun}.", heading.matching)
    };
    if heading.hidden > 0 {
        head.push_str(&format!(
            " {} more not responding (includeInactive shows them).",
            heading.hidden
        ));
    }
    for wrong in &heading.troubles {
        head.push(' ');
        head.push_str(wrong);
    }
    if let Some(age) = heading.age.filter(|_| heading.shown > 0) {
        head.push_str(&format!(" Values as of {} ago.", span(age)));
    }
    head
}

/// One device: name, kind, state, and only what is out of the ordinary.
fn line(entry: &Entry) -> String {
    let mut line = format!("{}: {}", entry.device.listed(), kind_word(entry.device));
    if let Some(state) = entry_state(entry) {
        line.push_str(", ");
        line.push_str(&state);
    }
    for exception in exceptions(entry) {
        line.push_str(", ");
        line.push_str(&exception);
    }
    line
}

/// The answer to a filter that matches nothing.
pub fn nothing_matches(filter: &str, near: &[&Device], rooms: &[String]) -> String {
    let mut text = format!("No device matches {}.", quoted(filter));
    if !near.is_empty() {
        let names = some_names(near.iter().copied(), near.len());
        text.push_str(&format!(
            " The nearest names: {}.",
            spoken_list(&names, "and")
        ));
    }
    if !rooms.is_empty() {
        text.push_str(&format!(" Rooms: {}.", rooms.join(", ")));
    }
    text
}

/// That arguments of a list mean nothing; none where there are none.
pub fn passed_over(names: &[String]) -> Option<String> {
    let named = names.iter().map(|name| quoted(name)).collect();
    let named = bounds::some(named, bounds::PASSED_OVER);
    (!named.is_empty()).then(|| {
        format!(
            "Passed over: {}; this tool takes filter and includeInactive.",
            spoken_list(&named, "and")
        )
    })
}
