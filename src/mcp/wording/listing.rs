//! Describes the three kinds of lists: devices by room, problems (the worst first), and changes.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::time::Duration;

use super::facts::{SEPARATOR, describe_state, format_clock, kind_word, unusual};
use super::phrases::{decimal, join_names, nearest_names, quote, some_names, span};
use crate::gateway::View;
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::model::ids::Timestamp;
use crate::home::model::node::WeakLink;
use crate::home::names::Topic;
use crate::mcp::entry::{Entry, Problem};

/// The data for the text above and below the lines of a list.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The number of matching devices, without those counted in `hidden`. In a list of changes, the number of changes.
    pub matching: usize,
    /// The number of devices that are shown.
    pub shown: usize,
    /// The number of matching devices that are dead.
    pub dead_count: usize,
    /// The number of matching devices that are not shown because they are dead.
    pub hidden: usize,
    /// True if there was a filter.
    pub is_filtered: bool,
    /// The age of the values, if they are not kept current.
    pub age: Option<Duration>,
    /// The troubles, in sentences.
    pub troubles: Vec<String>,
    /// The sentence about unknown arguments, which were ignored.
    pub ignored_arguments: Option<String>,
}

/// Makes the text of a list from the lines of its devices.
pub fn describe_listing(heading: &Heading, lines: &[String]) -> String {
    let ignored = heading.ignored_arguments.iter().flat_map(|sentence| ["\n", sentence]);
    let lines = lines.iter().map(String::as_str).chain(ignored);
    describe_head(heading) + &lines.collect::<String>()
}

/// Makes the line of each device. The first line of a room has the room's name above it. The first line of a floor
/// also has the floor's name above it. `without_room` is the heading for devices without a room.
pub fn device_lines(entries: &[Entry], without_room: &str) -> Vec<String> {
    let mut last: Option<&Entry> = None;
    let lines = entries.iter().map(|entry| {
        let previous = last.replace(entry);
        let room = entry.device.room.as_str();
        if previous.is_some_and(|previous| previous.device.room == room) {
            return device_line("", entry);
        }
        let previous_floor = previous.and_then(|previous| previous.floor);
        let floor_heading = match entry.floor {
            Some(floor) if previous_floor != Some(floor) => format!("\n{}", as_heading(floor)),
            None if previous_floor.is_some() => "\nOther rooms".to_owned(),
            _ => String::new(),
        };
        let room = as_heading(if room.is_empty() { without_room } else { room });
        device_line(&format!("{floor_heading}\n{room}:"), entry)
    });
    lines.collect()
}

/// Changes the name of a room or floor so that it doesn't look like the line of a device.
fn as_heading(name: &str) -> String {
    name.trim_start_matches(['-', '*', '•', ' ']).replace(':', "∶")
}

/// Counts devices: "3 matching devices".
pub fn count_devices(count: usize, is_filtered: bool) -> String {
    let matching = if is_filtered { "matching " } else { "" };
    let noun = if count == 1 { "device" } else { "devices" };
    format!("{count} {matching}{noun}")
}

/// Counts problems, in a sentence.
pub fn count_problems(count: usize) -> String {
    let noun = if count == 1 { "problem" } else { "problems" };
    format!("{count} {noun}.")
}

fn describe_head(heading: &Heading) -> String {
    let mut head = if heading.shown < heading.matching {
        format!(
            "{}; these are the first {}. For others, name a room, kind or device in filter.",
            count_devices(heading.matching, false),
            heading.shown
        )
    } else {
        count_devices(heading.matching, heading.is_filtered) + "."
    };
    if heading.hidden > 0 {
        head.push_str(&format!(
            " {} more not responding (includeInactive shows them).",
            heading.hidden
        ));
    }
    let age = heading.age.filter(|_| heading.shown > 0).map(span);
    with_troubles(head, &heading.troubles, age.as_deref())
}

/// Adds the troubles and the age of the values to the sentence that counts the devices.
pub fn with_troubles(mut head: String, troubles: &[String], age: Option<&str>) -> String {
    head.extend(troubles.iter().flat_map(|trouble| [" ", trouble]));
    head + &age.map(|age| format!(" Values as of {age} ago.")).unwrap_or_default()
}

/// Describes a device on a line of its own: its name, kind and state, and what is unusual. `above` comes first.
fn device_line(above: &str, entry: &Entry) -> String {
    let mut line = String::with_capacity(above.len() + bounds::LINE);
    let (name, kind) = (entry.device.listed_name(), kind_word(entry.device));
    line.extend([above, "\n- ", &name, ": ", kind]);
    let state = describe_state(entry).map(Cow::Owned);
    for part in state.into_iter().chain(unusual(entry)) {
        line.push_str(SEPARATOR);
        line.push_str(&part);
    }
    line
}

