//! How long what is said may be, whatever a house says of itself. The only place with such numbers.
//!
//! Lengths are in characters where a person reads them, in bytes where a host carries them.

/// A name, a room, a label, or what a caller said, in characters.
pub const NAME: usize = 60;

/// What is read of a name from the wire, and the most that a caller may say as a name, a filter or a
/// mode, in characters.
pub const READ: usize = 200;

/// A unit, a state or a mode, in characters.
pub const WORD: usize = 24;

/// Somebody else's error text, in characters.
pub const REASON: usize = 200;

/// A device's line in a list, in characters, without what sets it off from the others.
pub const LINE: usize = 200;

/// What a device's line tells of its state.
pub const FACTS: usize = 8;

/// What an error offers to choose from.
pub const CHOICES: usize = 20;

/// What an answer for a set says of single devices, in sentences.
pub const EXCEPTIONS: usize = 8;

/// The arguments that mean nothing and are named.
pub const PASSED_OVER: usize = 5;

/// What a caller said, in a line of the log, in characters.
pub const LOGGED: usize = 100;

/// The devices of a list.
pub const LISTED: usize = 100;

/// A whole answer of a tool, in bytes: its text and, where it has one, its structured part.
pub const ANSWER: usize = 16 * 1024;

/// What is said of everything that is wrong, above a list, in bytes: a structured answer says it
/// twice.
pub const TROUBLES: usize = 4 * 1024;

/// The rooms that are offered where nothing matches, in bytes.
pub const ROOMS: usize = 2 * 1024;

/// What is said of a control call, in bytes: a structured answer says it twice.
pub const CONTROL: usize = 5 * 1024;

/// What is kept free in an answer for what is not of a device, in bytes.
pub const FRAME: usize = 512;

/// A resource with so many devices, in bytes: 64 KiB for 100, more for more.
pub fn resource(devices: usize) -> usize {
    64 * 1024 * devices.max(100) / 100
}

/// The part of a name from the wire that is read.
pub fn read(name: &str) -> &str {
    let end = name.char_indices().nth(READ);
    end.and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

/// Returns true if a caller said more than is read.
pub fn is_too_long(said: &str) -> bool {
    read(said).len() < said.len()
}

/// The first of several choices, and how many more there are.
pub fn some(mut choices: Vec<String>, most: usize) -> Vec<String> {
    let more = choices.len().saturating_sub(most);
    if more > 0 {
        choices.truncate(most);
        choices.push(format!("{more} more"));
    }
    choices
}

/// A text; where it is longer than `most` bytes, as much of it as fits, and that it is cut.
pub fn within(mut text: String, most: usize) -> String {
    const CUT: &str = "… (The rest is left out: it is too long.)";
    if text.len() > most {
        let mut end = most.saturating_sub(CUT.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(CUT);
    }
    text
}

/// How many of the first fit into so many bytes, each with a separator.
pub fn fitting(sizes: impl IntoIterator<Item = usize>, most: usize) -> usize {
    let mut used = 0;
    let fits = |size: &usize| {
        used += size + 1;
        used <= most
    };
    sizes.into_iter().take_while(fits).count()
}
