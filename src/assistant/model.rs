//! Models and their interfaces, replies and failures.

use std::fmt;
use std::pin::Pin;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::conversation::Conversation;
use crate::client::Tool;
use crate::client::formats::ToolCall;

/// A provider of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Ollama's `/api/chat`.
    Ollama,
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's chat completions, as llama.cpp, vLLM, LM Studio and others serve them too.
    OpenAi,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 3] = [Self::Ollama, Self::Anthropic, Self::OpenAi];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }

    /// The environment variable that holds its address.
    pub fn address_setting(self) -> &'static str {
        match self {
            Self::Ollama => "OLLAMA_HOST",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::OpenAi => "OPENAI_BASE_URL",
        }
    }

    /// The environment variable that holds the key. Ollama wants one in its cloud only.
    pub fn key_setting(self) -> &'static str {
        match self {
            Self::Ollama => "OLLAMA_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
        }
    }
}

/// A model's name, as `PROVIDER:NAME`. The name may contain colons: `ollama:qwen3:0.6b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// Its provider.
    pub provider: Provider,
    /// The provider's name for it.
    pub name: String,
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider.name(), self.name)
    }
}

impl FromStr for ModelName {
    type Err = String;

    /// Reads `PROVIDER:NAME`; the error says what would be right.
    fn from_str(text: &str) -> Result<Self, String> {
        let (provider, name) = text.split_once(':').unwrap_or((text, ""));
        let provider = Provider::ALL.into_iter().find(|candidate| candidate.name() == provider);
        match provider {
            Some(provider) if !name.trim().is_empty() => Ok(Self {
                provider,
                name: name.trim().to_owned(),
            }),
            _ => Err(format!(
                "\"{text}\" is no model; it is PROVIDER:NAME, such as ollama:qwen3:0.6b, \
                 and the providers are {}",
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
    /// The calls that it wants, in their order, under the tools' own names.
    pub calls: Vec<ToolCall>,
}

/// The reason why a model gave no reply. Each is a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Nothing answers at the address.
    #[error("{model} is not reachable at {address} ({why}); start it, or set {setting}.")]
    Unreachable {
        /// The model.
        model: ModelName,
        /// Its address, without a key or password.
        address: String,
        /// The reason.
        why: String,
        /// The environment variable that holds the address.
        setting: &'static str,
    },
    /// The provider has too much to do, or is out of order.
    #[error(
        "{model} is overloaded or out of order ({why}); try again {}, or give a --fallback.",
        word_wait(*retry_after)
    )]
    Overloaded {
        /// The model.
        model: ModelName,
        /// The provider's words.
        why: String,
        /// The wait that the provider asks for.
        retry_after: Option<Duration>,
    },
    /// The reply was not complete in time.
    #[error("{model} did not reply within {} s.", tenths(*limit))]
    TimedOut {
        /// The model.
        model: ModelName,
        /// The time limit.
        limit: Duration,
    },
    /// The provider does not have the model.
    #[error("{model} is not there: {hint}.")]
    NoSuchModel {
        /// The model.
        model: ModelName,
        /// The remedy, such as `ollama pull qwen3:0.6b`.
        hint: String,
    },
    /// The key is missing, or the provider does not know it.
    #[error("{model} needs a valid key in {setting}.")]
    NoKey {
        /// The model.
        model: ModelName,
        /// The environment variable that holds the key.
        setting: &'static str,
    },
    /// The provider refuses the request; another model may take it, the same one will not.
    #[error("{model} refused the request: {why}.")]
    Refused {
        /// The model.
        model: ModelName,
        /// The provider's words.
        why: String,
    },
    /// The text is no reply, or only the beginning of one.
    #[error("{model} sent what is no whole reply: {why}.")]
    Garbled {
        /// The model.
        model: ModelName,
        /// The fault.
        why: String,
    },
}

/// Words the wait.
fn word_wait(wait: Option<Duration>) -> String {
    let wait = wait.filter(|wait| !wait.is_zero());
    wait.map_or_else(
        || "later".to_owned(),
        |wait| format!("in {} s", tenths(wait)),
    )
}

/// Returns seconds, rounded up to tenths: a share of the time is seldom a whole number.
fn tenths(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).ceil() / 10.0
}

/// Takes each piece of a reply's text as it comes.
pub type OnText<'a> = &'a mut (dyn FnMut(&str) + Send + 'a);

/// A future reply, in a box, so that models of any kind can be held together.
pub type Replying<'a> = Pin<Box<dyn Future<Output = Result<ModelReply, ModelError>> + Send + 'a>>;

/// One model behind one interface.
pub trait AiClient: fmt::Debug + Send + Sync {
    /// The model's name.
    fn name(&self) -> &ModelName;

    /// Asks for the next reply in a conversation. The text is handed out as it comes. A call whose
    /// arguments are incomplete is never handed out. Dropping the future ends the request.
    ///
    /// # Errors
    /// See [`ModelError`]. There are no calls to make then.
    fn reply<'a>(
        &'a self,
        conversation: &'a Conversation,
        tools: &'a [Tool],
        on_text: OnText<'a>,
    ) -> Replying<'a>;
}
