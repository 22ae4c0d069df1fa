//! The list of devices: a heading, then a short line each, grouped by room.

use std::time::Duration;

use super::{entry_state, kind_word, quoted, some_names, span, spoken_list, trouble};
use crate::gateway::Trouble;
use crate::home::device::Device;
use crate::mcp::list::Entry;

/// What stands above the devices.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// How many devices match, the inactive ones that are not shown left out.
    pub matching: usize,
    /// How many of them are shown.
    pub shown: usize,
    /// How many dead ones match and are not shown.
    pub hidden: usize,
    /// Whether a filter was given.
    pub filtered: bool,
    /// How old the values are, where they are not kept fresh.
    pub age: Option<Duration>,
    /// What is wrong.
    pub troubles: Vec<Trouble>,
}

/// The list as one text.
pub fn listing(heading: &Heading, entries: &[Entry]) -> String {
    let mut text = head(heading, entries);
    let mut room = None;
    for entry in entries {
        if room != Some(entry.device.room.as_str()) {
            room = Some(entry.device.room.as_str());
            text.push('\n');
            text.push_str(match entry.device.room.as_str() {
                "" => "No room",
                room => room,
            });
            text.push(':');
        }
        text.push_str("\n- ");
        text.push_str(&line(entry));
    }
    text
}

fn head(heading: &Heading, entries: &[Entry]) -> String {
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
        head.push_str(&trouble(wrong));
    }
    if let Some(age) = heading.age.filter(|_| !entries.is_empty()) {
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
    if entry.dead {
        line.push_str(", not responding");
    }
    if entry.asleep {
        line.push_str(", asleep");
    }
    if let Some(battery) = entry.low_battery {
        line.push_str(&format!(", battery {battery} %"));
    }
    if let Some(silence) = entry.silence {
        line.push_str(&format!(", not heard of for {}", span(silence)));
    }
    line
}

/// The answer to a filter that matches nothing.
pub fn nothing_matches(filter: &str, near: &[&Device], rooms: &[&str]) -> String {
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
