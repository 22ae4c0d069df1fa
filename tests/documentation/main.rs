//! The surroundings of the binary: the README and the other pages, the registry's entry, the MCP bundle,
//! releases, completions and the manual page, and what the package brings along. Whatever is written
//! there for people or machines to run is run or read here.

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
mod commands;
mod entries;
mod features;
mod host;
#[cfg(unix)]
mod hosts;
mod pages;
mod paths;
mod picture;
mod readme;
mod registry;
#[cfg(unix)]
mod release;
mod shell;
mod snippet;
