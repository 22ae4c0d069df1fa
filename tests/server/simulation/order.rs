//! The order in which the simulated gateway replies (`docs/dev/GATEWAY.md#dead-and-sleeping-nodes`), and the topics
//! that the gateway makes from names (`topic_sanitising.json`).

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::far_end::{FarEnd, Message};

/// Returns the arguments of a write to a switch.
fn write_arguments(node: u16, value: bool) -> Json {
    let id = json!({
        "nodeId": node, "commandClass": 37, "endpoint": 0, "property": "targetValue",
    });
    json!([id, value])
}

/// Records each reply of the next `seconds`: API, the result's status, and milliseconds since the start.
async fn record_replies(far: &mut FarEnd, seconds: u64) -> Vec<(String, Option<u64>, u64)> {
    let start = Instant::now();
    let received = far.record_until(start, start + Duration::from_secs(seconds)).await;
    let replies = received.into_iter().filter_map(|Message { ms, topic, payload }| {
        let (_, api) = topic.split_once("/api/")?;
        let status = payload["result"]["status"].as_u64();
        Some((api.to_owned(), status, ms as u64))
    });
    replies.collect()
}

#[tokio::test(start_paused = true)]
async fn a_write_to_a_dead_node_delays_only_requests_that_need_the_radio() {
    let mut far = FarEnd::with_radio(45).await;
    far.call("writeValue", write_arguments(20, true));
    sleep(Duration::from_millis(1)).await;
    far.call("writeValue", write_arguments(2, true));
    far.call("getInfo", json!([]));
    let replies = record_replies(&mut far, 5).await;
    let statuses: Vec<_> = replies.iter().map(|(api, status, _)| (api.as_str(), *status)).collect();
    let wanted = [
        ("getInfo", None),
        ("writeValue", Some(2)),
        ("writeValue", Some(255)),
    ];
    assert_eq!(statuses, wanted);
    for (recorded, (api, _, ms)) in [46, 3030, 3084].into_iter().zip(&replies) {
        assert!(ms.abs_diff(recorded) <= 60, "{api} after {ms} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_later_write_replaces_a_write_that_waits_for_a_sleeping_node() {
    let mut far = FarEnd::with_radio(45).await;
    far.house.set_status(19, "Asleep");
    far.house.change(19, |habits| habits.supervised = false);
    let setpoint = |value: u64| {
        let id = json!({
            "nodeId": 19, "commandClass": 67, "endpoint": 0, "property": "setpoint",
            "propertyKey": 1,
        });
        json!([id, value])
    };
    far.call("writeValue", setpoint(18));
    far.call("writeValue", write_arguments(2, true));
    let replies = record_replies(&mut far, 1).await;
    assert_eq!(replies.len(), 1, "only the first write waits: {replies:?}");
    far.call("writeValue", setpoint(16));
    let replaced = record_replies(&mut far, 25).await;
    assert_eq!((replaced.len(), replaced[0].1), (1, Some(2)));
    far.house.set_status(19, "Awake");
    let woken = record_replies(&mut far, 1).await;
    assert_eq!((woken.len(), woken[0].1), (1, Some(254)));
    assert_eq!(far.house.true_state(19, "67-0-setpoint-1"), 16);
}

#[tokio::test(start_paused = true)]
async fn topics_are_made_from_names_as_recorded() {
    let text = include_str!("../../../fixtures/topic_sanitising.json");
    let names: Vec<Json> = serde_json::from_str(text).unwrap();
    let mut far = FarEnd::with_radio(45).await;
    assert!(names.len() > 20);
    for case in names {
        let topic = case["value_topic"].as_str().unwrap();
        let text = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
        far.house.rename(21, &text("name"), &text("location"));
        far.take_messages();
        far.house.by_hand(21, "37-0-currentValue", json!(true));
        let (received, _) = far.take_values().remove(0);
        assert_eq!(format!("zwave/{received}"), topic, "{case}");
    }
}
