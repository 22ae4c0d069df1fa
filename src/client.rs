//! The companion client: the host's side of the pipe.
//!
//! Spawns a stdio MCP server and talks to it, whatever else the server prints. It depends on nothing
//! else in this crate, and never writes to a server's stdin but protocol.

mod lines;
mod server;

pub use lines::{BadLine, Line, LineReader};
pub use server::{Program, Server};

use std::fmt;
use std::time::Duration;

/// What went wrong between host and server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientError {
    /// The program could not be started.
    Spawn {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// The session did not begin.
    Handshake {
        /// Why.
        why: String,
        /// The last lines of the server's stderr.
        stderr: Vec<String>,
    },
    /// The server did not answer in time.
    TimedOut(Duration),
    /// The server is gone, or its answer can't be used.
    Broken(String),
    /// The server refused the request, in its own words.
    Refused(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { program, why } => write!(f, "can't start {program}: {why}"),
            Self::Handshake { why, stderr } => {
                write!(f, "the server did not begin a session: {why}")?;
                stderr.iter().try_for_each(|line| write!(f, "\n  {line}"))
            }
            Self::TimedOut(limit) => {
                write!(f, "the server did not answer within {} s", limit.as_secs())
            }
            Self::Broken(why) => write!(f, "the server broke off: {why}"),
            Self::Refused(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for ClientError {}
