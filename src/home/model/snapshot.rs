//! The latest report of one gateway: its nodes, scenes and groups.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ids::{GatewayName, NodeId, SceneId};
use super::node::Node;
use super::value::Write;

/// The nodes, scenes and groups of one gateway, as it last reported them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The gateway.
    pub gateway: GatewayName,
    /// The nodes by number, with virtual ones. Each is shared between snapshots until it changes.
    pub nodes: BTreeMap<NodeId, Arc<Node>>,
    /// The scenes by number.
    pub scenes: BTreeMap<SceneId, Scene>,
    /// The members of each group, by the group's virtual node.
    pub groups: BTreeMap<NodeId, Vec<NodeId>>,
}

impl Snapshot {
    /// Makes the snapshot of a gateway that has reported nothing yet.
    pub fn of(gateway: GatewayName) -> Self {
        Self {
            gateway,
            ..Self::default()
        }
    }

    /// Finds a gateway's snapshot among those of a house.
    pub fn find<'a>(snapshots: &'a [Arc<Self>], gateway: &GatewayName) -> Option<&'a Self> {
        snapshots.iter().map(Arc::as_ref).find(|snapshot| snapshot.gateway == *gateway)
    }

    /// Returns mutable access to a node. Other snapshots that share the node keep it as it was.
    pub fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(&node).map(Arc::make_mut)
    }
}

/// A scene of zwave-js-ui: writes that it makes one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The name.
    pub label: String,
    /// The writes, each with its node.
    pub writes: Vec<(NodeId, Write)>,
}
