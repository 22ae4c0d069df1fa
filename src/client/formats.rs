//! Converts tools, calls and results for the APIs of models.
//!
//! Each API has the same three functions: `tools` for a request, `tool_calls` for the model's answer, and
//! `tool_result` for the next request.
//!
//! Every tool is converted to a form that the API accepts. If the API would reject a tool's name or a property's
//! key, the tool or property is offered under [another name](offered_name) or key. When the model calls the tool,
//! the [executor](super::ToolExecutor) turns the offered keys back into the tool's own keys. If two tools have the
//! same name, the later one is used.

pub mod anthropic;
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
use serde_json::{Value as Json, json};

pub use self::names::{offered_name, own_arguments};

use self::reduce::reduce;
use super::tool::{Tool, ToolResult, items, text};
use crate::json::object;

/// A call that a model requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolCall {
    /// The call's id, if the API gives ids to calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name, as it was [offered](offered_name).
    pub name: String,
    /// The arguments: an object, or whatever came instead. To be checked by the [executor](super::ToolExecutor).
    pub arguments: Json,
}

impl ToolCall {
    /// Reads a call. The name and the arguments are fields of `function`. Returns `None` if there is no name.
    /// If the arguments are a JSON string such as `"{\"level\": 50}"`, parses the string.
    fn read(call: &Json, function: &Json, arguments_field: &str) -> Option<Self> {
        let sent = function.get(arguments_field).cloned().unwrap_or_default();
        Some(Self {
            id: text(call, "id").map(str::to_owned),
            name: text(function, "name")?.to_owned(),
            arguments: object(sent.clone()).map_or(sent, Json::Object),
        })
    }
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

/// Converts tools to functions for Ollama and OpenAI, with reduced schemas and descriptions of at most
/// `max_chars` characters.
fn write_functions(tools: &[Tool], max_chars: usize) -> Vec<Json> {
    let functions = distinct_tools(tools).map(|(name, tool)| {
        let (schema, description) = reduce(tool);
        let description: String = description.chars().take(max_chars).collect();
        let function = json!({ "name": name, "description": description, "parameters": schema });
        json!({ "type": "function", "function": function })
    });
    functions.collect()
}

/// Reads the calls in a message of Ollama or OpenAI.
fn read_calls(message: &Json) -> Vec<ToolCall> {
    items(message.get("tool_calls"))
        .filter_map(|call| ToolCall::read(call, call.get("function")?, "arguments"))
        .collect()
}

/// Returns a result as text. A failure without text gets a standard text, because some APIs reject an empty
/// failure.
fn result_text(result: &ToolResult) -> String {
    let text = result.as_text();
    if result.is_error && text.trim().is_empty() {
        return "The tool failed and did not say why.".to_owned();
    }
    text
}
