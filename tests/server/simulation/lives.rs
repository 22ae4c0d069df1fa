//! The ends and beginnings of a gateway, as `lwt_and_restart.json` has them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};
use zwave_mcp_server::simulator::Setup;

use super::far_end::FarEnd;
use crate::fixture::{captured_nodes, setup};

type Message = (f64, String, Json);

fn recorded() -> BTreeMap<String, Json> {
    let text = include_str!("../../../fixtures/recorded/lwt_and_restart.jsonl");
    let cases = text.lines().map(|line| {
        let case: Json = serde_json::from_str(line).unwrap();
        (case["case"].as_str().unwrap().to_owned(), case)
    });
    cases.collect()
}

fn messages(case: &Json) -> Vec<Message> {
    case["then"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let topic = message[1].as_str().unwrap().to_owned();
            (message[0].as_f64().unwrap(), topic, message[2].clone())
        })
        .collect()
}

/// Keeps what the recording kept: no values, of a node's event its number, of the driver's nothing.
fn keep(heard: Vec<Message>) -> Vec<Message> {
    let kept = |(ms, topic, payload): Message| {
        let payload = if topic.contains("/node/") {
            payload["data"][0]["id"].clone()
        } else if topic.starts_with("_EVENTS") {
            Json::Null
        } else {
            payload
        };
        let own = topic.starts_with('_') || topic.ends_with("/status");
        (own && !topic.contains("/node_value_")).then_some((ms, topic, payload))
    };
    heard.into_iter().filter_map(kept).collect()
}

fn without_times(messages: &[Message]) -> Vec<(&str, &Json)> {
    let pair = |message| {
        let (_, topic, payload): &Message = message;
        (topic.as_str(), payload)
    };
    messages.iter().map(pair).collect()
}

/// The messages about each node after the driver is ready, in their order; pings take a while each and
/// go out in an order of the driver's own.
fn by_node(messages: &[Message]) -> BTreeMap<u64, Vec<(&str, &Json)>> {
    let ready = |message: &Message| message.1.ends_with("/driver_ready");
    let from = messages.iter().position(ready).unwrap();
    let mut nodes: BTreeMap<u64, Vec<(&str, &Json)>> = BTreeMap::new();
    for (_, topic, payload) in &messages[from + 1..] {
        let id = payload["nodeId"].as_u64().or_else(|| payload.as_u64());
        let told = nodes.entry(id.unwrap_or_default()).or_default();
        told.push((topic.as_str(), payload));
    }
    nodes
}

async fn far_end() -> FarEnd {
    let setup = Setup {
        radio: Duration::from_millis(36),
        ..setup()
    };
    let mut far = FarEnd::of(setup, captured_nodes()).await;
    far.house.set_status(19, "Asleep");
    far.take_messages();
    far
}

async fn record(far: &mut FarEnd, seconds: u64) -> Vec<Message> {
    let start = Instant::now();
    keep(far.record_until(start, start + Duration::from_secs(seconds)).await)
}

/// The retained messages that the recording asked for.
fn retained(far: &mut FarEnd, case: &Json) -> Json {
    let wanted = case["retained"].as_object().unwrap();
    let retained = far.retained().into_iter().filter(|(topic, _)| wanted.contains_key(topic));
    Json::Object(retained.collect())
}

#[tokio::test(start_paused = true)]
async fn a_gateway_ends_and_is_silent_as_recorded() {
    let recorded = recorded();
    for (case, after) in [
        (
            "zwave-js-ui killed with SIGKILL",
            "fresh subscriber while the gateway is dead (after SIGKILL)",
        ),
        (
            "zwave-js-ui SIGTERM (clean stop)",
            "fresh subscriber after clean stop",
        ),
    ] {
        let mut far = far_end().await;
        if case.contains("SIGKILL") {
            far.house.kill();
        } else {
            far.house.stop();
        }
        let told = record(&mut far, 2).await;
        assert_eq!(
            without_times(&told),
            without_times(&messages(&recorded[case])),
            "{case}"
        );
        assert_eq!(
            retained(&mut far, &recorded[after]),
            recorded[after]["retained"],
            "{after}"
        );
        far.call("getInfo", json!([]));
        far.house.by_hand(2, "37-0-currentValue", json!(true));
        sleep(Duration::from_secs(2)).await;
        assert_eq!(far.take_messages(), [], "API call while gateway is dead");
    }
}

