//! Answers on stdout, one a line.

use std::io::Write;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::terminal::printable;

use crate::failure::complain;

/// How many lines may wait for a slow reader.
const WAITING: usize = 256;

/// Prints lines in a thread of its own: whoever reads slowly keeps nobody waiting.
pub struct LinePrinter {
    lines: mpsc::SyncSender<String>,
    printing: JoinHandle<()>,
    /// Cancelled when nobody reads any more.
    pub unread: CancellationToken,
}

impl LinePrinter {
    pub fn start() -> Self {
        let (lines, waiting) = mpsc::sync_channel::<String>(WAITING);
        let unread = CancellationToken::new();
        let gone = unread.clone();
        let printing = std::thread::spawn(move || {
            for line in waiting {
                let mut out = std::io::stdout().lock();
                if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                    gone.cancel();
                    return;
                }
            }
        });
        Self {
            lines,
            printing,
            unread,
        }
    }

    /// Prints an answer as one line. Never waits.
    pub fn print(&self, answer: &str) {
        let words: Vec<&str> = answer.split_whitespace().collect();
        if self.lines.try_send(printable(&words.join(" "))).is_err() {
            complain("nobody reads the answers; one is left out");
        }
    }

    /// Waits until everything is printed.
    pub async fn finish(self) {
        drop(self.lines);
        // In a thread, because a signal may come before it ends.
        let _ = spawn_blocking(|| self.printing.join()).await;
    }
}
