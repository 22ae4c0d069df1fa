//! `OpenAI`'s chat completions, <https://platform.openai.com/docs/api-reference/chat>, which llama.cpp, vLLM,
//! LM Studio and others serve too. Their deviations are accepted: a stream without `[DONE]` or without
//! `finish_reason`, calls without an `index` or an id, and a whole reply although a stream was requested.

use reqwest::header::AUTHORIZATION;
use serde_json::{Value as Json, json};

use super::address;
use super::body::Framing;
use super::conversation::Conversation;
use super::failure::ProviderFailure;
use super::http::{Http, ReplyReader, complete_reply, parse_json};
use super::model::{AiClient, ModelError, ModelName, ModelReply, OnText, Provider, ReplyFuture};
use super::settings::ProviderSettings;
use super::thinking::VisibleText;
use super::turns::{chat_messages, member, set, set_list};
use crate::client::Tool;
use crate::client::formats::{ToolCall, openai};

const DEFAULT_ADDRESS: &str = "https://api.openai.com/v1";

/// A model behind chat completions.
#[derive(Debug)]
pub struct OpenAiClient {
    http: Http,
}

impl OpenAiClient {
    /// Creates a client. `model` is the server's name for the model. Without an address in the settings,
    /// `OpenAI`'s own is used. A private server may need no key. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is not valid, or the key can't be sent in a header.
    pub fn new(model: &str, settings: ProviderSettings) -> Result<Self, ModelError> {
        let url = address::chat_completions(settings.address_or(DEFAULT_ADDRESS));
        let http = Http::new(Provider::OpenAi, model, url, settings)?
            .with_key(AUTHORIZATION, "Bearer ")?;
        Ok(Self { http })
    }
}

impl AiClient for OpenAiClient {
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
            let request = request(http, conversation, tools);
            http.ask::<ChoiceReader>(&request, conversation, tools, on_text).await
        })
    }
}

fn request(http: &Http, conversation: &Conversation, tools: &[Tool]) -> Json {
    let call = |call: ToolCall| {
        json!({
            "id": call.id,
            "type": "function",
            "function": { "name": call.name, "arguments": call.arguments.to_string() },
        })
    };
    let sent = chat_messages(conversation, call, openai::tool_result);
    let mut request = json!({ "model": http.model.name, "stream": true, "messages": sent });
    let tools = openai::tools(tools);
    if let ([tool], true) = (tools.as_slice(), http.settings.must_call) {
        let name = tool.pointer("/function/name");
        let choice = json!({ "type": "function", "function": { "name": name } });
        set(&mut request, "tool_choice", choice);
    }
    set_list(&mut request, "tools", tools);
    request
}

/// Reads the first choice, streamed in chunks or sent whole.
#[derive(Default)]
struct ChoiceReader {
    text: VisibleText,
    calls: Vec<CallPieces>,
    done: bool,
    finish_reason: Option<String>,
}

/// A call that arrives in pieces.
#[derive(Default)]
struct CallPieces {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl ChoiceReader {
    /// Adds a piece of a call. It belongs to the latest call with the same index and id, where a missing id
    /// matches any. Without an index, a piece with a tool's name begins a new call.
    fn add(&mut self, index: Option<u64>, piece: &Json) {
        let function = piece.get("function").unwrap_or(&Json::Null);
        let (id, name) = (member(piece, "id"), member(function, "name"));
        let existing = self.calls.iter_mut().rev().find(|call| {
            let is_same = call.index == index && (id.is_empty() || call.id == id);
            is_same && (index.is_some() || name.is_empty())
        });
        let arguments = match function.get("arguments") {
            Some(Json::String(text)) => text.clone(),
            None | Some(Json::Null) => String::new(),
            Some(arguments) => arguments.to_string(),
        };
        if let Some(call) = existing {
            call.arguments.push_str(&arguments);
            if call.name.is_empty() {
                name.clone_into(&mut call.name);
            }
        } else {
            self.calls.push(CallPieces {
                index,
                id: id.to_owned(),
                name: name.to_owned(),
                arguments,
            });
        }
    }
}

impl ReplyReader for ChoiceReader {
    const FRAMING: Framing = Framing::Events;

    fn read_document(&mut self, text: &str, on_text: OnText<'_>) -> Result<bool, ProviderFailure> {
        if text.trim() == "[DONE]" {
            self.done = true;
            return Ok(true);
        }
        let chunk = parse_json(text)?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(ProviderFailure::from_error(error));
        }
        // The last chunk may have no choice, only the usage.
        let Some(choice) = chunk.pointer("/choices/0") else {
            return Ok(false);
        };
        let whole = choice.get("message");
        let delta = whole.or(choice.get("delta")).unwrap_or(&Json::Null);
        // `reasoning_content` and `reasoning` are ignored: they hold the model's reasoning.
        self.text.push(member(delta, "content"), on_text);
        self.text.push(member(delta, "refusal"), on_text);
        let calls = delta.get("tool_calls").and_then(Json::as_array);
        for (position, piece) in (0..).zip(calls.into_iter().flatten()) {
            let index = piece.get("index").and_then(Json::as_u64);
            // The calls of a whole reply have no index.
            let position = whole.is_some().then_some(position);
            self.add(index.or(position), piece);
        }
        let reason = choice.get("finish_reason").and_then(Json::as_str);
        self.finish_reason = reason.map(str::to_owned).or(self.finish_reason.take());
        Ok(whole.is_some())
    }

    fn finish(self, on_text: OnText<'_>) -> Result<ModelReply, ProviderFailure> {
        let reason = self.finish_reason.unwrap_or_default();
        if !self.done && reason.is_empty() {
            return Err(ProviderFailure::early_end());
        }
        if reason == "content_filter" {
            return Err(ProviderFailure::Refused(
                "its filter stopped the reply".to_owned(),
            ));
        }
        let last = self.calls.last();
        let last_call_lacks_arguments = last.is_some_and(|call| call.arguments.trim().is_empty());
        let calls = self.calls.into_iter().map(|call| {
            json!({
                "id": call.id,
                "function": { "name": call.name, "arguments": call.arguments },
            })
        });
        let message = json!({ "tool_calls": calls.collect::<Vec<_>>() });
        let calls = openai::tool_calls(&message);
        let is_cut = reason == "length";
        let text = self.text.finish(on_text);
        complete_reply(text, calls, is_cut, last_call_lacks_arguments)
    }
}
