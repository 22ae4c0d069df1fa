//! Ollama's chat API, <https://docs.ollama.com/api/chat>, and its errors,
//! <https://docs.ollama.com/api/errors>. The API streams one JSON object per line.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value as Json, json};
use url::Url;

use super::address::ollama_chat;
use super::body::Framing;
use super::conversation::Conversation;
use super::http::{Api, ProviderClient, parse_document};
use super::model::{ModelFailure, OnText, Provider};
use super::reply::PartialReply;
use super::turns::{chat_messages, member, set};
use crate::client::Tool;
use crate::client::formats::{ToolCall, ollama};
use crate::client::items;

/// A model that Ollama runs. The address may have any form that `OLLAMA_HOST` may have; the default is port
/// 11434 of this machine.
pub type OllamaClient = ProviderClient<Ollama>;

/// Ollama's chat API.
#[derive(Debug, Default)]
pub struct Ollama {
    /// True once the model has rejected the field `think`. A model that always thinks may reject it.
    /// Ollama before version 0.9 ignores the field.
    rejects_think: AtomicBool,
}

impl Api for Ollama {
    const PROVIDER: Provider = Provider::Ollama;
    const URL: fn(&str) -> Result<Url, String> = ollama_chat;
    const TOOLS: fn(&[Tool]) -> Vec<Json> = ollama::tools;
    const FRAMING: Framing = Framing::Lines;

    fn messages(conversation: &Conversation) -> Vec<Json> {
        let call = |call: ToolCall| json!({ "function": { "name": call.name, "arguments": call.arguments } });
        chat_messages(conversation, call, ollama::tool_result)
    }

    fn complete(&self, request: &mut Json, _conversation: &Conversation) {
        if !self.rejects_think.load(Ordering::Relaxed) {
            // Thinking takes too long for a person who is waiting for a lamp.
            set(request, "think", false);
        }
    }

    fn adapts_to(&self, failure: &ModelFailure) -> bool {
        let is_about_think = matches!(failure, ModelFailure::Refused(why) if why.contains("think"));
        is_about_think && !self.rejects_think.swap(true, Ordering::Relaxed)
    }

    fn read_document(
        reply: &mut PartialReply,
        text: &str,
        on_text: OnText<'_>,
    ) -> Result<bool, ModelFailure> {
        let line = parse_document(text)?;
        let message = line.get("message").unwrap_or(&Json::Null);
        // Ignore the field `thinking`, which has the model's thoughts.
        reply.text.push(member(message, "content"), on_text);
        // A call is never split between lines.
        for call in items(message.get("tool_calls")) {
            reply.add_call(None, call);
        }
        reply.is_done = line.get("done") == Some(&Json::Bool(true));
        if reply.is_done {
            reply.set_stop_reason(&line, "done_reason");
        }
        Ok(reply.is_done)
    }
}
