//! The simulated gateway behaves as the recorded gateway did, quirks included.

mod asked;
mod far_end;
mod habits;
mod lives;
mod order;
mod replay;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value as Json;
use simulator_testing::{Payload, Setup, Simulation};
use zwave_mcp_server::gateway::bus::Incoming;
use zwave_mcp_server::gateway::memory;

use crate::fixture::{captured_nodes, layouts, setup};

/// Returns the topics that the recorded gateway retained with this layout.
fn recorded_topics(recorded: &Json, name: &str) -> BTreeSet<String> {
    let strings = |json: &Json| -> BTreeSet<String> {
        json.as_array()
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect()
    };
    let entry = &recorded[name];
    if let Some(same_layout) = entry["same_topics_as"].as_str() {
        return recorded_topics(recorded, same_layout);
    }
    if entry["topics"].is_array() {
        return strings(&entry["topics"]);
    }
    let base_topics = include_str!("../../fixtures/retained_type1_payload0.jsonl").lines().map(
        |line| -> String {
            let message: Json = serde_json::from_str(line).unwrap();
            message["topic"].as_str().unwrap().to_owned()
        },
    );
    let (plus, minus) = (strings(&entry["plus"]), strings(&entry["minus"]));
    base_topics.filter(|topic| !minus.contains(topic)).chain(plus.clone()).collect()
}

/// Returns the names of an object's fields, except `lastUpdate`. Returns the type of any other payload.
fn shape(payload: &Json) -> Vec<String> {
    match payload {
        Json::Object(fields) => fields
            .keys()
            .filter(|name| *name != "lastUpdate")
            .cloned()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        Json::Bool(_) => vec!["flag".to_owned()],
        Json::Number(_) => vec!["number".to_owned()],
        _ => vec!["text".to_owned()],
    }
}

#[tokio::test(start_paused = true)]
async fn the_simulation_retains_the_same_topics_as_each_recorded_gateway() {
    let recorded = include_str!("../../fixtures/retained_layouts.json");
    let recorded: Json = serde_json::from_str(recorded).unwrap();
    let mut unknown = BTreeSet::new();
    for (name, layout) in layouts() {
        let is_bare = layout.payload == Payload::Bare;
        let (near, far) = memory::pair();
        let setup = Setup { layout, ..setup() };
        let _simulation = Simulation::start(far, setup, captured_nodes());
        tokio::time::sleep(Duration::from_millis(10)).await;
        let mut incoming = near.incoming;
        near.bus.subscribe("zwave/#").unwrap();
        let mut retained = BTreeMap::new();
        while let Ok(arrived) = incoming.try_recv() {
            let Incoming::Message(message) = arrived else {
                continue;
            };
            let payload: Json = serde_json::from_slice(&message.payload).unwrap();
            retained.insert(message.topic, payload);
        }
        // The sleeping valve has a `lastActive` only in recordings during which it woke up.
        let by_chance = ["Radiator_Valve/lastActive", "/19/lastActive"];
        let is_certain = |topic: &String| !by_chance.iter().any(|end| topic.ends_with(end));
        let topics: BTreeSet<String> =
            retained.keys().filter(|topic| is_certain(topic)).cloned().collect();
        let mut wanted = recorded_topics(&recorded, name);
        wanted.retain(is_certain);
        // With bare payloads, values without a reading are not published. A few values have a reading in the
        // recordings but not in the simulation, so their topics may be missing.
        let lacks_value = |payload: &Json| payload.is_object() && payload.get("value").is_none();
        let without_value = retained.iter().filter(|(_, payload)| lacks_value(payload));
        unknown.extend(without_value.map(|(topic, _)| topic.clone()));
        wanted.retain(|topic| !is_bare || topics.contains(topic) || !unknown.contains(topic));
        let unexpected: Vec<&String> = topics.difference(&wanted).collect();
        let missing: Vec<&String> = wanted.difference(&topics).collect();
        assert_eq!((unexpected, missing), (vec![], vec![]), "{name}");
        for (topic, payload) in recorded[name]["samples"].as_object().unwrap() {
            assert_eq!(shape(&retained[topic]), shape(payload), "{name} {topic}");
        }
    }
}
