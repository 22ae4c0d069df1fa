//! Lines that a server may print and that answer no request.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub enum Garbage {
    LogLine,
    Ansi,
    JsonLog,
    JsonText,
    Array,
    OldJsonRpc,
    NoUtf8,
    Truncated,
    Long,
    TwoMessages,
    Deep,
    EmptyLines,
    StrayAnswer,
    StringId,
    Notification,
    Ping,
}

impl Garbage {
    pub const ALL: [Self; 16] = [
        Self::LogLine,
        Self::Ansi,
        Self::JsonLog,
        Self::JsonText,
        Self::Array,
        Self::OldJsonRpc,
        Self::NoUtf8,
        Self::Truncated,
        Self::Long,
        Self::TwoMessages,
        Self::Deep,
        Self::EmptyLines,
        Self::StrayAnswer,
        Self::StringId,
        Self::Notification,
        Self::Ping,
    ];

    /// Generates any kind except `Long`, a line of 20 MiB.
    pub fn any() -> impl Strategy<Value = Self> {
        let small = Self::ALL.into_iter().filter(|kind| *kind != Self::Long);
        proptest::sample::select(small.collect::<Vec<_>>())
    }

    /// Returns true if the client reports the line as bad. The client ignores `EmptyLines`, and accepts the others
    /// in the list below as messages.
    pub fn is_bad(self) -> bool {
        !matches!(
            self,
            Self::EmptyLines | Self::StrayAnswer | Self::StringId | Self::Notification | Self::Ping
        )
    }

    /// Returns the line or lines, with the final newline.
    pub fn bytes(self) -> Vec<u8> {
        let text: &str = match self {
            Self::LogLine => "2026-11-22 INFO connecting to the broker",
            Self::Ansi => "\u{1b}[32mINFO\u{1b}[0m \u{1b}[2mready\u{1b}[0m",
            Self::JsonLog => r#"{"level":"info","id":1,"result":"ready"}"#,
            Self::JsonText => r#""ready""#,
            Self::Array => r#"[{"jsonrpc":"2.0","id":1,"result":{}},"ready"]"#,
            Self::OldJsonRpc => r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            Self::NoUtf8 => return b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\"}\n".to_vec(),
            Self::Truncated => r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"ty"#,
            Self::Long => return [vec![b'x'; 20 * 1024 * 1024], b"\n".to_vec()].concat(),
            Self::TwoMessages => concat!(
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":2,"result":{}}"#
            ),
            Self::Deep => return [vec![b'['; 100_000], b"\n".to_vec()].concat(),
            Self::EmptyLines => "\r\n\n  ",
            Self::StrayAnswer => r#"{"jsonrpc":"2.0","id":4711,"result":{}}"#,
            Self::StringId => r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
            Self::Notification => r#"{"jsonrpc":"2.0","method":"notifications/unheard_of"}"#,
            Self::Ping => r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
        };
        format!("{text}\n").into_bytes()
    }
}

/// What may be wrong with an answer.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub enum Flaw {
    Surrogate,
    NullError,
    NaN,
    LogPrefix,
    Ansi,
    Pretty,
    Utf16,
}

impl Flaw {
    /// Returns the line with the flaw. The line contains an answer with the text "hello".
    pub fn apply(self, line: &str) -> Vec<u8> {
        let changed = match self {
            Self::Surrogate => line.replace("hello", "\\\\ \\ud83d\\ude00 hell\\ud83d o"),
            Self::NullError => line.replace("\"id\"", "\"error\":null,\"id\""),
            Self::NaN => line.replace("\"hello\"", "NaN"),
            Self::LogPrefix => format!("INFO sending {line}"),
            Self::Ansi => format!("\u{1b}[32m{line}"),
            Self::Pretty => {
                let json: serde_json::Value = serde_json::from_str(line).unwrap();
                format!("{json:#}\n")
            }
            Self::Utf16 => return line.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        };
        changed.into_bytes()
    }
}
