//! The way to the host: one task writes, one whole line after the other.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How many lines may wait. A host that leaves more unread does not read.
const QUEUE: usize = 1 << 16;

/// As much is written at once, in bytes, where several lines wait.
const AT_ONCE: usize = 64 * 1024;

struct QueuedLine {
    line: Vec<u8>,
    written: oneshot::Sender<()>,
}

/// Takes lines for the host. Cheap to clone.
///
/// A line that was taken is written whole, also where its sender gives up waiting: stdout never has
/// half of it.
#[derive(Clone)]
pub struct Output {
    waiting: Option<mpsc::Sender<QueuedLine>>,
    /// The host leaves too much unread: it is taken for one that is gone.
    overfull: CancellationToken,
}

impl Output {
    /// Starts the task that writes. It ends when every clone is closed or dropped and everything is
    /// written, or when nobody reads any more.
    pub fn start<W>(writer: W) -> (Self, JoinHandle<io::Result<()>>)
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (waiting, lines) = mpsc::channel(QUEUE);
        let overfull = CancellationToken::new();
        let given_up = overfull.clone();
        let task = tokio::spawn(async move {
            tokio::select! {
                written = write(writer, lines) => written,
                () = given_up.cancelled() => Err(io::ErrorKind::BrokenPipe.into()),
            }
        });
        let waiting = Some(waiting);
        (Self { waiting, overfull }, task)
    }

    /// Takes a line without its newline. It is written whether the answer is awaited or not.
    ///
    /// # Errors
    /// The future fails where nobody reads any more.
    pub fn say(&self, line: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let (written, done) = oneshot::channel();
        let line = QueuedLine { line, written };
        let sent = self.waiting.as_ref().map(|waiting| waiting.try_send(line));
        if let Some(Err(TrySendError::Full(_))) = sent {
            self.overfull.cancel();
        }
        let taken = matches!(sent, Some(Ok(())));
        async move {
            if taken && done.await.is_ok() {
                Ok(())
            } else {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    pub fn close(&mut self) {
        self.waiting = None;
    }
}

async fn write<W>(mut writer: W, mut lines: mpsc::Receiver<QueuedLine>) -> io::Result<()>
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
        bytes.clear();
        bytes.shrink_to(AT_ONCE);
        for written in written.drain(..) {
            // Whoever gave up waiting needs no news.
            let _ = written.send(());
        }
    }
    Ok(())
}
