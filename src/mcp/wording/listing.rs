//! Words lists: devices grouped by room, a line each; their problems, the worst first; or their changes.

use std::time::Duration;

use super::facts::{kind_word, word_clock, word_exceptions, word_state};
use super::phrases::{join_names, nearest_names, quote, some_names, span};
use crate::gateway::View;
use crate::home::bounds;
use crate::home::device::{Device, WITHOUT_ROOM};
use crate::home::letters::squash;
use crate::home::model::ids::Timestamp;
use crate::home::names::Topic;
use crate::mcp::entry::{Entry, Problem};

/// The facts above the lines of a list.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The number of matching devices, without the hidden ones.
    pub matching: usize,
    /// The number of devices that are shown.
    pub shown: usize,
    /// The number of matching devices that are dead.
    pub dead: usize,
    /// The number of dead devices that are not shown.
    pub hidden: usize,
    /// True if there was a filter.
    pub filtered: bool,
    /// The age of the values, if they are not kept current.
    pub age: Option<Duration>,
    /// The troubles, in sentences.
    pub troubles: Vec<String>,
    /// The sentence about unknown arguments.
    pub passed_over: Option<String>,
}

/// Words a list, with the lines of its devices.
pub fn word_listing(heading: &Heading, lines: &[String]) -> String {
    let passed_over = heading.passed_over.iter().flat_map(|sentence| ["\n", sentence]);
    let lines = lines.iter().map(String::as_str).chain(passed_over);
    word_head(heading) + &lines.collect::<String>()
}

/// Words the line of each device. The first one of a room has the room's name above it, and the first
/// one of a floor the floor's.
pub fn word_lines(entries: &[Entry]) -> Vec<String> {
    let mut room = None;
    let mut floor = None;
    let mut rooms = entries.iter().map(|entry| squash(&entry.device.room));
    let [usual, other] = WITHOUT_ROOM;
    let is_taken = rooms.any(|room| room == squash(usual));
    let without_room = if is_taken { other } else { usual };
    let lines = entries.iter().map(|entry| {
        let own = entry.device.room.as_str();
        if room.replace(own) == Some(own) {
            return format!("\n- {}", word_line(entry));
        }
        let name = if own.is_empty() { without_room } else { own };
        // A room's name must not look like the line of a device.
        let heading = |name: &str| {
            let name = name.trim_start_matches(['-', '*', '•', ' ']);
            name.replace(':', "∶")
        };
        let floor = match (floor.replace(entry.floor), entry.floor) {
            (before, Some(own)) if before != Some(Some(own)) => format!("\n{}", heading(own)),
            (Some(Some(_)), None) => "\nOther rooms".to_owned(),
            _ => String::new(),
        };
        format!("{floor}\n{}:\n- {}", heading(name), word_line(entry))
    });
    lines.collect()
}

fn word_head(heading: &Heading) -> String {
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
    head.extend(heading.troubles.iter().flat_map(|trouble| [" ", trouble]));
    if let Some(age) = heading.age.filter(|_| heading.shown > 0) {
        head.push_str(&format!(" Values as of {} ago.", span(age)));
    }
    head
}

/// Words a device: its name, kind, state and exceptions.
fn word_line(entry: &Entry) -> String {
    let mut line = format!(
        "{}: {}",
        entry.device.listed_name(),
        kind_word(entry.device)
    );
    for part in word_state(entry).into_iter().chain(word_exceptions(entry)) {
        line.push_str(", ");
        line.push_str(&part);
    }
    line
}

/// Words the problem of a device, and what to do.
pub fn word_problem(entry: &Entry) -> Option<String> {
    Some(match entry.problem()? {
        Problem::NotResponding => {
            "not responding; check that it has power, and ping it in zwave-js-ui".to_owned()
        }
        Problem::Unread => {
            "not read yet; wake it up, or interview it again in zwave-js-ui".to_owned()
        }
        Problem::LowBattery(charge) => format!("battery {charge} %; replace it"),
        Problem::Silent(time) => format!(
            "last heard from {} ago; wake it up, or check its battery",
            span(time)
        ),
    })
}

/// Words a line for each device with a problem.
pub fn word_problem_lines(entries: &[Entry]) -> Vec<String> {
    let lines = entries.iter().filter_map(|entry| {
        let problem = word_problem(entry)?;
        Some(format!("\n- {}: {problem}", entry.device.with_room()))
    });
    lines.collect()
}

/// Words all problems, or that none of the house's `devices` has one.
pub fn word_problems(topic: Topic, heading: &Heading, lines: &[String], devices: usize) -> String {
    let count = heading.matching + heading.troubles.len();
    let mut text = match (topic, count) {
        (Topic::LowBattery, 0) => "No battery is low.".to_owned(),
        (Topic::NotResponding, 0) => "Every device responds.".to_owned(),
        (_, 0) => format!("Nothing is wrong with the {devices} devices."),
        (_, 1) => "1 problem.".to_owned(),
        (_, count) => format!("{count} problems."),
    };
    text.extend(heading.troubles.iter().flat_map(|trouble| ["\n- ", trouble]));
    text + &word_topic_lines(heading, lines, "problems")
}

/// Words a list of changes. `since` is the time at which this server began to watch, and `gap` the last
/// time that it could not.
pub fn word_changes(
    view: &View,
    heading: &Heading,
    lines: &[String],
    since: Timestamp,
    gap: Option<(Timestamp, Timestamp)>,
) -> String {
    let clock = |at| word_clock(view.local_time(at));
    let count = match heading.matching {
        0 => "Nothing has changed".to_owned(),
        1 => "1 change".to_owned(),
        count => format!("{count} changes"),
    };
    let mut text = format!(
        "{count} since {}, when this server began to watch.",
        clock(since)
    );
    if let Some((from, to)) = gap {
        text.push_str(&format!(
            " The gateway was away from {} to {}; what happened then is known only by what was different \
             afterwards.",
            clock(from),
            clock(to)
        ));
    }
    text.extend(heading.troubles.iter().flat_map(|trouble| [" ", trouble]));
    text + &word_topic_lines(heading, lines, "changed")
}

/// Words the lines of a topic, how many more there are, and what was passed over.
fn word_topic_lines(heading: &Heading, lines: &[String], topic: &str) -> String {
    let mut text = lines.concat();
    let more = heading.matching.saturating_sub(lines.len());
    if more > 0 {
        text.push_str(&format!(
            "\n{more} more; say a room or kind beside \"{topic}\"."
        ));
    }
    let passed_over = heading.passed_over.iter();
    text.extend(passed_over.flat_map(|sentence| ["\n", sentence]));
    text
}

/// Words the answer to a filter that matches nothing.
pub fn word_no_match(filter: &str, near: &[&Device], rooms: &[String]) -> String {
    let mut text = format!("No device matches {}.", quote(filter));
    if !near.is_empty() {
        let names = some_names(near.iter().copied(), near.len());
        text.push_str(&format!(
            " {}: {}.",
            nearest_names(near.len()),
            join_names(&names, "and")
        ));
    }
    if !rooms.is_empty() {
        text.push_str(&format!(" Rooms: {}.", rooms.join(", ")));
    }
    text
}

/// Says which arguments of a list were ignored.
pub fn word_ignored(names: &[String]) -> Option<String> {
    let named = names.iter().map(|name| quote(name)).collect();
    let named = bounds::shorten_list(named, bounds::PASSED_OVER);
    (!named.is_empty()).then(|| {
        format!(
            "Passed over: {}; this tool takes filter and includeInactive.",
            join_names(&named, "and")
        )
    })
}
