//! The contents of a host's line: messages, and requests that can't be read but can be answered.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Map, Value as Json, json};

use super::skim::Skim;
use crate::json::object;
use crate::lines::has_too_many_values;

/// The maximum length of a line, without its newline: 16 MiB.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// Something in a line.
#[derive(Debug)]
pub enum HostInput {
    /// A message for the protocol library.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A request that can't be read, but can be answered.
    Refused(RefusedRequest),
    /// Something that can't be answered, with the reason.
    ///
    /// No revision of MCP knows an id of null, and before 2025-11-25 none knows an error without an
    /// id: hosts take such a message for a broken one. Nobody waits for it either, since answers
    /// are matched by their ids. And two sides that both answer what they can't read would never
    /// stop. So there is a line in the log, and nothing on stdout.
    Unanswerable(String),
}

/// The answer to a request that can't be read.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedRequest {
    /// The request's id: a string or a number.
    pub id: Json,
    /// The fault.
    pub fault: RequestFault,
}

/// The fault of a request, in the words of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // Each variant's words say what it is.
pub enum RequestFault {
    #[error("This line is not JSON. Send each message as one JSON object on a line of its own.")]
    NoJson,
    #[error("This line is longer than 16 MiB and was not read.")]
    TooLong,
    #[error("This line holds more than 100,000 values and was not read.")]
    TooMany,
    #[error("This message is nested too deeply and was not read.")]
    TooDeep,
    #[error("\"jsonrpc\" must be \"2.0\".")]
    Version,
    #[error("\"id\" must be a string or a whole number of at most 63 bits.")]
    Id,
    #[error("\"method\" must be a string.")]
    Method,
    #[error("\"params\" must be an object with the fields that MCP has for it.")]
    Params,
    #[error(
        "\"params\" of initialize must be an object with protocolVersion, capabilities and clientInfo."
    )]
    Initialize,
    #[error("\"params\" must be an object with the tool's \"name\".")]
    NoTool,
    #[error(
        "\"arguments\" must be an object, for example {{\"deviceName\": \"Kitchen Dimmer\", \
         \"action\": \"on\"}}."
    )]
    Arguments,
    #[error("This is not a JSON-RPC request of MCP.")]
    Unknown,
}

impl RequestFault {
    /// Returns the code that JSON-RPC has for it.
    pub fn code(self) -> i32 {
        match self {
            Self::NoJson => -32700,
            Self::Params | Self::Initialize | Self::NoTool | Self::Arguments => -32602,
            Self::TooLong
            | Self::TooMany
            | Self::TooDeep
            | Self::Version
            | Self::Id
            | Self::Method
            | Self::Unknown => -32600,
        }
    }
}

impl RefusedRequest {
    /// Returns the answer as a line.
    pub fn line(&self) -> Vec<u8> {
        let error = json!({ "code": self.fault.code(), "message": self.fault.to_string() });
        let answer = json!({ "jsonrpc": "2.0", "id": self.id, "error": error });
        answer.to_string().into_bytes()
    }
}

/// Reads everything in a line, in its order: one message, several, or a batch of them (a JSON array, as
/// 2025-03-26 has it). Each is answered on a line of its own.
///
/// A line without a newline is not answered, because the host went away in the middle of it.
pub fn read(line: &[u8], ended: bool) -> Vec<HostInput> {
    // RFC 8259, section 8.1: a byte order mark may be ignored.
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if has_too_many_values(text) {
        return refuse_text(text, RequestFault::TooMany);
    }
    let mut all = Vec::new();
    let mut values = serde_json::Deserializer::from_slice(text).into_iter();
    loop {
        let before = values.byte_offset();
        match values.next() {
            Some(Ok(Json::Array(batch))) => all.extend(batch.into_iter().flat_map(message)),
            Some(Ok(json)) => all.extend(message(json)),
            None => return all,
            Some(Err(error)) if ended => {
                let rest = text.get(before..).unwrap_or_default();
                let fault = if error.to_string().contains("recursion limit") {
                    RequestFault::TooDeep
                } else {
                    RequestFault::NoJson
                };
                all.extend(refuse_text(rest, fault));
                return all;
            }
            Some(Err(error)) => {
                let why = format!("half a line at the end ({error})");
                all.push(HostInput::Unanswerable(why));
                return all;
            }
        }
    }
}

