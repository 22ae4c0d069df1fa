//! Parses the arguments of calls, which models and hosts write in several forms. Also measures JSON.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value as Json};

/// Parses the arguments of a call: an object, or a string that contains an object as JSON. `null`, a blank
/// string and an empty array mean no arguments.
///
/// # Errors
/// The arguments are not an object. The message is a clause about the arguments: "they must be …".
pub fn object(json: Json) -> Result<Map<String, Json>, String> {
    let parsed = match json {
        Json::String(text) if text.trim().is_empty() => Json::Null,
        Json::String(text) => {
            serde_json::from_str(&text).map_err(|error| format!("they are not JSON ({error})"))?
        }
        json => json,
    };
    match parsed {
        Json::Object(fields) => Ok(fields),
        Json::Null => Ok(Map::new()),
        Json::Array(items) if items.is_empty() => Ok(Map::new()),
        _ => Err("they must be a JSON object".to_owned()),
    }
}

/// Returns the length in bytes that `content` has as JSON.
pub fn length(content: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    // Never fails: the counter accepts everything, and callers pass only content with strings as keys.
    let _ = serde_json::to_writer(&mut counter, content);
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
