//! Reads lines from any stream, in bounded memory.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The maximum number of values in one line of JSON. A value may take two bytes in the line, and many times as
/// much in memory.
const MAX_VALUES: usize = 100_000;

/// Returns true if a line of JSON may contain more than `MAX_VALUES` values. Does not parse the line, but only
/// counts its commas and opening brackets.
pub fn has_too_many_values(line: &[u8]) -> bool {
    let begins_value = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    line.len() > MAX_VALUES && line.iter().filter(begins_value).count() > MAX_VALUES
}

/// A line without its line break.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RawLine {
    /// The line. If it is longer than the reader's limit, only its beginning.
    pub bytes: Vec<u8>,
    /// True if the line is longer than the reader's limit.
    pub cut: bool,
    /// True if a newline ended the line, false if the end of the stream did.
    pub ended: bool,
}

/// Reads lines that end with `\n` or `\r\n`.
#[derive(Debug)]
pub struct RawLines<R> {
    reader: R,
    max_bytes: usize,
    line: RawLine,
}

impl<R: AsyncBufRead + Unpin> RawLines<R> {
    /// Creates a reader that keeps at most `max_bytes` bytes of each line.
    pub fn new(reader: R, max_bytes: usize) -> Self {
        Self {
            reader,
            max_bytes,
            line: RawLine::default(),
        }
    }

    /// Returns what was read so far of a line whose end has not arrived yet.
    pub fn unfinished_line(&self) -> &[u8] {
        &self.line.bytes
    }

    /// Reads the next line. Returns `None` at the end of the stream. Cancel safe: if the future is dropped,
    /// the next call continues the line.
    ///
    /// # Errors
    /// The stream can't be read.
    pub async fn next(&mut self) -> io::Result<Option<RawLine>> {
        loop {
            let available = match self.reader.fill_buf().await {
                Ok(available) => available,
                // Return the bytes before the error as a line. The next call will meet the error again.
                Err(_) if !self.line.bytes.is_empty() => &[],
                Err(error) => return Err(error),
            };
            let is_over = available.is_empty();
            let end = available.iter().position(|byte| *byte == b'\n');
            let (part, _) = available.split_at(end.unwrap_or(available.len()));
            let line = &mut self.line;
            let room = self.max_bytes.saturating_sub(line.bytes.len());
            line.cut |= part.len() > room;
            let (kept, _) = part.split_at(part.len().min(room));
            line.bytes.extend_from_slice(kept);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_none() && !is_over {
                continue;
            }
            let mut line = std::mem::take(&mut self.line);
            line.ended = end.is_some();
            if line.bytes.is_empty() && is_over {
                return Ok(None);
            }
            if line.bytes.last() == Some(&b'\r') {
                line.bytes.pop();
            }
            return Ok(Some(line));
        }
    }
}
