//! The gateway's messages are parsed, and no message crashes the parsers.

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::protocol::events::{GatewayEvent, parse_event};
use zwave_mcp_server::gateway::protocol::nodes::{NodesReader, NodesReply};
use zwave_mcp_server::gateway::protocol::payloads::{self, WriteStatus};
use zwave_mcp_server::home::kind::{Kind, kind_of};
use zwave_mcp_server::home::model::ids::{CommandClass, NodeId, ValueId};
use zwave_mcp_server::home::model::node::{NodeStatus, Role};

use crate::houses::{CAPTURED, captured_snapshot, parse_nodes};

#[test]
fn nodes_over_the_bound_are_left_out_and_counted() {
    let nodes: Vec<Json> = (1..=10_003).map(|id| json!({ "id": id })).collect();
    let reply = json!({ "success": true, "result": nodes }).to_string();
    let read = NodesReply::read(reply.as_bytes()).unwrap().nodes.unwrap();
    assert_eq!((read.nodes.len(), read.left_out), (10_000, 3));
}

#[test]
fn the_captured_house_is_read_and_its_unneeded_values_are_discarded() {
    let nodes = captured_snapshot().nodes;
    assert_eq!(nodes.len(), 23);
    assert_eq!(nodes[&NodeId(255)].role, Role::Broadcast);
    assert_eq!(nodes[&NodeId(1)].role, Role::Controller);
    let strip = &nodes[&NodeId(14)];
    assert_eq!(
        strip.endpoints[0].label, None,
        "a generated label is left out"
    );
    assert_eq!(strip.endpoints[1].label.as_deref(), Some("Left Outlet"));
    assert_eq!(nodes[&NodeId(16)].status, NodeStatus::Asleep);
    assert!(nodes[&NodeId(16)].sleeps());
    assert!(nodes[&NodeId(12)].frequently_listening && !nodes[&NodeId(12)].sleeps());
    assert_eq!(nodes[&NodeId(12)].battery(), Some(87));
    let unknown = ValueId::new(CommandClass::BINARY_SWITCH, 0, "targetValue");
    assert_eq!(nodes[&NodeId(3)].reading(&unknown), None);
    let values = nodes.values().flat_map(|node| &node.values);
    assert!(values.clone().all(|value| !value.id.class.is_discarded()));
    let switches = values.filter(|value| value.id.class == CommandClass::BINARY_SWITCH);
    assert_eq!(switches.count(), 32);
}

#[test]
fn captured_nodes_have_the_kinds_that_a_person_would_name() {
    let nodes = captured_snapshot().nodes;
    for (id, kind) in [
        (2, Kind::Switch),
        (5, Kind::Dimmer),
        (8, Kind::ColorLight),
        (9, Kind::Cover),
        (10, Kind::Cover),
        (11, Kind::Thermostat),
        (12, Kind::Lock),
        (13, Kind::GarageDoor),
        (14, Kind::Switch),
        (15, Kind::Sensor),
        (16, Kind::Sensor),
        (17, Kind::Switch),
        (18, Kind::Siren),
        (19, Kind::RadiatorValve),
        (20, Kind::Switch),
        (22, Kind::Fan),
    ] {
        assert_eq!(kind_of(&nodes[&NodeId(id)], 0), Some(kind), "node {id}");
    }
    assert_eq!(kind_of(&nodes[&NodeId(14)], 1), Some(Kind::Outlet));
    assert_eq!(kind_of(&nodes[&NodeId(1)], 0), None);
    assert_eq!(kind_of(&nodes[&NodeId(255)], 0), None);
}

