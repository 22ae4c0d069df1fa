//! Ollama's chat API, for models such as Qwen: `tools`, `tool_calls` and their results.
//!
//! Of each property, Ollama keeps only `type`, `items`, `description`, `enum` and `properties`, and silently
//! drops other keywords, such as `anyOf`. So the description states the other keywords in words, as far as
//! possible, and a property that allows several types is reduced to one type.

use serde_json::{Value as Json, json};
use tracing::debug;

use super::{ToolCall, read_calls, result_text, write_functions};
use crate::client::tool::{Tool, ToolResult};

/// Converts tools for the field `tools` of a request.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let converted = write_functions(tools, usize::MAX);
    // The project's specification requires these words, although no LangChain is involved.
    debug!(
        "🔧 Converted {} tools from LangChain to Qwen format",
        converted.len()
    );
    converted
}

/// Reads the calls in the model's whole answer, or in a `message`. Arguments may be an object or a JSON string.
pub fn tool_calls(answer: &Json) -> Vec<ToolCall> {
    read_calls(answer.get("message").unwrap_or(answer))
}

/// Converts a result to the next message.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    json!({ "role": "tool", "tool_name": call.name, "content": result_text(result) })
}
