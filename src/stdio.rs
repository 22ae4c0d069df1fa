//! The streams between the server and its host: stdin, and a private stdout.
//!
//! On Unix, descriptor 1 (stdout) is duplicated for the protocol at startup, and then redirected to stderr, so
//! that a stray write in a dependency can't reach the host. This module passes on all bytes unchanged.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

#[cfg(not(unix))]
pub use portable::claim;
#[cfg(unix)]
pub use unix::claim;

/// The right to use stdout. On Unix, this is the private duplicate of descriptor 1.
pub struct Claimed {
    #[cfg(unix)]
    out: OwnedFd,
}

/// The streams of the protocol.
pub struct Stdio {
    /// The input from the host (stdin).
    pub reader: HostReader,
    /// The output to the host (stdout).
    pub writer: HostWriter,
    /// Checks whether the host is still there.
    pub watch: Watch,
}

/// Checks whether the host is still there, without reading or writing.
pub struct Watch {
    #[cfg(unix)]
    out: OwnedFd,
    /// Cancelled by a failed write.
    #[cfg(not(unix))]
    broken: CancellationToken,
}

/// The input from the host. Also ends when `end` is cancelled, for example by a signal. So a signal has the
/// effect of a closed pipe: the calls in flight are finished, and then the session ends.
pub struct HostReader {
    inner: Box<dyn AsyncRead + Send + Unpin>,
    /// Ends this reader when cancelled. The reader itself cancels the token when stdin ends or can't be read.
    end: CancellationToken,
    /// Completes when `end` is cancelled.
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl HostReader {
    fn new(inner: Box<dyn AsyncRead + Send + Unpin>, end: CancellationToken) -> Self {
        let ended = Box::pin(end.clone().cancelled_owned());
        Self { inner, end, ended }
    }
}

impl AsyncRead for HostReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ended.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let filled_before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let is_over = match &read {
            Poll::Ready(Ok(())) => buffer.filled().len() == filled_before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_over {
            self.end.cancel();
        }
        read
    }
}

/// The output to the host. A failed write ends the session, because the host no longer reads.
pub struct HostWriter {
    inner: Box<dyn AsyncWrite + Send + Unpin>,
    end: CancellationToken,
    /// Cancelled by a failed write.
    broken: CancellationToken,
}

impl HostWriter {
    fn new(inner: Box<dyn AsyncWrite + Send + Unpin>, end: CancellationToken) -> Self {
        let broken = CancellationToken::new();
        Self { inner, end, broken }
    }

    fn end_on_error<T>(&self, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if matches!(result, Poll::Ready(Err(_))) {
            self.broken.cancel();
            self.end.cancel();
        }
        result
    }
}

impl AsyncWrite for HostWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.end_on_error(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.end_on_error(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