fn refuse_text(text: &[u8], fault: RequestFault) -> Vec<HostInput> {
    let mut skim = Skim::default();
    skim.feed(text);
    refuse(skim, fault)
}

/// Refuses each request in a line that can't be read.
pub(super) fn refuse(skim: Skim, fault: RequestFault) -> Vec<HostInput> {
    let ids = skim.ids();
    if ids.is_empty() {
        return vec![HostInput::Unanswerable(fault.to_string())];
    }
    ids.into_iter()
        .map(|id| HostInput::Refused(RefusedRequest { id, fault }))
        .collect()
}

/// Reads a JSON value as a message. Only an array may become several.
fn message(json: Json) -> Vec<HostInput> {
    match json {
        Json::Object(fields) => vec![object_message(fields)],
        // The requests in an array within a batch are not served, but somebody may wait for them.
        other => refuse_text(other.to_string().as_bytes(), RequestFault::Unknown),
    }
}

/// Returns true if the library read a request as its method says. It takes one with wrong parameters for a
/// custom method, and would say that there is no such method.
fn matches_its_method(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return true;
    };
    match &request.request {
        ClientRequest::CustomRequest(custom) => !SERVED.contains(&custom.method.as_str()),
        _ => true,
    }
}

/// The methods that are served here.
const SERVED: [&str; 5] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/call",
    "tools/list",
];

/// Reads a message, also with arguments that were sent as text, or says what is wrong with it.
fn object_message(mut fields: Map<String, Json>) -> HostInput {
    let is_answer = fields.contains_key("result") || fields.contains_key("error");
    let fault = match fields.get("id").cloned().filter(|_| !is_answer) {
        None => None,
        Some(id @ (Json::String(_) | Json::Number(_))) => match check_request(&mut fields) {
            Ok(fault) => Some(RefusedRequest { id, fault }),
            Err(fault) => return HostInput::Refused(RefusedRequest { id, fault }),
        },
        Some(_) => {
            return HostInput::Unanswerable("a request whose id is no string or number".to_owned());
        }
    };
    match (serde_json::from_value(Json::Object(fields)), fault) {
        (Ok(message), _) if matches_its_method(&message) => HostInput::Message(Box::new(message)),
        (_, Some(refused)) => HostInput::Refused(refused),
        (_, None) if is_answer => {
            HostInput::Unanswerable("an answer that is not as JSON-RPC has it".to_owned())
        }
        (_, None) => HostInput::Unanswerable("JSON that is no JSON-RPC message".to_owned()),
    }
}

/// Checks a request, and reads arguments that were sent as text. Returns the fault that it has if the
/// library can't read it then.
fn check_request(fields: &mut Map<String, Json>) -> Result<RequestFault, RequestFault> {
    if fields.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Err(RequestFault::Version);
    }
    // The library knows strings and whole numbers.
    let is_valid = |id: &Json| id.is_string() || id.as_i64().is_some() || is_whole_float(id);
    if !fields.get("id").is_some_and(is_valid) {
        return Err(RequestFault::Id);
    }
    let method = fields
        .get("method")
        .and_then(Json::as_str)
        .ok_or(RequestFault::Method)?
        .to_owned();
    let params = match fields.get_mut("params") {
        None | Some(Json::Null) => None,
        Some(Json::Object(params)) => Some(params),
        Some(_) => return Err(RequestFault::Params),
    };
    match (method.as_str(), params) {
        ("initialize", _) => Ok(RequestFault::Initialize),
        ("tools/call", Some(params)) if params.get("name").is_some_and(Json::is_string) => {
            if let Some(arguments) = params.remove("arguments") {
                let arguments = object(arguments).map_err(|_| RequestFault::Arguments)?;
                params.insert("arguments".to_owned(), arguments.into());
            }
            Ok(RequestFault::Params)
        }
        ("tools/call", _) => Err(RequestFault::NoTool),
        (served, _) if SERVED.contains(&served) => Ok(RequestFault::Params),
        _ => Ok(RequestFault::Unknown),
    }
}

/// 2^53. Below it, every whole number has a float of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn is_whole_float(id: &Json) -> bool {
    id.as_f64().is_some_and(|number| number.fract() == 0.0 && number.abs() < EXACT)
}
