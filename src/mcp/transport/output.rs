//! The output to the host. One task writes whole lines, one after the other.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// No further request is served while this many bytes are unread.
const MAX_UNREAD_TO_SERVE: usize = 16 * 1024 * 1024;

/// If more bytes than this are unread, the host counts as gone. From `MAX_UNREAD_TO_SERVE` on, only notifications
/// and the answers to requests that are already being served add to the unread bytes.
const MAX_UNREAD: usize = 128 * 1024 * 1024;

/// Waiting lines are combined into one write until the write has this many bytes.
const BATCH_BYTES: usize = 64 * 1024;

/// The memory that a waiting line takes in addition to its bytes.
const LINE_OVERHEAD: usize = 512;

struct QueuedLine {
    line: Vec<u8>,
    written: oneshot::Sender<()>,
}

/// Accepts lines for the host. Cheap to clone.
///
/// An accepted line is written completely even if its sender stops waiting, so a cancelled send leaves no
/// half line in stdout.
#[derive(Clone)]
pub struct Output {
    waiting: Option<mpsc::UnboundedSender<QueuedLine>>,
    /// The size in bytes of the lines that are not written yet, with `LINE_OVERHEAD` for each line.
    unread: watch::Sender<usize>,
    /// Cancelled when the host counts as gone.
    given_up: CancellationToken,
}

impl Output {
    /// Starts the task that writes. When all clones are closed or dropped, the task writes the waiting lines
    /// and ends. It also ends when writing fails or is given up.
    pub fn start<W>(writer: W) -> (Self, JoinHandle<io::Result<()>>)
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (waiting, lines) = mpsc::unbounded_channel();
        let output = Self {
            waiting: Some(waiting),
            unread: watch::Sender::new(0),
            given_up: CancellationToken::new(),
        };
        let unread = output.unread.clone();
        let given_up = output.given_up.clone();
        let task = tokio::spawn(async move {
            tokio::select! {
                written = write(writer, lines, &unread) => written,
                () = given_up.cancelled() => Err(io::ErrorKind::BrokenPipe.into()),
            }
        });
        (output, task)
    }

    /// Accepts a line without its newline. The line is written even if the future is not awaited. The future
    /// fails if the host is gone.
    pub fn queue(&self, line: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let (written, done) = oneshot::channel();
        self.unread.send_modify(|unread| *unread += line.len() + LINE_OVERHEAD);
        if *self.unread.borrow() > MAX_UNREAD {
            self.give_up();
        }
        let line = QueuedLine { line, written };
        let sent = self.waiting.as_ref().map(|waiting| waiting.send(line));
        let is_accepted = matches!(sent, Some(Ok(())));
        async move {
            if is_accepted && done.await.is_ok() {
                Ok(())
            } else {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    /// Waits until the host has read enough for further requests to be served.
    pub async fn wait_for_room(&self) {
        let mut unread = self.unread.subscribe();
        // This can't fail, because `self` holds the sender.
        let _ = unread.wait_for(|unread| *unread < MAX_UNREAD_TO_SERVE).await;
    }

    /// Treats the host as gone. Waiting lines are not written.
    pub fn give_up(&self) {
        self.given_up.cancel();
    }

    pub fn close(&mut self) {
        self.waiting = None;
    }
}

async fn write<W>(
    mut writer: W,
    mut lines: mpsc::UnboundedReceiver<QueuedLine>,
    unread: &watch::Sender<usize>,
) -> io::Result<()>
where
    W: AsyncWrite + Unpin,
{
    let mut bytes = Vec::new();
    let mut senders = Vec::new();
    while let Some(first) = lines.recv().await {
        let mut next = Some(first);
        while let Some(waiting) = next.take() {
            bytes.extend(waiting.line);
            bytes.push(b'\n');
            senders.push(waiting.written);
            if bytes.len() < BATCH_BYTES {
                next = lines.try_recv().ok();
            }
        }
        writer.write_all(&bytes).await?;
        writer.flush().await?;
        // `bytes` contains a newline for each line. `unread` does not count these newlines.
        let read = bytes.len() - senders.len() + senders.len() * LINE_OVERHEAD;
        unread.send_modify(|unread| *unread = unread.saturating_sub(read));
        bytes.clear();
        bytes.shrink_to(BATCH_BYTES);
        for sender in senders.drain(..) {
            // This fails if nobody waits for the line any more.
            let _ = sender.send(());
        }
    }
    Ok(())
}
