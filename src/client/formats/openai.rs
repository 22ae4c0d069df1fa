//! OpenAI's chat completions API: `tools`, `tool_calls` and their results. Other servers, such as llama.cpp,
//! vLLM and LM Studio, have the same API.
//!
//! Schemas are reduced as for [Ollama](super::ollama), because the API rejects unions at the top level,
//! `allOf` anywhere, and arrays without `items`.

use serde_json::{Value as Json, json};
use tracing::warn;

use super::{ToolCall, read_calls, result_text, write_functions};
use crate::client::tool::{Tool, ToolResult};

/// The maximum number of tools that the API accepts.
const MAX_TOOLS: usize = 128;

/// The maximum length of a tool's description, in characters. Every model accepts this length.
const MAX_DESCRIPTION_CHARS: usize = 1024;

/// Converts tools for the field `tools` of a request. Leaves out all tools after the first 128, because the API
/// rejects more. Cuts the description of each tool after 1,024 characters.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let mut functions = write_functions(tools, MAX_DESCRIPTION_CHARS);
    if functions.len() > MAX_TOOLS {
        let tools = functions.len();
        warn!(
            tools,
            "the API accepts at most {MAX_TOOLS} tools; the rest are left out"
        );
        functions.truncate(MAX_TOOLS);
    }
    functions
}

/// Reads the tool calls in a whole answer (from its first choice), in a single choice, or in a `message`.
/// Arguments are usually a JSON string.
pub fn tool_calls(answer: &Json) -> Vec<ToolCall> {
    let choice = answer.pointer("/choices/0").unwrap_or(answer);
    read_calls(choice.get("message").unwrap_or(choice))
}

/// Converts a result to the next message.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    let id = call.id.as_deref().unwrap_or_default();
    json!({ "role": "tool", "tool_call_id": id, "content": result_text(result) })
}
