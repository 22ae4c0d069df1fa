//! Stops and starts of a gateway, as recorded in `lwt_and_restart.jsonl`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::far_end::{FarEnd, Message, messages_of, read_lines};

/// Reads the recorded cases, by name.
fn read_recording() -> BTreeMap<String, Json> {
    let text = include_str!("../../../fixtures/recorded/lwt_and_restart.jsonl");
    let cases = read_lines(text).map(|case| (case["case"].as_str().unwrap().to_owned(), case));
    cases.collect()
}

/// Reduces messages to what the recording kept. Drops values and events about values. Reduces any other event
/// about a node to the node's id, and all remaining events to their topics.
fn reduce_as_recorded(received: Vec<Message>) -> Vec<Message> {
    let reduce = |Message { ms, topic, payload }: Message| {
        let payload = if topic.contains("/node/") {
            payload["data"][0]["id"].clone()
        } else if topic.starts_with("_EVENTS") {
            Json::Null
        } else {
            payload
        };
        let is_recorded = topic.starts_with('_') || topic.ends_with("/status");
        (is_recorded && !topic.contains("/node_value_")).then_some(Message { ms, topic, payload })
    };
    received.into_iter().filter_map(reduce).collect()
}

fn without_times(messages: &[Message]) -> Vec<(&str, &Json)> {
    messages
        .iter()
        .map(|message| (message.topic.as_str(), &message.payload))
        .collect()
}

fn is_driver_ready(message: &Message) -> bool {
    message.topic.ends_with("/driver_ready")
}

/// Returns the messages after `driver_ready`, by node. Messages about no node have the key 0. The driver pings the
/// nodes in any order, so only the order of one node's messages can be compared.
fn by_node(messages: &[Message]) -> BTreeMap<u64, Vec<(&str, &Json)>> {
    let ready = messages.iter().position(is_driver_ready).unwrap();
    let mut nodes: BTreeMap<u64, Vec<(&str, &Json)>> = BTreeMap::new();
    for Message { topic, payload, .. } in &messages[ready + 1..] {
        let id = payload["nodeId"].as_u64().or_else(|| payload.as_u64());
        let received = nodes.entry(id.unwrap_or_default()).or_default();
        received.push((topic.as_str(), payload));
    }
    nodes
}

async fn start_far_end() -> FarEnd {
    let mut far = FarEnd::with_radio(36).await;
    far.house.set_status(19, "Asleep");
    far.take_messages();
    far
}

/// Records messages for some seconds, and reduces them to what the recording kept.
async fn record(far: &mut FarEnd, seconds: u64) -> Vec<Message> {
    let start = Instant::now();
    reduce_as_recorded(far.record_until(start, start + Duration::from_secs(seconds)).await)
}

/// Returns the retained messages on the topics that the recording has.
fn request_retained(far: &mut FarEnd, case: &Json) -> Json {
    let recorded = case["retained"].as_object().unwrap();
    let retained = far
        .request_retained()
        .into_iter()
        .filter(|(topic, _)| recorded.contains_key(topic));
    Json::Object(retained.collect())
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_is_killed_or_stopped_falls_silent_as_recorded() {
    let recording = read_recording();
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
        let mut far = start_far_end().await;
        if case.contains("SIGKILL") {
            far.house.kill();
        } else {
            far.house.stop();
        }
        let received = record(&mut far, 2).await;
        assert_eq!(
            without_times(&received),
            without_times(&messages_of(&recording[case])),
            "{case}"
        );
        assert_eq!(
            request_retained(&mut far, &recording[after]),
            recording[after]["retained"],
            "{after}"
        );
        far.call("getInfo", json!([]));
        far.house.by_hand(2, "37-0-currentValue", json!(true));
        sleep(Duration::from_secs(2)).await;
        assert_eq!(far.take_messages(), [], "a dead gateway must not answer");
    }
}

#[tokio::test(start_paused = true)]
async fn a_gateway_starts_as_recorded() {
    let recording = read_recording();
    for case in [
        "zwave-js-ui started again (cached interview), API polled at once",
        "zwave-js-ui started again",
    ] {
        let recorded = messages_of(&recording[case]);
        let first_ms = recorded[0].ms;
        let driver = recorded.iter().find(|message| message.topic == "driver/status");
        let driver_after = driver.unwrap().ms - first_ms;
        let mut far = start_far_end().await;
        far.house.kill();
        sleep(Duration::from_secs(10)).await;
        far.take_messages();
        far.house.restart(Duration::from_secs_f64(driver_after / 1000.0));
        far.call("getNodes", json!([]));
        let mut received = record(&mut far, 10).await;
        let index = received.iter().position(|message| message.topic.contains("/api/"));
        let early = received.remove(index.unwrap());
        assert_eq!(early.payload["message"], "Z-Wave client not connected");

        // Until the driver is ready, every message comes in the recorded order and at the recorded time.
        let until = recorded.iter().position(is_driver_ready).unwrap() + 1;
        assert_eq!(
            without_times(&received[..until]),
            without_times(&recorded[..until]),
            "{case}"
        );
        for (recorded, received) in recorded.iter().zip(&received[..until]) {
            let error_ms = recorded.ms - first_ms - received.ms;
            assert!(
                error_ms.abs() < 60.0,
                "{case}: {} is {error_ms} ms off",
                recorded.topic
            );
        }
        // After that, the messages about each node are compared, as far as the recording goes.
        let received_by_node = by_node(&received);
        for (node, recorded) in by_node(&recorded) {
            let received = &received_by_node[&node];
            assert_eq!(
                received[..recorded.len().min(received.len())],
                recorded,
                "{case}: node {node}"
            );
        }
        let last = received.last().unwrap();
        assert!(last.topic.ends_with("/all_nodes_ready"), "{last:?}");
    }
}

/// See `docs/dev/GATEWAY.md#node-documents`.
#[tokio::test(start_paused = true)]
async fn a_node_that_was_dead_at_the_start_is_not_ready_and_has_no_values_until_it_is_alive() {
    let mut far = start_far_end().await;
    far.house.kill();
    far.house.restart(Duration::ZERO);
    sleep(Duration::from_secs(10)).await;
    let plug = async |far: &mut FarEnd| {
        let nodes = far.request_nodes().await;
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
async fn a_lost_stick_causes_the_recorded_messages_and_replies() {
    let recording = read_recording();
    let mut far = start_far_end().await;
    far.house.lose_stick();
    let received = record(&mut far, 1).await;
    let recorded = messages_of(&recording["mock controller (serial link) killed"]);
    assert_eq!(without_times(&received), without_times(&recorded));
    for api in ["getNodes", "writeValue"] {
        let recorded = &recording[&format!("{api} while the serial link is down")]["reply"];
        let id = json!({
            "nodeId": 2, "commandClass": 37, "endpoint": 0, "property": "targetValue",
        });
        far.call(api, json!([id, true]));
        sleep(Duration::from_secs(1)).await;
        let (_, reply) = far.take_replies().remove(0);
        assert_eq!(reply["success"], recorded["success"]);
        assert_eq!(reply["message"], recorded["message"]);
        assert_eq!(reply.get("result"), None);
    }
}
