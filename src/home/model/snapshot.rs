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
    /// The nodes by number, including virtual ones. Snapshots share each node until it changes.
    pub nodes: BTreeMap<NodeId, Arc<Node>>,
    /// The scenes by number.
    pub scenes: BTreeMap<SceneId, Scene>,
    /// The members of each group, by the group's virtual node.
    pub groups: BTreeMap<NodeId, Vec<NodeId>>,
}

impl Snapshot {
    /// Makes the snapshot of a gateway that has reported nothing yet.
    pub fn empty(gateway: GatewayName) -> Self {
        Self {
            gateway,
            ..Self::default()
        }
    }

    /// Finds the snapshot of a gateway.
    pub fn find<'a>(snapshots: &'a [Arc<Self>], gateway: &GatewayName) -> Option<&'a Self> {
        snapshots.iter().map(Arc::as_ref).find(|snapshot| snapshot.gateway == *gateway)
    }

    /// Returns mutable access to a node, which is cloned first if other snapshots share it.
    pub fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(&node).map(Arc::make_mut)
    }
}

/// A zwave-js-ui scene: writes that the gateway sends one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The name.
    pub label: String,
    /// The writes, each with its node.
    pub writes: Vec<(NodeId, Write)>,
}
