//! A TCP stream that acknowledges received data immediately.
//!
//! Linux delays an ACK by up to 40 ms, in case outgoing data can carry it. Brokers leave Nagle's algorithm
//! on: a small packet waits until the previous one is acknowledged. Most replies follow another packet, so
//! they would arrive 40 ms late. The delay would matter, because a command on
//! the radio takes hardly longer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// The stream that a connection runs on.
pub trait BrokerStream: AsyncRead + AsyncWrite + Send + Unpin {
    /// Sets an option: when the stream is dropped, the data that is not yet delivered is discarded.
    fn discard_on_drop(&self);
}

/// A TCP stream with quick acknowledgements.
pub struct QuickAckStream(pub TcpStream);

impl BrokerStream for QuickAckStream {
    fn discard_on_drop(&self) {
        // Fails only if the connection is gone. Then there is nothing to discard.
        let _ = self.0.set_zero_linger();
    }
}

impl BrokerStream for TlsStream<QuickAckStream> {
    fn discard_on_drop(&self) {
        self.get_ref().0.discard_on_drop();
    }
}

/// Sets `TCP_QUICKACK`. Called after every read, because the system clears the option by itself (tcp(7)). A
/// failure only delays packets.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn acknowledge(tcp: &TcpStream) {
    let _ = tcp.set_quickack(true);
}

/// Other systems have no such option.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn acknowledge(_tcp: &TcpStream) {}

impl AsyncRead for QuickAckStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.0).poll_read(context, buffer);
        if buffer.filled().len() > before {
            acknowledge(&self.0);
        }
        read
    }
}

impl AsyncWrite for QuickAckStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
