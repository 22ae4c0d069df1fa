//! Reads the lines of a server's stdout, and sorts them into messages and bad lines.

use std::collections::VecDeque;
use std::io;

use thiserror::Error;
use tokio::io::AsyncBufRead;

use super::cut::first_chars;
use super::limits::Limits;
use super::message::ServerMessage;
use crate::lines::{RawLines, has_too_many_values};

/// A line that is not a JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{content:?} ({why})")]
pub struct BadLine {
    /// The start of the line, up to [`Limits::bad_line`] characters.
    pub content: String,
    /// The reason why the line is not a message.
    pub why: String,
    /// True if the line looks like an answer, or like a part of one.
    pub(super) seems_answer: bool,
    /// The id of the request that the line seems to answer, if the id can be read.
    pub(super) request: Option<u64>,
}

impl BadLine {
    fn new(bytes: &[u8], why: String, max_chars: usize) -> Self {
        // In UTF-16, every second byte is zero.
        let text: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        let text = String::from_utf8_lossy(&text);
        let version = text.split_once("\"jsonrpc\"").filter(|_| !text.contains("\"method\""));
        let id = version.and_then(|(_, after)| {
            let (_, after) = after.split_once("\"id\"")?;
            let id = after.trim_start().strip_prefix(':')?.trim_start();
            id.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
        });
        Self {
            content: first_chars(bytes, max_chars),
            why,
            seems_answer: version.is_some(),
            request: id,
        }
    }
}

/// Reads a server's stdout, one message or batch of messages per line. Holds at most
/// [`Limits::longest_message`] bytes of a line.
#[derive(Debug)]
pub struct LineReader<R> {
    raw: RawLines<R>,
    /// The messages of a batch that have not been returned yet.
    batch: VecDeque<ServerMessage>,
    max_message_bytes: usize,
    max_bad_line_chars: usize,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    /// Makes a reader with these limits.
    pub fn new(reader: R, limits: &Limits) -> Self {
        Self {
            raw: RawLines::new(reader, limits.longest_message),
            batch: VecDeque::new(),
            max_message_bytes: limits.longest_message,
            max_bad_line_chars: limits.bad_line,
        }
    }

    /// Returns the next message or bad line, or `None` at the end. A line with a batch (a JSON array of messages)
    /// becomes several messages. Skips blank lines. The last line needs no newline. Cancel safe: dropping the future
    /// loses nothing.
    ///
    /// # Errors
    /// The pipe can't be read.
    pub async fn next(&mut self) -> io::Result<Option<Result<ServerMessage, BadLine>>> {
        loop {
            if let Some(message) = self.batch.pop_front() {
                return Ok(Some(Ok(message)));
            }
            let Some(line) = self.raw.next().await? else {
                return Ok(None);
            };
            let bytes = line.bytes;
            let messages = if line.cut {
                Err(format!("longer than {} bytes", self.max_message_bytes))
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
                    let bad = BadLine::new(&bytes, why, self.max_bad_line_chars);
                    return Ok(Some(Err(bad)));
                }
            }
        }
    }

    /// Returns the start of a line that has not ended yet; empty if there is none.
    pub(super) fn unfinished_line(&self) -> String {
        first_chars(self.raw.unfinished_line(), self.max_bad_line_chars)
    }
}
