//! Tools as functions, and calls of functions: what the APIs of Ollama and OpenAI have in common.

use serde_json::{Value as Json, json};

use super::reduce::reduce;
use super::{ToolCall, distinct_tools, read_arguments};
use crate::client::tool::{Tool, ToolResult, items};

/// Converts tools to functions, with reduced schemas and descriptions of at most `max_chars` characters.
pub(super) fn write_functions(tools: &[Tool], max_chars: usize) -> Vec<Json> {
    let functions = distinct_tools(tools).map(|(name, tool)| {
        let (schema, description) = reduce(tool);
        let description: String = description.chars().take(max_chars).collect();
        let function = json!({ "name": name, "description": description, "parameters": schema });
        json!({ "type": "function", "function": function })
    });
    functions.collect()
}

/// Reads the calls in a message.
pub(super) fn read_calls(message: &Json) -> Vec<ToolCall> {
    let calls = items(message.get("tool_calls")).filter_map(|call| {
        let function = call.get("function")?;
        let text = |json: &Json, name| json.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(ToolCall {
            id: text(call, "id"),
            name: text(function, "name")?,
            arguments: read_arguments(function.get("arguments")),
        })
    });
    calls.collect()
}

/// Returns a result as text. The text is empty only if the tool succeeded.
pub(super) fn result_text(result: &ToolResult) -> String {
    let text = result.as_text();
    if result.is_error && text.trim().is_empty() {
        return super::SILENT.to_owned();
    }
    text
}
