//! Compares `control` with a bare MQTT client, and makes a thousand calls at once.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::bare::Bare;
use crate::houses::{self, GATEWAY, House};
use crate::server::{Answer, Server};
use crate::table::Table;

/// The number of calls that are made at the same time.
const AT_ONCE: usize = 1000;

/// A device that is switched back and forth.
pub struct Switched {
    pub name: &'static str,
    pub node: u16,
    /// The API calls for a write with proof, in the words of the table.
    pub what: &'static str,
    /// The command class that is written.
    pub class: u64,
    /// The value to write and the action, for off and for on.
    pub states: [(Json, &'static str); 2],
    /// The API call that confirms a write, if the reply to the write does not confirm it.
    pub poll_api: Option<&'static str>,
}

/// Returns a plug that confirms by Supervision, so the reply to a write is the proof.
pub fn supervised_plug() -> Switched {
    Switched {
        name: "switch one",
        node: 2,
        what: "one write",
        class: 37,
        states: [(json!(false), "off"), (json!(true), "on")],
        poll_api: None,
    }
}

/// Returns a plug that does not confirm writes, so its value must be polled.
pub fn polled_plug() -> Switched {
    Switched {
        name: "lamp",
        node: 3,
        what: "write and poll",
        poll_api: Some("pollValue"),
        ..supervised_plug()
    }
}

/// Switches a device alternately by our server and by a bare client. Adds a row with the ratio of the medians.
pub fn compare_control(
    table: &mut Table,
    label: &str,
    house: &House,
    server: &mut Server,
    device: &Switched,
    pairs: usize,
    budget: Option<f64>,
) {
    let mut bare = Bare::connect_caller(house.broker.port());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        // Each pair changes who goes first. Every second pair changes which state is set first.
        let first_state = &device.states[pair / 2 % 2];
        let second_state = &device.states[(pair / 2 + 1) % 2];
        if pair % 2 == 0 {
            ours.push(switch_by_tool(server, device, first_state));
            theirs.push(switch_by_bare_client(&mut bare, device, second_state));
        } else {
            theirs.push(switch_by_bare_client(&mut bare, device, first_state));
            ours.push(switch_by_tool(server, device, second_state));
        }
    }
    let what = format!("control, {}, {label}", device.what);
    table.add_ratio(&what, ours, theirs, budget);
}

/// Switches a device by our tool. Returns how long the call took.
pub fn switch_by_tool(server: &mut Server, device: &Switched, state: &(Json, &str)) -> Duration {
    let arguments = json!({ "deviceName": device.name, "action": state.1 });
    let (answer, took) = server.call("control_zwave_device", arguments);
    assert_eq!(answer.certainty, "confirmed", "{answer:?}");
    took
}

/// Switches a device by a bare client. Returns how long the call and its proof took.
pub fn switch_by_bare_client(bare: &mut Bare, device: &Switched, state: &(Json, &str)) -> Duration {
    let start = Instant::now();
    let id = |property: &str| {
        json!({
            "nodeId": device.node, "commandClass": device.class, "endpoint": 0,
            "property": property,
        })
    };
    let args = json!([id("targetValue"), state.0]);
    let result = bare.call(GATEWAY, "writeValue", args);
    if let Some(poll_api) = device.poll_api {
        assert_eq!(result["status"], 254, "{result}");
        let polled = bare.call(GATEWAY, poll_api, json!([id("currentValue")]));
        assert_eq!(polled, state.0);
    } else {
        assert_eq!(result["status"], 255, "{result}");
    }
    start.elapsed()
}

/// Makes a thousand calls at once, each with a different combination of device and level. Checks that each
/// call is answered exactly once, and that the answers agree with what the house received.
pub fn check_calls_at_once(table: &mut Table, label: &str, house: &House, mut server: Server) {
    let dimmers = dimmers();
    assert!(dimmers.len() > 50, "too few dimmers: {}", dimmers.len());
    let targets: Vec<(u16, u64)> = (0..AT_ONCE)
        .map(|call| {
            let level = 1 + call / dimmers.len();
            (dimmers[call % dimmers.len()], level as u64)
        })
        .collect();
    let calls = targets.iter().map(|(node, level)| {
        json!({ "deviceName": format!("Device {node}"), "action": "dim", "level": level })
    });
    let before = house.simulation.received_writes().len();
    let start = Instant::now();
    let answers = server.call_at_once(
        "control_zwave_device",
        calls.collect(),
        Duration::from_secs(120),
    );
    // `call_at_once` spends its last second only waiting for repeated answers.
    let lasted = start.elapsed().saturating_sub(Duration::from_secs(1));
    let mut written: HashMap<(u16, u64), usize> = HashMap::new();
    for write in house.simulation.received_writes().split_off(before) {
        let level = write.value.as_u64().unwrap();
        *written.entry((write.node, level)).or_default() += 1;
    }
    let mut by_id: HashMap<u64, Vec<&Answer>> = HashMap::new();
    for answer in &answers {
        by_id.entry(answer.id).or_default().push(answer);
    }
    let once = by_id.values().filter(|answers| answers.len() == 1).count();
    let first_id = by_id.keys().min().copied().unwrap_or_default();
    let mut agreed = 0;
    for (target, id) in targets.iter().zip(first_id..) {
        let times = written.get(target).copied().unwrap_or_default();
        let answer = by_id.get(&id).map(|answers| answers[0]);
        if answer.is_some_and(|answer| agrees(answer, times)) {
            agreed += 1;
        } else {
            eprintln!("node and level {target:?}, written {times} times: {answer:?}");
        }
    }
    let confirmed = answers.iter().filter(|answer| answer.certainty == "confirmed");
    let details = format!(
        "{} confirmed, {} writes at the house, {:.1} s",
        confirmed.count(),
        written.values().sum::<usize>(),
        lasted.as_secs_f64()
    );
    let what = |check: &str| format!("{AT_ONCE} control calls at once, {label}: {check}");
    table.add_count(&what("answered exactly once"), once, AT_ONCE, &details);
    let written_twice = written.values().filter(|times| **times > 1).count();
    table.add_count(&what("written twice"), written_twice, 0, "");
    table.add_count(&what("answers that match the writes"), agreed, AT_ONCE, "");
}

/// Returns true if an answer agrees with the number of times that the house received the call's write.
fn agrees(answer: &Answer, times: usize) -> bool {
    match answer.certainty.as_str() {
        "confirmed" | "accepted" | "moving" | "queued" => times == 1,
        // Either nothing was sent, or the device received the write and refused it.
        "failed" => times == usize::from(!answer.text.contains("othing was sent")),
        "unknown" => times <= 1,
        _ => false,
    }
}

/// Returns the dimmers of the large house that are named by their number. Leaves out dimmers that were
/// recorded before their interview was complete.
fn dimmers() -> Vec<u16> {
    let nodes = houses::large();
    let is_dimmer = |node: &&Json| {
        let text = |key: &str| node[key].as_str().unwrap_or_default();
        text("name") == format!("Device {}", node["id"])
            && text("interviewStage") == "Complete"
            && !node["values"]["38-0-targetValue"].is_null()
    };
    let numbers = nodes.iter().filter(is_dimmer).filter_map(|node| node["id"].as_u64());
    numbers.map(|number| u16::try_from(number).unwrap()).collect()
}
