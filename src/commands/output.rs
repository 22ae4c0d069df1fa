//! Where commands print, and why they fail.

use std::fmt;
use std::io;

use crate::client::{CallError, ClientError, ConnectError};

/// Why a command failed.
#[derive(Debug)]
pub enum CommandError {
    /// The server could not be connected to.
    Connect(Box<ConnectError>),
    /// Between this process and the server it spawned.
    Client(ClientError),
    /// The call has no result.
    Call(CallError),
    /// What was typed makes no sense.
    Usage(String),
    /// Printing failed.
    Print(io::Error),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => error.fmt(f),
            Self::Client(error) => error.fmt(f),
            Self::Call(error) => error.fmt(f),
            Self::Usage(error) => f.write_str(error),
            Self::Print(error) => write!(f, "can't print: {error}"),
        }
    }
}

impl std::error::Error for CommandError {}

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Print(error)
    }
}

/// Where a command prints.
pub struct Printer<O, E> {
    /// What was asked for.
    pub out: O,
    /// What has to be told besides.
    pub err: E,
}

impl Default for Printer<io::Stdout, io::Stderr> {
    fn default() -> Self {
        Self {
            out: io::stdout(),
            err: io::stderr(),
        }
    }
}
