//! Uses stdin and stdout unchanged, on systems other than Unix.

use std::io;

use tokio_util::sync::CancellationToken;

use super::{Claimed, HostReader, HostWriter, Stdio, Watch};

/// Claims stdout for the protocol. There is nothing to do.
pub fn claim() -> io::Result<Claimed> {
    Ok(Claimed {})
}

impl Claimed {
    /// Opens both streams. Must be called in a tokio runtime. Cancelling `end` ends the reader. The streams
    /// cancel `end` when stdin ends or a write fails.
    pub fn open(self, end: &CancellationToken) -> io::Result<Stdio> {
        let writer = HostWriter::new(Box::new(tokio::io::stdout()), end.clone());
        let watch = Watch {
            broken: writer.broken.clone(),
        };
        Ok(Stdio {
            reader: HostReader::new(Box::new(tokio::io::stdin()), end.clone()),
            writer,
            watch,
        })
    }
}

impl Watch {
    /// Returns false, because only a read can tell whether the host has closed its side of stdin.
    pub fn is_closed(&self) -> bool {
        false
    }

    /// Returns true if a write has failed. A write fails when the host no longer reads.
    pub fn is_broken(&self) -> bool {
        self.broken.is_cancelled()
    }
}
