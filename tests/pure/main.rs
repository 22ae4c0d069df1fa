//! Promises that need no wire: names, plans, arguments, documents, topics, wording.

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

#[path = "../corpus/mod.rs"]
mod hostile;

#[path = "../nodes/mod.rs"]
mod nodes;

mod arguments;
mod bounds;
mod documents;
mod exposure;
mod houses;
mod levels;
mod listing;
mod noise;
mod panics;
mod plan;
mod proof;
mod reaching;
mod reading;
mod refusals;
mod resolver;
mod stdin_lines;
mod tags;
mod text;
mod tools;
mod topics;
mod wording;
