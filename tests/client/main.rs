//! The companion client: any server is survived, and any tool is run.
//!
//! Real servers are this crate's own, `server-everything` from npm, and a hostile one that this very
//! binary plays. What needs no process runs over pipes in memory, on a clock of its own.

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
