//! Anthropic's Messages API, <https://docs.claude.com/en/api/messages>, and its event stream,
//! <https://docs.claude.com/en/docs/build-with-claude/streaming>.

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value as Json, json};

use super::address;
use super::body::Framing;
use super::conversation::Conversation;
use super::failure::ProviderFailure;
use super::http::{Http, ReplyReader, complete_reply, parse_json};
use super::model::{AiClient, ModelError, ModelName, ModelReply, OnText, Provider, ReplyFuture};
use super::settings::ProviderSettings;
use super::thinking::VisibleText;
use super::turns::{Side, member, set, set_list, sides};
use crate::client::Tool;
use crate::client::formats::anthropic;

const DEFAULT_ADDRESS: &str = "https://api.anthropic.com";

/// The version of the API.
const VERSION: &str = "2023-06-01";

/// The maximum length of a reply, in tokens. The API requires a limit.
const MAX_TOKENS: u32 = 2048;

/// A model behind Anthropic's Messages API.
#[derive(Debug)]
pub struct AnthropicClient {
    http: Http,
}

impl AnthropicClient {
    /// Creates a client. `model` is Anthropic's name for the model. Without an address in the settings,
    /// Anthropic's own is used. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is not valid, or the key can't be sent in a header.
    pub fn new(model: &str, settings: ProviderSettings) -> Result<Self, ModelError> {
        let url = address::messages(settings.address_or(DEFAULT_ADDRESS));
        let mut http = Http::new(Provider::Anthropic, model, url, settings)?
            .with_key(HeaderName::from_static("x-api-key"), "")?;
        let version = HeaderValue::from_static(VERSION);
        http.headers.insert("anthropic-version", version);
        Ok(Self { http })
    }
}

impl AiClient for AnthropicClient {
    fn name(&self) -> &ModelName {
        &self.http.model
    }

    fn reply<'a>(
        &'a self,
        conversation: &'a Conversation,
        tools: &'a [Tool],
        on_text: OnText<'a>,
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            let http = &self.http;
            if http.settings.key.is_none() {
                return Err(http.error(ProviderFailure::NoKey));
            }
            let request = request(http, conversation, tools);
            http.ask::<MessageReader>(&request, conversation, tools, on_text).await
        })
    }
}

fn request(http: &Http, conversation: &Conversation, tools: &[Tool]) -> Json {
    let mut request = json!({
        "model": http.model.name,
        "max_tokens": MAX_TOKENS,
        "stream": true,
        "messages": sent_messages(conversation),
    });
    // The API rejects an empty system prompt.
    if !conversation.system.trim().is_empty() {
        set(&mut request, "system", conversation.system.as_str());
    }
    let tools = anthropic::tools(tools);
    if let ([tool], true) = (tools.as_slice(), http.settings.must_call) {
        let choice = json!({ "type": "tool", "name": member(tool, "name") });
        set(&mut request, "tool_choice", choice);
    }
    set_list(&mut request, "tools", tools);
    request
}

/// Returns the messages, alternating between user and assistant. The API requires that the results of a round
/// begin one user message, and that no text is blank.
fn sent_messages(conversation: &Conversation) -> Vec<Json> {
    let mut sent: Vec<(&str, Vec<Json>)> = Vec::new();
    for message in sides(conversation) {
        let text_block = |text: &str| json!({ "type": "text", "text": text });
        let (role, content) = match message {
            Side::Person(text) => ("user", vec![text_block(text)]),
            Side::Results(results) => {
                let results =
                    results.iter().map(|(call, result)| anthropic::tool_result(call, result));
                ("user", results.collect())
            }
            Side::Model { text, calls } => {
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
    let sent = sent
        .into_iter()
        .map(|(role, content)| json!({ "role": role, "content": content }));
    sent.collect()
}

/// Reads a message from the events of its stream, or whole from a server that does not stream.
#[derive(Default)]
struct MessageReader {
    text: VisibleText,
    calls: Vec<CallBlock>,
    stop_reason: Option<String>,
}

/// A call that arrives in pieces.
struct CallBlock {
    index: Option<u64>,
    start: Json,
    input: String,
}

impl MessageReader {
    fn add_block(&mut self, index: Option<u64>, block: &Json, on_text: OnText<'_>) {
        match member(block, "type") {
            "text" => self.text.push(member(block, "text"), on_text),
            "tool_use" => self.calls.push(CallBlock {
                index,
                start: block.clone(),
                input: String::new(),
            }),
            // The model's thoughts and the provider's own tools are ignored.
            _ => {}
        }
    }

    fn set_stop_reason(&mut self, message: &Json) {
        let reason = message.get("stop_reason").and_then(Json::as_str);
        self.stop_reason = reason.map(str::to_owned).or(self.stop_reason.take());
    }
}

impl ReplyReader for MessageReader {
    const FRAMING: Framing = Framing::Events;

    fn read_document(&mut self, text: &str, on_text: OnText<'_>) -> Result<bool, ProviderFailure> {
        let event = parse_json(text)?;
        let part = |name: &str| event.get(name).unwrap_or(&Json::Null);
        let index = part("index").as_u64();
        match member(&event, "type") {
            "content_block_start" => {
                self.add_block(index, part("content_block"), on_text);
            }
            "content_block_delta" => {
                let delta = part("delta");
                self.text.push(member(delta, "text"), on_text);
                let mut calls = self.calls.iter_mut().rev();
                if let Some(call) = calls.find(|call| call.index == index) {
                    call.input.push_str(member(delta, "partial_json"));
                }
            }
            "message_delta" => self.set_stop_reason(part("delta")),
            "message_stop" => return Ok(true),
            "message" => {
                let blocks = part("content").as_array();
                for block in blocks.into_iter().flatten() {
                    self.add_block(None, block, on_text);
                }
                self.set_stop_reason(&event);
                return Ok(true);
            }
            "error" => return Err(ProviderFailure::from_error(part("error"))),
            // Anthropic may add event types, and a `ping` may come at any time.
            _ => {}
        }
        Ok(false)
    }

    fn finish(self, on_text: OnText<'_>) -> Result<ModelReply, ProviderFailure> {
        let reason = self.stop_reason.ok_or_else(ProviderFailure::early_end)?;
        if reason == "refusal" {
            return Err(ProviderFailure::Refused("it declines".to_owned()));
        }
        let last_call_lacks_arguments = self.calls.last().is_some_and(|call| {
            let input = call.start.get("input").and_then(Json::as_object);
            call.input.trim().is_empty() && input.is_none_or(Map::is_empty)
        });
        let blocks = self.calls.into_iter().map(|mut call| {
            if !call.input.is_empty() {
                set(&mut call.start, "input", call.input);
            }
            call.start
        });
        let content: Vec<Json> = blocks.collect();
        let calls = anthropic::tool_calls(&json!({ "content": content }));
        let is_cut = reason == "max_tokens";
        let text = self.text.finish(on_text);
        complete_reply(text, calls, is_cut, last_call_lacks_arguments)
    }
}
