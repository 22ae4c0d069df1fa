//! Promises about the wire, each kept against a real Mosquitto, a simulated zwave-js-ui at its other
//! side, and the real binary: what the house did counts, not only what was said.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::too_many_lines,
    missing_docs
)]

#[macro_use]
#[path = "../needs/mod.rs"]
mod needs;
#[path = "../nodes/mod.rs"]
mod nodes;
mod support;

mod bounds;
mod captured_house;
mod certainty;
mod changes;
mod cluster;
mod commands;
mod consent;
mod current;

mod discovery;
mod doctor;
mod exposure;
mod faults;
mod faults_random;
mod freshness;
mod gate;
mod kinds;
mod layouts;
mod live;
mod load;
mod logs;
mod reaching;
mod refusals;
mod rights;
mod secrets;
mod simulation;
mod size;
mod stdio;
mod steps;
mod structured;
// Its pseudoterminals are made as Linux makes them.
#[cfg(target_os = "linux")]
mod terminal;
mod tls;
mod view;
mod without_events;
