//! Language models: their names, their interface, replies and failures.

use std::fmt;
use std::pin::Pin;
use std::str::FromStr;
use std::time::Duration;

use derive_more::Display;
use thiserror::Error;

use super::conversation::Conversation;
use crate::client::Tool;
use crate::client::formats::ToolCall;
use crate::home::named_enum;

named_enum! {
    /// A provider of models, with its name on the command line.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Provider {
        /// Ollama, with its `/api/chat`.
        Ollama = "ollama",
        /// Anthropic, with its Messages API.
        Anthropic = "anthropic",
        /// OpenAI, with its chat completions, or another server of chat completions, such as llama.cpp or vLLM.
        OpenAi = "openai",
    }
}

impl Provider {
    /// The environment variables that hold the address and the key. Ollama needs a key only in its cloud.
    pub fn settings(self) -> [&'static str; 2] {
        match self {
            Self::Ollama => ["OLLAMA_HOST", "OLLAMA_API_KEY"],
            Self::Anthropic => ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"],
            Self::OpenAi => ["OPENAI_BASE_URL", "OPENAI_API_KEY"],
        }
    }
}

/// A model's name, as `PROVIDER:NAME`. The name may contain colons: `ollama:qwen3:0.6b`.
#[derive(Clone, Debug, PartialEq, Eq, Display)]
#[display("{}:{name}", provider.name())]
pub struct ModelName {
    /// The provider.
    pub provider: Provider,
    /// The provider's name for the model.
    pub name: String,
}

impl FromStr for ModelName {
    type Err = String;

    /// Parses `PROVIDER:NAME`. The error describes the format.
    fn from_str(text: &str) -> Result<Self, String> {
        let (provider, name) = text.split_once(':').unwrap_or((text, ""));
        let provider = Provider::ALL.into_iter().find(|candidate| candidate.name() == provider);
        match provider {
            Some(provider) if !name.trim().is_empty() => Ok(Self {
                provider,
                name: name.trim().to_owned(),
            }),
            _ => Err(format!(
                "\"{text}\" does not name a model; write PROVIDER:NAME, such as ollama:qwen3:0.6b, \
                 where PROVIDER is one of {}",
                Provider::ALL.map(Provider::name).join(", ")
            )),
        }
    }
}

/// A model's reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelReply {
    /// The text; empty if there are only calls.
    pub text: String,
    /// The calls that the model requests, in order. If a tool was offered to the model under another name,
    /// the call has the tool's original name.
    pub calls: Vec<ToolCall>,
}

/// The error if a model gave no reply. Most of the error messages say what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{model} {}", match failure {
    ModelFailure::Unreachable(why) => {
        let [setting, _] = model.provider.settings();
        format!("is not reachable at {address} ({why}); start it, or set {setting}.")
    }
    ModelFailure::NoSuchModel(_) if model.provider == Provider::Ollama => {
        format!("is not installed: run `ollama pull {}`.", model.name)
    }
    ModelFailure::NoKey => format!("{failure} in {}.", model.provider.settings()[1]),
    failure => failure.to_string(),
})]
pub struct ModelError {
    /// The model.
    pub model: ModelName,
    /// The model's address, without a key or password; empty if the model has no address.
    pub address: String,
    /// The reason.
    pub failure: ModelFailure,
}

/// Why a model gave no reply.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelFailure {
    /// Nothing answers at the address, or what answers is not the provider.
    #[error("is not reachable ({0})")]
    Unreachable(String),
    /// The provider is overloaded or failing.
    #[error(
        "is overloaded or out of order ({why}); try again {}, or give a --fallback.",
        describe_wait(*retry_after)
    )]
    Overloaded {
        /// The provider's message.
        why: String,
        /// The wait that the provider asks for.
        retry_after: Option<Duration>,
    },
    /// The reply, or its next part, did not arrive within this time.
    #[error("did not reply within {} s.", rounded_seconds(*.0))]
    TimedOut(Duration),
    /// The provider does not have the model.
    #[error("is not there: {0}.")]
    NoSuchModel(String),
    /// The key is missing, or the provider rejects it.
    #[error("needs a valid key")]
    NoKey,
    /// The provider rejects the request. A retry would fail, but another model may accept the request.
    #[error("refused the request: {0}.")]
    Refused(String),
    /// The reply is malformed or incomplete.
    #[error("sent an incomplete or malformed reply: {0}.")]
    Garbled(String),
}

fn describe_wait(wait: Option<Duration>) -> String {
    match wait.filter(|wait| !wait.is_zero()) {
        Some(wait) => format!("in {} s", rounded_seconds(wait)),
        None => "later".to_owned(),
    }
}

/// Returns seconds, rounded up to tenths. The models share the remaining time, so a limit is seldom a whole
/// number of seconds.
fn rounded_seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).ceil() / 10.0
}

/// Receives each piece of a reply's text as it arrives.
pub type OnText<'a> = &'a mut (dyn FnMut(&str) + Send + 'a);

/// The future of a reply, boxed so that `dyn AiClient` is possible.
pub type ReplyFuture<'a> =
    Pin<Box<dyn Future<Output = Result<ModelReply, ModelError>> + Send + 'a>>;

/// A language model.
pub trait AiClient: fmt::Debug + Send + Sync {
    /// The model's name.
    fn name(&self) -> &ModelName;

    /// Requests the next reply in a conversation. `on_text` receives the reply's text as it arrives. The
    /// calls are returned only after the reply is complete. Dropping the future cancels the request.
    ///
    /// # Errors
    /// See [`ModelError`]. A reply whose calls were cut off is an error too.
    fn reply<'a>(
        &'a self,
        conversation: &'a Conversation,
        tools: &'a [Tool],
        on_text: OnText<'a>,
    ) -> ReplyFuture<'a>;
}
