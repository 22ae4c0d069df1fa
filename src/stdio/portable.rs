//! Where there is no descriptor 1 to move, stdout is used as it is.

use std::io;

use tokio_util::sync::CancellationToken;

use super::streams::{Claimed, HostReader, HostWriter, Stdio, Watch};

/// Takes stdout for the protocol.
pub fn claim() -> io::Result<Claimed> {
    Ok(Claimed {})
}

impl Claimed {
    /// Opens both directions for the runtime this is called in.
    pub fn open(self, end: &CancellationToken) -> io::Result<Stdio> {
        Ok(Stdio {
            reader: HostReader::new(Box::new(tokio::io::stdin()), end.clone()),
            writer: HostWriter::new(Box::new(tokio::io::stdout()), end.clone()),
            watch: Watch {},
        })
    }
}

impl Watch {
    /// Nothing is known of the reader here.
    pub fn broken(&self) -> bool {
        false
    }
}
