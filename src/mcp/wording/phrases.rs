//! Formats the small parts of sentences: names, lists, numbers and spans of time.

use std::borrow::Borrow;
use std::time::Duration;

use crate::home::bounds;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::text;

/// Quotes a caller's words, cleaned and truncated to 60 characters.
pub fn quote(words: &str) -> String {
    format!("\"{}\"", text::name(words))
}

/// Quotes a name from the wire. Replaces quotation marks in the name, so that it can't end the quotation.
pub fn quote_name(name: &str) -> String {
    format!("\"{}\"", name.replace(['"', '“', '”', '„', '«', '»'], "'"))
}

/// Joins names with commas and a conjunction: "a, b or c".
pub fn join_names<S: Borrow<str>>(items: &[S], conjunction: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.borrow().to_owned(),
        [rest @ .., end] => format!("{} {conjunction} {}", rest.join(", "), end.borrow()),
    }
}

/// Returns the names of the first devices, with their rooms, and counts the others.
pub fn some_names<'a>(devices: impl Iterator<Item = &'a Device>, max: usize) -> Vec<String> {
    bounds::shorten_list(devices.map(Device::with_room).collect(), max)
}

/// Returns the beginning of a sentence that lists `count` names similar to the one in a call.
pub fn nearest_names(count: usize) -> &'static str {
    match count {
        1 => "The nearest name",
        _ => "The nearest names",
    }
}

/// Returns the names of actions, as a call spells them.
pub fn action_names(actions: &[Action]) -> Vec<&'static str> {
    actions.iter().map(|action| action.name()).collect()
}

/// Formats a span of time in one unit, rounded down.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "s"),
        60..3600 => (seconds / 60, "min"),
        3600..172_800 => (seconds / 3600, "h"),
        _ => (seconds / 86_400, "days"),
    };
    format!("{count} {unit}")
}

/// Formats a number with at most one decimal place. A number between -1 and 1 can have two. A huge number has
/// an exponent.
pub fn decimal(number: f64) -> String {
    if number.abs() >= 1e12 {
        return format!("{number:.3e}");
    }
    // Most numbers are whole, and formatting their decimals takes long.
    if number.fract() == 0.0 {
        return (number as i64).to_string();
    }
    let text = if number.abs() < 1.0 {
        format!("{number:.2}")
    } else {
        format!("{number:.1}")
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

#[cfg(test)]
#[path = "../../../tests/unit/mcp/wording/phrases.rs"]
mod tests;
