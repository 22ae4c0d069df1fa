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
// These two are shared, and used here in part.
#[allow(dead_code)]
#[path = "../wire/support/broker.rs"]
mod broker;
#[allow(dead_code)]
#[path = "../corpus/mod.rs"]
mod corpus;
mod host;

mod brokers;
mod endings;
mod hostile;
mod limits;
#[cfg(unix)]
mod owner;
mod panics;
mod pipes;
mod settings;
