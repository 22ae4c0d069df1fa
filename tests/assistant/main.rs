//! Tests the whole assistant: from a sentence to the commands that the house receives.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    missing_docs
)]

// Some modules have parts that only `tests/houses` or `scripts/eval` use.
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
mod consent;
mod dialogues;
mod differential;
#[cfg(unix)]
mod endings;
mod hidden;
mod house;
#[allow(dead_code)]
mod house_files;
mod later;
mod listen;
mod model;
mod plain;
mod program;
mod providers;
mod routed;
mod router;
mod search;
#[allow(dead_code)]
mod sentences;
mod small;
mod spoken;
mod stand_in;
mod tagged;
mod told;
mod transcriber;
#[allow(dead_code)]
mod utterances;
mod words;
