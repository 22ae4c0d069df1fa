//! Lines are read from any stream, in bounded memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use proptest::prelude::*;
use tokio::io::{AsyncRead, BufReader, ReadBuf};
use zwave_mcp_server::lines::RawLines;

/// Yields its bytes in parts of the given sizes, beginning with the last size.
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

/// Returns the lines as one text, with `|` for a newline and `…` for a cut.
fn read_lines(input: &str, parts: Vec<usize>, max_bytes: usize) -> String {
    let parts = Parts(input.as_bytes().to_vec(), parts);
    let mut lines = RawLines::new(BufReader::new(parts), max_bytes);
    let mut text = String::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime").block_on(async {
        while let Ok(Some(line)) = lines.next().await {
            text.push_str(&String::from_utf8_lossy(&line.bytes));
            text.push_str(if line.cut { "…" } else { "" });
            text.push_str(if line.ended { "|" } else { "" });
        }
    });
    text
}

#[test]
fn long_line_is_cut() {
    for parts in [vec![], vec![1; 40], vec![3; 10]] {
        let lines = read_lines("xxxx\nyyyyyzz\r\nnext\n\nlast", parts, 4);
        assert_eq!(lines, "xxxx|yyyy…|next||last");
    }
}

proptest! {
    #[test]
    fn no_byte_is_lost_however_the_input_is_split(
        input in "[a-c\r\n]{0,60}",
        parts in prop::collection::vec(1_usize..8, 0..60),
    ) {
        let lines = read_lines(&input, parts, 100);
        let without_returns = input.replace("\r\n", "|").replace('\n', "|");
        let expected = without_returns.strip_suffix('\r').unwrap_or(&without_returns);
        prop_assert_eq!(lines, expected);
    }
}
