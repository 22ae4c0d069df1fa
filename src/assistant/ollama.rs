//! Ollama's chat: <https://docs.ollama.com/api/chat>, a JSON object on each line, with its errors of
//! <https://docs.ollama.com/api/errors>.

use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::AUTHORIZATION;
use serde_json::{Value as Json, json};

use super::address;
use super::body::Framing;
use super::conversation::Conversation;
use super::failure::ProviderFailure;
use super::http::{Http, ReplyReader, complete_reply, parse_json};
use super::model::{AiClient, ModelError, ModelName, ModelReply, OnText, Provider, Replying};
use super::settings::ProviderSettings;
use super::thinking::Text;
use super::turns::{chat_messages, member, set, set_list};
use crate::client::Tool;
use crate::client::formats::{ToolCall, ollama};

/// A model that Ollama runs.
#[derive(Debug)]
pub struct OllamaClient {
    http: Http,
    /// True if it takes the field `think`. Versions before 0.9 do not know it and do not mind; a
    /// model that must think may refuse it.
    takes_think: AtomicBool,
}

impl OllamaClient {
    /// Makes a client for a model by Ollama's name for it. The address has any form that `OLLAMA_HOST` may
    /// have; if it is empty, it is port 11434 of this machine. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is not valid, or the key can't be sent in a header.
    pub fn new(model: &str, settings: ProviderSettings) -> Result<Self, ModelError> {
        let url = address::ollama_chat(&settings.address);
        let http = Http::new(Provider::Ollama, model, url, settings)?;
        Ok(Self {
            http: http.with_key(AUTHORIZATION, "Bearer ")?,
            takes_think: AtomicBool::new(true),
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
    ) -> Replying<'a> {
        Box::pin(async move {
            let http = &self.http;
            let request = request(&http.model.name, conversation, tools);
            if self.takes_think.load(Ordering::Relaxed) {
                // A person is waiting for the lamp.
                let mut quick = request.clone();
                set(&mut quick, "think", false);
                let reply = http.ask::<ChatReader>(&quick, conversation, tools, on_text);
                match reply.await {
                    Err(ModelError::Refused { why, .. }) if why.contains("think") => {
                        self.takes_think.store(false, Ordering::Relaxed);
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
    let sent = chat_messages(conversation, call, ollama::tool_result);
    let mut request = json!({ "model": model, "stream": true, "messages": sent });
    set_list(&mut request, "tools", ollama::tools(tools));
    request
}

/// Reads a reply from its lines. Each call is complete in one line.
#[derive(Default)]
struct ChatReader {
    text: Text,
    calls: Vec<ToolCall>,
    done: bool,
    cut: bool,
}

impl ReplyReader for ChatReader {
    const FRAMING: Framing = Framing::Lines;

    fn take(&mut self, text: &str, on_text: OnText<'_>) -> Result<bool, ProviderFailure> {
        let line = parse_json(text)?;
        if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
            return Err(ProviderFailure::from_error(error));
        }
        let message = line.get("message").unwrap_or(&Json::Null);
        // Thoughts are in `thinking`.
        self.text.push(member(message, "content"), on_text);
        self.calls.extend(ollama::tool_calls(message));
        self.cut |= member(&line, "done_reason") == "length";
        self.done |= line.get("done") == Some(&Json::Bool(true));
        Ok(self.done)
    }

    fn finish(self, on_text: OnText<'_>) -> Result<ModelReply, ProviderFailure> {
        if !self.done {
            return Err(ProviderFailure::early_end());
        }
        complete_reply(self.text.finish(on_text), self.calls, self.cut, false)
    }
}
