//! Reads all that zwave-js-ui publishes: topics, events, the small payloads, and its node documents
//! (`docs/GATEWAY.md`).

pub mod events;
pub mod nodes;
pub mod payloads;
pub mod scenes;
pub mod topics;
