//! However devices, rooms and gateways are called, no two devices are told by the same text, and what
//! is told of one names it when it is said back, or asks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::letters::squash;
use zwave_mcp_server::home::model::ids::{NodeId, SceneId};
use zwave_mcp_server::home::model::node::Node;
use zwave_mcp_server::home::model::snapshot::{Scene, Snapshot};
use zwave_mcp_server::home::names::{Resolved, resolve};

use crate::houses::captured_snapshot;

const GATEWAYS: [&str; 2] = ["North", "South"];

const NAMES: [&str; 14] = [
    "",
    "Kettle",
    "Kettle (node 3)",
    "Kettle node 4",
    "Kettle (North)",
    "North Kettle",
    "Kettle (node 3, South)",
    "Node 3",
    "nodeID_4",
    "Node 3 endpoint 1",
    "Kettle (scene 3)",
    "Scene 3",
    "Hall Kettle",
    "3",
];

const ROOMS: [&str; 5] = ["", "Hall", "Hall North", "North", "Node 3"];

/// The nodes of a gateway, by name and room, and what its one scene is called.
type Named = (Vec<(&'static str, &'static str)>, Option<&'static str>);

fn any_site() -> impl Strategy<Value = Named> {
    let node = (select(&NAMES[..]), select(&ROOMS[..]));
    (
        prop::collection::vec(node, 1..4),
        prop::option::of(select(&NAMES[..])),
    )
}

fn house(sites: &[Named]) -> House {
    let pattern = captured_snapshot().nodes[&NodeId(2)].clone();
    let site = |(gateway, (nodes, scene)): (&&str, &Named)| {
        let nodes = nodes.iter().zip(2..).map(|((name, room), id)| {
            let node = Node {
                id: NodeId(id),
                name: (*name).into(),
                room: (*room).into(),
                ..Node::clone(&pattern)
            };
            (node.id, Arc::new(node))
        });
        let scene = scene.map(|label| {
            let scene = Scene {
                label: label.to_owned(),
                ..Scene::default()
            };
            (SceneId(3), scene)
        });
        Snapshot {
            gateway: (*gateway).into(),
            nodes: nodes.collect(),
            scenes: scene.into_iter().collect(),
            groups: BTreeMap::new(),
        }
    };
    House::new(GATEWAYS.iter().zip(sites).map(site).collect())
}

/// No two devices read the same, and each is reached or asked for.
fn judge(sites: &[Named]) -> Result<(), TestCaseError> {
    let house = house(sites);
    let mut told = BTreeSet::new();
    for device in house.devices() {
        let text = device.with_room();
        prop_assert!(told.insert(squash(&text)), "two are told as {text}");
        match resolve(&house, &text, None, Action::On) {
            Resolved::One(found) => {
                prop_assert_eq!(&found.id, &device.id, "{} is {}", text, found.with_room());
            }
            Resolved::Tie(found) | Resolved::Room(_, found) => {
                let names: Vec<String> = found.iter().map(|found| found.with_room()).collect();
                prop_assert!(found.contains(&device), "{text} asks for {names:?}");
            }
            other => prop_assert!(false, "{text}: {other:?}"),
        }
    }
    Ok(())
}

#[test]
fn a_name_that_is_anothers_with_its_tag_and_gateway_is_that_device_in_its_room() {
    let north = (vec![("Kettle (node 3)", "")], Some("Kettle (node 3)"));
    let south = (vec![("Kettle (node 3, South)", "North")], None);
    judge(&[north, south]).unwrap();
}

#[test]
fn a_name_that_is_anothers_with_the_tag_that_a_third_makes_needful_is_told_too() {
    let north = (
        vec![("Kettle (node 3)", ""), ("Kettle (node 3, South)", "Hall")],
        Some("Hall Kettle"),
    );
    let south = (vec![("", ""), ("Kettle", "Hall")], None);
    judge(&[north, south]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(500)))]

    #[test]
    fn no_two_devices_read_the_same_and_each_is_reached_or_asked_for(
        sites in prop::collection::vec(any_site(), 1..3)
    ) {
        judge(&sites)?;
    }
}
