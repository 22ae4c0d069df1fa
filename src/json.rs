//! JSON objects, also in the other forms in which models and hosts write them, and the length of JSON.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value as Json};

/// Reads the arguments of a call: an object, or an object as JSON text. `null`, an empty text and an empty
/// list are no arguments.
///
/// # Errors
/// They are no object. The text continues a sentence that begins with "they".
pub fn object(json: Json) -> Result<Map<String, Json>, String> {
    let parsed = match json {
        Json::String(text) if text.trim().is_empty() => Json::Null,
        Json::String(text) => {
            serde_json::from_str(&text).map_err(|error| format!("they are no JSON ({error})"))?
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

/// Counts the bytes of something as JSON text.
pub fn length(content: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    // This can't fail, because all keys are texts and the counter takes everything.
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
