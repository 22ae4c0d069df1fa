//! Lines of any stream, read with bounded memory.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The maximum number of values in one line of JSON: in memory each takes dozens of times the two
/// bytes that it takes in a line.
const MAX_VALUES: usize = 100_000;

/// Returns true if a line of JSON may hold more values than are read. Counts bytes, so that nothing
/// is built from a line that is refused.
pub fn has_too_many_values(line: &[u8]) -> bool {
    let begins_value = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    line.len() > MAX_VALUES && line.iter().filter(begins_value).count() > MAX_VALUES
}

/// A line without its end.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RawLine {
    /// Its beginning, at most as long as the reader allows.
    pub bytes: Vec<u8>,
    /// True if it is longer than that.
    pub cut: bool,
    /// True if a newline ended it, and not the end of the stream.
    pub ended: bool,
}

/// Reads lines that `\n` or `\r\n` ends.
#[derive(Debug)]
pub struct RawLines<R> {
    reader: R,
    max_bytes: usize,
    line: RawLine,
}

impl<R: AsyncBufRead + Unpin> RawLines<R> {
    /// Keeps at most `max_bytes` bytes of each line.
    pub fn new(reader: R, max_bytes: usize) -> Self {
        Self {
            reader,
            max_bytes,
            line: RawLine::default(),
        }
    }

    /// Returns the part of a line whose end has not come yet.
    pub fn unfinished_line(&self) -> &[u8] {
        &self.line.bytes
    }

    /// Reads the next line; `None` at the end of the stream. The future may be dropped while it waits:
    /// the next call goes on where it was.
    ///
    /// # Errors
    /// The stream can't be read.
    pub async fn next(&mut self) -> io::Result<Option<RawLine>> {
        self.next_with(|_| {}).await
    }

    /// Reads a line, and hands every byte of a line that is too long to `too_long`, part by part.
    ///
    /// # Errors
    /// The stream can't be read.
    pub async fn next_with(
        &mut self,
        mut too_long: impl FnMut(&[u8]),
    ) -> io::Result<Option<RawLine>> {
        loop {
            let available = match self.reader.fill_buf().await {
                Ok(available) => available,
                // The bytes before it are a line; the next call meets the error again.
                Err(_) if !self.line.bytes.is_empty() => &[],
                Err(error) => return Err(error),
            };
            let is_over = available.is_empty();
            let end = available.iter().position(|byte| *byte == b'\n');
            let (part, _) = available.split_at(end.unwrap_or(available.len()));
            let line = &mut self.line;
            let room = self.max_bytes.saturating_sub(line.bytes.len());
            if !line.cut && part.len() > room {
                line.cut = true;
                too_long(&line.bytes);
            }
            if line.cut {
                too_long(part);
            }
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

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use proptest::prelude::*;
    use tokio::io::{AsyncRead, BufReader, ReadBuf};

    use super::*;

    /// Hands its bytes out in parts of the given sizes.
    struct Parts(Vec<u8>, Vec<usize>);

    impl AsyncRead for Parts {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let size = self.1.pop().unwrap_or(usize::MAX).min(self.0.len()).min(buffer.remaining());
            let part: Vec<u8> = self.0.drain(..size).collect();
            buffer.put_slice(&part);
            Poll::Ready(Ok(()))
        }
    }

    /// Every line with `|` for its newline and `…` where it is cut, and what was handed over of lines
    /// that are too long.
    fn all(input: &str, parts: Vec<usize>, longest: usize) -> (String, String) {
        let parts = Parts(input.as_bytes().to_vec(), parts);
        let mut lines = RawLines::new(BufReader::new(parts), longest);
        let (mut all, mut long) = (String::new(), Vec::new());
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            while let Ok(Some(line)) = lines.next_with(|part| long.extend_from_slice(part)).await {
                all.push_str(&String::from_utf8_lossy(&line.bytes));
                all.push_str(if line.cut { "…" } else { "" });
                all.push_str(if line.ended { "|" } else { "" });
            }
        });
        (all, String::from_utf8_lossy(&long).into_owned())
    }

    #[test]
    fn of_a_line_that_is_too_long_the_beginning_is_kept_and_all_is_handed_over() {
        for parts in [vec![], vec![1; 40], vec![3; 10]] {
            let (lines, long) = all("xxxx\nyyyyyzz\r\nnext\n\nlast", parts, 4);
            assert_eq!(lines, "xxxx|yyyy…|next||last");
            assert_eq!(long, "yyyyyzz\r");
        }
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_however_the_input_comes_in_parts(
            input in "[a-c\r\n]{0,60}",
            parts in prop::collection::vec(1_usize..8, 0..60),
        ) {
            let (lines, _) = all(&input, parts, 100);
            let without_returns = input.replace("\r\n", "|").replace('\n', "|");
            let expected = without_returns.strip_suffix('\r').unwrap_or(&without_returns);
            prop_assert_eq!(lines, expected);
        }
    }
}
