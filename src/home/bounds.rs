//! Upper bounds of texts and answers, so that no house and no caller can make an answer too long.
//! No other file has such numbers.
//!
//! Texts that people read are bounded in characters, whole answers in bytes.

/// A shown name, room or label, or words of a caller that an answer repeats, in characters.
pub const NAME: usize = 60;

/// A name as it is read from the wire, or a name, filter or mode from a caller, in characters.
pub const READ: usize = 200;

/// A unit, a state or a mode, in characters.
pub const WORD: usize = 24;

/// An error text from somebody else, in characters.
pub const REASON: usize = 200;

/// A device's line in a list, in characters, without indentation and room.
pub const LINE: usize = 200;

/// The facts in a device's line.
pub const FACTS: usize = 8;

/// The choices that an error offers.
pub const CHOICES: usize = 20;

/// The sentences about single devices in an answer for a set.
pub const EXCEPTIONS: usize = 8;

/// The ignored arguments that an answer names.
pub const PASSED_OVER: usize = 5;

/// Words of a caller in a line of the log, in characters.
pub const LOGGED: usize = 100;

/// The devices in a list.
pub const LISTED: usize = 100;

/// A tool's whole answer, its text together with its structured part, in bytes.
pub const ANSWER: usize = 16 * 1024;

/// The troubles above a list, in bytes. A structured answer has them twice.
pub const TROUBLES: usize = 4 * 1024;

/// The rooms that are offered if nothing matches, in bytes.
pub const ROOMS: usize = 2 * 1024;

/// The text of a control call's answer, in bytes. A structured answer has it twice.
pub const CONTROL: usize = 5 * 1024;

/// The part of an answer that belongs to no device, in bytes.
pub const FRAME: usize = 512;

/// Returns the bound of a resource with this many devices, in bytes: 64 KiB for 100, more for more.
pub fn resource(devices: usize) -> usize {
    64 * 1024 * devices.max(100) / 100
}

/// Returns the part of a name from the wire that is read.
pub fn read(name: &str) -> &str {
    let end = name.char_indices().nth(READ);
    end.and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

/// Returns true if a caller's text is longer than what is read.
pub fn is_too_long(text: &str) -> bool {
    read(text).len() < text.len()
}

/// Keeps the first choices, and counts the others as "3 more".
pub fn shorten_list(mut choices: Vec<String>, max: usize) -> Vec<String> {
    let more = choices.len().saturating_sub(max);
    if more > 0 {
        choices.truncate(max);
        choices.push(format!("{more} more"));
    }
    choices
}

/// Cuts a text that is longer than `max` bytes, and says so at its end.
pub fn truncate(mut text: String, max: usize) -> String {
    const CUT: &str = "… (The rest is left out: it is too long.)";
    if text.len() > max {
        let mut end = max.saturating_sub(CUT.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(CUT);
    }
    text
}

/// Counts how many of the first items, each with a separator, fit into `max` bytes.
pub fn count_fitting(sizes: impl IntoIterator<Item = usize>, max: usize) -> usize {
    let mut used = 0;
    let fits = |size: &usize| {
        used += size + 1;
        used <= max
    };
    sizes.into_iter().take_while(fits).count()
}
