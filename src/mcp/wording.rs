//! Every sentence this program says to a model. Nothing else writes words.
//!
//! Short, speakable, and only what is known: a small model repeats what it is told.

mod answers;
mod asked;
mod facts;
mod guarding;
mod listing;
mod mistakes;
mod resources;
mod sets;
mod troubles;

pub use answers::control;
pub use asked::left_out_level;
pub use facts::{entry_state, exceptions, kind_word};
pub use guarding::{guarded, only_guarded, question, unasked};
pub use listing::{Heading, lines, listing, nothing_matches, passed_over};
pub use mistakes::{
    argument, argument_for, everything, no_member, no_room, refusal, set_toggle, several,
    unknown_method, unknown_tool, unresolved,
};
pub use resources::{
    no_completion, no_resource, too_many_streams, too_many_subscriptions, unknown_cursor,
};
pub use sets::{LeftAlone, SetTold, set_answer};
pub use troubles::{nothing_sent, trouble, troubles, unreadable};

use std::time::Duration;

use crate::home::bounds;
use crate::home::device::Device;
use crate::home::text;

/// What a host may tell its model about this server at the start.
pub const INSTRUCTIONS: &str = "Controls a Z-Wave house. Call list_zwave_devices to learn the \
devices' names, then control_zwave_device with one name. Repeat to the user what the answer says \
happened: a device may refuse, be asleep or still be moving.";

/// The same where nothing can be controlled.
pub const READ_ONLY_INSTRUCTIONS: &str = "Shows a Z-Wave house. Call list_zwave_devices to learn \
the devices' names and states. Nothing can be controlled through this server.";

/// An answer to a call whose handling broke.
pub const BROKEN: &str = "Something went wrong inside the server; the command may or may not have \
been carried out. Check the device before trying again.";

/// The same to a request that controls nothing.
pub const BROKEN_REQUEST: &str = "Something went wrong inside the server. No command was sent; try \
again.";

/// An answer while the house is being read for the first time.
pub const STILL_READING: &str = "The house is still being read. Try again in a few seconds.";

/// What was said, in an answer: at most 60 characters of it, on one line.
fn quoted(said: &str) -> String {
    format!("\"{}\"", text::name(said))
}

/// A list of names as it is spoken: "a, b or c".
pub fn spoken_list(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., end] => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// The names of devices with their rooms, at most so many, and how many more there are.
fn some_names<'a>(devices: impl ExactSizeIterator<Item = &'a Device>, most: usize) -> Vec<String> {
    bounds::some(devices.map(Device::with_room).collect(), most)
}

/// A span of time in one unit, rounded down.
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

/// A number as people write it: at most one decimal, two below 1; beyond what people write, with
/// an exponent.
fn decimal(number: f64) -> String {
    if number.abs() >= 1e12 {
        return format!("{number:.3e}");
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
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (57.5, "57.5"),
            (0.18, "0.18"),
            (21.0, "21"),
            (-0.001, "0"),
            (312.04, "312"),
            (1240.25, "1240.2"),
        ] {
            assert_eq!(decimal(number), text);
        }
    }

    #[test]
    fn spans_have_one_unit() {
        for (seconds, text) in [
            (0, "0 s"),
            (61, "1 min"),
            (7200, "2 h"),
            (180_000, "2 days"),
        ] {
            assert_eq!(span(Duration::from_secs(seconds)), text);
        }
    }
}
