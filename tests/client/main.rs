//! The companion client survives any server and runs any tool.
//!
//! The servers are this crate's own, `server-everything` from npm, and a hostile server in this test binary.
//! Tests that need no process run over in-memory pipes, mostly with a paused clock.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::exit,
    missing_docs
)]

#[path = "../fixture/mod.rs"]
mod fixture;
#[macro_use]
#[path = "../needs/mod.rs"]
mod needs;

mod accepted;
mod bounds;
mod closing;
mod commands;
mod connecting;
mod conversations;
mod endings;
mod engine;
mod everything;
mod example;
mod executor;
mod formats;
mod garbage;
mod hostile;
mod lines;
mod listing;
mod local;
mod manager;
mod program;
mod session;
mod silence;
mod support;
#[cfg(windows)]
mod windows;
