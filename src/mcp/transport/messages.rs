//! Parses the lines of a host into messages. Also refuses requests and lines that can't be read.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Map, Value as Json, json};

use crate::json::object;
use crate::lines::has_too_many_values;

/// The `_meta` keys of a request in which a host describes itself, since protocol revision 2026-07-28.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The maximum length of a line, without its newline: 16 MiB.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// An item of a line from the host.
#[derive(Debug)]
pub enum HostInput {
    /// A message for rmcp.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A request or a line that can't be read, but can be answered.
    Refused(RefusedRequest),
    /// The reason why something can't be answered. The reason is logged, and nothing is written to stdout.
    ///
    /// JSON-RPC has no answer to a notification or to an answer. If both sides answered invalid answers, they
    /// might do so forever.
    Unanswerable(String),
}

impl HostInput {
    /// Returns the refusal of text that is no JSON or was not read. The request in it may have an id, but
    /// JSON-RPC 2.0 (section 5.1) wants null for an id that can't be read.
    pub(super) fn unreadable(fault: RequestFault) -> Self {
        let id = Json::Null;
        Self::Refused(RefusedRequest { id, fault })
    }
}

/// A request or a line that can't be read, but can be answered with an error.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedRequest {
    /// The request's id: a string or a number; null if the id can't be read.
    pub id: Json,
    /// The fault.
    pub fault: RequestFault,
}

/// The fault of a request, with the text of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The texts describe the variants.
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
    #[error("\"params\" must be an object with the fields that MCP defines for this method.")]
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
    /// Returns the fault's JSON-RPC error code.
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
    /// Returns the answer as a line without its newline.
    pub fn line(&self) -> Vec<u8> {
        let error = json!({ "code": self.fault.code(), "message": self.fault.to_string() });
        let answer = json!({ "jsonrpc": "2.0", "id": self.id, "error": error });
        answer.to_string().into_bytes()
    }
}

/// Parses everything in a line, in order: one message, several, or batches. A batch is a JSON array of
/// messages, as in protocol revision 2025-03-26. Each request of a batch is answered on its own line.
///
/// A line lacks its newline if the host disconnected in the middle of the line. In this case, nothing
/// from the first error on is answered.
pub fn parse_line(line: &[u8], has_newline: bool) -> Vec<HostInput> {
    // RFC 8259, section 8.1: a byte order mark may be ignored.
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if has_too_many_values(text) {
        return vec![HostInput::unreadable(RequestFault::TooMany)];
    }
    let mut inputs = Vec::new();
    let mut values = serde_json::Deserializer::from_slice(text).into_iter();
    loop {
        match values.next() {
            Some(Ok(Json::Array(batch))) => inputs.extend(batch.into_iter().map(parse_value)),
            Some(Ok(json)) => inputs.push(parse_value(json)),
            None => return inputs,
            Some(Err(error)) if has_newline => {
                let fault = if error.to_string().contains("recursion limit") {
                    RequestFault::TooDeep
                } else {
                    RequestFault::NoJson
                };
                inputs.push(HostInput::unreadable(fault));
                return inputs;
            }
            Some(Err(error)) => {
                let why = format!("half a line at the end ({error})");
                inputs.push(HostInput::Unanswerable(why));
                return inputs;
            }
        }
    }
}

/// Parses a value of a line or of a batch.
fn parse_value(json: Json) -> HostInput {
    match json {
        Json::Object(fields) => parse_object(fields),
        // Callers may wait for the answers to requests in an array within a batch.
        Json::Array(_) => HostInput::unreadable(RequestFault::Unknown),
        _ => HostInput::Unanswerable(NO_MESSAGE.to_owned()),
    }
}

/// Returns false if rmcp has parsed a request with one of the [`KNOWN_METHODS`] as a custom request. rmcp does
/// this if the parameters are invalid. The answer would then be that there is no such method.
fn matches_its_method(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return true;
    };
    match &request.request {
        ClientRequest::CustomRequest(custom) => !KNOWN_METHODS.contains(&custom.method.as_str()),
        _ => true,
    }
}

/// The reason why other JSON is not answered.
const NO_MESSAGE: &str = "JSON that is not a JSON-RPC message";

/// The methods that are served. Invalid parameters for them are reported as such.
const KNOWN_METHODS: &[&str] = &[
    "initialize",
    "ping",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Parses an object as a message. Tool arguments may also be a string of JSON.
fn parse_object(mut fields: Map<String, Json>) -> HostInput {
    let is_answer = fields.contains_key("result") || fields.contains_key("error");
    // This refusal is returned if rmcp can't parse the request.
    let refusal = match fields.get("id").cloned().filter(|_| !is_answer) {
        // A notification or an answer, which can't be refused.
        None => None,
        Some(id @ (Json::String(_) | Json::Number(_))) => match check_request(&mut fields) {
            Ok(fault) => Some(RefusedRequest { id, fault }),
            Err(fault) => return HostInput::Refused(RefusedRequest { id, fault }),
        },
        Some(_) => {
            return HostInput::Unanswerable(
                "a request whose id is neither a string nor a number".to_owned(),
            );
        }
    };
    match (serde_json::from_value(Json::Object(fields)), refusal) {
        (Ok(message), _) if matches_its_method(&message) => HostInput::Message(Box::new(message)),
        (_, Some(refusal)) => HostInput::Refused(refusal),
        (_, None) if is_answer => {
            HostInput::Unanswerable("an answer that is not valid JSON-RPC".to_owned())
        }
        (_, None) => HostInput::Unanswerable(NO_MESSAGE.to_owned()),
    }
}

/// Checks a request, and parses tool arguments that were sent as a string. Fails with the first fault. If there
/// is none, returns the fault to report in case rmcp can't parse the request.
fn check_request(fields: &mut Map<String, Json>) -> Result<RequestFault, RequestFault> {
    if fields.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Err(RequestFault::Version);
    }
    // rmcp accepts strings and whole numbers.
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
        Some(Json::Object(params)) => {
            simplify_host(params, "clientInfo", "capabilities");
            if let Some(Json::Object(meta)) = params.get_mut("_meta") {
                simplify_host(meta, CLIENT_INFO, CLIENT_CAPABILITIES);
            }
            Some(params)
        }
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
        (known, _) if KNOWN_METHODS.contains(&known) => Ok(RequestFault::Params),
        _ => Ok(RequestFault::Unknown),
    }
}

/// Removes what this server does not need from a host's description of itself, such as icons. rmcp rejects the
/// whole request if any of it has another form than in the newest protocol revision.
fn simplify_host(fields: &mut Map<String, Json>, info: &str, capabilities: &str) {
    if let Some(Json::Object(info)) = fields.get_mut(info) {
        info.retain(|key, _| matches!(key.as_str(), "name" | "version"));
    }
    let Some(Json::Object(capabilities)) = fields.get_mut(capabilities) else {
        return;
    };
    capabilities.retain(|key, _| matches!(key.as_str(), "elicitation" | "extensions"));
    capabilities.retain(|_, capability| match capability {
        Json::Object(parts) => {
            parts.retain(|_, part| part.is_object());
            true
        }
        _ => false,
    });
}

/// 2^53. An `f64` represents every whole number below this limit exactly.
const EXACT_LIMIT: f64 = 9_007_199_254_740_992.0;

fn is_whole_float(id: &Json) -> bool {
    id.as_f64()
        .is_some_and(|number| number.fract() == 0.0 && number.abs() < EXACT_LIMIT)
}
