//! The companion client: the host's side of the pipe, for whoever spawns a stdio MCP server, this one
//! or another's, and offers its tools to a model.
//!
//! | part | what it does |
//! |---|---|
//! | [`Connection`] | spawns a server, connects in up to three [attempts](retry), and again when it broke; ends it with everything that it started |
//! | [`McpSession`] | requests and answers over any two pipes, in both eras of the protocol, whatever else comes along |
//! | [`LineReader`] | lines sorted into messages and everything else |
//! | [`ToolServer`] | lists tools and runs them: a connection, a session, or something of the host's |
//! | [`ToolManager`] | the tools of any number of servers, and of the host's own |
//! | [`ToolExecutor`] | runs a model's call by name: argument names, time, log, and errors as sentences |
//! | [`local`] | tools of the host's own; the clock and the volume are included |
//! | [`formats`] | tools, calls and results for Anthropic's Messages API, Ollama and Qwen, and OpenAI's chat completions |
//! | [`Limits`] | the limits of all of these |
//!
//! Anything else that a server writes between its messages is skipped, reported to the [`Listener`],
//! counted and logged. A garbled answer ends in its call's time-out, which shows [what came
//! instead](Hint). If a server dies, every call in flight fails at once. A server that can't be written
//! to, or that let two calls in a row run into their limits without a line in between, counts as no
//! longer alive, and [`Connection::connect`] makes a new one. A call is sent once and never repeated,
//! and an error tells whether it [may have been done](ClientError::is_fate_unknown).
//!
//! The client writes only protocol to a server's stdin. It offers servers no sampling, no roots and no
//! elicitation, unless the host [declares](Host::capabilities) them. A host can use it alone: with
//! `default-features = false, features = ["client"]` none of MQTT, TLS and the command line is built,
//! and no C compiler is needed. Schemas keep the order of their properties if the host enables
//! `preserve_order` of `serde_json`.
//!
//! # A host
//!
//! A test runs this very file, against this crate's server and without one.
//!
//! ```no_run
#![doc = include_str!("client/example_host.rs")]
//! ```

#![deny(missing_debug_implementations)]

mod connection;
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
pub use error::{ClientError, CloseError, ConnectError, Hint};
pub use executor::{CallError, ToolExecutor, rename_arguments};
pub use handshake::ServerInfo;
pub use host::{Era, Host, Listener, ServerEvent};
pub use limits::Limits;
pub use lines::{BadLine, LineReader, ServerLine};
pub use local::{LocalTool, LocalToolError};
pub use manager::ToolManager;
pub use message::ServerMessage;
pub use program::Program;
pub use redact::Redactor;
pub use session::McpSession;
pub use tool::{Tool, ToolResult};
pub use tool_server::{Answering, ToolServer};
