//! Everything around the programs: the README and the other pages, the registry's entry, the MCP bundle,
//! releases, completions, the manual page, and the crates that each feature needs. The commands in the pages
//! are run here, or at least parsed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

#[macro_use]
#[path = "../needs/mod.rs"]
mod needs;

#[path = "../../src/bin/zwave-assistant/options.rs"]
#[allow(dead_code)]
mod assistant_options;
#[cfg(unix)]
mod bundle;
#[cfg(unix)]
mod checks;
mod commands;
mod confirm;
mod entries;
mod features;
mod host;
#[cfg(unix)]
mod hosts;
mod imports;
mod kinds;
mod pages;
mod readme;
mod registry;
#[cfg(unix)]
mod release;
mod shell;
mod snippet;
mod templates;
