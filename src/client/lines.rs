//! Lines of a server's stdout, sorted into messages and everything else.

use std::fmt;
use std::io;

use tokio::io::AsyncBufRead;

use super::limits::Limits;
use super::message::ServerMessage;
use crate::lines::RawLines;

/// A line that is no JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its start, 200 characters unless the [`Limits`] say otherwise.
    pub content: String,
    /// Why it is none.
    pub why: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({})", self.content, self.why)
    }
}

/// A line of a server's stdout.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerLine {
    /// One JSON-RPC message.
    Message(ServerMessage),
    /// Anything else.
    Bad(BadLine),
}

/// Reads a server's stdout, one message a line, and never holds more of a line than the longest
/// message there may be.
#[derive(Debug)]
pub struct LineReader<R> {
    raw: RawLines<R>,
    longest: usize,
    kept: usize,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    /// Reads with the lengths of these limits.
    pub fn new(reader: R, limits: &Limits) -> Self {
        Self {
            raw: RawLines::new(reader, limits.longest_message),
            longest: limits.longest_message,
            kept: limits.bad_line,
        }
    }

    /// The next line that is not empty, or `None` at the end. A last line without a newline counts.
    ///
    /// # Errors
    /// Where the pipe can't be read. Nothing more will come then.
    pub async fn next(&mut self) -> io::Result<Option<ServerLine>> {
        while let Some(line) = self.raw.next().await? {
            let bytes = line.bytes;
            let message = if line.cut {
                Err(format!("longer than {} bytes", self.longest))
            } else if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            } else {
                ServerMessage::parse(&bytes)
            };
            return Ok(Some(match message {
                Ok(message) => ServerLine::Message(message),
                Err(why) => ServerLine::Bad(BadLine {
                    content: start(&bytes, self.kept),
                    why,
                }),
            }));
        }
        Ok(None)
    }
}

/// The first characters of what may be no text at all.
pub(super) fn start(bytes: &[u8], characters: usize) -> String {
    // A character takes four bytes at the most.
    let (some, _) = bytes.split_at(bytes.len().min(characters.saturating_mul(4)));
    let text = String::from_utf8_lossy(some);
    text.chars().take(characters).collect()
}
