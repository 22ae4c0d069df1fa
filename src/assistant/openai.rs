//! `OpenAI`'s chat completions, <https://platform.openai.com/docs/api-reference/chat>, which llama.cpp, vLLM,
//! LM Studio and others serve too. Their deviations are accepted: a stream without `[DONE]` or without
//! `finish_reason`, calls without an `index` or an id, and a whole reply although a stream was requested.

use serde_json::{Value as Json, json};
use url::Url;

use super::address::chat_completions;
use super::body::Framing;
use super::conversation::Conversation;
use super::http::{Api, ProviderClient, parse_document};
use super::model::{ModelFailure, OnText, Provider};
use super::reply::PartialReply;
use super::turns::{chat_messages, member};
use crate::client::Tool;
use crate::client::formats::{ToolCall, openai};
use crate::client::items;

/// A model behind chat completions. A private server may need no key.
pub type OpenAiClient = ProviderClient<ChatCompletions>;

/// `OpenAI`'s chat completions.
#[derive(Debug, Default)]
pub struct ChatCompletions;

impl Api for ChatCompletions {
    const PROVIDER: Provider = Provider::OpenAi;
    const URL: fn(&str) -> Result<Url, String> = chat_completions;
    const TOOLS: fn(&[Tool]) -> Vec<Json> = openai::tools;
    const FRAMING: Framing = Framing::Events;

    fn messages(conversation: &Conversation) -> Vec<Json> {
        let call = |call: ToolCall| {
            json!({
                "id": call.id,
                "type": "function",
                "function": { "name": call.name, "arguments": call.arguments.to_string() },
            })
        };
        chat_messages(conversation, call, openai::tool_result)
    }

    fn choice(tool: &Json) -> Option<Json> {
        let name = tool.pointer("/function/name");
        Some(json!({ "type": "function", "function": { "name": name } }))
    }

    /// Reads the first choice, streamed in chunks or sent whole.
    fn read_document(
        reply: &mut PartialReply,
        text: &str,
        on_text: OnText<'_>,
    ) -> Result<bool, ModelFailure> {
        if text.trim() == "[DONE]" {
            reply.is_done = true;
            return Ok(true);
        }
        let chunk = parse_document(text)?;
        // The last chunk may have no choice, only the usage.
        let Some(choice) = chunk.pointer("/choices/0") else {
            return Ok(false);
        };
        let whole = choice.get("message");
        let delta = whole.or(choice.get("delta")).unwrap_or(&Json::Null);
        // Ignore `reasoning_content` and `reasoning`, which have the model's thoughts.
        reply.text.push(member(delta, "content"), on_text);
        reply.text.push(member(delta, "refusal"), on_text);
        for (position, piece) in (0..).zip(items(delta.get("tool_calls"))) {
            let index = piece.get("index").and_then(Json::as_u64);
            // The calls of a whole reply have no index. Their position is used instead.
            let position = whole.is_some().then_some(position);
            reply.add_call(index.or(position), piece);
        }
        reply.set_stop_reason(choice, "finish_reason");
        Ok(whole.is_some())
    }
}
