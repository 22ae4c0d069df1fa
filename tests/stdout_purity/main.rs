//! Nothing but protocol ever reaches stdout: every byte belongs to a JSON-RPC message on one line,
//! every request that can be answered is answered exactly once, and the process exits when its host does,
//! with the right exit code.
//!
//! Drives the real binary, or the build of it that `ZWAVE_MCP_BINARY` names.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

#[macro_use]
#[path = "../needs/mod.rs"]
mod needs;
#[path = "../fixture/mod.rs"]
mod fixture;
mod host;
#[allow(dead_code)] // Only a part is used here.
#[path = "../hostile_lines/mod.rs"]
mod hostile_lines;

mod brokers;
mod endings;
mod fixture_session;
mod hostile;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod owner;
mod pipes;
mod settings;
