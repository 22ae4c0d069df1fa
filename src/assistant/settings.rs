//! Where a provider is, with which key it is asked, and within which limits.

use std::fmt;
use std::time::Duration;

/// A provider's key. It is in no `Debug` output.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key without the blanks and the newline that a file has around it; none where nothing is left.
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

/// How long a provider may take, and how much it may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// For the connection, TLS included.
    pub connect: Duration,
    /// Between two pieces of a reply. The first piece has all the time there is: a model may have to
    /// be loaded.
    pub idle: Duration,
    /// For the request and the whole reply.
    pub whole: Duration,
    /// For the bytes of a reply.
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

/// Where and how a provider is asked.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    /// Its address; the provider's usual one where this is empty.
    pub address: String,
    /// Its key, where it wants one.
    pub key: Option<ApiKey>,
    /// How long it may take.
    pub limits: ReplyLimits,
    /// True if the model has to call a tool that is offered alone, where its interface can say so
    /// (`tool_choice` of `OpenAI` and Anthropic; Ollama has none). An engine of one's own then takes
    /// the tool's schema for a grammar.
    pub must_call: bool,
}

impl ProviderSettings {
    /// The address, or the usual one where there is none.
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
