//! Unit tests of `src/logging/queue.rs`.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use super::*;

/// Blocks each write until the gate is opened.
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
fn waiting_lines_are_written_and_a_full_queue_blocks_nothing() {
    let (open, gate) = mpsc::channel();
    let text = Arc::new(Mutex::new(Vec::new()));
    let mut queue = LineQueue::start("test", Gated(gate, Arc::clone(&text))).unwrap();
    for _ in 0..2 * MAX_WAITING_LINES {
        queue.write_all(b"line\n").unwrap();
    }
    let start = Instant::now();
    finish(&[queue.clone()]);
    assert!(start.elapsed() < Duration::from_secs(2));
    drop(open);
    while text.lock().unwrap().len() < 5 * MAX_WAITING_LINES {
        thread::sleep(RETRY_DELAY);
    }
    queue.write_all(b"last\n").unwrap();
    let (done, written) = mpsc::sync_channel(0);
    queue.0.send(Entry::End { _written: done }).unwrap();
    let _ = written.recv();
    assert!(text.lock().unwrap().ends_with(b"last\n"));
}
