//! What one gateway reported last: its nodes, scenes and groups.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ids::{GatewayName, NodeId, SceneId};
use super::node::Node;
use super::value::Write;

/// What one gateway reported last: its nodes, scenes and groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The gateway.
    pub gateway: GatewayName,
    /// Its nodes by number, virtual ones among them. Each is shared by those who look at it.
    pub nodes: BTreeMap<NodeId, Arc<Node>>,
    /// Its scenes by number.
    pub scenes: BTreeMap<SceneId, Scene>,
    /// The members of its groups, by the group's node.
    pub groups: BTreeMap<NodeId, Vec<NodeId>>,
}

impl Snapshot {
    /// A gateway that has reported nothing yet.
    pub fn of(gateway: GatewayName) -> Self {
        Self {
            gateway,
            ..Self::default()
        }
    }

    /// A gateway's snapshot among those of a house.
    pub fn find<'a>(snapshots: &'a [Arc<Self>], gateway: &GatewayName) -> Option<&'a Self> {
        let mut snapshots = snapshots.iter().map(|snapshot| &**snapshot);
        snapshots.find(|snapshot| snapshot.gateway == *gateway)
    }

    /// A node to change. Whoever looks at the snapshot meanwhile keeps the node as it was.
    pub fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(&node).map(Arc::make_mut)
    }
}

/// A scene: writes that zwave-js-ui does one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Its name.
    pub label: String,
    /// What it writes, and to which node.
    pub writes: Vec<(NodeId, Write)>,
}
