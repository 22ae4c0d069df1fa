//! Houses for the tests: the captured house, and made-up ones.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::protocol::nodes::{Nodes, NodesReply};
use zwave_mcp_server::gateway::{GatewayView, View};
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::model::ids::{CommandClass as Cc, NodeId, SceneId, Timestamp, ValueId};
use zwave_mcp_server::home::model::node::{Node, Role};
use zwave_mcp_server::home::model::snapshot::{Scene, Snapshot};
use zwave_mcp_server::home::model::value::{Reading, Write};

use crate::nodes::Document;

/// The captured reply to `getNodes`.
pub const CAPTURED: &str = include_str!("../../fixtures/getNodes_reply.json");

/// Parses the nodes of a complete reply.
pub fn parse_nodes(reply: &str) -> Nodes {
    let reply = NodesReply::read(reply.as_bytes()).unwrap();
    reply.nodes.unwrap()
}

pub fn captured_snapshot() -> Snapshot {
    Snapshot {
        gateway: "Mosquitto".into(),
        nodes: parse_nodes(CAPTURED).nodes,
        ..Snapshot::default()
    }
}

/// Makes a house from snapshots, with every device visible.
pub fn house_of(snapshots: Vec<Snapshot>) -> House {
    House::exposing(Exposure::default(), snapshots)
}

pub fn captured() -> House {
    house_of(vec![captured_snapshot()])
}

/// Finds a device by its room and name.
pub fn find_device<'a>(house: &'a House, name: &str) -> &'a Device {
    house
        .devices()
        .iter()
        .find(|device| device.with_room() == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// Builds a house of these nodes.
pub fn build_house(documents: impl IntoIterator<Item = Document>) -> House {
    let documents = documents.into_iter().map(Document::json);
    let reply = json!({ "success": true, "result": documents.collect::<Json>() });
    house_of(vec![Snapshot {
        gateway: "x".into(),
        nodes: parse_nodes(&reply.to_string()).nodes,
        ..Snapshot::default()
    }])
}

/// Builds a house of switches with these names and rooms.
pub fn build_switches(names: &[(String, String)]) -> House {
    let template = Node::clone(&captured_snapshot().nodes[&NodeId(2)]);
    let nodes = names.iter().enumerate().map(|(index, (name, room))| {
        let id = NodeId(index as u16 + 2);
        let node = Node {
            id,
            name: name.as_str().into(),
            room: room.as_str().into(),
            ..template.clone()
        };
        (id, Arc::new(node))
    });
    house_of(vec![Snapshot {
        gateway: "x".into(),
        nodes: nodes.collect(),
        ..Snapshot::default()
    }])
}

/// Returns the captured house with groups and scenes. The group "Doors" has the front door's lock and the
/// garage door. The scene "Coming home" unlocks the front door.
pub fn captured_with_groups_and_scenes() -> Snapshot {
    let mut snapshot = captured_snapshot();
    let broadcast = Node::clone(&snapshot.nodes[&NodeId(255)]);
    for (id, name, members) in [
        (4096, "Downstairs", vec![NodeId(3), NodeId(4), NodeId(5)]),
        (4097, "Doors", vec![NodeId(12), NodeId(13)]),
        (4098, "Lamps", vec![NodeId(3), NodeId(4)]),
        (4099, "Spots", vec![NodeId(5), NodeId(6)]),
        (4100, "Stairwell", vec![NodeId(5), NodeId(11)]),
    ] {
        let mut node = broadcast.clone();
        node.id = NodeId(id);
        node.name = name.into();
        let level = ValueId::new(Cc::MULTILEVEL_SWITCH, 0, "targetValue");
        let mut basic = node.value(&level).unwrap().clone();
        basic.id.class = Cc::BASIC;
        basic.meta.max = Some(255.0);
        node.values.insert(0, basic);
        node.role = Role::Group;
        snapshot.nodes.insert(NodeId(id), Arc::new(node));
        snapshot.groups.insert(NodeId(id), members);
    }
    let write = |class, property, value: Reading| Write {
        target: ValueId::new(class, 0, property),
        value,
    };
    let dim = (
        NodeId(5),
        write(Cc::MULTILEVEL_SWITCH, "targetValue", 20.0.into()),
    );
    let unlock = (NodeId(12), write(Cc::DOOR_LOCK, "targetMode", 0.0.into()));
    let lock = (NodeId(12), write(Cc::DOOR_LOCK, "targetMode", 255.0.into()));
    for (id, label, writes) in [
        (1, "Movie night", vec![dim.clone()]),
        (2, "Coming home", vec![dim.clone(), unlock]),
        (3, "Leaving", vec![dim, lock]),
    ] {
        let label = label.to_owned();
        snapshot.scenes.insert(SceneId(id), Scene { label, writes });
    }
    snapshot
}

/// Builds the view of a house whose gateways work.
pub fn build_view(house: &House) -> View<'_> {
    let gateways = house.snapshots().iter().map(|snapshot| GatewayView {
        name: snapshot.gateway.clone(),
        trouble: None,
        age: None,
        was_read: true,
        unreadable: 0,
        left_out: 0,
        fetch_time: None,
        executes_twice: false,
        change_count: 0,
        history: Arc::default(),
    });
    View {
        house,
        gateways: gateways.collect(),
        trouble: None,
        now: Timestamp(1_800_000_000_000),
        zone: Arc::new(|_| 0),
    }
}
