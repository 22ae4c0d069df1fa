//! The commands that talk to a server, for people and scripts: `list`, `control`, `call`, `tools` and `view`.
//! Each command spawns the server and acts as its host.

mod follow;
mod list;
mod server;
mod table;
mod tools;
#[cfg(feature = "view")]
mod view;

use std::io::{self, Write};

use crate::cli::Talk;
use crate::cli::exit::ExitStatus;
use crate::client::{CallError, ClientError, ConnectError};
use crate::terminal::Screen;
use tools::TypedCommand;

pub use server::TargetServer;
#[cfg(feature = "view")]
pub use view::view;

/// Runs a command other than `view`.
pub async fn run(
    target: TargetServer,
    talk: Talk,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<ExitStatus, CommandError> {
    match talk {
        Talk::List {
            filter,
            follow: true,
            json,
        } => follow::follow(target, &filter.join(" "), json, printer).await,
        Talk::List { filter, json, .. } => {
            list::list(target, &filter.join(" "), json, printer).await
        }
        Talk::Control {
            name,
            action,
            level,
            json,
        } => {
            let words = [vec![name, action], level].concat();
            let typed = TypedCommand::from_words(&words);
            tools::control(target, typed, json, printer).await
        }
        Talk::Call {
            tool,
            arguments,
            json,
            ..
        } => tools::call(target, &tool, arguments, json, printer).await,
        Talk::Tools { format, .. } => tools::tools(target, format, printer).await,
    }
}

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Connecting to the server failed.
    #[error(transparent)]
    Connect(Box<ConnectError>),
    /// A request to the server failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A tool call ended without a result.
    #[error(transparent)]
    Call(CallError),
    /// The page can't be shown.
    #[cfg(feature = "view")]
    #[error(transparent)]
    View(#[from] crate::view::ViewError),
    /// The server has no tool to control devices.
    #[error("Nothing can be controlled: --read-only (ZWAVE_READ_ONLY) is set.")]
    ReadOnly,
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// Printing failed.
    #[error("can't print: {0}")]
    Print(#[from] io::Error),
}

impl CommandError {
    /// Returns true if the server ended before it answered.
    fn is_end_of_server(&self) -> bool {
        let reason = match self {
            Self::Client(reason) => reason,
            Self::Call(CallError::NoResult { reason, .. }) => reason,
            _ => return false,
        };
        matches!(reason, ClientError::Ended { .. })
    }
}

/// The outputs of a command.
pub struct Printer<O, E> {
    /// The output for the result.
    pub out: O,
    /// The width and colors of `out`.
    pub screen: Screen,
    /// The output for anything else.
    pub err: E,
}
