//! A person's terminal: its width, and protection from untrusted text that would move the cursor, change
//! colors or hide words.

#[cfg(feature = "server")]
mod screen;

use std::fmt::Write;

#[cfg(feature = "server")]
pub use screen::{Screen, Style, note};

/// Returns true for characters that a terminal obeys instead of showing, except line breaks and tabs,
/// and for those that change the direction of writing.
fn is_unsafe(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || letter.is_control() && !matches!(letter, '\n' | '\t')
}

/// Removes what a terminal would obey. A text may come in parts: each character is judged by itself.
pub fn printable(text: &str) -> String {
    text.chars().filter(|letter| !is_unsafe(*letter)).collect()
}

/// Escapes, as JSON does, what a terminal would obey in a JSON text.
pub fn printable_json(json: &str) -> String {
    let mut printable = String::new();
    for letter in json.chars() {
        if is_unsafe(letter) {
            // Only strings hold such characters, and all of them fit into four digits.
            let _ = write!(printable, "\\u{:04x}", u32::from(letter));
        } else {
            printable.push(letter);
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn nothing_in_a_text_is_obeyed_by_a_terminal() {
        let text = "\u{1b}]0;title\u{7}on\r\u{1b}[2J\u{9b}31m off\u{202e}\u{7f}\n\tü 🔧";
        assert_eq!(printable(text), "]0;titleon[2J31m off\n\tü 🔧");
    }

    #[test]
    fn json_stays_the_same_json() {
        let json = json!({ "a\u{9b}": "\u{1b}[2J\u{202e}\u{7f}\nü" });
        let text = printable_json(&json.to_string());
        assert!(!text.chars().any(is_unsafe), "{text:?}");
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), json);
    }
}
