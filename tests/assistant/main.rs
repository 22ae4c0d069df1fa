//! Promises about the host's half: from a sentence to a house that moves.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    missing_docs
)]

// What the houses' own tests use of it besides is not used here.
#[path = "../fixture/mod.rs"]
mod fixture;
#[allow(dead_code)]
#[path = "../houses/recorder.rs"]
mod recorder;
#[allow(dead_code)]
#[path = "../houses/values.rs"]
mod values;
#[macro_use]
#[path = "../needs/mod.rs"]
mod needs;

mod captured;
#[cfg(unix)]
mod endings;
mod house;
mod listen;
mod model;
mod plain;
mod program;
mod providers;
mod routed;
mod router;
mod search;
// What scripts/eval.sh uses of it besides is not used here.
#[allow(dead_code)]
mod sentences;
mod small;
mod spoken;
mod stand_in;
mod transcriber;
// What scripts/eval.sh uses of it besides is not used here.
#[allow(dead_code)]
mod utterances;
