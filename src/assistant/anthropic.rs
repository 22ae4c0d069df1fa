//! Anthropic's Messages API, <https://docs.claude.com/en/api/messages>, and its event stream,
//! <https://docs.claude.com/en/docs/build-with-claude/streaming>.

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value as Json, json};

use super::address;
use super::body::Framing;
use super::conversation::Conversation;
use super::failure::ProviderFailure;
use super::http::{Http, ReplyReader, complete_reply, parse_json};
use super::model::{AiClient, ModelError, ModelName, ModelReply, OnText, Provider, Replying};
use super::settings::ProviderSettings;
use super::thinking::Text;
use super::turns::{Side, member, messages, set, set_list};
use crate::client::Tool;
use crate::client::formats::anthropic;

const ADDRESS: &str = "https://api.anthropic.com";

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
    /// Makes a client for a model by Anthropic's name for it, at the address in the settings or, if that is
    /// empty, at Anthropic's own. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is not valid, or the key can't be sent in a header.
    pub fn new(model: &str, settings: ProviderSettings) -> Result<Self, ModelError> {
        let url = address::messages(settings.address_or(ADDRESS));
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
    ) -> Replying<'a> {
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
    // The API refuses an empty system prompt.
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

/// Returns the turns of the user and the assistant, alternating. The API refuses a request if the results of
/// a round are not all at the beginning of one user turn, or if a text is blank.
fn sent_messages(conversation: &Conversation) -> Vec<Json> {
    let mut sent: Vec<(&str, Vec<Json>)> = Vec::new();
    for message in messages(conversation) {
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
            Some((last, before)) if *last == role => before.extend(content),
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
    text: Text,
    calls: Vec<Block>,
    stop_reason: Option<String>,
}

/// A call that comes in pieces.
struct Block {
    index: Option<u64>,
    start: Json,
    input: String,
}

impl MessageReader {
    fn add_block(&mut self, index: Option<u64>, block: &Json, on_text: OnText<'_>) {
        match member(block, "type") {
            "text" => self.text.push(member(block, "text"), on_text),
            "tool_use" => self.calls.push(Block {
                index,
                start: block.clone(),
                input: String::new(),
            }),
            // The model's thoughts and the provider's own tools are left out.
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

    fn take(&mut self, text: &str, on_text: OnText<'_>) -> Result<bool, ProviderFailure> {
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
        let bare = self.calls.last().is_some_and(|call| {
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
        let cut = reason == "max_tokens";
        complete_reply(self.text.finish(on_text), calls, cut, bare)
    }
}
