//! The client of each provider, against a stand-in that uses the documented format.

mod addresses;
mod errors;
mod random;
mod requests;
mod secure;
mod streams;

use std::time::Duration;

use serde_json::json;
use zwave_mcp_server::assistant::{
    AiClient, AnthropicClient, ApiKey, Conversation, ModelError, ModelReply, OllamaClient,
    OpenAiClient, Provider, ProviderSettings, ReplyLimits, Turn,
};
use zwave_mcp_server::client::Tool;

use crate::stand_in::{Answer, StandIn};

/// The API key, which may appear only in a header.
pub const KEY: &str = "sk-very-secret";

pub const MODEL: &str = "qwen3:0.6b";

/// Returns the default limits, with a short timeout for connecting.
pub fn limits() -> ReplyLimits {
    ReplyLimits {
        connect: Duration::from_secs(2),
        ..ReplyLimits::default()
    }
}

pub fn client_at(provider: Provider, address: &str, limits: ReplyLimits) -> Box<dyn AiClient> {
    client_with(provider, settings(address, limits))
}

/// Returns the settings of a client for an address.
pub fn settings(address: &str, limits: ReplyLimits) -> ProviderSettings {
    ProviderSettings {
        address: address.to_owned(),
        key: ApiKey::new(&format!("{KEY}\n")),
        limits,
        ..ProviderSettings::default()
    }
}

pub fn client_with(provider: Provider, settings: ProviderSettings) -> Box<dyn AiClient> {
    match provider {
        Provider::Anthropic => Box::new(AnthropicClient::new(MODEL, settings).unwrap()),
        Provider::Ollama => Box::new(OllamaClient::new(MODEL, settings).unwrap()),
        Provider::OpenAi => Box::new(OpenAiClient::new(MODEL, settings).unwrap()),
    }
}

/// Returns the content type of a provider's streams.
pub fn content_type(provider: Provider) -> &'static str {
    match provider {
        Provider::Ollama => "application/x-ndjson",
        Provider::Anthropic | Provider::OpenAi => "text/event-stream; charset=utf-8",
    }
}

/// Returns a conversation with one sentence of the person.
pub fn conversation() -> Conversation {
    Conversation {
        system: "Be short.".to_owned(),
        turns: vec![Turn::Person("kitchen on".to_owned())],
        ..Conversation::default()
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::read(json!({
            "name": "control",
            "description": "Controls a lamp.",
            "inputSchema": {
                "type": "object",
                "properties": { "device": { "type": "string" } },
                "required": ["device"],
            },
        }))
        .unwrap(),
    ]
}

/// Asks a provider that gives this answer. Returns the reply and the text that was streamed.
pub async fn ask_for(
    provider: Provider,
    answer: Answer,
    limits: ReplyLimits,
) -> (Result<ModelReply, ModelError>, String) {
    let stand_in = StandIn::new([answer]).await;
    ask(client_at(provider, &stand_in.address, limits).as_ref()).await
}

/// Asks a client. Returns the reply and the text that was streamed.
pub async fn ask(client: &dyn AiClient) -> (Result<ModelReply, ModelError>, String) {
    let mut streamed = String::new();
    let mut on_text = |text: &str| streamed.push_str(text);
    let reply = client.reply(&conversation(), &tools(), &mut on_text).await;
    (reply, streamed)
}
