//! Nothing but protocol ever reaches stdout: every byte belongs to a JSON-RPC message on one line. Every
//! request that can be answered is answered exactly once. When the host is gone, the process exits with the
//! right exit code.
//!
//! Runs the binary that Cargo has built, or the one at the path in `ZWAVE_MCP_BINARY`.

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
#[allow(dead_code)] // This suite uses only a part.
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
