//! The private stdout. The only module that knows descriptor 1.
//!
//! At the start the protocol takes a duplicate of descriptor 1 for itself, and descriptor 1 is
//! pointed at stderr: a stray write in any dependency can't reach the host any more.
//! This module never looks at what is read or written.

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

/// The right to use stdout: the private duplicate of descriptor 1, where there are descriptors.
pub struct Claimed {
    #[cfg(unix)]
    out: OwnedFd,
}

/// The streams of the protocol.
pub struct Stdio {
    /// The host's messages. Ends when the host closes its side, and when the session is to end.
    pub reader: HostReader,
    /// The only way to the host.
    pub writer: HostWriter,
    /// The check of whether the host is still there.
    pub watch: Watch,
}

/// Checks of the host, without reading or writing.
pub struct Watch {
    #[cfg(unix)]
    out: OwnedFd,
    #[cfg(not(unix))]
    broken: CancellationToken,
}

/// Standard input, which also ends when the session is to end, so that a signal and a closed pipe
/// are one thing to the protocol: calls in flight are finished, then it is over.
pub struct HostReader {
    inner: Box<dyn AsyncRead + Send + Unpin>,
    end: CancellationToken,
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
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let over = match &read {
            Poll::Ready(Ok(())) => buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if over {
            self.end.cancel();
        }
        read
    }
}

/// The private stdout. When nobody reads it any more, the session is to end.
pub struct HostWriter {
    inner: Box<dyn AsyncWrite + Send + Unpin>,
    end: CancellationToken,
    /// Set off by a write that fails.
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
