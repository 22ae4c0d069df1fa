//! Topics belong to the values that zwave-js-ui made them of.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value as Json;
use zwave_mcp_server::gateway::topics::{Owner, Route, Spellings, route, sanitised};
use zwave_mcp_server::home::ids::{CommandClass, NodeId};
use zwave_mcp_server::home::node::Node;

use crate::houses::captured_site;

fn owners(nodes: &BTreeMap<NodeId, Node>, topics: &[&str]) -> Vec<Owner> {
    let mut spellings = Spellings::default();
    spellings.respell(nodes.values());
    topics
        .iter()
        .map(|topic| spellings.owner(topic, |id| nodes.get(&id)))
        .collect()
}

#[test]
fn names_are_sanitised_as_zwave_js_ui_does() {
    let cases = include_str!("../../fixtures/topic_sanitising.json");
    let cases: Vec<Json> = serde_json::from_str(cases).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let topic = case["value_topic"].as_str().unwrap();
        let own = match name {
            "" => "nodeID_21".to_owned(),
            name => sanitised(name),
        };
        let wanted = format!("zwave/Attic/{own}/switch_binary/endpoint_0/currentValue");
        assert_eq!(topic, wanted, "{name:?}");
    }
    assert!(cases.len() > 20);
}

#[test]
fn every_topic_that_the_captured_gateway_retains_finds_its_value() {
    let nodes = captured_site().nodes;
    let retained = include_str!("../../fixtures/retained_type1_payload0.jsonl");
    let messages: Vec<Json> = retained
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut values = 0;
    let mut spellings = Spellings::default();
    spellings.respell(nodes.values());
    for message in &messages {
        let topic = message["topic"].as_str().unwrap();
        let Route::House(path) = route("zwave", topic) else {
            continue;
        };
        match spellings.owner(path, |id| nodes.get(&id)) {
            Owner::Value(node, id) => {
                values += 1;
                let value = nodes[&node].value(&id).unwrap();
                let property = id.property.to_string();
                assert!(
                    path.contains(&sanitised(&property.replace('/', "-"))),
                    "{path} is not {value:?}"
                );
            }
            Owner::Node(_) | Owner::Known => {}
            other => panic!("{path}: {other:?}"),
        }
    }
    let kept: usize = nodes.values().map(|node| node.values.len()).sum();
    assert_eq!(values, kept, "every kept value has its topic");
}

#[test]
fn the_same_names_in_two_rooms_are_told_apart() {
    let nodes = captured_site().nodes;
    let topics = [
        "Office/Ceiling/switch_multilevel/endpoint_0/currentValue",
        "Bedroom/Ceiling/switch_multilevel/endpoint_0/currentValue",
        "Ceiling/switch_multilevel/endpoint_0/currentValue",
        "Living_Room/Blind/East/unknownClass_106/endpoint_0/currentValue/13",
        "Office/Ceiling/38/0/currentValue",
        "nodeID_99/switch_binary/endpoint_0/currentValue",
    ];
    let found = owners(&nodes, &topics);
    let node = |owner: &Owner| match owner {
        Owner::Value(node, _) => node.0,
        other => panic!("{other:?}"),
    };
    assert_eq!(node(&found[0]), 7);
    assert_eq!(node(&found[1]), 6);
    assert_eq!(
        found[2],
        Owner::Ambiguous,
        "without its location it is either"
    );
    assert_eq!(node(&found[3]), 9);
    assert_eq!(node(&found[4]), 7);
    assert_eq!(found[5], Owner::Unmatched);
}

#[test]
fn a_name_that_another_node_has_in_another_layout_is_decided_by_what_passed() {
    let mut nodes = captured_site().nodes;
    let mut roomless = nodes[&NodeId(3)].clone();
    roomless.id = NodeId(40);
    roomless.room = "".into();
    nodes.insert(NodeId(40), roomless);
    let topic = "Lamp/switch_binary/endpoint_0/currentValue";
    let with_rooms = "Kitchen/Dimmer/switch_multilevel/endpoint_0/currentValue";
    let found = owners(&nodes, &[topic, with_rooms, topic]);
    assert_eq!(
        found[0],
        Owner::Ambiguous,
        "the Lamp of the living room, or the roomless one"
    );
    assert!(
        matches!(&found[2], Owner::Value(NodeId(40), _)),
        "{:?}",
        found[2]
    );
}

#[test]
fn routes_are_told_apart() {
    let client = "home/zwave/_CLIENTS/ZWAVE_GATEWAY-My_House";
    for (topic, wanted) in [
        (format!("{client}/status"), Route::GatewayStatus("My_House")),
        (format!("{client}/version"), Route::Gateway("My_House")),
        (
            format!("{client}/api/getNodes"),
            Route::Reply("My_House", "getNodes"),
        ),
        (
            format!("{client}/api/getNodes/set"),
            Route::Request("My_House", "getNodes"),
        ),
        ("home/zwave/driver/status".to_owned(), Route::DriverStatus),
        (
            "home/zwave/_EVENTS/ZWAVE_GATEWAY-My_House/node/node_dead".to_owned(),
            Route::Event("My_House", "node/node_dead"),
        ),
        (
            "home/zwave/Kitchen/Dimmer/status".to_owned(),
            Route::House("Kitchen/Dimmer/status"),
        ),
        ("home/zwave/a/37/0/targetValue/set".to_owned(), Route::Other),
        ("home/zwavex/a".to_owned(), Route::Other),
        ("home/zwave".to_owned(), Route::Other),
    ] {
        assert_eq!(route("home/zwave", &topic), wanted, "{topic}");
    }
}

proptest! {
    #[test]
    fn no_topic_breaks_the_reader(topic in "\\PC{0,60}", levels in "([a-z_0-9]{0,6}/){0,6}") {
        let nodes = captured_site().nodes;
        let mut spellings = Spellings::default();
        spellings.respell(nodes.values());
        for path in [&topic, &levels] {
            let _ = route("zwave", path);
            let _ = route("zwave", &format!("zwave/{path}"));
            let _ = spellings.owner(path, |id| nodes.get(&id));
        }
    }

    #[test]
    fn a_sanitised_name_is_a_topic_that_can_be_published(name in "\\PC{0,40}") {
        let clean = sanitised(&name);
        prop_assert!(!clean.contains(['+', '#', '$', '\0', ' ']));
        prop_assert_eq!(sanitised(&clean), clean);
    }
}

#[test]
fn a_class_has_a_number_whatever_it_is_called() {
    use zwave_mcp_server::gateway::topics::class_level;
    assert_eq!(class_level(CommandClass::BINARY_SWITCH), "switch_binary");
    assert_eq!(
        class_level(CommandClass::WINDOW_COVERING),
        "unknownClass_106"
    );
}
