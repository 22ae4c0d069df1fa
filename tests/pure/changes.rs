//! Changes that are found by comparing a node with its earlier state.

use zwave_mcp_server::home::changes::find_changes;
use zwave_mcp_server::home::endpoints::devices_of_node;
use zwave_mcp_server::home::fact::Fact;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::home::model::node::{Node, NodeStatus};
use zwave_mcp_server::home::model::snapshot::Snapshot;

use crate::houses::captured_snapshot;

/// Raises every endpoint number of a node by one, so that endpoint 0 has nothing.
fn raise_endpoints(node: &Node) -> Node {
    let mut node = node.clone();
    for value in &mut node.values {
        value.id.endpoint += 1;
    }
    for (endpoint, _) in &mut node.classes {
        *endpoint += 1;
    }
    for endpoint in &mut node.endpoints {
        endpoint.index += 1;
    }
    node
}

#[test]
fn a_node_that_stops_responding_is_reported_if_and_only_if_it_has_devices() {
    let Snapshot { gateway, nodes, .. } = captured_snapshot();
    let nodes = nodes.values().flat_map(|node| [Node::clone(node), raise_endpoints(node)]);
    for node in nodes {
        let [alive, dead] = [NodeStatus::Alive, NodeStatus::Dead].map(|status| Node {
            status,
            ..node.clone()
        });
        let changes = find_changes(&gateway, &alive, &dead, Timestamp(0), None, |_, _| None);
        let is_silence = changes.iter().any(|change| change.after == Fact::Responding(false));
        let has_devices = !devices_of_node(&gateway, &node).is_empty();
        assert_eq!(
            is_silence, has_devices,
            "{} {:?}",
            node.name, node.endpoints
        );
    }
}
