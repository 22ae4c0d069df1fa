//! The client's line reader distinguishes messages from all other lines.

use std::pin::pin;
use std::task::Poll;

use proptest::prelude::*;
use serde_json::json;
use tokio::io::{AsyncRead, BufReader, ReadBuf};
use zwave_mcp_server::client::{BadLine, Limits, LineReader, ServerMessage};

use crate::garbage::Garbage;

/// A reader that returns a text in pieces of these sizes. After the last size, the first is used again.
struct Pieces {
    text: Vec<u8>,
    at: usize,
    sizes: Vec<usize>,
    turn: usize,
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let size = self.sizes[self.turn % self.sizes.len()];
        self.turn += 1;
        let end = (self.at + size.min(buffer.remaining())).min(self.text.len());
        buffer.put_slice(&self.text[self.at..end]);
        self.at = end;
        Poll::Ready(Ok(()))
    }
}

fn read(text: &[u8], sizes: &[usize]) -> Vec<Result<ServerMessage, BadLine>> {
    let pieces = Pieces {
        text: text.to_vec(),
        at: 0,
        sizes: sizes.to_vec(),
        turn: 0,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let pieces = pin!(BufReader::new(pieces));
        let mut reader = LineReader::new(pieces, &Limits::default());
        let mut lines = Vec::new();
        while let Some(line) = reader.next().await.unwrap() {
            lines.push(line);
        }
        lines
    })
}

fn message(number: u64) -> Vec<u8> {
    let params = json!({ "number": number, "text": "grün\n" });
    let message = json!({ "jsonrpc": "2.0", "method": "count", "params": params });
    format!("{message}\n").into_bytes()
}

/// Returns the numbers of the messages that [`message`] made.
fn numbers(lines: &[Result<ServerMessage, BadLine>]) -> Vec<u64> {
    let number = |line: &Result<ServerMessage, BadLine>| match line {
        Ok(ServerMessage::Notification { method, params }) if method == "count" => {
            params["number"].as_u64()
        }
        _ => None,
    };
    lines.iter().filter_map(number).collect()
}

#[test]
fn a_line_that_is_not_a_message_is_reported_with_its_start_and_the_reason() {
    let start = "{\"jsonrpc\":\"2.0\",\"";
    let no_version = "JSON without \"jsonrpc\": \"2.0\"";
    let expected = [
        (Garbage::LogLine, "2026-11-22 INFO", "trailing characters"),
        (Garbage::Ansi, "\u{1b}[32mINFO", "expected value"),
        (Garbage::JsonLog, "{\"level\"", no_version),
        (Garbage::JsonText, "\"ready\"", "JSON, but not an object"),
        (Garbage::Array, "[{\"jsonrpc\"", "JSON, but not an object"),
        (Garbage::OldJsonRpc, "{\"jsonrpc\":\"1.0\"", no_version),
        (Garbage::NoUtf8, start, "invalid unicode"),
        (Garbage::Truncated, start, "EOF while parsing"),
        (Garbage::Long, "xxxx", "longer than 16777216 bytes"),
        (Garbage::TwoMessages, start, "trailing characters"),
        (Garbage::Deep, "[[[[", "recursion limit"),
    ];
    for (garbage, content, why) in expected {
        let text = [message(1), garbage.bytes(), message(2)].concat();
        let lines = read(&text, &[64 * 1024]);
        assert_eq!(numbers(&lines), [1, 2], "{garbage:?}");
        let [_, Err(bad), _] = lines.as_slice() else {
            panic!("{garbage:?}: {lines:?}")
        };
        assert!(bad.content.starts_with(content), "{bad}");
        assert!(bad.why.contains(why), "{bad}");
        assert!(bad.content.chars().count() <= 200);
    }
    let bad = Garbage::ALL.iter().filter(|kind| kind.is_bad()).count();
    assert_eq!(bad, expected.len(), "every bad kind must have a row");
}

#[test]
fn a_message_of_unknown_kind_is_a_bad_line() {
    for text in [
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","method":"a","result":{}}"#,
    ] {
        let lines = read(text.as_bytes(), &[100]);
        assert!(matches!(lines.as_slice(), [Err(_)]), "{text}: {lines:?}");
    }
}

#[test]
fn messages_are_accepted_in_pieces_with_crlf_and_without_a_final_newline() {
    let mut text = [message(1), message(2), message(3)].concat();
    text.pop();
    let text = String::from_utf8(text).unwrap().replace('\n', "\r\n");
    for sizes in [&[1][..], &[3, 1, 7], &[1000]] {
        assert_eq!(numbers(&read(text.as_bytes(), sizes)), [1, 2, 3]);
    }
}

proptest! {
    #[test]
    fn messages_among_any_garbage_arrive_in_order_and_exactly_once(
        between in prop::collection::vec(
            prop::collection::vec(
                prop_oneof![
                    Garbage::any().prop_map(Garbage::bytes),
                    // A line of arbitrary bytes.
                    prop::collection::vec(
                        any::<u8>().prop_filter("a newline", |byte| *byte != b'\n'), 0..300
                    ).prop_map(|mut line| { line.push(b'\n'); line }),
                ],
                0..4,
            ),
            1..12,
        ),
        sizes in prop::collection::vec(1usize..5000, 1..20),
    ) {
        let mut text = Vec::new();
        for (number, garbage) in between.iter().enumerate() {
            text.extend(garbage.concat());
            text.extend(message(number as u64));
        }
        let expected: Vec<u64> = (0..between.len() as u64).collect();
        prop_assert_eq!(numbers(&read(&text, &sizes)), expected);
    }
}
