//! An assistant for people without an MCP host: say a sentence, and it acts and answers.
//!
//! | part | what it does |
//! |---|---|
//! | [`AiClient`] | one model behind one interface: a conversation goes in, a reply with its calls comes out |
//! | [`AnthropicClient`], [`OllamaClient`], [`OpenAiClient`] | the interfaces, over HTTP and streamed, each at its [`ProviderSettings`] |
//! | [`AiRouter`] | answers a sentence: plain commands first, then the models in their order |
//! | [`BackgroundTranscriber`] | takes transcripts while earlier ones are being answered |
//! | [`Servers`] | the servers whose tools are offered |
//! | [`Conversation`] | what was said and done, in no provider's format, so that any model can continue it |
//! | [`HouseReader`] | the house as its server describes it, for the sentences that need no model |
//!
//! It uses [`client`](crate::client) for servers, tools and calls, and the words of
//! [`home`](crate::home) for plain commands. The program `zwave-assistant` is built on it.

mod address;
pub mod answer;
pub mod anthropic;
mod body;
pub mod conversation;
mod failure;
mod house_reader;
mod http;
pub mod model;
mod narrow;
pub mod ollama;
pub mod openai;
mod plain_run;
pub mod router;
pub mod search;
mod sentence;
mod sentence_run;
pub mod servers;
pub mod settings;
mod thinking;
pub mod transcriber;
mod turns;

pub use answer::{AnswerPath, MadeCall, SentenceAnswer};
pub use anthropic::AnthropicClient;
pub use conversation::{Conversation, Turn};
pub use house_reader::HouseReader;
pub use model::{AiClient, ModelError, ModelName, ModelReply, Provider};
pub use ollama::OllamaClient;
pub use openai::OpenAiClient;
pub use router::AiRouter;
pub use search::SearchEngine;
pub use sentence::KnownHouse;
pub use sentence_run::RouterLimits;
pub use servers::{ServerEntry, Servers};
pub use settings::{ApiKey, ProviderSettings, ReplyLimits};
pub use transcriber::{BackgroundTranscriber, HeardTranscript, MAX_SENTENCE_CHARS};
