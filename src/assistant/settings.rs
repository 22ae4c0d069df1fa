//! A provider's address, key and limits.

use std::fmt;
use std::time::Duration;

/// A provider's key, which no `Debug` output shows.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Makes a key, without surrounding whitespace. Returns `None` if it is empty.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key itself, for a header.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// The limits of a provider's time and of the size of its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// For the connection, TLS included.
    pub connect: Duration,
    /// Between two pieces of a reply. The first piece may take the whole time: a model may have to
    /// be loaded.
    pub idle: Duration,
    /// For the request and the whole reply.
    pub whole: Duration,
    /// The maximum size of a reply, in bytes.
    pub bytes: usize,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            whole: Duration::from_secs(60),
            bytes: 16 * 1024 * 1024,
        }
    }
}

/// The settings for a provider.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    /// Its address; the provider's usual one if this is empty.
    pub address: String,
    /// Its key, if it needs one.
    pub key: Option<ApiKey>,
    /// The limits of a reply's time and size.
    pub limits: ReplyLimits,
    /// True if the model must call a tool whenever only one is offered. The interface must support that
    /// (`tool_choice` of `OpenAI` and Anthropic; Ollama has none). A local engine then uses the tool's
    /// schema as a grammar.
    pub must_call: bool,
}

impl ProviderSettings {
    /// Returns the address, or the usual one if there is none.
    pub(super) fn address_or<'a>(&'a self, usual: &'a str) -> &'a str {
        match self.address.trim() {
            "" => usual,
            address => address,
        }
    }
}

impl fmt::Debug for ProviderSettings {
    /// Without the address, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("key", &self.key)
            .field("limits", &self.limits)
            .field("must_call", &self.must_call)
            .finish_non_exhaustive()
    }
}
