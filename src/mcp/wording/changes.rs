//! Words what changed in the house: when, from what, and by whom.

use super::facts::fact;
use super::listing::{Heading, end};
use crate::gateway::{LocalTime, View};
use crate::home::changes::{Actor, Change, Condition};
use crate::home::model::ids::Timestamp;

/// Words a time of day: "14:05", "yesterday 14:05", "3 days ago 14:05".
pub fn clock(time: LocalTime) -> String {
    let clock = time_of_day(time);
    match time.days_ago {
        0 => clock,
        1 => format!("yesterday {clock}"),
        days => format!("{days} days ago {clock}"),
    }
}

/// Words the hour and the minute: "14:05".
pub fn time_of_day(time: LocalTime) -> String {
    format!("{:02}:{:02}", time.hour, time.minute)
}

/// Words the one who changed something: "by keypad, user 3".
pub fn actor(actor: Actor) -> String {
    match actor {
        Actor::Keypad(Some(user)) => format!("by keypad, user {user}"),
        Actor::Keypad(None) => "by keypad".to_owned(),
        Actor::Hand => "by hand".to_owned(),
        Actor::Radio => "by radio".to_owned(),
        Actor::Itself => "by itself".to_owned(),
        Actor::Server => "by this server".to_owned(),
    }
}

/// Words a change: "unlocked by keypad, user 3, 14:05; before: locked".
pub fn change(view: &View, change: &Change) -> String {
    let by = change
        .by
        .map_or_else(String::new, |by| format!(" {}", actor(by)));
    let time = when(view, change);
    let [before, after] = [&change.before, &change.after].map(condition);
    format!("{after}{by}, {time}; before: {before}")
}

/// Words one side of a change.
pub fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Fact(known) => fact(known),
        Condition::Responding(true) => "responding".to_owned(),
        Condition::Responding(false) => "not responding".to_owned(),
    }
}

fn when(view: &View, change: &Change) -> String {
    let at = view.local_time(change.at);
    match change.not_before.map(|at| view.local_time(at)) {
        Some(not_before) if not_before != at => {
            format!("between {} and {}", clock(not_before), clock(at))
        }
        _ => clock(at),
    }
}

/// Words a list of changes. `since` is the time at which this server began to watch, and `gap` the last
/// time that it could not.
pub fn changes(
    view: &View,
    heading: &Heading,
    lines: &[String],
    since: Timestamp,
    gap: Option<(Timestamp, Timestamp)>,
) -> String {
    let clock = |at| clock(view.local_time(at));
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
    for trouble in &heading.troubles {
        text.push(' ');
        text.push_str(trouble);
    }
    text + &end(heading, lines, "changed")
}
