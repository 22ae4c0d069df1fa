//! A writer that never waits: a thread of its own writes.

use std::io::{self, Write};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

/// Lines that may wait for a slow reader.
const WAITING_LINES: usize = 1024;

/// How long the last lines of the log may keep the process.
const LAST_LINES: Duration = Duration::from_millis(10);

/// Between two attempts to tell a full queue of its end.
const PAUSE: Duration = Duration::from_millis(1);

enum Entry {
    Line(Vec<u8>),
    /// Dropped once everything before it is written. Nothing is ever sent by it.
    End {
        _written: SyncSender<()>,
    },
}

/// Hands lines to the thread that writes them. Lines are lost while too many wait.
#[derive(Clone, Debug)]
pub struct LineQueue(SyncSender<Entry>);

impl LineQueue {
    /// Starts a thread that writes to `to`, which must not buffer.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start(name: &str, mut to: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, entries) = mpsc::sync_channel(WAITING_LINES);
        let thread = thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            for entry in entries {
                if let Entry::Line(line) = entry {
                    // Nobody is left to be told of a failure.
                    let _ = to.write_all(&line);
                }
            }
        })?;
        Ok(Self(queue))
    }
}

impl Write for LineQueue {
    /// Takes one whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // If the queue is full, nobody reads.
        let _ = self.0.try_send(Entry::Line(line.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until everything is written that these queues hold, unless nobody reads it.
pub fn finish(queues: &[LineQueue]) {
    let limit = Instant::now() + LAST_LINES;
    let (done, written) = mpsc::sync_channel(0);
    for LineQueue(queue) in queues {
        let mut end = Entry::End {
            _written: done.clone(),
        };
        while let Err(TrySendError::Full(unsent)) = queue.try_send(end) {
            if Instant::now() >= limit {
                break;
            }
            end = unsent;
            thread::sleep(PAUSE);
        }
    }
    drop(done);
    let _ = written.recv_timeout(limit.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Writes nothing until it may.
    struct Gated(Receiver<()>, Arc<Mutex<Vec<u8>>>);

    impl Write for Gated {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            self.1.lock().unwrap().extend_from_slice(line);
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_wait_are_written_at_the_end_and_a_full_queue_stops_nothing() {
        let (open, gate) = mpsc::channel();
        let text = Arc::new(Mutex::new(Vec::new()));
        let mut queue = LineQueue::start("test", Gated(gate, Arc::clone(&text))).unwrap();
        for _ in 0..2 * WAITING_LINES {
            queue.write_all(b"line\n").unwrap();
        }
        let start = Instant::now();
        finish(&[queue.clone()]);
        assert!(start.elapsed() < Duration::from_secs(2));
        drop(open);
        while text.lock().unwrap().len() < 5 * WAITING_LINES {
            thread::sleep(PAUSE);
        }
        queue.write_all(b"last\n").unwrap();
        let (done, written) = mpsc::sync_channel(0);
        queue.0.send(Entry::End { _written: done }).unwrap();
        let _ = written.recv();
        assert!(text.lock().unwrap().ends_with(b"last\n"));
    }
}
