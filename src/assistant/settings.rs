//! A provider's address, key and limits.

use std::time::Duration;

/// A provider's API key. It has no `Debug`, so that no log can show it.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Creates a key from `text`, without surrounding whitespace. Returns `None` if `text` is blank.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key itself, for a header.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }
}

/// The timeouts of a request, and the size limit of the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// The timeout for connecting, including TLS.
    pub connect: Duration,
    /// The maximum wait between two chunks of a reply. The first chunk may take as long as `total` allows,
    /// because a model may have to be loaded.
    pub idle: Duration,
    /// The timeout for the request and the whole reply.
    pub total: Duration,
    /// The maximum size of a reply, in bytes.
    pub max_bytes: usize,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(60),
            max_bytes: 16 * 1024 * 1024,
        }
    }
}

/// The settings for a provider.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    /// The provider's address. If blank, the provider's default address is used.
    pub address: String,
    /// The API key, if one is needed.
    pub key: Option<ApiKey>,
    /// The timeouts and the size limit of each reply.
    pub limits: ReplyLimits,
    /// Makes the model call a tool if exactly one tool is offered. This is the option `tool_choice` of `OpenAI`'s
    /// and Anthropic's APIs; Ollama's API has no such option. With this option, a local engine lets the model
    /// write only what fits the tool's schema.
    pub must_call: bool,
}
