//! Parses what zwave-js-ui publishes: topics, events, small payloads and node documents (`docs/dev/GATEWAY.md`).

pub mod events;
pub mod nodes;
pub mod payloads;
pub mod scenes;
pub mod topics;
