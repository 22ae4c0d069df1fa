//! Nodes, values, scenes and groups as a gateway reports them. Everything else in `home` builds on
//! these types, and they use nothing of it.

pub mod ids;
pub mod node;
pub mod quantity;
pub mod snapshot;
pub mod value;
