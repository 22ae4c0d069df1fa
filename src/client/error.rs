//! Errors in the communication with a server, as sentences.

use std::time::Duration;

use thiserror::Error;

use super::lines::BadLine;

/// The reason why a request got no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The program could not be started.
    #[error("can't start {program}: {why}")]
    Spawn {
        /// The program.
        program: String,
        /// The reason.
        why: String,
    },
    /// Nothing was sent: the server is gone, or was never there.
    #[error("the server is not reachable: {why}")]
    Unreachable {
        /// The reason.
        why: String,
    },
    /// The host closed the connection.
    #[error("the host closed the connection")]
    Closed,
    /// The request was sent, and the server ended before it answered. The request may or may not have been
    /// carried out.
    #[error("the server broke off: {why}")]
    Ended {
        /// How the server ended.
        why: String,
    },
    /// No answer came in time. If any byte of the request was written, the request may have been carried out.
    /// In that case, the server was also told to cancel the request, unless it was part of the handshake.
    #[error(
        "the server did not answer within {}{}{}",
        format_duration(*limit),
        if *written { "" } else { "; the request was never written to it, so nothing was done" },
        join_hints("; meanwhile it ", instead)
    )]
    TimedOut {
        /// The time limit.
        limit: Duration,
        /// True if any byte of the request was written. If false, no byte will ever be written.
        written: bool,
        /// The hints that came in the meantime, at most one of each kind.
        instead: Vec<Hint>,
    },
    /// The answer does not follow the protocol.
    #[error("the server's answer to {method} can't be used ({why}): {content}")]
    WrongShape {
        /// The method of the request.
        method: String,
        /// The start of the answer.
        content: String,
        /// The fault.
        why: String,
    },
    /// The server answered with an error, which is shown in the server's words.
    #[error("{message}")]
    Refused {
        /// The JSON-RPC error code, or 0 if there was none.
        code: i64,
        /// The error's message, cut to [`Limits::text`](super::Limits::text). If the error has no message, this
        /// is the start of the error as JSON.
        message: String,
    },
}

impl ClientError {
    /// Returns true if the request may have been carried out despite the error. Such a request must not be
    /// repeated, unless it is idempotent.
    pub fn is_fate_unknown(&self) -> bool {
        matches!(
            self,
            Self::Ended { .. } | Self::TimedOut { written: true, .. } | Self::WrongShape { .. }
        )
    }

    /// In a time-out of a single request, replaces that request's limit by the limit of the whole operation.
    pub(super) fn with_limit(mut self, whole: Duration) -> Self {
        if let Self::TimedOut { limit, .. } = &mut self {
            *limit = whole;
        }
        self
    }
}

/// Something that came while a request was pending, and may have been meant as the request's answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Hint {
    /// An answer with an id that no request in flight has.
    #[error("sent an answer with the id {id}, which no request in flight has")]
    StrayAnswer {
        /// The id, as JSON. The client's own ids are numbers.
        id: String,
    },
    /// An error without an id, which in JSON-RPC means that a request could not be parsed.
    #[error("said that it could not read a request: {message}")]
    Unreadable {
        /// The error's message.
        message: String,
    },
    /// A line that is not a message.
    #[error("printed a line that is not a message: {0}")]
    BadLine(BadLine),
    /// The start of a line that has not ended yet.
    #[error("began a line and did not end it: {0:?}")]
    UnfinishedLine(String),
}

/// Joins hints into one clause that starts with `beginning`; returns an empty text if there are none.
pub(super) fn join_hints(beginning: &str, hints: &[Hint]) -> String {
    let clauses: Vec<String> = hints.iter().map(Hint::to_string).collect();
    match clauses.as_slice() {
        [] => String::new(),
        [clause] => format!("{beginning}{clause}"),
        [first @ .., last] => format!("{beginning}{}, and {last}", first.join(", ")),
    }
}

/// The error of a connection whose attempts have all failed, or were ended by [`Connection::close`].
///
/// [`Connection::close`]: super::Connection::close
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error(
    "MCP connection failed after {attempts} attempt{}: {}{reason}{}{}",
    if *attempts == 1 { "" } else { "s" },
    if matches!(reason, ClientError::Refused { .. }) { "the server refuses the handshake: " } else { "" },
    describe_last_lines(stderr),
    describe_remedy(reason, program)
)]
pub struct ConnectError {
    /// The number of attempts.
    pub attempts: usize,
    /// The error of the last attempt.
    #[source]
    pub reason: ClientError,
    /// The last lines of the server's stderr, oldest first.
    pub stderr: Vec<String>,
    /// The program to spawn.
    pub program: String,
}

/// The part of a server that could not be ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CloseError {
    /// The process still exists after SIGKILL; usually it hangs in the kernel.
    #[error(
        "the server's process {id} is still there after SIGKILL; see what it waits for (ps -o \
         stat,wchan {id})"
    )]
    Process {
        /// The process id.
        id: u32,
    },
    /// The server's process is gone, but the server had started a process in another process group, and that
    /// process holds a pipe open.
    #[error(
        "the server is gone, but a process that {program} started in a separate session still \
         holds the server's {pipe} open; end that process by hand"
    )]
    Pipe {
        /// The pipe: "stdout", "stderr", or "stdout and stderr". The client no longer reads it.
        pipe: &'static str,
        /// The program that was spawned.
        program: String,
    },
}

/// The maximum number of lines of `ConnectError::stderr` that the error's message contains.
const MAX_SHOWN_LINES: usize = 10;

pub(crate) fn describe_last_lines(stderr: &[String]) -> String {
    if stderr.is_empty() {
        return String::new();
    }
    let (_, last) = stderr.split_at(stderr.len().saturating_sub(MAX_SHOWN_LINES));
    format!("\nThe server's stderr ends with:\n  {}", last.join("\n  "))
}

fn describe_remedy(reason: &ClientError, program: &str) -> String {
    if matches!(reason, ClientError::Closed) {
        return String::new();
    }
    let broker = if is_ours(program) {
        " and that its MQTT broker is running and reachable"
    } else {
        ""
    };
    format!(
        "\nCheck that the server is installed ({program}){broker}. Until the connection succeeds, only \
         the host's own tools are available."
    )
}

/// Returns true for this crate's own server, which needs a broker.
fn is_ours(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.starts_with(env!("CARGO_PKG_NAME"))
}

/// Formats a duration in seconds, or in milliseconds if the number of seconds is not whole.
pub(super) fn format_duration(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

#[cfg(test)]
#[path = "../../tests/unit/client/error.rs"]
mod tests;
