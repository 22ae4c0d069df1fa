//! Recognizes lines that a model copied from the list: "- Lamp: switch, off", "Office: - Ceiling: dimmer,
//! on 30 %".

use crate::device::{Device, WITHOUT_ROOM};
use crate::language;
use crate::word::words;

/// Returns the devices that have this line in the list. The line may begin with the heading of the device's room.
pub(super) fn find_by_line<'a>(devices: &[&'a Device], text: &str) -> Vec<&'a Device> {
    // Every line has a colon before the kind. A text without a colon counts only if it has no words: it may be
    // a name that consists of symbols.
    if !text.contains(':') && !words(text).is_empty() {
        return Vec::new();
    }
    devices.iter().copied().filter(|device| is_line_of(text, device)).collect()
}

fn is_line_of(text: &str, device: &Device) -> bool {
    let text = without_dash(text);
    let headings: &[&str] = match device.room.as_str() {
        "" => &WITHOUT_ROOM,
        room => &[room],
    };
    // In "Office: - Ceiling: dimmer", the line comes after its heading.
    let after_heading = |heading: &&str| {
        let rest = rest_after(text, heading)?.strip_prefix(':');
        rest.map(without_dash)
    };
    let line_after_heading = headings.iter().find_map(after_heading);
    let is_line = |line: &str| {
        rest_after(line, &device.listed_name()).is_some_and(|rest| {
            let rest = rest.trim();
            // A name without words can't be found in any other way.
            let is_symbols = rest.is_empty() && device.name.words.is_empty();
            is_symbols || rest.strip_prefix(':').is_some_and(begins_with_kind)
        })
    };
    is_line(text) || line_after_heading.is_some_and(is_line)
}

/// Returns the rest of a text after this beginning. Ignores case. Returns `None` if the text does not begin
/// like this.
fn rest_after<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(beginning.len())?;
    (head.to_lowercase() == beginning.to_lowercase()).then_some(rest.trim_start())
}

fn without_dash(text: &str) -> &str {
    let text = text.trim();
    let rest = text.strip_prefix(['-', '*', '•']).unwrap_or(text);
    rest.trim_start()
}

/// Returns true if the text begins with a word for a kind, perhaps with a comma and a state after it ("switch,
/// off"). Another colon means that this is more than one line.
fn begins_with_kind(rest: &str) -> bool {
    if rest.contains(':') {
        return false;
    }
    let kind = rest.split(',').next().unwrap_or_default();
    let kind = words(kind);
    language::kind(&kind.iter().collect::<Vec<_>>(), language::ALL_LANGUAGES).is_some()
}
