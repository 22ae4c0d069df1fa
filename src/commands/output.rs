//! Where commands print, and why they fail.

use std::io;

use crate::client::{CallError, ClientError, ConnectError};
use crate::terminal::Screen;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The server could not be connected to.
    #[error(transparent)]
    Connect(Box<ConnectError>),
    /// Between this process and the server it spawned.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The call has no result.
    #[error(transparent)]
    Call(CallError),
    /// The page can't be shown.
    #[cfg(feature = "view")]
    #[error(transparent)]
    View(#[from] crate::view::ViewError),
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Printing failed.
    #[error("can't print: {0}")]
    Print(#[from] io::Error),
}

/// Where a command prints.
pub struct Printer<O, E> {
    /// What was asked for.
    pub out: O,
    /// How `out` shows it.
    pub screen: Screen,
    /// Anything else.
    pub err: E,
}
