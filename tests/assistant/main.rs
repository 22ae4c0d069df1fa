//! Promises about the host's half: from a sentence to a house that moves.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod providers;
mod stand_in;
