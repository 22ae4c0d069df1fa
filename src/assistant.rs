//! An assistant for people without an MCP host: it takes a sentence, controls the house, and answers.
//!
//! | part | what it does |
//! |---|---|
//! | [`AiClient`] | a language model: takes a conversation, returns a reply with text and requested tool calls |
//! | [`AnthropicClient`], [`OllamaClient`], [`OpenAiClient`] | clients for the providers' streaming HTTP APIs, configured by [`ProviderSettings`] |
//! | [`AiRouter`] | answers a sentence, without a model if possible, otherwise with the first model that replies |
//! | [`TranscriptQueue`] | queues transcripts while an earlier transcript is being answered |
//! | [`Servers`] | the MCP servers whose tools the models can call |
//! | [`Conversation`] | what was said and done. Independent of the provider: any model can continue a conversation |
//! | [`Timers`] | keeps orders and questions until they are due |
//! | [`HouseReader`] | reads the house from the Z-Wave server, and caches it |
//!
//! The assistant uses [`client`](crate::client) for servers, tools and calls, and the vocabulary of
//! [`home`](crate::home) for sentences that need no model. The program `zwave-assistant` is built on this
//! module.

mod address;
pub mod answer;
pub mod anthropic;
mod body;
pub mod conversation;
mod due;
mod failure;
mod house_reader;
mod http;
mod later_run;
pub mod model;
mod narrow;
pub mod ollama;
pub mod openai;
mod plain_run;
mod reply;
pub mod router;
pub mod search;
mod sentence;
mod sentence_run;
pub mod servers;
pub mod settings;
mod thinking;
pub mod timers;
pub mod transcriber;
mod turns;

pub use answer::{AnswerPath, MadeCall, SentenceAnswer};
pub use anthropic::AnthropicClient;
pub use conversation::{Conversation, Turn};
pub use house_reader::HouseReader;
pub use http::ProviderClient;
pub use model::{AiClient, ModelError, ModelFailure, ModelName, ModelReply, Provider};
pub use ollama::OllamaClient;
pub use openai::OpenAiClient;
pub use router::AiRouter;
pub use search::SearchEngine;
pub use sentence::KnownHouse;
pub use sentence_run::RouterParts;
pub use servers::Servers;
pub use settings::{ApiKey, ProviderSettings, ReplyLimits};
pub use timers::{TimerClock, Timers};
pub use transcriber::{HearOutcome, MAX_SENTENCE_CHARS, TranscriptQueue};
