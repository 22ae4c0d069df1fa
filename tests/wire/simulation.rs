//! The simulated gateway answers as the recorded one did, traps included.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout};
use zwave_mcp_server::demo::{Habits, Setup, Simulation};
use zwave_mcp_server::gateway::bus::{Incoming, Outgoing};
use zwave_mcp_server::gateway::memory;
use zwave_mcp_server::home::ids::Timestamp;

use crate::support::{captured_nodes, setup};

/// How long a device of the recorded house takes from one end to the other, so that its ramp is as
/// long as the recorded one.
fn ramp(case: &str, habits: &mut Habits) {
    match case {
        "dimmer supervised 2s ramp ->80" => habits.travel = Duration::from_millis(18_400),
        "dimmer unsupervised 3s ramp ->90" => habits.travel = Duration::from_millis(3000),
        "dimmer off 0" => {
            habits.hesitates = Duration::from_millis(4740);
            habits.travel = Duration::from_millis(3000);
        }
        _ => {}
    }
}

/// The state that a case began with: what its first event for each value says was there before.
/// Where the device is only asked, what it answers was its state all the time.
fn set_the_scene(simulation: &Simulation, asked: bool, then: &[Json]) {
    let mut set = Vec::new();
    for message in then {
        let data = &message["payload"]["data"];
        let (node, change) = (&data[0]["id"], &data[1]);
        let (Some(node), Some(before)) = (node.as_u64(), change.get("prevValue")) else {
            continue;
        };
        let class = &change["commandClass"];
        let endpoint = &change["endpoint"];
        let property = change["property"].as_str().unwrap();
        let mut key = format!("{class}-{endpoint}-{property}");
        if let Some(part) = change.get("propertyKey") {
            key.push_str(&format!("-{part}"));
        }
        if !set.contains(&(node, key.clone())) {
            simulation.by_hand(node as u16, &key, before.clone());
            if asked {
                simulation.put_secretly(node as u16, &key, change["newValue"].clone());
            }
            set.push((node, key));
        }
    }
}

async fn heard(
    incoming: &mut UnboundedReceiver<Incoming>,
    start: Instant,
    until: f64,
) -> Vec<Json> {
    let limit = start + Duration::from_secs_f64(until / 1000.0);
    let mut heard = Vec::new();
    while let Ok(Some(incoming)) = timeout(limit - Instant::now(), incoming.recv()).await {
        let Incoming::Message(message) = incoming else {
            continue;
        };
        if message.topic.ends_with("/set") {
            continue;
        }
        let mut payload: Json = serde_json::from_slice(&message.payload).unwrap();
        if let Some(fields) = payload.as_object_mut() {
            fields.remove("time");
        }
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        heard.push(json!({ "ms": ms, "topic": message.topic, "payload": payload }));
    }
    heard
}

/// What counts of a message: not the parts of a node that events carry, nor what `getInfo` tells of
/// the recorded machine.
fn essence(message: &Json) -> Json {
    let topic = message["topic"].as_str().unwrap();
    let mut payload = message["payload"].clone();
    if topic.contains("/_EVENTS/") {
        let id = payload["data"][0]["id"].clone();
        payload = json!([id, payload["data"][1]]);
    }
    if topic.ends_with("/getInfo") {
        payload["result"] = json!(payload["result"].is_object());
    }
    json!([topic, payload])
}

#[tokio::test(start_paused = true)]
async fn it_answers_every_recorded_request_as_the_recorded_gateway_did() {
    let cases = include_str!("../../fixtures/writes.jsonl");
    for case in cases.lines() {
        let case: Json = serde_json::from_str(case).unwrap();
        let name = case["case"].as_str().unwrap();
        let then = case["then"].as_array().unwrap();
        let (near, far) = memory::pair();
        let setup = Setup {
            radio: Duration::from_millis(45),
            clock: Arc::new(|| Timestamp(1)),
            ..setup()
        };
        let simulation = Simulation::start(far, setup, captured_nodes());
        tokio::time::sleep(Duration::from_millis(10)).await;
        for node in [5, 7] {
            simulation.change(node, |habits| ramp(name, habits));
        }
        let asked = name.contains("get") || name.contains("poll");
        set_the_scene(&simulation, asked, then);
        let mut incoming = near.incoming;
        near.bus.subscribe("zwave/#").unwrap();
        while incoming.try_recv().is_ok() {}

        let start = Instant::now();
        let publish = &case["publish"];
        near.bus
            .publish(Outgoing {
                topic: publish["topic"].as_str().unwrap().to_owned(),
                payload: publish["payload"].to_string().into_bytes(),
                retain: false,
                acknowledged: false,
            })
            .unwrap();
        let until = then
            .last()
            .map_or(1000.0, |last| last["ms"].as_f64().unwrap())
            + 600.0;
        let heard = heard(&mut incoming, start, until).await;

        let wanted: Vec<Json> = then.iter().map(essence).collect();
        let got: Vec<Json> = heard.iter().map(essence).collect();
        assert_eq!(got, wanted, "{name}");
        for (recorded, simulated) in then.iter().zip(&heard) {
            let (wanted, got) = (
                recorded["ms"].as_f64().unwrap(),
                simulated["ms"].as_f64().unwrap(),
            );
            let slack = (wanted * 0.1).max(60.0);
            assert!(
                (wanted - got).abs() <= slack,
                "{name}: {wanted} ms, not {got}"
            );
        }
    }
}
