//! An MCP server for Z-Wave houses run by zwave-js-ui, and a client library for MCP hosts.
//!
//! `mcp` depends on `gateway`, and `gateway` on `home`, never the reverse. [`client`] depends on none of them.
//! `simulator` simulates zwave-js-ui at the other end of the MQTT connection.

#[cfg(feature = "assistant")]
pub mod assistant;
#[cfg(feature = "server")]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod commands;
#[cfg(feature = "server")]
mod crypto;
#[cfg(feature = "server")]
pub mod doctor;
#[cfg(feature = "server")]
pub mod files;
#[cfg(feature = "server")]
pub mod gateway;
#[cfg(feature = "server")]
pub use zwave_home as home;
#[cfg(feature = "server")]
pub mod host;
#[cfg(feature = "client")]
mod json;
#[cfg(feature = "client")]
pub mod lines;
#[cfg(feature = "client")]
mod lock;
#[cfg(feature = "server")]
pub mod logging;
#[cfg(feature = "server")]
pub mod mcp;
#[cfg(feature = "server")]
pub mod signals;
#[cfg(feature = "server")]
pub mod simulator;
#[cfg(feature = "server")]
pub mod stdio;
#[cfg(feature = "client")]
pub mod terminal;
#[cfg(feature = "view")]
pub mod view;
