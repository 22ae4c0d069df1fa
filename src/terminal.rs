//! The terminal: its width and colors. Also makes untrusted text safe to print: removes or escapes the
//! characters that could move the cursor, change colors or hide words.

#[cfg(feature = "server")]
pub mod screen;

use std::fmt::Write;

#[cfg(feature = "server")]
pub use screen::{Screen, note};

/// Returns true for control characters other than `\n` and `\t`, and for characters that change the text
/// direction.
fn is_unsafe(character: char) -> bool {
    let changes_direction = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    changes_direction || character.is_control() && !matches!(character, '\n' | '\t')
}

/// Removes unsafe characters. Each character is checked alone, so a text may also be passed in parts.
pub fn printable(text: &str) -> String {
    text.chars().filter(|character| !is_unsafe(*character)).collect()
}

/// Escapes unsafe characters in a JSON text from `serde_json`. The result stands for the same JSON value.
pub fn printable_json(json: &str) -> String {
    let mut printable = String::new();
    for character in json.chars() {
        if is_unsafe(character) {
            // `serde_json` writes unsafe characters only inside strings. All of them fit in four hex digits.
            let _ = write!(printable, "\\u{:04x}", u32::from(character));
        } else {
            printable.push(character);
        }
    }
    printable
}
