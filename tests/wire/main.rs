//! Tests of the real binary, with a real Mosquitto broker and a simulated zwave-js-ui. The tests check what the
//! house did, not only what the server said.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::too_many_lines,
    missing_docs
)]

#[path = "../fixture/mod.rs"]
mod fixture;
#[macro_use]
#[path = "../needs/mod.rs"]
mod needs;

mod cluster;
mod commands;
mod consent;
mod doctor;
mod endings;
mod faults;
mod faults_random;
mod gate;
mod load;
mod logs;
mod rights;
mod secrets;
// Opens pseudoterminals in a way that works only on Linux.
#[cfg(target_os = "linux")]
mod terminal;
mod tls;

/// A simulated house on a real broker.
pub type House = fixture::House<fixture::Mosquitto>;
