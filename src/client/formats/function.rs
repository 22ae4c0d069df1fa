//! A tool as a function, and calls of it: what Ollama's interface and OpenAI's have in common.

use serde_json::{Value as Json, json};

use super::names::offered_name;
use super::{ToolCall, arguments, reduce};
use crate::client::tool::{Tool, ToolResult};

/// A tool as a function, its schema reduced.
pub(super) fn function(tool: &Tool) -> Json {
    let reduced = reduce::parameters(&tool.input_schema);
    json!({
        "type": "function",
        "function": {
            "name": offered_name(&tool.name),
            "description": reduced.notes.after(&tool.description),
            "parameters": reduced.schema,
        },
    })
}

/// The calls in a message.
pub(super) fn calls(message: &Json) -> Vec<ToolCall> {
    let calls = message.get("tool_calls").and_then(Json::as_array);
    let calls = calls.into_iter().flatten().filter_map(|call| {
        let function = call.get("function")?;
        let text = |json: &Json, name| json.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(ToolCall {
            id: text(call, "id"),
            name: text(function, "name")?,
            arguments: arguments(function.get("arguments")),
        })
    });
    calls.collect()
}

/// A result as a text.
pub(super) fn text(result: &ToolResult) -> String {
    let text = result.as_text();
    if result.is_error && text.is_empty() {
        return super::SILENT.to_owned();
    }
    text
}
