//! Plain commands: what can be understood of a sentence without any model.
//!
//! A sentence is plain where every word of it is accounted for: an action's words, a number, a mode
//! or colour, politeness, and what is left over as a name. Whether the name is one says the server.

use serde_json::{Map, Value as Json};

use crate::client::ToolResult;

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainCall {
    /// The server's own name of the tool.
    pub tool: &'static str,
    /// Its arguments, as its schema wants them.
    pub arguments: Map<String, Json>,
}

/// What a sentence asks for. More than one way to read it is there only where a name may have an
/// "and" in it, or where a question is asked narrowly first.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainCommand {
    /// Ways to read the sentence, each a list of calls to make in their order, the likeliest first.
    /// The next one counts only where the server did [not understand](not_understood) the first call
    /// of this one. Where it does not understand a later call, the rest is a model's business.
    pub attempts: Vec<Vec<PlainCall>>,
}

/// What a sentence asks for, if every word of it is accounted for.
pub fn understand(_sentence: &str) -> Option<PlainCommand> {
    None
}

/// Where a result of this crate's server says why nothing was done.
const REFUSAL: &str = "zwave-mcp-server/refusal";

/// Whether the server did nothing because it does not know what is meant: no device or more than one
/// is called so. Any other refusal is an answer.
pub fn not_understood(result: &ToolResult) -> bool {
    let meta = result.meta.as_ref();
    let refusal = meta.and_then(|meta| meta.get(REFUSAL)?.as_str());
    matches!(refusal, Some("unknown-name" | "ambiguous-name"))
}
