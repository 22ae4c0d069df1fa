//! `list`, `control`, `call` and `tools`: a server, spawned and spoken to as a host would, for people
//! and scripts.

mod follow;
mod list;
mod server;
mod table;
mod tools;
#[cfg(feature = "view")]
mod view;

use std::io::{self, Write};

use crate::cli::Talk;
use crate::cli::exit::Done;
use crate::client::{CallError, ClientError, ConnectError};
use crate::terminal::Screen;
use tools::TypedCommand;

pub use server::TargetServer;
#[cfg(feature = "view")]
pub use view::view;

/// Runs a command that talks to a server.
pub async fn run(
    target: TargetServer,
    talk: Talk,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<Done, CommandError> {
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
            let typed = TypedCommand {
                name,
                action,
                level: Some(level.join(" ")).filter(|level| !level.is_empty()),
            };
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
    /// The server could not be connected to.
    #[error(transparent)]
    Connect(Box<ConnectError>),
    /// A request to the server that was spawned failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The call has no result.
    #[error(transparent)]
    Call(CallError),
    /// The page can't be shown.
    #[cfg(feature = "view")]
    #[error(transparent)]
    View(#[from] crate::view::ViewError),
    /// The server has no tool for controlling.
    #[error("Nothing can be controlled: --read-only (ZWAVE_READ_ONLY) is set.")]
    ReadOnly,
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Printing failed.
    #[error("can't print: {0}")]
    Print(#[from] io::Error),
}

/// The outputs of a command.
pub struct Printer<O, E> {
    /// For the result.
    pub out: O,
    /// The way in which `out` shows text.
    pub screen: Screen,
    /// For anything else.
    pub err: E,
}
