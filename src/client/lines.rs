//! Lines of a server's stdout, sorted into messages and everything else.

use std::collections::VecDeque;
use std::fmt;
use std::io;

use tokio::io::AsyncBufRead;

use super::limits::Limits;
use super::message::ServerMessage;
use crate::lines::{RawLines, has_too_many_values};

/// A line that is no JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its start, 200 characters unless the [`Limits`] say otherwise.
    pub content: String,
    /// The reason why it is no message.
    pub why: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({})", self.content, self.why)
    }
}

/// A line of a server's stdout, or one message of a batch on a line.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerLine {
    /// A JSON-RPC message.
    Message(ServerMessage),
    /// Anything else.
    Bad(BadLine),
}

/// Reads a server's stdout, one message or batch of messages per line, and never holds more of a line
/// than the longest message that is allowed.
#[derive(Debug)]
pub struct LineReader<R> {
    raw: RawLines<R>,
    /// The rest of a batch.
    batch: VecDeque<ServerMessage>,
    longest: usize,
    kept: usize,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    /// Makes a reader with the lengths of these limits.
    pub fn new(reader: R, limits: &Limits) -> Self {
        Self {
            raw: RawLines::new(reader, limits.longest_message),
            batch: VecDeque::new(),
            longest: limits.longest_message,
            kept: limits.bad_line,
        }
    }

    /// Returns the next message or bad line, or `None` at the end. Empty lines are skipped, and a last
    /// line without a newline counts. The future may be dropped while it waits: the next call goes on
    /// from there.
    ///
    /// # Errors
    /// The pipe can't be read. Nothing more will come then.
    pub async fn next(&mut self) -> io::Result<Option<ServerLine>> {
        loop {
            if let Some(message) = self.batch.pop_front() {
                return Ok(Some(ServerLine::Message(message)));
            }
            let Some(line) = self.raw.next().await? else {
                return Ok(None);
            };
            let bytes = line.bytes;
            let messages = if line.cut {
                Err(format!("longer than {} bytes", self.longest))
            } else if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            } else if has_too_many_values(&bytes) {
                Err("more than 100,000 values".to_owned())
            } else {
                ServerMessage::parse(&bytes)
            };
            match messages {
                Ok(messages) => self.batch = messages.into(),
                Err(why) => {
                    let content = first_chars(&bytes, self.kept);
                    return Ok(Some(ServerLine::Bad(BadLine { content, why })));
                }
            }
        }
    }

    /// Returns the start of a line whose end has not come yet; empty if there is none.
    pub(super) fn unfinished_line(&self) -> String {
        first_chars(self.raw.unfinished_line(), self.kept)
    }
}

/// Cuts a text that goes to a model or a log at this many bytes, and says how long it was.
pub(super) fn shorten(mut text: String, max_bytes: usize) -> String {
    let length = text.len();
    if length > max_bytes {
        text.truncate(up_to(&text, max_bytes).len());
        text.push_str(&format!("… (cut; it has {length} bytes)"));
    }
    text
}

/// Returns as much of a text as fits into this many bytes.
pub(super) fn up_to(text: &str, max_bytes: usize) -> &str {
    let fits = |end: &usize| text.is_char_boundary(*end);
    let end = (0..=max_bytes.min(text.len())).rev().find(fits);
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Returns the first characters of bytes that may not be text.
pub(super) fn first_chars(bytes: &[u8], characters: usize) -> String {
    // A character takes four bytes at the most.
    let (some, _) = bytes.split_at(bytes.len().min(characters.saturating_mul(4)));
    let text = String::from_utf8_lossy(some);
    text.chars().take(characters).collect()
}
