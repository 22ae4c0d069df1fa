//! Tests that call the library directly, without a broker and without a server process.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps,
    clippy::drop_non_drop,
    clippy::too_many_lines,
    missing_docs
)]

#[path = "../fixture/mod.rs"]
mod fixture;
#[path = "../hostile_lines/mod.rs"]
mod hostile_lines;

#[path = "../needs/mod.rs"]
mod needs;
#[path = "../nodes/mod.rs"]
mod nodes;

mod arguments;
mod backoff;
mod bounds;
mod certificates;
mod change_log;
mod changes;
mod command_line;
mod devices;
mod documents;
mod exposure;
mod houses;
mod kinds;
mod language;
mod lines;
mod listing;
mod noise;
mod own_words;
mod plan;
mod products;
mod proof;
mod quantities;
mod queue;
mod redaction;
mod refresh;
mod refusals;
mod reports;
mod resolved_settings;
mod resolver;
mod session;
mod settings;
mod stdin_lines;
mod tags;
mod text;
mod tools;
mod topics;
mod unconfirmed;
mod unproven;
mod wording;
mod words;
