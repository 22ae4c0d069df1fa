//! Lines of a server's output, read with a bounded buffer, and sorted into messages and everything
//! else.

use std::fmt;
use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use super::limits::Limits;
use super::message::Message;

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
pub enum Line {
    /// One JSON-RPC message.
    Message(Message),
    /// Anything else.
    Bad(BadLine),
}

/// Reads a server's stdout, one message a line.
///
/// Holds no more of a line than the longest message there may be, whatever the server prints.
pub struct LineReader<R> {
    raw: RawLines<R>,
    kept: usize,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    /// Reads with the lengths of these limits.
    pub fn new(reader: R, limits: &Limits) -> Self {
        Self {
            raw: RawLines::new(reader, limits.longest_message),
            kept: limits.bad_line,
        }
    }

    /// The next line that is not empty; none at the end. A last line without a newline counts.
    ///
    /// # Errors
    /// Where the pipe can't be read; nothing more will come then.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let Some(RawLine { bytes, cut }) = self.raw.next().await? else {
                return Ok(None);
            };
            if bytes.iter().all(u8::is_ascii_whitespace) && !cut {
                continue;
            }
            let message = if cut {
                Err(format!("longer than {} bytes", self.raw.longest))
            } else {
                Message::parse(&bytes)
            };
            return Ok(Some(match message {
                Ok(message) => Line::Message(message),
                Err(why) => Line::Bad(BadLine {
                    content: start(&bytes, self.kept),
                    why,
                }),
            }));
        }
    }
}

/// A line without its end, of bounded length.
pub(super) struct RawLine {
    pub(super) bytes: Vec<u8>,
    /// Whether its end was thrown away.
    pub(super) cut: bool,
}

/// Reads lines of any kind.
pub(super) struct RawLines<R> {
    reader: R,
    longest: usize,
}

impl<R: AsyncBufRead + Unpin> RawLines<R> {
    pub(super) fn new(reader: R, longest: usize) -> Self {
        Self { reader, longest }
    }

    /// The next line without `\n` or `\r\n`; none at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<RawLine>> {
        let mut bytes = Vec::new();
        let mut cut = false;
        let mut any = false;
        loop {
            let available = self.reader.fill_buf().await?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.split_at(end.unwrap_or(available.len())).0;
            let room = self.longest.saturating_sub(bytes.len());
            cut |= part.len() > room;
            bytes.extend_from_slice(part.split_at(part.len().min(room)).0);
            let (used, ended) = (part.len() + usize::from(end.is_some()), end.is_some());
            self.reader.consume(used);
            any |= used > 0;
            if ended || used == 0 {
                if bytes.last() == Some(&b'\r') {
                    bytes.pop();
                }
                return Ok(any.then_some(RawLine { bytes, cut }));
            }
        }
    }
}

/// The first characters of what may be no text at all.
pub(super) fn start(bytes: &[u8], characters: usize) -> String {
    // Four bytes a character at the most: more would only be thrown away.
    let some = bytes
        .split_at(bytes.len().min(characters.saturating_mul(4)))
        .0;
    String::from_utf8_lossy(some)
        .chars()
        .take(characters)
        .collect()
}
