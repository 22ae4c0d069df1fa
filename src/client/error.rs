//! What goes wrong between host and server, in sentences.

use std::fmt;
use std::time::Duration;

use super::lines::BadLine;

/// Why a request got no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientError {
    /// The program could not be started.
    Spawn {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// Nothing was sent: the server is gone, or was never there.
    Unreachable {
        /// Why.
        why: String,
    },
    /// The request went out, and the server ended before it answered. Nobody knows what became of it.
    Ended {
        /// How it ended.
        why: String,
    },
    /// No answer came in time. The request was cancelled at the server; nobody knows what became of it.
    TimedOut {
        /// The time there was.
        limit: Duration,
        /// A line that is no message, printed meanwhile: the answer, perhaps.
        garbage: Option<BadLine>,
    },
    /// The answer is not what the protocol says.
    WrongShape {
        /// What was asked for.
        method: String,
        /// The start of what came.
        content: String,
        /// What is wrong with it.
        why: String,
    },
    /// The server refused the request, in its own words.
    Refused {
        /// The JSON-RPC error code; 0 where there was none.
        code: i64,
        /// Its words, unchanged.
        message: String,
    },
}

impl ClientError {
    /// Whether the request may have been carried out all the same. It must not be repeated then
    /// unless it does no harm twice.
    pub fn fate_unknown(&self) -> bool {
        matches!(
            self,
            Self::Ended { .. } | Self::TimedOut { .. } | Self::WrongShape { .. }
        )
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { program, why } => write!(f, "can't start {program}: {why}"),
            Self::Unreachable { why } => write!(f, "the server is not reachable: {why}"),
            Self::Ended { why } => write!(f, "the server broke off: {why}"),
            Self::TimedOut { limit, garbage } => {
                write!(f, "the server did not answer within {}", seconds(*limit))?;
                match garbage {
                    Some(line) => {
                        write!(
                            f,
                            "; meanwhile it printed a line that is no message: {line}"
                        )
                    }
                    None => Ok(()),
                }
            }
            Self::WrongShape {
                method,
                content,
                why,
            } => write!(
                f,
                "the server's answer to {method} can't be used ({why}): {content}"
            ),
            Self::Refused { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for ClientError {}

/// Why there is no connection, after every attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectError {
    /// How many attempts were made.
    pub attempts: usize,
    /// What the last one failed with.
    pub reason: ClientError,
    /// The last lines of the server's stderr, oldest first.
    pub stderr: Vec<String>,
    /// The program that was to be spawned.
    pub program: String,
}

/// How many lines of stderr the message shows; the field has more.
const SHOWN: usize = 10;

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            attempts,
            reason,
            stderr,
            program,
        } = self;
        let s = if *attempts == 1 { "" } else { "s" };
        write!(f, "MCP connection failed after {attempts} attempt{s}: ")?;
        if let ClientError::Refused { .. } = reason {
            f.write_str("the server refuses the handshake: ")?;
        }
        write!(f, "{reason}")?;
        if !stderr.is_empty() {
            f.write_str("\nThe server's stderr ends with:")?;
        }
        let last = stderr.iter().skip(stderr.len().saturating_sub(SHOWN));
        for line in last {
            write!(f, "\n  {line}")?;
        }
        write!(
            f,
            "\nCheck that the server is installed ({program}) and that its MQTT broker is running \
             and reachable. Until then only the host's own tools are available."
        )
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.reason)
    }
}

/// A time as people say it.
pub(super) fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}
