//! Answers on stdout, one a line.

use std::io::Write;
use std::thread::JoinHandle;

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::terminal::printable;

/// The maximum number of lines that wait for a slow reader.
const MAX_WAITING: usize = 256;

/// Prints lines in a thread of its own: a slow reader keeps nobody waiting until many lines wait.
pub struct LinePrinter {
    lines: mpsc::Sender<String>,
    printing: JoinHandle<()>,
    /// Cancelled when nobody reads any more.
    pub unread: CancellationToken,
}

impl LinePrinter {
    pub fn start() -> Self {
        let (lines, mut waiting) = mpsc::channel::<String>(MAX_WAITING);
        let unread = CancellationToken::new();
        let gone = unread.clone();
        let printing = std::thread::spawn(move || {
            while let Some(line) = waiting.blocking_recv() {
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

    /// Prints an answer as one line. Returns false if nobody reads any more.
    pub async fn print(&self, answer: &str) -> bool {
        let words: Vec<&str> = answer.split_whitespace().collect();
        self.lines.send(printable(&words.join(" "))).await.is_ok()
    }

    /// Waits until everything is printed.
    pub async fn finish(self) {
        drop(self.lines);
        // In a thread, because a signal may come before it ends.
        let _ = spawn_blocking(|| self.printing.join()).await;
    }
}
