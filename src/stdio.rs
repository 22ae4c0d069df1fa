//! The private stdout. The only file that knows descriptor 1.
//!
//! At the start the protocol takes a duplicate of descriptor 1 for itself, and descriptor 1 is
//! pointed at stderr: a stray write in any dependency can't reach the host any more.
//! This module never looks at what is read or written.

#[cfg(not(unix))]
mod portable;
mod streams;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use portable::claim;
pub use streams::{Claimed, HostReader, HostWriter, Stdio, Watch};
#[cfg(unix)]
pub use unix::claim;
