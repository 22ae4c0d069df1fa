//! Errors between host and server, in sentences.

use std::fmt;
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
    /// The request went out, and the server ended before it answered. Nobody knows what became of it.
    #[error("the server broke off: {why}")]
    Ended {
        /// The way in which it ended.
        why: String,
    },
    /// No answer came in time. If the request was written, it was cancelled at the server, and nobody
    /// knows what became of it.
    #[error(
        "the server did not answer within {}{}{}",
        word_duration(*limit),
        if *written { "" } else { "; the request was never written to it, so nothing was done" },
        join_hints("; meanwhile it ", instead)
    )]
    TimedOut {
        /// The time limit.
        limit: Duration,
        /// True if any of the request was written. If not, it never will be.
        written: bool,
        /// Hints at an answer that came meanwhile, at most one of each kind.
        instead: Vec<Hint>,
    },
    /// The answer is not what the protocol says.
    #[error("the server's answer to {method} can't be used ({why}): {content}")]
    WrongShape {
        /// The method of the request.
        method: String,
        /// The start of what came.
        content: String,
        /// The fault.
        why: String,
    },
    /// The server refused the request, in its own words.
    #[error("{message}")]
    Refused {
        /// The JSON-RPC error code, or 0 if there was none.
        code: i64,
        /// Its words, unchanged.
        message: String,
    },
}

impl ClientError {
    /// Returns true if the request may have been carried out all the same. Then it must not be
    /// repeated, unless that does no harm.
    pub fn is_fate_unknown(&self) -> bool {
        matches!(
            self,
            Self::Ended { .. } | Self::TimedOut { written: true, .. } | Self::WrongShape { .. }
        )
    }

    /// Replaces the limit with that of the whole request that this one is a part of.
    pub(super) fn with_limit(mut self, whole: Duration) -> Self {
        if let Self::TimedOut { limit, .. } = &mut self {
            *limit = whole;
        }
        self
    }
}

/// Something that came while a request waited, and was perhaps meant as its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// An answer with an id that no request in flight has.
    StrayAnswer {
        /// The id, as JSON. The client's own are numbers.
        id: String,
    },
    /// JSON-RPC's answer to what could not be read: an error without an id.
    Unreadable {
        /// The server's words.
        message: String,
    },
    /// A line that is no message.
    BadLine(BadLine),
    /// The start of a line whose end has not come yet.
    UnfinishedLine(String),
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StrayAnswer { id } => write!(
                f,
                "sent an answer with the id {id}, which no request in flight has"
            ),
            Self::Unreadable { message } => {
                write!(f, "said that it could not read a request: {message}")
            }
            Self::BadLine(line) => write!(f, "printed a line that is no message: {line}"),
            Self::UnfinishedLine(start) => {
                write!(f, "began a line and did not end it: {start:?}")
            }
        }
    }
}

/// Joins hints into one clause after a beginning; returns an empty text if there are none.
pub(super) fn join_hints(beginning: &str, hints: &[Hint]) -> String {
    let all: Vec<String> = hints.iter().map(Hint::to_string).collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => format!("{beginning}{one}"),
        [first @ .., last] => format!("{beginning}{}, and {last}", first.join(", ")),
    }
}

/// The reason why there is no connection, after every attempt, or after [`Connection::close`].
///
/// [`Connection::close`]: super::Connection::close
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error(
    "MCP connection failed after {attempts} attempt{}: {}{reason}{}{}",
    if *attempts == 1 { "" } else { "s" },
    if matches!(reason, ClientError::Refused { .. }) { "the server refuses the handshake: " } else { "" },
    word_last_lines(stderr),
    word_advice(reason, program)
)]
pub struct ConnectError {
    /// The number of attempts.
    pub attempts: usize,
    /// The last one's error.
    #[source]
    pub reason: ClientError,
    /// The last lines of the server's stderr, oldest first.
    pub stderr: Vec<String>,
    /// The program that was to be spawned.
    pub program: String,
}

/// A part of a server that is still there after it was ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CloseError {
    /// The system does not let go of the process: usually it hangs in the kernel.
    #[error(
        "the server's process {id} is still there after SIGKILL; see what it waits for (ps -o \
         stat,wchan {id})"
    )]
    Process {
        /// The process's number.
        id: u32,
    },
    /// The process is gone, but something that it started in a session of its own holds a pipe.
    #[error(
        "the server is gone, but a process that {program} started in a session of its own goes on \
         and holds the server's {pipe}; end it by hand"
    )]
    Pipe {
        /// The pipe: "stdout", "stderr", or "stdout and stderr". Nothing reads it any more.
        pipe: &'static str,
        /// The program that was spawned.
        program: String,
    },
}

/// The number of lines of stderr that the message shows. The field has more.
const SHOWN: usize = 10;

fn word_last_lines(stderr: &[String]) -> String {
    if stderr.is_empty() {
        return String::new();
    }
    let (_, last) = stderr.split_at(stderr.len().saturating_sub(SHOWN));
    format!("\nThe server's stderr ends with:\n  {}", last.join("\n  "))
}

fn word_advice(reason: &ClientError, program: &str) -> String {
    if matches!(reason, ClientError::Closed) {
        return String::new();
    }
    let broker = if is_ours(program) {
        " and that its MQTT broker is running and reachable"
    } else {
        ""
    };
    format!(
        "\nCheck that the server is installed ({program}){broker}. Until then only the host's own tools \
         are available."
    )
}

/// Returns true for this crate's own server, which needs a broker.
fn is_ours(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.starts_with(env!("CARGO_PKG_NAME"))
}

/// Words a time as people say it.
pub(super) fn word_duration(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_crate_s_server_is_said_to_have_a_broker() {
        let advised =
            |program: &str| word_advice(&ClientError::Ended { why: String::new() }, program);
        for ours in [
            "zwave-mcp-server",
            "/opt/zwave-mcp-server",
            r"C:\zwave-mcp-server.exe",
        ] {
            assert!(
                advised(ours).contains("its MQTT broker is running"),
                "{ours}"
            );
        }
        for other in ["npx", "/opt/zwave-mcp-server-tools/run", ""] {
            assert!(!advised(other).contains("MQTT"), "{other}");
        }
    }
}