/// Describes the worst problem of a device, and what to do.
pub fn describe_problem(entry: &Entry) -> Option<String> {
    Some(match entry.problem()? {
        Problem::NotResponding => {
            "not responding; check that it has power, and ping it in zwave-js-ui".to_owned()
        }
        Problem::Unread => format!(
            "not read yet; {}interview it again in zwave-js-ui",
            wake_it_up(entry)
        ),
        Problem::LowBattery(charge) => format!("battery {charge} %; replace it"),
        Problem::Silent(Reverse(time)) => format!(
            "last heard from {} ago; {}check its battery",
            span(time),
            wake_it_up(entry)
        ),
        Problem::WeakLink(link) => {
            let weakness = match link {
                WeakLink::Lossy(1) => "most commands get no answer".to_owned(),
                WeakLink::Lossy(commands) => format!("1 in {commands} commands gets no answer"),
                WeakLink::Slow(tenths) => {
                    let seconds = decimal(f64::from(tenths) / 10.0);
                    format!("an answer takes {seconds} s")
                }
            };
            format!("{weakness}; move it or add a repeater")
        }
    })
}

/// Returns the first advice for a device that sleeps. The others can't be woken up.
fn wake_it_up(entry: &Entry) -> &'static str {
    if entry.sleeps { "wake it up, or " } else { "" }
}

/// Makes a line for each device with a problem.
pub fn problem_lines(entries: &[Entry]) -> Vec<String> {
    let lines = entries.iter().filter_map(|entry| {
        let problem = describe_problem(entry)?;
        Some(format!("\n- {}: {problem}", entry.device.with_room()))
    });
    lines.collect()
}

/// Makes the text of a list of problems, or says that there is no problem. The house has `device_count` devices.
pub fn describe_problems(
    topic: Topic,
    heading: &Heading,
    lines: &[String],
    device_count: usize,
) -> String {
    let count = heading.matching + heading.troubles.len();
    let mut text = match (topic, count) {
        (Topic::LowBattery, 0) => "No battery is low.".to_owned(),
        (Topic::NotResponding, 0) => "Every device responds.".to_owned(),
        (_, 0) => format!("Nothing is wrong with the {device_count} devices."),
        (_, count) => count_problems(count),
    };
    text.extend(heading.troubles.iter().flat_map(|trouble| ["\n- ", trouble]));
    text + &describe_topic_lines(heading, lines, "problems")
}

/// The sentence above the last reports.
pub const ONLY_REPORTS: &str = "Of these, only the last report is known:";

/// Makes the text of a list of changes, of which the first `change_count` lines are, and last reports. `since` is the
/// time at which this server began to watch. `gap` is the last period in which a gateway's changes were not reported.
pub fn describe_changes(
    view: &View,
    heading: &Heading,
    lines: &[String],
    change_count: usize,
    since: Timestamp,
    gap: Option<(Timestamp, Timestamp)>,
) -> String {
    let clock = |at| format_clock(view.local_time(at));
    let count = match change_count {
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
            " The gateway was away from {} to {}; for that time, only the difference between before and \
             after is known.",
            clock(from),
            clock(to)
        ));
    }
    text.extend(heading.troubles.iter().flat_map(|trouble| [" ", trouble]));
    text + &describe_topic_lines(heading, lines, "changed")
}

/// Joins the lines of a topic, the number of further lines, and the sentence about unknown arguments.
fn describe_topic_lines(heading: &Heading, lines: &[String], topic: &str) -> String {
    let mut text = lines.concat();
    let more = heading.matching.saturating_sub(lines.len());
    if more > 0 {
        text.push_str(&format!(
            "\n{more} more; add a room or kind to the filter \"{topic}\"."
        ));
    }
    let ignored = heading.ignored_arguments.iter();
    text.extend(ignored.flat_map(|sentence| ["\n", sentence]));
    text
}

/// Says that devices match a filter but for the states in it. A state in another language is listed as no device's.
pub fn describe_other_states(count: usize, is_filtered: bool, states: &str) -> String {
    let none = match count {
        1 => "The matching device is not".to_owned(),
        _ => format!("None of the {} is", count_devices(count, is_filtered)),
    };
    format!("{none} listed as {}.", quote(states))
}

/// Says that a filter matches nothing, and lists similar names and the rooms.
pub fn describe_no_match(filter: &str, near: &[&Device], rooms: &[String]) -> String {
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
pub fn describe_ignored(names: &[String]) -> Option<String> {
    let named = names.iter().map(|name| quote(name)).collect();
    let named = bounds::shorten_list(named, bounds::IGNORED_ARGUMENTS);
    (!named.is_empty()).then(|| {
        format!(
            "Ignored: {}; this tool takes filter and includeInactive.",
            join_names(&named, "and")
        )
    })
}
