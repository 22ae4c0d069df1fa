//! Nodes, values, scenes and groups as a gateway tells them, below everything else in the house.

pub mod ids;
pub mod node;
pub mod quantity;
pub mod snapshot;
pub mod value;
