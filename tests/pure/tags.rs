//! No two devices are shown by the same text, whatever the names of devices, rooms and gateways are. If a name
//! is not enough, the text has a tag such as "(node 3)". A call with this text selects the device, or leads to
//! a question that offers the device.

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

use crate::houses::{captured_snapshot, house_of};

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

/// The name and the room of each node of a gateway, and the name of the gateway's scene, if any.
type Site = (Vec<(&'static str, &'static str)>, Option<&'static str>);

fn any_site() -> impl Strategy<Value = Site> {
    let node = (select(&NAMES[..]), select(&ROOMS[..]));
    (
        prop::collection::vec(node, 1..4),
        prop::option::of(select(&NAMES[..])),
    )
}

fn build_house(sites: &[Site]) -> House {
    let template = captured_snapshot().nodes[&NodeId(2)].clone();
    let site = |(gateway, (nodes, scene)): (&&str, &Site)| {
        let nodes = nodes.iter().zip(2..).map(|((name, room), id)| {
            let node = Node {
                id: NodeId(id),
                name: (*name).into(),
                room: (*room).into(),
                ..Node::clone(&template)
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
    house_of(GATEWAYS.iter().zip(sites).map(site).collect())
}

/// Checks that no two devices are shown by the same text, and that each text selects its device or leads to a
/// question that offers the device.
fn check_shown_texts(sites: &[Site]) -> Result<(), TestCaseError> {
    let house = build_house(sites);
    let mut shown = BTreeSet::new();
    for device in house.devices() {
        let text = device.with_room();
        prop_assert!(
            shown.insert(squash(&text)),
            "two devices are shown as {text}"
        );
        match resolve(&house, &text, None, None, Action::On) {
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
fn devices_are_told_apart_even_if_a_name_imitates_the_tag_and_gateway_of_another_device() {
    let north = (vec![("Kettle (node 3)", "")], Some("Kettle (node 3)"));
    let south = (vec![("Kettle (node 3, South)", "North")], None);
    check_shown_texts(&[north, south]).unwrap();
}

#[test]
fn devices_are_told_apart_even_if_a_name_ends_like_the_tag_of_another_device() {
    let north = (
        vec![("Kettle (node 3)", ""), ("Kettle (node 3, South)", "Hall")],
        Some("Hall Kettle"),
    );
    let south = (vec![("", ""), ("Kettle", "Hall")], None);
    check_shown_texts(&[north, south]).unwrap();
}

#[test]
fn a_single_device_has_no_tag_even_if_its_name_has_to_be_cleaned() {
    for name in ["Kettle", "Hall Kettle", "Kettle\n2", "Kettle \u{200b}2"] {
        for room in ["", "Hall"] {
            let house = build_house(&[(vec![(name, room)], None)]);
            let tags: Vec<_> = house.devices().iter().map(|device| &device.tag).collect();
            assert_eq!(tags, [&None], "{name:?} in {room:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(500)))]

    #[test]
    fn each_device_is_shown_by_a_text_of_its_own_that_selects_or_offers_the_device(
        sites in prop::collection::vec(any_site(), 1..3)
    ) {
        check_shown_texts(&sites)?;
    }
}
