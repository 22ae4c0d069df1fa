//! Behavior that a test can switch on in the simulated gateway. No recording of a real gateway shows it.

use std::time::Duration;

use serde_json::json;
use simulator_testing::{Fault, Faults, Layout};
use tokio::time::{Instant, sleep};

use super::far_end::FarEnd;

/// Returns the value id for a request, from the node and a key such as `37-0-targetValue`.
fn value_id(node: u16, key: &str) -> serde_json::Value {
    let parts: Vec<&str> = key.splitn(3, '-').collect();
    json!({
        "nodeId": node, "commandClass": parts[0].parse::<u16>().unwrap(),
        "endpoint": parts[1].parse::<u16>().unwrap(), "property": parts[2],
    })
}

#[tokio::test(start_paused = true)]
async fn a_frozen_gateway_is_silent_and_runs_all_queued_requests_after_it_thaws() {
    let mut far = FarEnd::start().await;
    far.house.freeze();
    far.call("writeValue", json!([value_id(2, "37-0-targetValue"), true]));
    far.call("getInfo", json!([]));
    sleep(Duration::from_secs(20)).await;
    assert_eq!(far.take_messages(), []);
    assert_eq!(
        (far.house.held_requests(), far.house.received_writes().len()),
        (2, 0)
    );
    far.house.thaw();
    sleep(Duration::from_secs(1)).await;
    let replies = far.take_replies();
    assert_eq!(replies[0].0, "getInfo");
    assert_eq!(replies[1].0, "writeValue");
    assert_eq!(far.house.true_state(2, "37-0-currentValue"), true);

    far.house.freeze();
    far.call(
        "writeValue",
        json!([value_id(2, "37-0-targetValue"), false]),
    );
    sleep(Duration::from_millis(1)).await;
    far.house.kill();
    far.house.restart(Duration::ZERO);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(
        far.take_replies(),
        [],
        "a killed process loses the requests that it has not read"
    );
    assert_eq!(far.house.true_state(2, "37-0-currentValue"), true);
}

#[tokio::test(start_paused = true)]
async fn a_slow_link_delays_a_large_reply_and_all_replies_after_it() {
    let mut far = FarEnd::start().await;
    far.house.set_link(Some(100_000));
    let start = Instant::now();
    far.call("getNodes", json!([]));
    sleep(Duration::from_millis(1)).await;
    far.call("_getScenes", json!([]));
    sleep(Duration::from_secs(3)).await;
    assert_eq!(far.take_replies(), []);
    let (mut replies, mut last) = (Vec::new(), start);
    while replies.len() < 2 {
        sleep(Duration::from_millis(10)).await;
        replies.extend(far.take_replies());
        last = Instant::now();
    }
    assert_eq!((&*replies[0].0, &*replies[1].0), ("getNodes", "_getScenes"));
    let took = last - start;
    assert!(took.as_secs() == 4, "{took:?}");
    far.house.set_link(None);
    far.call("getInfo", json!([]));
    sleep(Duration::from_millis(1)).await;
    assert_eq!(far.take_replies().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_reply_has_the_state_at_the_time_of_the_request() {
    let mut far = FarEnd::start().await;
    let late = Fault::Delay(Duration::from_secs(1));
    far.house.set_faults(Faults(vec![("getNodes", late)]));
    far.call("getNodes", json!([]));
    sleep(Duration::from_millis(1)).await;
    far.house.rename_silently(3, "Other", "Attic");
    sleep(Duration::from_secs(2)).await;
    let (_, reply) = far.take_replies().remove(0);
    let nodes = reply["result"].as_array().unwrap();
    let lamp = nodes.iter().find(|node| node["id"] == 3).unwrap();
    assert_eq!(lamp["name"], "Lamp");
}

#[tokio::test(start_paused = true)]
async fn custom_topics_and_post_operations_affect_published_messages_but_not_the_api() {
    let mut far = FarEnd::start().await;
    far.house.set_topic(3, "37-0-currentValue", "the light");
    far.house.set_post_operation(11, "67-0-setpoint-1", "/10");
    far.take_messages();
    far.house.by_hand(3, "37-0-currentValue", json!(true));
    far.house.by_hand(11, "67-0-setpoint-1", json!(25));
    let received = far.take_values();
    assert_eq!(
        received,
        [
            ("Living_Room/Lamp/the_light".to_owned(), json!(true)),
            (
                "Hall/Thermostat/thermostat_setpoint/endpoint_0/setpoint/1".to_owned(),
                json!(2.5)
            ),
        ]
    );
    let nodes = far.request_nodes().await;
    let node = nodes.iter().find(|node| node["id"] == 11).unwrap();
    assert_eq!(node["values"]["67-0-setpoint-1"]["value"], 25);
}

#[tokio::test(start_paused = true)]
async fn names_scenes_and_groups_can_change_without_a_message() {
    let mut far = FarEnd::start().await;
    far.house.swap_names_silently(3, 4);
    far.house.set_groups(vec![
        json!({ "id": 4096, "name": "Both", "nodeIds": [3, 4] }),
    ]);
    far.house.set_groups(vec![json!({ "id": 4097, "name": "One", "nodeIds": [3] })]);
    far.house.set_scenes(vec![
        json!({ "sceneid": 1, "label": "Night", "values": [] }),
    ]);
    assert_eq!(far.take_messages(), []);
    let nodes = far.request_nodes().await;
    let node = |id: u16| nodes.iter().find(|node| node["id"] == id);
    assert_eq!(node(3).unwrap()["name"], "Lamp Corner");
    assert_eq!(node(4).unwrap()["name"], "Lamp");
    assert!(node(4096).is_none() && node(4097).is_some());

    far.house.rename(3, "Lamp", "Attic");
    assert_eq!(
        far.take_messages().len(),
        2,
        "there is one event for the name and one for the room"
    );
    far.house.set_events(false);
    far.house.rename(3, "Lamp 3", "Attic");
    assert_eq!(far.take_messages(), []);
}

#[tokio::test(start_paused = true)]
async fn a_saved_layout_restarts_the_gateway_with_new_topics() {
    let mut far = FarEnd::start().await;
    let layout = Layout {
        ignore_location: true,
        ..Layout::default()
    };
    far.house.set_layout(layout, Duration::from_secs(2));
    sleep(Duration::from_secs(5)).await;
    let topics: Vec<String> = far.take_messages().into_iter().map(|(topic, _)| topic).collect();
    let wanted = [
        "driver/status",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/version",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/status",
        "driver/status",
    ];
    assert_eq!(topics[..4], wanted);
    far.house.by_hand(6, "38-0-currentValue", json!(7));
    far.house.by_hand(7, "38-0-currentValue", json!(8));
    let ceiling = "Ceiling/switch_multilevel/endpoint_0/currentValue";
    let received = far.take_values();
    assert_eq!(received[0], (ceiling.to_owned(), json!(7)));
    assert_eq!(received[1], (ceiling.to_owned(), json!(8)));
}

#[tokio::test(start_paused = true)]
async fn a_device_can_end_in_another_state_than_the_written_one() {
    let far = FarEnd::start().await;
    far.house.change(12, |habits| habits.ends_in = Some(json!(254)));
    far.call("writeValue", json!([value_id(12, "98-0-targetMode"), 255]));
    sleep(Duration::from_secs(5)).await;
    assert_eq!(far.house.true_state(12, "98-0-currentMode"), 254);
}
