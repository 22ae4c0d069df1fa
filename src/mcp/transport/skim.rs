//! Finds the ids of requests in text that is not parsed, for example because it is too long or not JSON.

use serde_json::Value as Json;

/// The maximum length of an id or a key, in bytes.
const MAX_TOKEN: usize = 1024;

/// The maximum number of ids that are kept from one line.
const MAX_IDS: usize = 1000;

/// Scans a text in parts, with little memory, and keeps the ids of its requests. Every outermost object
/// counts as a request, alone or in a batch. An object with a result or an error is an answer and does not
/// count. The scan stops at the first invalid text after an object.
#[derive(Default)]
pub struct Skim {
    ids: Vec<Json>,
    /// The state outside of objects.
    outside: Outside,
    /// The number of open brackets. The outermost object's bracket counts, a batch's bracket does not.
    depth: usize,
    /// Set within a string: true if the next byte is escaped.
    string: Option<bool>,
    /// The current key or value of the outermost object, as far as it has been read.
    token: Vec<u8>,
    /// The current key, once the colon after the key was read.
    key: Option<Vec<u8>>,
    id: Option<Json>,
    /// True if there is no comma between an earlier object and the current one. Perhaps a stray bracket
    /// closed the earlier object too early, and the current object is a value in the earlier object. A
    /// `jsonrpc` or `method` key settles that the current object is a message.
    is_doubtful: bool,
    /// True if the current object is an answer, or has two ids. We can't tell which of two ids is right.
    is_not_request: bool,
}

/// The state between the outermost objects.
#[derive(Clone, Copy, Default, PartialEq)]
enum Outside {
    /// Before the first object: any text is valid.
    #[default]
    Before,
    /// Before the first object, after a colon: an object here is a value of another object, whose beginning was
    /// not recognized.
    Colon,
    /// After an object: a comma, white space and a batch's brackets are valid.
    After,
    /// After a comma: an object is expected.
    Comma,
    /// After invalid text: nothing more is recognized.
    Invalid,
}

