//! Ids out of text that is no JSON, or too much of it.

use serde_json::Value as Json;

/// The longest id, and the longest key, that is looked at, in bytes.
const LONGEST: usize = 1024;

/// At most so many ids are kept of one line.
const MOST: usize = 1000;

/// Looks at bytes in passing, a part at a time, with little memory, and keeps the ids of the
/// outermost objects in them: of requests, as far as can be made out. An object with a result or an
/// error in it is an answer, and its id none of a request.
#[derive(Default)]
pub struct Skim {
    ids: Vec<Json>,
    depth: usize,
    /// Outside of objects: a colon came last. What begins then is a value of an object whose
    /// beginning was not made out.
    colon: bool,
    /// Within such a value, or an object of two ids: nothing in it is a request.
    inner: bool,
    /// Outside of objects: what came since the last one.
    since: Since,
    /// This object does not follow another as it should. It may be a value of it, behind a bracket
    /// that should have been something else, unless it says that it is a message.
    doubted: bool,
    /// Within a string, and whether the next byte is escaped.
    string: Option<bool>,
    /// The bytes of the key or value at the outermost level that is being read.
    token: Vec<u8>,
    /// The key, once its colon was read.
    key: Option<Vec<u8>>,
    id: Option<Json>,
    /// A result or an error was in this object.
    answer: bool,
}

/// What came since the last object ended.
#[derive(Clone, Copy, Default, PartialEq)]
enum Since {
    /// None has ended yet.
    #[default]
    Beginning,
    /// No comma.
    Nothing,
    /// A comma, as between two elements of a batch.
    Comma,
    /// What does not belong between two objects.
    Garbage,
}

impl Skim {
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// The ids, in their order.
    pub fn ids(mut self) -> Vec<Json> {
        // The last object may lack its end.
        self.end_of_value();
        self.end_of_object();
        self.ids
    }

    fn step(&mut self, byte: u8) {
        if let Some(escaped) = self.string {
            self.keep(byte);
            self.string = match byte {
                b'"' if !escaped => None,
                b'\\' => Some(!escaped),
                _ => Some(false),
            };
            return;
        }
        if self.depth == 0 {
            // Between objects, a batch's brackets and commas or anything else.
            if byte == b'{' || (byte == b'[' && self.colon) {
                self.depth = 1;
                self.inner = self.colon;
                self.doubted = matches!(self.since, Since::Nothing | Since::Garbage);
            }
            // Before the first object a line may begin in the middle of anything; behind one a quote
            // begins a text.
            if byte == b'"' && self.since != Since::Beginning {
                self.string = Some(false);
            }
            self.since = match (self.since, byte) {
                (since @ (Since::Beginning | Since::Garbage), _) => since,
                (_, b',') => Since::Comma,
                (since, b'[' | b']') => since,
                (since, byte) if byte.is_ascii_whitespace() => since,
                _ => Since::Garbage,
            };
            self.colon = byte == b':' || (self.colon && byte.is_ascii_whitespace());
            return;
        }
        match (byte, self.depth) {
            (b':', 1) if self.key.is_none() => self.key = Some(std::mem::take(&mut self.token)),
            (b',', 1) => self.end_of_value(),
            (b']', 1) if !self.inner => self.end_of_value(),
            (b'}' | b']', 1) => {
                self.end_of_value();
                self.end_of_object();
                self.depth = 0;
                self.since = Since::Nothing;
            }
            (b'}' | b']', _) => self.depth -= 1,
            _ => {
                if byte == b'"' {
                    self.string = Some(false);
                }
                self.keep(byte);
                if matches!(byte, b'{' | b'[') {
                    self.depth += 1;
                }
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        // One byte more than the longest shows that it was too long.
        if self.depth == 1 && self.token.len() <= LONGEST {
            self.token.push(byte);
        }
    }

    fn end_of_value(&mut self) {
        let token = std::mem::take(&mut self.token);
        let Some(key) = self.key.take() else { return };
        match key.trim_ascii() {
            b"\"id\"" if token.len() <= LONGEST => {
                // Of two ids nobody knows which is the request's.
                self.inner |= self.id.is_some();
                let id = serde_json::from_slice::<Json>(&token).ok();
                self.id = id.filter(|id| id.is_string() || id.is_number());
            }
            b"\"result\"" | b"\"error\"" => self.answer = true,
            b"\"jsonrpc\"" | b"\"method\"" => self.doubted = false,
            _ => {}
        }
    }

    fn end_of_object(&mut self) {
        let id = self.id.take();
        let answer = std::mem::take(&mut self.answer);
        let counts = !(answer || self.inner || self.doubted);
        self.key = None;
        if let Some(id) = id.filter(|_| counts && self.ids.len() < MOST) {
            self.ids.push(id);
        }
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
    fn ids_of_outermost_objects_are_found_wherever_they_stand() {
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
            (r#"xxxx{"id":3}"#, vec![json!(3)]),
            (r#"{"id":7,"result":{"#, vec![]),
            (r#"{"id":7,"error":"#, vec![]),
            (r#"{"params":{"id":7}}"#, vec![]),
            (r#"{"text":"\"id\":7"}"#, vec![]),
            (r#"{"id":0]"method":"x","params":{"id":4}}"#, vec![json!(0)]),
            (r#"]"method":"x","params": {"id":4}}"#, vec![]),
            (
                r#"]"params":[{"id":4}]},{"id":5,"method":"x"}"#,
                vec![json!(5)],
            ),
            (r#"{"id":7,"params"}{"id":4}}"#, vec![json!(7)]),
            (
                r#"{"id":7,}{"id":4,"method":"x"}"#,
                vec![json!(7), json!(4)],
            ),
            (r#"{"id":7,"params":,"id":4}}"#, vec![]),
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

    proptest! {
        #[test]
        fn the_id_of_a_request_is_found_wherever_it_is_cut_behind_it(
            id in "\\PC{0,20}", params in "\\PC{0,20}", cut in 0_usize..200,
        ) {
            let whole = json!({ "params": { "id": params }, "id": id, "method": params });
            let whole = whole.to_string();
            let behind = whole.find(",\"method\"").map_or(0, |at| at + 1);
            let cut = (behind + cut).min(whole.len());
            let (start, _) = whole.as_bytes().split_at(cut);
            prop_assert_eq!(ids(start), vec![json!(id)]);
        }

        #[test]
        fn parts_make_no_difference(bytes in prop::collection::vec(
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
