//! Where there is no descriptor 1 to move, stdout is used as it is.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncWrite, Stdout};
use tokio_util::sync::CancellationToken;

use super::streams::{Claimed, HostReader, HostWriter, Stdio, Watch};

/// Takes stdout for the protocol.
pub fn claim() -> io::Result<Claimed> {
    Ok(Claimed {})
}

impl Claimed {
    /// Opens both directions for the runtime this is called in. `end` ends the reader, and is set
    /// off when the host is gone.
    pub fn open(self, end: &CancellationToken) -> io::Result<Stdio> {
        let broken = Arc::<AtomicBool>::default();
        let writer = Noticing {
            out: tokio::io::stdout(),
            broken: Arc::clone(&broken),
        };
        Ok(Stdio {
            reader: HostReader::new(Box::new(tokio::io::stdin()), end.clone()),
            writer: HostWriter::new(Box::new(writer), end.clone()),
            watch: Watch { broken },
        })
    }
}

impl Watch {
    /// Whether nobody reads what is written any more, as far as a write has shown it.
    pub fn broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }
}

/// Stdout, and whether writing to it has failed.
struct Noticing {
    out: Stdout,
    broken: Arc<AtomicBool>,
}

impl Noticing {
    fn noted<T>(&self, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if matches!(result, Poll::Ready(Err(_))) {
            self.broken.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl AsyncWrite for Noticing {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.out).poll_write(context, bytes);
        self.noted(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.out).poll_flush(context);
        self.noted(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.out).poll_shutdown(context)
    }
}
