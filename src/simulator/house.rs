//! The demo house: a dozen devices in six rooms, with everything a real house does to a command.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::documents::Builder;
use super::{Habits, SimNode};

/// The nodes of a `getNodes` reply, or of its `result` alone.
pub fn house_of_reply(text: &str) -> Result<Vec<SimNode>, serde_json::Error> {
    let json: Json = serde_json::from_str(text)?;
    let nodes = match json {
        Json::Array(nodes) => nodes,
        Json::Object(mut reply) => match reply.remove("result") {
            Some(Json::Array(nodes)) => nodes,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    Ok(nodes
        .into_iter()
        .filter_map(SimNode::from_document)
        .collect())
}

/// The nodes of the demo house.
pub fn demo_house() -> Vec<SimNode> {
    let nodes = [
        Builder::new(1, "", "", 2, 1)
            .field("isControllerNode", json!(true))
            .build(),
        // Confirms every command, and takes two seconds for the whole way.
        Builder::new(2, "Floor Lamp", "Living Room", 17, 1)
            .level(0, 0)
            .build()
            .map(|node| with(node, |habits| habits.travel = Duration::from_secs(2))),
        Builder::new(3, "TV Plug", "Living Room", 16, 1)
            .switch(0, 2, true)
            .watts(0, 57.5)
            .build(),
        // Confirms nothing, and dims slowly: the gateway's guess is wrong for seconds.
        Builder::new(4, "Ceiling", "Kitchen", 17, 1)
            .level(0, 30)
            .build()
            .map(|node| with(node, slow_and_unsupervised)),
        Builder::new(5, "Coffee Machine", "Kitchen", 16, 1)
            .switch(0, 1, false)
            .build(),
        Builder::new(6, "Ceiling", "Bedroom", 17, 1)
            .level(0, 0)
            .build(),
        // Sleeps, and its battery is almost empty.
        Builder::new(7, "Window", "Bedroom", 7, 1)
            .battery(14, false)
            .binary("Door/Window", false)
            .field("status", json!("Asleep"))
            .build(),
        power_strip(8, "Office"),
        Builder::new(9, "Multisensor", "Hall", 33, 1)
            .binary("Motion", false)
            .sensor("Air temperature", "°C", json!(19.7))
            .sensor("Humidity", "%", json!(58))
            .sensor("Illuminance", "Lux", json!(312))
            .build(),
        front_door(10, "Hall"),
        garage_door(11, "Garage"),
        // Its wire is loose: it acknowledges, and nothing happens.
        Builder::new(12, "Work Light", "Garage", 16, 1)
            .switch(0, 1, false)
            .build()
            .map(|node| with(node, |habits| habits.obeys = false)),
        Builder::new(13, "Freezer Plug", "Garage", 16, 1)
            .switch(0, 2, true)
            .field("status", json!("Dead"))
            .field("available", json!(false))
            .build(),
    ];
    nodes.into_iter().flatten().collect()
}

fn power_strip(id: u16, room: &str) -> Option<SimNode> {
    Builder::new(id, "Power Strip", room, 16, 1)
        .endpoint(1, "Left Outlet")
        .endpoint(2, "Right Outlet")
        .switch(0, 2, true)
        .switch(1, 2, true)
        .switch(2, 2, false)
        .watts(1, 35.2)
        .watts(2, 0.0)
        .build()
}

fn front_door(id: u16, room: &str) -> Option<SimNode> {
    let modes = [
        (0, "Unsecured"),
        (1, "UnsecuredWithTimeout"),
        (255, "Secured"),
    ];
    let class = (98, "Door Lock");
    Builder::new(id, "Front Door", room, 64, 3)
        .battery(87, true)
        .states(class, "currentMode", false, &modes, json!(255))
        .states(class, "targetMode", true, &modes, json!(255))
        .duration(98, "Door Lock", 0)
        .build()
}

fn garage_door(id: u16, room: &str) -> Option<SimNode> {
    let states = [
        (0, "Closed"),
        (252, "Closing"),
        (253, "Stopped"),
        (254, "Opening"),
        (255, "Open"),
    ];
    let targets = [(0, "Closed"), (255, "Open")];
    let class = (102, "Barrier Operator");
    Builder::new(id, "Garage Door", room, 64, 7)
        .states(class, "currentState", false, &states, json!(0))
        .states(class, "targetState", true, &targets, json!(0))
        .build()
}

fn with(mut node: SimNode, change: impl FnOnce(&mut Habits)) -> SimNode {
    change(&mut node.habits);
    node
}

fn slow_and_unsupervised(habits: &mut Habits) {
    habits.supervised = false;
    habits.travel = Duration::from_secs(3);
}
