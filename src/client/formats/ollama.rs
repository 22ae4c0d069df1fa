//! Ollama's chat interface, with models such as Qwen: `tools`, `tool_calls` and the answers to them.
//!
//! Of a property Ollama keeps `type`, `items`, `description`, `enum` and `properties`, and silently drops
//! the rest, so that it never reaches the model. The description says the rest in words, as far as it can,
//! and a property of several shapes is reduced to one.

use serde_json::{Value as Json, json};
use tracing::debug;

use super::ToolCall;
use super::function::{read_calls, result_text, write_functions};
use crate::client::tool::{Tool, ToolResult};

/// Writes the tools for the field `tools`.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let converted = write_functions(tools, usize::MAX);
    debug!(
        "🔧 Converted {} tools from LangChain to Qwen format",
        converted.len()
    );
    converted
}

/// Reads the calls in an answer of the model, or in its `message`. Arguments arrive as an object or as a
/// JSON string.
pub fn tool_calls(answer: &Json) -> Vec<ToolCall> {
    read_calls(answer.get("message").unwrap_or(answer))
}

/// Writes a result as the next message.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    json!({ "role": "tool", "tool_name": call.name, "content": result_text(result) })
}
