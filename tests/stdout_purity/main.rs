//! Nothing but protocol ever reaches stdout: every byte belongs to a JSON-RPC message on one line,
//! every request that can be answered is answered exactly once, and the process is gone when its
//! host is, with the right exit code.
//!
//! Drives the real binary; another build of it can be named by `ZWAVE_MCP_BINARY`.

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
#[allow(dead_code)] // Used here in part.
#[path = "../corpus/mod.rs"]
mod corpus;
#[path = "../fixture/mod.rs"]
mod fixture;
mod host;

mod brokers;
mod endings;
mod hostile;
mod limits;
#[cfg(unix)]
mod owner;
mod pipes;
mod settings;
