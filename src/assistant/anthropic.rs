//! Anthropic's Messages API, <https://docs.claude.com/en/api/messages>, and its event stream,
//! <https://docs.claude.com/en/docs/build-with-claude/streaming>.

use serde_json::{Value as Json, json};
use url::Url;

use super::address::messages;
use super::body::Framing;
use super::conversation::Conversation;
use super::http::{Api, ProviderClient, parse_document};
use super::model::{ModelFailure, OnText, Provider};
use super::reply::PartialReply;
use super::turns::{ModelMessage, member, set, sides};
use crate::client::Tool;
use crate::client::formats::anthropic;
use crate::client::items;

/// The maximum length of a reply, in tokens. The API requires a limit.
const MAX_TOKENS: u32 = 2048;

/// A model behind Anthropic's Messages API.
pub type AnthropicClient = ProviderClient<MessagesApi>;

/// Anthropic's Messages API.
#[derive(Debug, Default)]
pub struct MessagesApi;

impl Api for MessagesApi {
    const PROVIDER: Provider = Provider::Anthropic;
    const URL: fn(&str) -> Result<Url, String> = messages;
    const KEY_HEADER: (&'static str, &'static str) = ("x-api-key", "");
    const VERSION_HEADER: Option<(&'static str, &'static str)> =
        Some(("anthropic-version", "2023-06-01"));
    const NEEDS_KEY: bool = true;
    const TOOLS: fn(&[Tool]) -> Vec<Json> = anthropic::tools;
    const FRAMING: Framing = Framing::Events;

    /// Returns the messages, alternating between user and assistant. The API rejects blank texts. If a reply
    /// contains calls, the next user message must begin with the results of all these calls.
    fn messages(conversation: &Conversation) -> Vec<Json> {
        let mut sent: Vec<(&str, Vec<Json>)> = Vec::new();
        for message in sides(conversation) {
            let text_block = |text: &str| json!({ "type": "text", "text": text });
            let (role, content) = match message {
                ModelMessage::Person(text) => ("user", vec![text_block(text)]),
                ModelMessage::Results(results) => {
                    let results =
                        results.iter().map(|(call, result)| anthropic::tool_result(call, result));
                    ("user", results.collect())
                }
                ModelMessage::Model { text, calls } => {
                    let text = (!text.trim().is_empty()).then(|| text_block(text));
                    let calls = calls.into_iter().map(|call| {
                        json!({
                            "type": "tool_use",
                            "id": call.id,
                            "name": call.name,
                            "input": call.arguments,
                        })
                    });
                    ("assistant", text.into_iter().chain(calls).collect())
                }
            };
            match sent.last_mut() {
                Some((last_role, blocks)) if *last_role == role => blocks.extend(content),
                _ => sent.push((role, content)),
            }
        }
        sent.into_iter()
            .map(|(role, content)| json!({ "role": role, "content": content }))
            .collect()
    }

    fn choice(tool: &Json) -> Option<Json> {
        Some(json!({ "type": "tool", "name": member(tool, "name") }))
    }

    fn complete(&self, request: &mut Json, conversation: &Conversation) {
        set(request, "max_tokens", MAX_TOKENS);
        // The API rejects an empty system prompt.
        if !conversation.system.trim().is_empty() {
            set(request, "system", conversation.system.as_str());
        }
    }

    /// Reads an event of a streamed message, or a whole message from a server that does not stream.
    fn read_document(
        reply: &mut PartialReply,
        text: &str,
        on_text: OnText<'_>,
    ) -> Result<bool, ModelFailure> {
        let event = parse_document(text)?;
        let part = |name: &str| event.get(name).unwrap_or(&Json::Null);
        let index = part("index").as_u64();
        match member(&event, "type") {
            "content_block_start" => add_block(reply, index, part("content_block"), on_text),
            "content_block_delta" => {
                let delta = part("delta");
                reply.text.push(member(delta, "text"), on_text);
                let mut calls = reply.calls.iter_mut().rev();
                if let Some(call) = calls.find(|call| call.index == index) {
                    call.arguments.push_str(member(delta, "partial_json"));
                }
            }
            "message_delta" => reply.set_stop_reason(part("delta"), "stop_reason"),
            "message_stop" => return Ok(true),
            "message" => {
                for block in items(event.get("content")) {
                    add_block(reply, None, block, on_text);
                }
                reply.set_stop_reason(&event, "stop_reason");
                return Ok(true);
            }
            // Anthropic may add event types, and a `ping` may come at any time.
            _ => {}
        }
        Ok(false)
    }
}

fn add_block(reply: &mut PartialReply, index: Option<u64>, block: &Json, on_text: OnText<'_>) {
    match member(block, "type") {
        "text" => reply.text.push(member(block, "text"), on_text),
        "tool_use" => {
            // The input of a streamed call is at first an empty object. The arguments follow in deltas.
            let input = block.get("input").filter(|input| **input != json!({}));
            let function = json!({ "name": block.get("name"), "arguments": input });
            reply.add_call(
                index,
                &json!({ "id": block.get("id"), "function": function }),
            );
        }
        // Ignore the model's thoughts and the provider's own tools.
        _ => {}
    }
}
