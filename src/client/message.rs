//! JSON-RPC messages from a server, and the client's answers to a server's requests.

use serde_json::{Value as Json, json};

use super::cut::shorten;

/// The methods that begin a session. This client cancels neither; MCP forbids a client to cancel `initialize`.
pub(super) const INITIALIZE: &str = "initialize";
pub(super) const DISCOVER: &str = "server/discover";

/// The maximum length of an id (in characters) and of a method (in bytes) that an answer repeats. A message
/// with a longer id is invalid. A longer method is cut.
const MAX_ECHOED: usize = 200;

/// A message from a server.
///
/// The content is kept as JSON, so that a result of an unexpected shape can still be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerMessage {
    /// The answer to a request.
    Answer {
        /// The request's id. The client's own ids are numbers.
        id: Json,
        /// The `result`, or the `error`.
        outcome: Result<Json, Json>,
    },
    /// A request from the server, such as a ping.
    Request {
        /// The request's id, to be echoed in the answer.
        id: Json,
        /// The method.
        method: String,
        /// The parameters.
        params: Json,
    },
    /// A message that expects no answer.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Json,
    },
}

impl ServerMessage {
    /// Parses a line: a message, or a batch of messages, which revision 2025-03-26 allows. The error says why
    /// the line is neither.
    pub(super) fn parse(line: &[u8]) -> Result<Vec<Self>, String> {
        let parsed = serde_json::from_slice(line)
            .or_else(|error| mend_surrogates(line).unwrap_or(Err(error)))
            .map_err(|error| error.to_string());
        match parsed? {
            Json::Array(batch) if !batch.is_empty() => {
                let batch = batch.into_iter().map(Self::read).collect::<Result<_, _>>();
                batch.map_err(|why| format!("a list with an element that is {why}"))
            }
            json => Ok(vec![Self::read(json)?]),
        }
    }

    fn read(json: Json) -> Result<Self, String> {
        let Json::Object(mut json) = json else {
            return Err("JSON, but not an object".to_owned());
        };
        if json.get("jsonrpc") != Some(&Json::from("2.0")) {
            return Err("JSON without \"jsonrpc\": \"2.0\"".to_owned());
        }
        let (id, method) = (json.remove("id"), json.remove("method"));
        if id.as_ref().is_some_and(is_too_long) {
            return Err(format!(
                "a message with an id of more than {MAX_ECHOED} characters"
            ));
        }
        // Some servers write `"error": null` beside a result.
        let error = json.remove("error").filter(|error| !error.is_null());
        let result = json.remove("result");
        let params = json.remove("params").unwrap_or_default();
        match (id, method, result, error) {
            (Some(id), Some(Json::String(method)), None, None) => {
                Ok(Self::Request { id, method, params })
            }
            (None, Some(Json::String(method)), None, None) => {
                Ok(Self::Notification { method, params })
            }
            (Some(id), None, Some(result), None) => Ok(Self::Answer {
                id,
                outcome: Ok(result),
            }),
            // The error for a request that could not be parsed has no id.
            (id, None, None, Some(error)) => Ok(Self::Answer {
                id: id.unwrap_or_default(),
                outcome: Err(error),
            }),
            _ => Err("neither a request nor a notification nor an answer".to_owned()),
        }
    }
}

/// Parses a line that has a half of a surrogate pair in an escape sequence, as a text has that was cut within an
/// emoji. Such a half becomes U+FFFD, as other clients read it. Returns `None` for a line without such a half.
fn mend_surrogates(line: &[u8]) -> Option<serde_json::Result<Json>> {
    let mut mended = Vec::with_capacity(line.len());
    let mut rest = line;
    let mut is_mended = false;
    while let Some(first) = rest.first() {
        let (kept, after) = match (escaped(rest), rest.get(6..)) {
            (Some(0xd800..0xdc00), Some(low)) if matches!(escaped(low), Some(0xdc00..0xe000)) => {
                rest.split_at(12)
            }
            (Some(0xd800..0xe000), Some(after)) => {
                is_mended = true;
                (&b"\\ufffd"[..], after)
            }
            _ => rest.split_at(if *first == b'\\' { 2 } else { 1 }.min(rest.len())),
        };
        mended.extend_from_slice(kept);
        rest = after;
    }
    is_mended.then(|| serde_json::from_slice(&mended))
}

/// Returns the code unit of the escape sequence that a text begins with.
fn escaped(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns true if an id is too long to be repeated in an answer.
fn is_too_long(id: &Json) -> bool {
    let characters = match id {
        Json::String(text) => text.chars().count(),
        id => id.to_string().len(),
    };
    characters > MAX_ECHOED
}

/// Answers a server's request: an empty result for a ping, and the error "method not found" for any other
/// method.
pub(super) fn answer_request(id: &Json, method: &str) -> Json {
    if method == "ping" {
        return json!({ "jsonrpc": "2.0", "id": id, "result": {} });
    }
    let method = shorten(method.to_owned(), MAX_ECHOED);
    let message = format!("This client does not offer {method}");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": message } })
}
