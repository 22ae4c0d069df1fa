//! Lines of standard input, with bounded memory.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tracing::warn;

use super::skim::Skim;

/// The longest line that is read: 16 MiB, without its newline.
pub const LONGEST: usize = 16 * 1024 * 1024;

/// A buffer that grew beyond this is given back after its line.
const KEPT: usize = 64 * 1024;

/// What is read of a line.
pub enum Line {
    /// All of it, without its newline.
    Whole(Vec<u8>),
    /// The input ended before the line did.
    Last(Vec<u8>),
    /// It is longer than [`LONGEST`]; only what was made out in passing is left.
    TooLong(Skim),
}

pub struct Lines<R> {
    reader: BufReader<R>,
    /// The beginning of the line that is being read.
    line: Vec<u8>,
    /// In its place, once the line is too long.
    too_long: Option<Skim>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            too_long: None,
        }
    }

    /// The next line; none at the end of the input. May be dropped while it waits: what was read
    /// is kept for the next call.
    pub async fn next(&mut self) -> Option<Line> {
        loop {
            let available = match self.reader.fill_buf().await {
                Ok(available) => available,
                Err(error) => {
                    warn!(%error, "stdin can't be read any more");
                    &[]
                }
            };
            if available.is_empty() {
                // A line that is too long and has no end is no line.
                self.too_long = None;
                let line = std::mem::take(&mut self.line);
                return (!line.is_empty()).then_some(Line::Last(line));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.split_at(end.unwrap_or(available.len())).0;
            if let Some(skim) = &mut self.too_long {
                skim.feed(part);
            } else if part.len() > LONGEST.saturating_sub(self.line.len()) {
                let mut skim = Skim::default();
                skim.feed(&std::mem::take(&mut self.line));
                skim.feed(part);
                self.too_long = Some(skim);
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Some(match self.too_long.take() {
                    Some(skim) => Line::TooLong(skim),
                    None => Line::Whole(self.taken()),
                });
            }
        }
    }

    fn taken(&mut self) -> Vec<u8> {
        if self.line.capacity() > KEPT {
            return std::mem::take(&mut self.line);
        }
        let line = self.line.clone();
        self.line.clear();
        line
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use proptest::prelude::*;
    use tokio::io::ReadBuf;

    use super::*;

    /// Hands its bytes out in parts of the given sizes.
    struct Parts(Vec<u8>, Vec<usize>);

    impl AsyncRead for Parts {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<std::io::Result<()>> {
            let size = self.1.pop().unwrap_or(usize::MAX);
            let size = size.min(self.0.len()).min(buffer.remaining());
            let part: Vec<u8> = self.0.drain(..size).collect();
            buffer.put_slice(&part);
            Poll::Ready(Ok(()))
        }
    }

    async fn all(reader: impl AsyncRead + Unpin) -> Vec<String> {
        let mut lines = Lines::new(reader);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await {
            all.push(match line {
                Line::Whole(line) => format!("{}|", String::from_utf8_lossy(&line)),
                Line::Last(line) => String::from_utf8_lossy(&line).into_owned(),
                Line::TooLong(_) => "too long|".to_owned(),
            });
        }
        all
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_dropped_whole_and_the_next_one_read() {
        let mut input = vec![b'x'; LONGEST];
        input.push(b'\n');
        input.extend(vec![b'x'; LONGEST + 1]);
        input.extend(b"\nnext\nlast");
        let all = all(&*input).await;
        assert_eq!(all.len(), 4);
        assert_eq!(all.first().map(String::len), Some(LONGEST + 1));
        assert_eq!(
            all.get(1..),
            Some(&["too long|", "next|", "last"].map(str::to_owned)[..])
        );
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_however_the_input_comes_in_parts(
            input in "[a-c\r\n]{0,60}",
            parts in prop::collection::vec(1_usize..8, 0..60),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let all = runtime.block_on(all(Parts(input.clone().into_bytes(), parts)));
            prop_assert_eq!(all.concat(), input.replace('\n', "|"));
        }
    }
}
