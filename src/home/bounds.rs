//! Upper bounds for texts and for whole answers, so that no house and no caller can make an answer too long.
//! Single texts are bounded in characters, answers and their parts in bytes.

/// The length of a name, room or label as it is shown, and of a quote of a caller's words, in characters.
pub const NAME: usize = 60;

/// The length of a name from the wire, and of a name, filter or mode from a caller, in characters.
pub const INPUT: usize = 200;

/// The length of a unit, state or mode as it is shown, in characters.
pub const WORD: usize = 24;

/// The length of an error text from another program, in characters.
pub const REASON: usize = 200;

/// The length of a device's line in a list, without indentation and room, in characters.
pub const LINE: usize = 200;

/// The number of facts in a device's line.
pub const FACTS: usize = 8;

/// The number of choices that an error offers, and of names that a sentence lists.
pub const CHOICES: usize = 20;

/// The number of sentences about single devices in an answer for a set.
pub const EXCEPTIONS: usize = 8;

/// The number of ignored arguments that an answer names.
pub const IGNORED_ARGUMENTS: usize = 5;

/// The length of a caller's words in a log line, in characters.
pub const LOGGED: usize = 100;

/// The number of devices in a list.
pub const LISTED: usize = 100;

/// The length of a tool's whole answer, the text and the structured part together, in bytes.
pub const ANSWER: usize = 16 * 1024;

/// The length of the troubles above a list, in bytes. A structured answer contains the troubles twice.
pub const TROUBLES: usize = 4 * 1024;

/// The length of the list of rooms that is offered if nothing matches, in bytes.
pub const ROOMS: usize = 2 * 1024;

/// The length of the text that answers a control call, in bytes. A structured answer contains the text twice.
pub const CONTROL: usize = 5 * 1024;

/// The space to keep free for the parts of an answer that do not depend on devices, in bytes.
pub const OVERHEAD: usize = 512;

/// The number of a gateway's nodes.
pub const NODES: usize = 10_000;

/// The number of a gateway's scenes and groups.
pub const SCENES: usize = 2_000;

/// The number of a group's members, and of a scene's writes.
pub const MEMBERS: usize = 1_000;

/// Returns the bound of a resource with this many devices, in bytes: 64 KiB for up to 100 devices, and
/// proportionally more for more devices.
pub fn resource(devices: usize) -> usize {
    64 * 1024 * devices.max(100) / 100
}

/// Cuts a name from the wire to [`INPUT`] characters.
pub fn cut_input(name: &str) -> &str {
    let end = name.char_indices().nth(INPUT);
    end.and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

/// Returns true if a caller's text has more than [`INPUT`] characters.
pub fn is_too_long(text: &str) -> bool {
    cut_input(text).len() < text.len()
}

/// Keeps the first `max` choices, and replaces the others with their number ("3 more").
pub fn shorten_list(mut choices: Vec<String>, max: usize) -> Vec<String> {
    let omitted = choices.len().saturating_sub(max);
    if omitted > 0 {
        choices.truncate(max);
        choices.push(format!("{omitted} more"));
    }
    choices
}

/// Cuts a text that is longer than `max` bytes, and ends it with a note that says so.
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

/// Returns how many items from the start fit into `max` bytes, each with a one-byte separator.
pub fn count_fitting(sizes: impl IntoIterator<Item = usize>, max: usize) -> usize {
    let mut used = 0;
    let fits = |size: &usize| {
        used += size + 1;
        used <= max
    };
    sizes.into_iter().take_while(fits).count()
}
