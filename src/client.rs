//! The companion client for MCP hosts: programs that spawn a stdio MCP server, such as this crate's, and offer
//! the server's tools to a model.
//!
//! | part | what it does |
//! |---|---|
//! | [`Connection`] | spawns a server and connects, in several [attempts](retry) if necessary; can reconnect after the server died; ends the server and every process that the server started |
//! | [`McpSession`] | requests and answers over any two pipes, in both [eras](Era) of the protocol |
//! | [`LineReader`] | sorts lines into messages and everything else |
//! | [`ToolServer`] | the trait for anything that lists and runs tools: a connection, a session, or the host's own type |
//! | [`ToolManager`] | the tools of any number of servers, and the host's own |
//! | [`ToolExecutor`] | runs a model's call by tool name: corrects argument names, limits the time, logs, and returns errors as sentences |
//! | [`local`] | the host's own tools; a clock and a volume control are included |
//! | [`formats`] | tools, calls and results for Anthropic's Messages API, Ollama and Qwen, and OpenAI's chat completions |
//! | [`Limits`] | the limits on times, counts and lengths in all parts |
//!
//! A line of a server's stdout that is not a message is skipped, counted, logged and reported to the
//! [`Listener`]. If an answer is garbled, its call times out, and the error shows [what came instead](Hint).
//! If a server dies, every call in flight fails. A server counts as dead if it exits or closes its stdout, if a
//! write to it fails, or if two calls in a row time out without a line from the server in between.
//! [`Connection::connect`] then spawns a new server. A call that failed is never repeated. The error tells
//! whether the call [may have been done](ClientError::is_fate_unknown).
//!
//! The client writes only protocol messages to a server's stdin. It offers servers no sampling, no roots and
//! no elicitation, unless the host [declares](Host::capabilities) them.
//!
//! A host can build the client alone: `default-features = false, features = ["client"]` leaves out MQTT, TLS
//! and the command line, and needs no C compiler. Schemas keep the order of their properties if the host
//! enables `preserve_order` of `serde_json`.
//!
//! # An example host
//!
//! A test runs this example, once with this crate's server and once without any server.
//!
//! ```no_run
#![doc = include_str!("../docs/example_host.rs")]
//! ```

#![deny(missing_debug_implementations)]

mod connection;
mod cut;
mod elicitation;
mod error;
mod exchange;
mod executor;
pub mod formats;
#[cfg(unix)]
mod group;
mod handshake;
mod host;
mod in_flight;
#[cfg(windows)]
mod job;
mod limits;
mod lines;
pub mod local;
mod manager;
mod message;
mod process;
mod program;
mod redact;
mod session;
mod spawned;
mod tool;
mod tool_server;

pub use connection::{Connection, retry};
pub use elicitation::{Asker, PersonAnswer, Question};
#[cfg(feature = "view")]
pub(crate) use elicitation::{InputRequired, answer_params};
#[cfg(feature = "server")]
pub(crate) use error::describe_last_lines;
pub use error::{ClientError, CloseError, ConnectError, Hint};
pub use executor::{CallError, ToolExecutor, rename_arguments};
pub use handshake::ServerInfo;
pub use host::{Era, Host, Listener, ServerEvent};
pub use limits::Limits;
pub use lines::{BadLine, LineReader};
pub use local::{LocalTool, LocalToolError};
pub use manager::ToolManager;
pub use message::ServerMessage;
pub use program::Program;
pub use redact::Redactor;
pub use session::McpSession;
#[cfg(feature = "assistant")]
pub(crate) use tool::items;
pub use tool::{Tool, ToolResult};
pub use tool_server::{AnswerFuture, ToolServer};
