//! Uses stdout as it is, on systems that have no descriptor 1 to move.

use std::io;

use tokio_util::sync::CancellationToken;

use super::{Claimed, HostReader, HostWriter, Stdio, Watch};

/// Takes stdout for the protocol.
pub fn claim() -> io::Result<Claimed> {
    Ok(Claimed {})
}

impl Claimed {
    /// Opens both directions for the runtime this is called in. `end` ends the reader, and is set
    /// off when the host is gone.
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
    /// Returns true if the host has closed its side of stdin. Only a reader can find out here.
    pub fn is_closed(&self) -> bool {
        false
    }

    /// Returns true if nobody reads what is written any more, as far as a write has shown it.
    pub fn is_broken(&self) -> bool {
        self.broken.is_cancelled()
    }
}
