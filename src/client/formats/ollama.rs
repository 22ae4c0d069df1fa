//! Ollama's chat interface, and Qwen behind it: `tools`, `tool_calls` and the answers to them.
//!
//! Of a property Ollama keeps `type`, `items`, `description`, `enum` and `properties`, and drops the
//! rest without a word, so that it never reaches the model. What can be said in words is said in
//! the description instead; what has more than one shape is reduced to one.

use serde_json::{Value as Json, json};
use tracing::debug;

use super::{ToolCall, arguments, reduce};
use crate::client::tool::{Tool, ToolResult};

/// The tools, for the field `tools`.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let converted: Vec<Json> = tools.iter().map(tool).collect();
    debug!(
        "🔧 Converted {} tools from LangChain to Qwen format",
        converted.len()
    );
    converted
}

fn tool(tool: &Tool) -> Json {
    let reduced = reduce::parameters(&tool.input_schema);
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": reduced.notes.after(&tool.description),
            "parameters": reduced.schema,
        },
    })
}

/// The calls in an answer of the model, or in its `message`. Arguments arrive as an object or as a
/// JSON string.
pub fn tool_calls(answer: &Json) -> Vec<ToolCall> {
    let message = answer.get("message").unwrap_or(answer);
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

/// A result, as the next message.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    let text = result.as_text();
    let content = if result.is_error && text.is_empty() {
        "The tool failed and did not say why.".to_owned()
    } else {
        text
    };
    json!({ "role": "tool", "tool_name": call.name, "content": content })
}
