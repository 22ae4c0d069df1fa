//! A writer of log lines that never blocks: a separate thread does the writing.
//!
//! The non-blocking writer of tracing-appender would do the same, but at the end of the process it may wait for more
//! than a second, and it prints to stdout when its queue is full.

use std::io::{self, Write};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum number of lines that wait for a slow reader of the log.
const MAX_WAITING_LINES: usize = 1024;

/// The maximum time by which unwritten lines may delay the end of the process.
const FINISH_TIMEOUT: Duration = Duration::from_millis(10);

/// The delay between two attempts to add the end marker to a full queue.
const RETRY_DELAY: Duration = Duration::from_millis(1);

enum Entry {
    Line(Vec<u8>),
    /// The end marker, which holds a sender. The thread drops the marker once all lines before it are written.
    /// The receiver then notices that the sender is gone. Nothing is ever sent.
    End {
        _written: SyncSender<()>,
    },
}

/// A queue of lines for the thread that writes them. While the queue is full, new lines are dropped.
#[derive(Clone, Debug)]
pub struct LineQueue(SyncSender<Entry>);

impl LineQueue {
    /// Starts a thread that writes the lines to `output`, and never flushes. So `output` must not buffer.
    ///
    /// # Errors
    /// Fails if the thread can't be started.
    pub fn start(name: &str, mut output: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, entries) = mpsc::sync_channel(MAX_WAITING_LINES);
        let thread = thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            for entry in entries {
                if let Entry::Line(line) = entry {
                    // A failure of the log can't be logged.
                    let _ = output.write_all(&line);
                }
            }
        })?;
        Ok(Self(queue))
    }
}

impl Write for LineQueue {
    /// Queues one whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // A full queue means that nobody is reading. The line is then dropped.
        let _ = self.0.try_send(Entry::Line(line.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until everything in these queues is written, but at most [`FINISH_TIMEOUT`]: perhaps nobody is reading.
pub fn finish(queues: &[LineQueue]) {
    let deadline = Instant::now() + FINISH_TIMEOUT;
    let (done, written) = mpsc::sync_channel(0);
    for LineQueue(queue) in queues {
        let mut end = Entry::End {
            _written: done.clone(),
        };
        while let Err(TrySendError::Full(unsent)) = queue.try_send(end) {
            if Instant::now() >= deadline {
                break;
            }
            end = unsent;
            thread::sleep(RETRY_DELAY);
        }
    }
    drop(done);
    // Returns an error as soon as all end markers are dropped.
    let _ = written.recv_timeout(deadline.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
#[path = "../../tests/unit/logging/queue.rs"]
mod tests;
