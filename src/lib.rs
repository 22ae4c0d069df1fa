//! An MCP server for Z-Wave houses that zwave-js-ui runs, and a companion client for hosts.
//!
//! Arrows go down only: [`mcp`] → [`gateway`] → [`home`]. [`client`] knows nothing of the others;
//! [`demo`] is a gateway for the far end of the bus.

pub mod cli;
pub mod client;
pub mod commands;
pub mod demo;
pub mod doctor;
pub mod gateway;
pub mod home;
pub mod host;
pub mod logging;
pub mod mcp;
pub mod stdio;
