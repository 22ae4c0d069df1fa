//! Lines of a server's output: bounded, and sorted into messages and everything else.

use std::io;

use rmcp::model::ServerJsonRpcMessage;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The longest line that is read as a message; what is longer is a bad line.
const LONGEST_MESSAGE: usize = 64 * 1024 * 1024;

/// How much of a bad line is kept, in characters.
const KEPT: usize = 200;

/// A line that is no JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its first 200 characters.
    pub content: String,
    /// Why it is none.
    pub why: String,
}

/// A line of a server's stdout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// One JSON-RPC message, as it was printed.
    Message(Vec<u8>),
    /// Anything else.
    Bad(BadLine),
}

/// Reads lines with a bounded buffer.
pub struct LineReader<R> {
    reader: R,
    longest: usize,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    /// Reads messages of up to 64 MiB.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            longest: LONGEST_MESSAGE,
        }
    }

    /// The next line that is not empty; none at the end. A last line without a newline counts.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let Some((line, cut)) = self.raw().await? else {
                return Ok(None);
            };
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if cut {
                let why = format!("longer than {} bytes", self.longest);
                return Ok(Some(bad(line, why)));
            }
            return Ok(Some(sorted(line)));
        }
    }

    /// The next line without its newline, and whether its end was thrown away.
    async fn raw(&mut self) -> io::Result<Option<(Vec<u8>, bool)>> {
        let mut line = Vec::new();
        let mut cut = false;
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok((!line.is_empty()).then_some((line, cut)));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.split_at(end.unwrap_or(available.len())).0;
            let room = self.longest.saturating_sub(line.len());
            cut |= part.len() > room;
            line.extend_from_slice(part.split_at(part.len().min(room)).0);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some((line, cut)));
            }
        }
    }
}

fn sorted(line: &[u8]) -> Line {
    match serde_json::from_slice::<ServerJsonRpcMessage>(line) {
        Ok(_) => Line::Message(line.to_vec()),
        Err(error) => bad(line, error.to_string()),
    }
}

fn bad(line: &[u8], why: String) -> Line {
    // Four bytes a character at the most: more would only be thrown away.
    let start = line.split_at(line.len().min(KEPT * 4)).0;
    let content = String::from_utf8_lossy(start).chars().take(KEPT).collect();
    Line::Bad(BadLine { content, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8]) -> Vec<Line> {
        let mut reader = LineReader::new(text);
        let mut lines = Vec::new();
        while let Some(line) = reader.next().await.unwrap() {
            lines.push(line);
        }
        lines
    }

    const MESSAGE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

    #[tokio::test]
    async fn messages_are_told_from_everything_else() {
        let text = [
            MESSAGE,
            b"\r\nINFO starting\n\n",
            MESSAGE,
            MESSAGE,
            b"\n",
            MESSAGE,
        ]
        .concat();
        let found = lines(&text).await;
        let kinds: Vec<bool> = found
            .iter()
            .map(|line| matches!(line, Line::Message(_)))
            .collect();
        assert_eq!(kinds, [true, false, false, true], "{found:?}");
    }

    #[tokio::test]
    async fn a_line_without_end_is_cut_and_reading_goes_on() {
        let text = [&vec![b'x'; 5000], b"\n".as_slice(), MESSAGE].concat();
        let mut reader = LineReader {
            reader: text.as_slice(),
            longest: 100,
        };
        let first = reader.next().await.unwrap().unwrap();
        assert!(matches!(first, Line::Bad(bad) if bad.content.len() == 100));
        assert_eq!(
            reader.next().await.unwrap(),
            Some(Line::Message(MESSAGE.to_vec()))
        );
    }
}
