//! OpenAI's chat completions, and servers that speak the same, such as llama.cpp, vLLM and LM Studio:
//! `tools`, `tool_calls` and the answers to them.
//!
//! Schemas are reduced as for [Ollama](super::ollama): the interface refuses unions at the top,
//! `allOf` anywhere and lists without `items`.

use serde_json::{Value as Json, json};
use tracing::warn;

use super::ToolCall;
use super::function::{read_calls, result_text, write_functions};
use crate::client::tool::{Tool, ToolResult};

/// The maximum number of tools that are accepted.
const TOOLS: usize = 128;

/// The longest description that every model accepts, in characters.
const LONGEST_DESCRIPTION: usize = 1024;

/// Writes the tools for the field `tools`: the first 128, because more are refused. A description is cut
/// after 1,024 characters.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let mut functions = write_functions(tools, LONGEST_DESCRIPTION);
    if functions.len() > TOOLS {
        let tools = functions.len();
        warn!(
            tools,
            "the interface takes {TOOLS} tools; the rest is left out"
        );
        functions.truncate(TOOLS);
    }
    functions
}

/// Reads the calls in an answer of the model, in one of its `choices`, or in a `message`. Arguments arrive
/// as a JSON string.
pub fn tool_calls(answer: &Json) -> Vec<ToolCall> {
    let choice = answer.pointer("/choices/0").unwrap_or(answer);
    read_calls(choice.get("message").unwrap_or(choice))
}

/// Writes a result as the next message.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    let id = call.id.as_deref().unwrap_or_default();
    json!({ "role": "tool", "tool_call_id": id, "content": result_text(result) })
}
