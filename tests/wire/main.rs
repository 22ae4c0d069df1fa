//! Promises about the wire, the process and the broker, each kept against a real Mosquitto, a simulated
//! zwave-js-ui at its other side, and the real binary: what the house did counts, not only what was said.

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
mod doctor;
mod endings;
mod faults;
mod faults_random;
mod gate;
mod load;
mod logs;
mod rights;
mod secrets;
// Its pseudoterminals are made as Linux makes them.
#[cfg(target_os = "linux")]
mod terminal;
mod tls;

/// A house at a real broker.
pub type House = fixture::House<fixture::Mosquitto>;