#[test]
fn a_malformed_node_is_counted_and_a_malformed_value_is_skipped() {
    let mut reply: Json = serde_json::from_str(CAPTURED).unwrap();
    let nodes = reply["result"].as_array_mut().unwrap();
    nodes.extend([
        json!({ "id": "not a number" }),
        json!({ "id": 50, "name": 7 }),
    ]);
    nodes.extend([json!(null), json!(5)]);
    for node in nodes.iter_mut() {
        if node["id"] == 2 {
            node["values"]["37-0-duration"] = json!("not an object");
            node["values"]["38-0-x"] = json!({ "commandClass": [] });
            node["isFrequentListening"] = json!([1]);
            node["lastActive"] = json!("yesterday");
            node["endpoints"] = json!(3);
            node["ready"] = json!("yes");
            node["deviceClass"] = json!(16);
        }
    }
    let text = reply.to_string();
    let read = parse_nodes(&text);
    assert_eq!(read.unreadable, 4);
    let nodes = read.nodes;
    assert_eq!(nodes.len(), parse_nodes(CAPTURED).nodes.len());
    let state = ValueId::new(CommandClass::BINARY_SWITCH, 0, "currentValue");
    for id in [2, 3] {
        assert!(nodes[&NodeId(id)].reading(&state).is_some(), "{id}");
    }
}

#[test]
fn names_from_a_gateway_are_cut_at_200_characters() {
    let long = "ä".repeat(200_000);
    let mut reply: Json = serde_json::from_str(CAPTURED).unwrap();
    for node in reply["result"].as_array_mut().unwrap() {
        node["name"] = json!(long);
        node["loc"] = json!(long);
        node["endpoints"] = json!([{ "index": 1, "label": long }]);
    }
    let text = reply.to_string();
    let node = &parse_nodes(&text).nodes[&NodeId(2)];
    let label = node.endpoints[0].label.as_deref().unwrap();
    let data = json!({ "data": [{ "id": 2, "name": long, "location": long, "status": 4 }] });
    let event = parse_event("node/node_alive", data.to_string().as_bytes());
    let GatewayEvent::Node(change) = event else {
        panic!("{event:?}");
    };
    for name in [
        &node.name,
        &node.room,
        &change.name.unwrap(),
        &change.room.unwrap(),
    ] {
        assert_eq!(name.chars().count(), 200);
    }
    assert_eq!(label.chars().count(), 200);
}

#[test]
fn captured_events_are_parsed() {
    let samples = include_str!("../../fixtures/event_samples.json");
    let samples: Vec<Json> = serde_json::from_str(samples).unwrap();
    let mut kinds = Vec::new();
    for sample in samples {
        let topic = sample["topic"].as_str().unwrap();
        let name = topic.split_once("ZWAVE_GATEWAY-Mosquitto/").unwrap().1;
        let event = parse_event(name, sample["payload"].to_string().as_bytes());
        match (name, &event) {
            ("node/node_value_updated" | "node/node_value_added", GatewayEvent::Value { .. }) => {}
            ("node/node_dead", GatewayEvent::Node(change)) => {
                let status = Some(NodeStatus::Dead);
                assert_eq!((change.node, change.status), (NodeId(20), status));
                assert_eq!(change.name.as_deref(), Some("Dead Plug"));
                assert_eq!(change.room.as_deref(), Some("Basement"));
            }
            ("node/node_alive" | "node/node_sleep" | "node/node_wakeup", GatewayEvent::Node(_)) => {
            }
            ("driver/driver_ready", GatewayEvent::DriverReady) => {}
            ("node/node_ready" | "node/node_interview_completed", GatewayEvent::Ready(_)) => {}
            (_, GatewayEvent::Structure | GatewayEvent::Other) => {}
            other => panic!("{other:?}"),
        }
        kinds.push(name.to_owned());
    }
    assert!(kinds.len() > 20);
}

#[test]
fn captured_replies_to_writes_and_polls_are_parsed() {
    let cases = include_str!("../../fixtures/ask_the_device.json");
    let cases: Vec<Json> = serde_json::from_str(cases).unwrap();
    for case in cases {
        let name = case["case"].as_str().unwrap();
        let result = &case["reply"]["result"];
        // A thermostat answers `get` with its mode, in a form that is not parsed.
        let is_mode = name.starts_with("sendCommand get 11-64");
        if name.starts_with("write") {
            assert!(payloads::parse_write_status(result).is_some(), "{name}");
        } else if !is_mode {
            assert!(payloads::parse_report(result).current.is_some(), "{name}");
        }
    }
}

