//! Before step 1, what a model copies of the list: "- Lamp: switch, off", "Office: - Ceiling: dimmer, on 30 %".

use crate::home::device::{Device, WITHOUT_ROOM};
use crate::home::language;
use crate::home::word::Word;
use crate::home::words::words;

/// The devices whose line of the list this is, with its heading or without.
pub(super) fn copied<'a>(devices: &[&'a Device], said: &str) -> Vec<&'a Device> {
    // A line has a colon before its kind; what has no words may be a name of symbols.
    if !said.contains(':') && !words(said).is_empty() {
        return Vec::new();
    }
    let devices = devices.iter().copied();
    devices.filter(|device| is_line_of(said, device)).collect()
}

fn is_line_of(said: &str, device: &Device) -> bool {
    let said = without_dash(said);
    let headings: &[&str] = match device.room.as_str() {
        "" => &WITHOUT_ROOM,
        room => &[room],
    };
    let below = |heading: &&str| {
        let rest = after(said, heading)?.strip_prefix(':');
        rest.map(without_dash)
    };
    let below_heading = headings.iter().find_map(below);
    let is_line = |line: &str| {
        after(line, &device.listed()).is_some_and(|rest| {
            let rest = rest.trim();
            // A name of symbols has no words to be found by.
            let symbols = rest.is_empty() && device.name.words.is_empty();
            symbols || rest.strip_prefix(':').is_some_and(begins_with_kind)
        })
    };
    is_line(said) || below_heading.is_some_and(is_line)
}

/// Returns the rest behind a text that stands at the beginning, in any case of its letters.
fn after<'t>(text: &'t str, begins: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(begins.len())?;
    (head.to_lowercase() == begins.to_lowercase()).then_some(rest.trim_start())
}

fn without_dash(text: &str) -> &str {
    let text = text.trim();
    let rest = text.strip_prefix(['-', '*', '•']).unwrap_or(text);
    rest.trim_start()
}

/// "switch, off": a word for a kind, and behind a comma whatever the device reported then, but no
/// other line.
fn begins_with_kind(rest: &str) -> bool {
    if rest.contains(':') {
        return false;
    }
    let kind = rest.split(',').next().unwrap_or_default();
    let kind = words(kind);
    let kind: Vec<&Word> = kind.iter().collect();
    language::kind(&kind).is_some()
}
