//! Ollama's chat API, <https://docs.ollama.com/api/chat>, which streams one JSON object per line, and its
//! errors, <https://docs.ollama.com/api/errors>.

use std::sync::atomic::{AtomicBool, Ordering};

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
use crate::client::formats::{ToolCall, ollama};

/// A model that Ollama runs.
#[derive(Debug)]
pub struct OllamaClient {
    http: Http,
    /// False once the model has rejected the field `think`. A model that can't stop thinking may reject it.
    /// Ollama before version 0.9 ignores the field.
    sends_think: AtomicBool,
}

impl OllamaClient {
    /// Creates a client. `model` is Ollama's name for the model. The address may have any form that
    /// `OLLAMA_HOST` may have; the default is port 11434 of this machine. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is not valid, or the key can't be sent in a header.
    pub fn new(model: &str, settings: ProviderSettings) -> Result<Self, ModelError> {
        let url = address::ollama_chat(&settings.address);
        let http = Http::new(Provider::Ollama, model, url, settings)?;
        Ok(Self {
            http: http.with_key(AUTHORIZATION, "Bearer ")?,
            sends_think: AtomicBool::new(true),
        })
    }
}

impl AiClient for OllamaClient {
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
            let request = request(&http.model.name, conversation, tools);
            if self.sends_think.load(Ordering::Relaxed) {
                // Thinking takes too long for a person who is waiting for a lamp.
                let mut request = request.clone();
                set(&mut request, "think", false);
                let reply = http.ask::<ChatReader>(&request, conversation, tools, on_text);
                match reply.await {
                    Err(ModelError::Refused { why, .. }) if why.contains("think") => {
                        self.sends_think.store(false, Ordering::Relaxed);
                    }
                    reply => return reply,
                }
            }
            http.ask::<ChatReader>(&request, conversation, tools, on_text).await
        })
    }
}

fn request(model: &str, conversation: &Conversation, tools: &[Tool]) -> Json {
    let call =
        |call: ToolCall| json!({ "function": { "name": call.name, "arguments": call.arguments } });
    let messages = chat_messages(conversation, call, ollama::tool_result);
    let mut request = json!({ "model": model, "stream": true, "messages": messages });
    set_list(&mut request, "tools", ollama::tools(tools));
    request
}

/// Reads a reply from its lines. Each call is within one line.
#[derive(Default)]
struct ChatReader {
    text: VisibleText,
    calls: Vec<ToolCall>,
    done: bool,
    is_cut: bool,
}

impl ReplyReader for ChatReader {
    const FRAMING: Framing = Framing::Lines;

    fn read_document(&mut self, text: &str, on_text: OnText<'_>) -> Result<bool, ProviderFailure> {
        let line = parse_json(text)?;
        if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
            return Err(ProviderFailure::from_error(error));
        }
        let message = line.get("message").unwrap_or(&Json::Null);
        // Thoughts are in the field `thinking`, which is ignored.
        self.text.push(member(message, "content"), on_text);
        self.calls.extend(ollama::tool_calls(message));
        self.is_cut |= member(&line, "done_reason") == "length";
        self.done |= line.get("done") == Some(&Json::Bool(true));
        Ok(self.done)
    }

    fn finish(self, on_text: OnText<'_>) -> Result<ModelReply, ProviderFailure> {
        if !self.done {
            return Err(ProviderFailure::early_end());
        }
        let text = self.text.finish(on_text);
        let last_call_lacks_arguments = false;
        complete_reply(text, self.calls, self.is_cut, last_call_lacks_arguments)
    }
}
