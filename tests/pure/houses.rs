//! Houses to test with: the captured one, and ones of any names.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::protocol::nodes::{Nodes, NodesReply};
use zwave_mcp_server::gateway::{GatewayView, View};
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::model::ids::{CommandClass as Cc, NodeId, SceneId, Timestamp, ValueId};
use zwave_mcp_server::home::model::node::{Node, Role};
use zwave_mcp_server::home::model::snapshot::{Scene, Snapshot};
use zwave_mcp_server::home::model::value::{Reading, Write};

use crate::nodes::Document;

pub const CAPTURED: &str = include_str!("../../fixtures/getNodes_reply.json");

/// The nodes of a reply that is there as a whole.
pub fn nodes_of(reply: &str) -> Nodes {
    let reply = NodesReply::read(reply.as_bytes()).unwrap();
    reply.nodes.unwrap()
}

pub fn captured_snapshot() -> Snapshot {
    Snapshot {
        gateway: "Mosquitto".into(),
        nodes: nodes_of(CAPTURED).nodes,
        ..Snapshot::default()
    }
}

pub fn captured() -> House {
    House::new(vec![captured_snapshot()])
}

pub fn device<'a>(house: &'a House, name: &str) -> &'a Device {
    house
        .devices()
        .iter()
        .find(|device| device.with_room() == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// A house of these nodes.
pub fn house(documents: impl IntoIterator<Item = Document>) -> House {
    let documents = documents.into_iter().map(Document::json);
    let reply = json!({ "success": true, "result": documents.collect::<Json>() });
    House::new(vec![Snapshot {
        gateway: "x".into(),
        nodes: nodes_of(&reply.to_string()).nodes,
        ..Snapshot::default()
    }])
}

/// A house of switches with these names and rooms.
pub fn named(names: &[(String, String)]) -> House {
    let pattern = Node::clone(&captured_snapshot().nodes[&NodeId(2)]);
    let nodes = names.iter().enumerate().map(|(index, (name, room))| {
        let id = NodeId(index as u16 + 2);
        let node = Node {
            id,
            name: name.as_str().into(),
            room: room.as_str().into(),
            ..pattern.clone()
        };
        (id, Arc::new(node))
    });
    House::new(vec![Snapshot {
        gateway: "x".into(),
        nodes: nodes.collect(),
        ..Snapshot::default()
    }])
}

/// The captured house with a group of the two lamps and one of both doors, and scenes that do and
/// do not open something.
pub fn with_many() -> Snapshot {
    let mut site = captured_snapshot();
    let group = Node::clone(&site.nodes[&NodeId(255)]);
    for (id, name, members) in [
        (4096, "Downstairs", vec![NodeId(3), NodeId(4), NodeId(5)]),
        (4097, "Doors", vec![NodeId(12), NodeId(13)]),
        (4098, "Lamps", vec![NodeId(3), NodeId(4)]),
        (4099, "Spots", vec![NodeId(5), NodeId(6)]),
        (4100, "Stairwell", vec![NodeId(5), NodeId(11)]),
    ] {
        let mut node = group.clone();
        node.id = NodeId(id);
        node.name = name.into();
        let level = ValueId::new(Cc::MULTILEVEL_SWITCH, 0, "targetValue");
        let mut basic = node.value(&level).unwrap().clone();
        basic.id.class = Cc::BASIC;
        basic.meta.max = Some(255.0);
        node.values.insert(0, basic);
        node.role = Role::Group;
        site.nodes.insert(NodeId(id), Arc::new(node));
        site.groups.insert(NodeId(id), members);
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
        site.scenes.insert(SceneId(id), Scene { label, writes });
    }
    site
}

/// A look at a house where nothing is wrong.
pub fn view(house: &House) -> View<'_> {
    let gateways = house.snapshots().iter().map(|snapshot| GatewayView {
        name: snapshot.gateway.clone(),
        trouble: None,
        age: None,
        known: true,
        unreadable: 0,
        took: None,
        changes: 0,
    });
    View {
        house,
        gateways: gateways.collect(),
        trouble: None,
        now: Timestamp(1_800_000_000_000),
    }
}
