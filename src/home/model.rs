//! Nodes, values, scenes and groups as a gateway reports them. The rest of `home` builds on these types. They use
//! nothing else in `home`.

pub mod ids;
pub mod node;
pub mod quantity;
pub mod snapshot;
pub mod value;
