//! `OpenAI`'s chat completions, and what speaks like them, such as llama.cpp, vLLM and LM Studio:
//! `tools`, `tool_calls` and the answers to them.
//!
//! Schemas are reduced as for [Ollama](super::ollama): the interface refuses unions at the top,
//! `allOf` anywhere and lists without `items`.

use serde_json::{Value as Json, json};

use super::ToolCall;
use super::function::{calls, function, text};
use crate::client::tool::{Tool, ToolResult};

/// The tools, for the field `tools`.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    tools.iter().map(function).collect()
}

/// The calls in an answer of the model, in one of its `choices`, or in a `message`. Arguments arrive
/// as a JSON string.
pub fn tool_calls(answer: &Json) -> Vec<ToolCall> {
    let choice = answer.pointer("/choices/0").unwrap_or(answer);
    calls(choice.get("message").unwrap_or(choice))
}

/// A result, as the next message.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    let id = call.id.as_deref().unwrap_or_default();
    json!({ "role": "tool", "tool_call_id": id, "content": text(result) })
}