impl Skim {
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match self.string {
                Some(escaped) => self.scan_string(*byte, escaped),
                None if self.depth == 0 => self.scan_outside(*byte),
                None => self.scan_inside(*byte),
            }
        }
    }

    /// Returns the ids, in their order.
    pub fn ids(mut self) -> Vec<Json> {
        // The last object may lack its end.
        self.finish_object();
        self.ids
    }

    fn scan_string(&mut self, byte: u8, escaped: bool) {
        self.keep(byte);
        self.string = match byte {
            b'"' if !escaped => None,
            b'\\' => Some(!escaped),
            _ => Some(false),
        };
    }

    fn scan_outside(&mut self, byte: u8) {
        use Outside::{After, Before, Colon, Comma, Invalid};
        if byte == b'{' && matches!(self.outside, Before | After | Comma) {
            self.depth = 1;
            self.is_doubtful = self.outside == After;
            return;
        }
        self.outside = match (self.outside, byte) {
            (Colon, b'{') | (Invalid, _) => Invalid,
            (Before | Colon, b':') => Colon,
            (After | Comma, b',') => Comma,
            (state, b'[' | b']' | b' ' | b'\t' | b'\r' | b'\n') => state,
            (Before | Colon, _) => Before,
            (After | Comma, _) => Invalid,
        };
    }

    fn scan_inside(&mut self, byte: u8) {
        match (byte, self.depth) {
            (b':', 1) if self.key.is_none() => self.key = Some(std::mem::take(&mut self.token)),
            (b',', 1) => self.finish_value(),
            (b'}' | b']', 1) => {
                self.finish_object();
                // A `]` does not end an object, so the text after it can't be trusted.
                self.outside = if byte == b'}' {
                    Outside::After
                } else {
                    Outside::Invalid
                };
            }
            (b'}' | b']', _) => self.depth -= 1,
            _ => {
                self.keep(byte);
                match byte {
                    b'"' => self.string = Some(false),
                    b'{' | b'[' => self.depth += 1,
                    _ => {}
                }
            }
        }
    }

    /// Adds a byte to the token, unless the byte is nested deeper than the outermost object.
    fn keep(&mut self, byte: u8) {
        // One byte more than the maximum is kept, to show that the token is too long.
        if self.depth == 1 && self.token.len() <= MAX_TOKEN {
            self.token.push(byte);
        }
    }

    fn finish_value(&mut self) {
        let token = std::mem::take(&mut self.token);
        let Some(key) = self.key.take() else { return };
        match key.trim_ascii() {
            b"\"id\"" if token.len() <= MAX_TOKEN => {
                self.is_not_request |= self.id.is_some();
                let id = serde_json::from_slice::<Json>(&token).ok();
                self.id = id.filter(|id| id.is_string() || id.is_number());
            }
            b"\"result\"" | b"\"error\"" => self.is_not_request = true,
            b"\"jsonrpc\"" | b"\"method\"" => self.is_doubtful = false,
            _ => {}
        }
    }

    fn finish_object(&mut self) {
        self.finish_value();
        self.depth = 0;
        let is_rejected = std::mem::take(&mut self.is_not_request) || self.is_doubtful;
        let id = self.id.take().filter(|_| !is_rejected);
        self.ids.extend(id.filter(|_| self.ids.len() < MAX_IDS));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn ids(text: &[u8]) -> Vec<Json> {
        let mut skim = Skim::default();
        skim.feed(text);
        skim.ids()
    }

    #[test]
    fn ids_of_outermost_objects_are_found_in_any_position() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"to"#, vec![json!(7)]),
            (
                r#"{"method":"x","params":{"id":1},"id":"a\"b"}"#,
                vec![json!("a\"b")],
            ),
            (r#"{"id" : 1.5 ,"#, vec![json!(1.5)]),
            (
                r#"[{"id":1,,},{"id":2,"a":[{"id":9}]}"#,
                vec![json!(1), json!(2)],
            ),
            (r#"12:00 INFO {"id":3}"#, vec![json!(3)]),
            (r#"{"id":7,"result":{"#, vec![]),
            (r#"{"id":7,"error":"#, vec![]),
            (r#"{"params":{"id":7}}"#, vec![]),
            (r#"{"text":"\"id\":7"}"#, vec![]),
            (r#"{"id":null}"#, vec![]),
            (r#"{"id":[7]}"#, vec![]),
            (r#"{"id":"#, vec![]),
            (r#"{"id"#, vec![]),
            ("]]}}::,,\"\\", vec![]),
        ] {
            assert_eq!(ids(text.as_bytes()), expected, "{text}");
        }
        let long = format!("{{\"id\":\"{}\"}}", "x".repeat(2000));
        assert_eq!(ids(long.as_bytes()), Vec::<Json>::new());
    }

    #[test]
    fn an_id_is_not_guessed_if_brackets_are_wrong() {
        for (text, expected) in [
            (r#"{"id":0]"method":"x","params":{"id":4}}"#, vec![json!(0)]),
            (r#"]"method":"x","params": {"id":4}}"#, vec![]),
            (r#"]"params":[{"id":4}]},{"id":5,"method":"x"}"#, vec![]),
            (r#"{"id":7,"params"}{"id":4}}"#, vec![json!(7)]),
            (
                r#"{"id":7,} {"id":4,"method":"x"}"#,
                vec![json!(7), json!(4)],
            ),
            (r#"{"id":7,"params"},"a":{"id":4}}"#, vec![json!(7)]),
            (r#"{"id":7,"params":,"id":4}}"#, vec![]),
        ] {
            assert_eq!(ids(text.as_bytes()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_id_is_found_in_a_request_that_is_cut_anywhere_after_the_id(
            id in "\\PC{0,20}", params in "\\PC{0,20}", cut in 0_usize..200,
        ) {
            let whole = json!({ "params": { "id": params }, "id": id, "method": params }).to_string();
            let after_id = whole.find(",\"method\"").map_or(0, |comma| comma + 1);
            let cut = (after_id + cut).min(whole.len());
            let (start, _) = whole.as_bytes().split_at(cut);
            prop_assert_eq!(ids(start), vec![json!(id)]);
        }

        #[test]
        fn a_text_fed_in_parts_yields_the_same_ids_as_the_whole_text(bytes in prop::collection::vec(
            prop::sample::select(&b"{}[]\":,\\ id1e\xff"[..]), 0..80), at in 0_usize..80,
        ) {
            let (first, second) = bytes.split_at(at.min(bytes.len()));
            let mut skim = Skim::default();
            skim.feed(first);
            skim.feed(second);
            prop_assert_eq!(skim.ids(), ids(&bytes));
        }
    }
}