#[test]
fn the_status_of_a_write_is_parsed_with_its_duration_and_message() {
    let message = "Endpoint 7 does not exist on Node 2";
    let left = json!({ "value": 4, "unit": "seconds" });
    let working = WriteStatus::Working(Some(std::time::Duration::from_secs(4)));
    for (json, status) in [
        (json!({ "status": 255 }), Some(WriteStatus::Success)),
        (json!({ "status": 254 }), Some(WriteStatus::Unsupervised)),
        (json!({ "status": 2 }), Some(WriteStatus::Fail)),
        (
            json!({ "status": 1, "remainingDuration": left }),
            Some(working),
        ),
        (
            json!({ "status": 3, "message": message }),
            Some(WriteStatus::Refused(message.to_owned())),
        ),
        (json!(true), None),
        (json!({}), None),
    ] {
        assert_eq!(payloads::parse_write_status(&json), status, "{json}");
    }
}

pub fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        "\\PC{0,10}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let names = prop_oneof![
            "(id|values|data|args|result|status|value|property|endpoint|commandClass|nodeId)",
            "[a-zA-Z]{0,8}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map(names, inner, 0..6)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_payload_crashes_the_parsers(json in any_json(), cut in 0_usize..200) {
        let text = json.to_string();
        let part = &text.as_bytes()[..cut.min(text.len())];
        for payload in [text.as_bytes(), part] {
            let _ = NodesReply::read(payload);
            let _ = payloads::parse_status(payload);
            let _ = payloads::parse_write(payload);
            let _ = parse_event("node/node_value_updated", payload);
            let _ = parse_event("node/node_dead", payload);
        }
        let _ = payloads::parse_write_status(&json);
        let _ = payloads::parse_report(&json);
    }

    #[test]
    fn any_node_document_is_parsed_or_counted_as_unreadable(fields in any_json()) {
        let mut node = json!({ "id": 2, "values": { "37-0-currentValue": fields } });
        for name in ["name", "deviceClass", "endpoints", "status", "isListening"] {
            node[name] = fields.clone();
        }
        let nodes = parse_nodes(&json!({ "success": true, "result": [node] }).to_string());
        prop_assert_eq!(nodes.nodes.len() + nodes.unreadable, 1);
    }

    #[test]
    fn a_reply_is_parsed_the_same_whatever_chunks_it_arrives_in(
        json in any_json(), spaced in any::<bool>(), has_origin in any::<bool>(),
        size in 1_usize..50,
    ) {
        let node = json!({ "id": 3, "name": "a\\\"],[{", "x": json });
        let (before, after) = (json!({ "x\"result": [json] }), json!({ "success": true }));
        let mut reply = before.as_object().cloned().unwrap();
        reply.insert("result".to_owned(), json!([node, json, node]));
        reply.extend(after.as_object().cloned().unwrap());
        if has_origin {
            reply.insert("origin".to_owned(), json!({ "requestId": "a", "result": [json] }));
        }
        let reply = Json::Object(reply);
        let text = if spaced { format!("{reply:#}") } else { reply.to_string() };
        let mut reader = NodesReader::default();
        text.as_bytes().chunks(size).for_each(|part| reader.feed(part));
        let read = reader.finish().unwrap();
        prop_assert_eq!(read.id.is_some(), has_origin);
        let nodes = read.nodes.unwrap();
        prop_assert!(nodes.nodes.contains_key(&NodeId(3)));
        prop_assert!(nodes.unreadable <= 1);
    }

    #[test]
    fn a_truncated_reply_is_rejected(cut in 0_usize..1000) {
        let text = CAPTURED.trim_end().as_bytes();
        prop_assert!(NodesReply::read(&text[..text.len() - 1 - cut]).is_err());
    }
}
