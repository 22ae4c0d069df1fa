//! The output to the host. One task writes whole lines, one after the other.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The number of unread bytes at which no further request is served.
const FULL: usize = 16 * 1024 * 1024;

/// The number of unread bytes above which the host counts as gone. Only requests that were being served
/// when it stopped reading, and notifications, can add up to this.
const OVERFULL: usize = 128 * 1024 * 1024;

/// The number of bytes that are collected from waiting lines for one write.
const AT_ONCE: usize = 64 * 1024;

/// The memory that a waiting line takes besides its bytes.
const OVERHEAD: usize = 512;

struct QueuedLine {
    line: Vec<u8>,
    written: oneshot::Sender<()>,
}

/// Accepts lines for the host. Cheap to clone.
///
/// A line that was accepted is written whole, even if its sender gives up waiting, so stdout never has half
/// of it.
#[derive(Clone)]
pub struct Output {
    waiting: Option<mpsc::UnboundedSender<QueuedLine>>,
    /// The bytes that wait to be written.
    unread: watch::Sender<usize>,
    /// Cancelled when the host counts as gone.
    given_up: CancellationToken,
}

impl Output {
    /// Starts the task that writes. It ends when every clone is closed or dropped and everything is
    /// written, or when nobody reads any more.
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

    /// Accepts a line without its newline. It is written even if the future is not awaited.
    ///
    /// # Errors
    /// The future fails if nobody reads any more.
    pub fn queue(&self, line: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let (written, done) = oneshot::channel();
        self.unread.send_modify(|unread| *unread += line.len() + OVERHEAD);
        if *self.unread.borrow() > OVERFULL {
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
        // The sender is ours, so this can't fail.
        let _ = unread.wait_for(|unread| *unread < FULL).await;
    }

    /// Counts the host as gone. Waiting lines are not written.
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
    let mut written = Vec::new();
    while let Some(first) = lines.recv().await {
        let mut next = Some(first);
        while let Some(waiting) = next.take() {
            bytes.extend(waiting.line);
            bytes.push(b'\n');
            written.push(waiting.written);
            if bytes.len() < AT_ONCE {
                next = lines.try_recv().ok();
            }
        }
        writer.write_all(&bytes).await?;
        writer.flush().await?;
        // Each line has a newline by now.
        let read = bytes.len() + written.len() * (OVERHEAD - 1);
        unread.send_modify(|unread| *unread = unread.saturating_sub(read));
        bytes.clear();
        bytes.shrink_to(AT_ONCE);
        for written in written.drain(..) {
            // Whoever gave up waiting needs no news.
            let _ = written.send(());
        }
    }
    Ok(())
}