#[tokio::test(start_paused = true)]
async fn a_gateway_begins_as_recorded() {
    let recorded = recorded();
    for case in [
        "zwave-js-ui started again (cached interview), API polled at once",
        "zwave-js-ui started again",
    ] {
        let wanted = messages(&recorded[case]);
        let alive = wanted[0].0;
        let driver = wanted.iter().find(|message| message.1 == "driver/status");
        let driver_after = driver.unwrap().0 - alive;
        let mut far = far_end().await;
        far.house.kill();
        sleep(Duration::from_secs(10)).await;
        far.take_messages();
        far.house.restart(Duration::from_secs_f64(driver_after / 1000.0));
        far.call("getNodes", json!([]));
        let mut told = record(&mut far, 10).await;
        let early = told.iter().position(|message| message.1.contains("/api/"));
        let early = told.remove(early.unwrap());
        assert_eq!(early.2["message"], "Z-Wave client not connected");

        // Up to the driver's readiness: every message, in its order, at its time.
        let ready = |message: &Message| message.1.ends_with("/driver_ready");
        let until = wanted.iter().position(ready).unwrap() + 1;
        assert_eq!(
            without_times(&told[..until]),
            without_times(&wanted[..until]),
            "{case}"
        );
        for (wanted, got) in wanted.iter().zip(&told[..until]) {
            let late = wanted.0 - alive - got.0;
            assert!(late.abs() < 60.0, "{case}: {} {late}", wanted.1);
        }
        // From there on: of each node the same, as far as the recording goes.
        let got = by_node(&told);
        for (node, wanted) in by_node(&wanted) {
            let got = &got[&node];
            assert_eq!(
                got[..wanted.len().min(got.len())],
                wanted,
                "{case}: node {node}"
            );
        }
        // The first four pinged nodes came within 60 ms of one another.
        let last = told.last().unwrap();
        assert!(last.1.ends_with("/all_nodes_ready"), "{last:?}");
    }
}

/// A node that is dead when the gateway starts is not ready and has no values, until it lives
/// (`docs/GATEWAY.md#node-documents`).
#[tokio::test(start_paused = true)]
async fn a_node_that_was_dead_at_the_start_has_no_values_until_it_lives() {
    let mut far = far_end().await;
    far.house.kill();
    far.house.restart(Duration::ZERO);
    sleep(Duration::from_secs(10)).await;
    let plug = async |far: &mut FarEnd| {
        let nodes = far.nodes().await;
        let plug = nodes.iter().find(|node| node["id"] == 20).unwrap();
        (
            plug["ready"] == true,
            plug["values"].as_object().unwrap().len(),
        )
    };
    assert_eq!(plug(&mut far).await, (false, 0));
    far.house.set_status(20, "Alive");
    assert_eq!(plug(&mut far).await, (true, 19));
}

#[tokio::test(start_paused = true)]
async fn a_lost_stick_is_told_as_recorded() {
    let recorded = recorded();
    let mut far = far_end().await;
    far.house.lose_stick();
    let told = record(&mut far, 1).await;
    let wanted = messages(&recorded["mock controller (serial link) killed"]);
    assert_eq!(without_times(&told), without_times(&wanted));
    for api in ["getNodes", "writeValue"] {
        let wanted = &recorded[&format!("{api} while the serial link is down")]["reply"];
        let id = json!({
            "nodeId": 2, "commandClass": 37, "endpoint": 0, "property": "targetValue",
        });
        far.call(api, json!([id, true]));
        sleep(Duration::from_secs(1)).await;
        let (_, reply) = far.replies().remove(0);
        assert_eq!(reply["success"], wanted["success"]);
        assert_eq!(reply["message"], wanted["message"]);
        assert_eq!(reply.get("result"), None);
    }
}
