//! What zwave-js-ui says on the wire, read: topics, events, the small payloads, and its documents
//! of nodes (`docs/GATEWAY.md`).

pub mod events;
pub mod nodes;
pub mod payloads;
pub mod scenes;
pub mod topics;
