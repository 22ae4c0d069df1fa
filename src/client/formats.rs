//! Converts tools, calls and results for the APIs of models.
//!
//! Each API has the same three pure functions: `tools` for a request, `tool_calls` for the model's answer,
//! and `tool_result` for the next request.
//!
//! Every tool is converted to a form that the API accepts. A tool whose name would be rejected is offered
//! under [another](offered_name). If two tools have the same name, the later one is used. The
//! [executor](super::ToolExecutor) turns offered keys of properties back into the tool's own.

pub mod anthropic;
mod function;
pub(super) mod names;
mod notes;
pub mod ollama;
pub mod openai;
mod reduce;
mod refs;
mod valid;

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value as Json;

pub use self::names::{offered_name, own_arguments};

use super::tool::Tool;
use crate::json::object;

/// The text for a tool that failed without a message, because some APIs reject an empty text.
const SILENT: &str = "The tool failed and did not say why.";

/// The maximum length of a tool's description, in bytes.
const MAX_DESCRIPTION: usize = 16 * 1024;

/// A call that a model requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolCall {
    /// The call's id, if the API has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name, as it was [offered](offered_name).
    pub name: String,
    /// The arguments: an object, or whatever came instead. The [executor](super::ToolExecutor) checks
    /// them.
    pub arguments: Json,
}

/// Lists the tools with the names under which they are offered. If two tools have the same name, the later
/// one takes the place of the earlier.
fn distinct_tools(tools: &[Tool]) -> impl Iterator<Item = (Cow<'_, str>, &Tool)> {
    let mut latest = HashMap::new();
    for tool in tools {
        latest.insert(offered_name(&tool.name), tool);
    }
    tools
        .iter()
        .filter_map(move |tool| latest.remove_entry(&offered_name(&tool.name)))
}

/// Reads arguments as an object, also if they are an object as a JSON string. Returns others unchanged.
fn read_arguments(json: Option<&Json>) -> Json {
    let sent = json.cloned().unwrap_or_default();
    object(sent.clone()).map_or(sent, Json::Object)
}
