//! The host's half, for people who have no host: a sentence goes in, the house moves, an answer comes
//! out.
//!
//! | part | what it does |
//! |---|---|
//! | [`AiClient`] | one model behind one interface: a conversation goes in, a reply with its calls comes out |
//! | [`AnthropicClient`], [`OllamaClient`], [`OpenAiClient`] | the interfaces, over HTTP and streamed, each at its [`ProviderSettings`] |
//! | [`Conversation`] | what was said and done, in no provider's shape, so that the next model can go on with it |
//! | [`understand`] | what a sentence asks for that needs no model: calls of the server's tools |
//!
//! It uses [`client`](crate::client) for servers, tools and calls, and the words of
//! [`home`](crate::home) for plain commands. The program `zwave-assistant` is made of it.

mod address;
pub mod anthropic;
mod body;
pub mod conversation;
mod failure;
mod http;
mod members;
pub mod model;
pub mod ollama;
pub mod openai;
pub mod plain;
mod reader;
pub mod settings;
mod thinking;
mod turns;

pub use anthropic::AnthropicClient;
pub use conversation::{Conversation, Turn};
pub use model::{AiClient, ModelError, ModelName, ModelReply, Provider};
pub use ollama::OllamaClient;
pub use openai::OpenAiClient;
pub use plain::{PlainAct, PlainCall, PlainCommand, PlainRun, not_understood, understand};
pub use settings::{ApiKey, ProviderSettings, ReplyLimits};
