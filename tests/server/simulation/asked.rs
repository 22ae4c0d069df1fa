//! The answers of devices that are asked immediately after a write and again 6 s later, as recorded in
//! `ask_the_device.json`.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep_until};

use super::far_end::FarEnd;

/// The tolerated difference between levels. A moving device is not asked at exactly the recorded moment.
const LEVEL_TOLERANCE: i64 = 4;

/// The tolerated difference between the recorded and the simulated time of a reply.
const TIME_TOLERANCE_MS: f64 = 60.0;

/// Returns the written property and the read property of a command class.
fn properties(class: &str) -> (&'static str, &'static str) {
    match class {
        "64" => ("mode", "mode"),
        "98" => ("targetMode", "currentMode"),
        "102" => ("targetState", "currentState"),
        _ => ("targetValue", "currentValue"),
    }
}

/// Parses a case's name, such as "write 3-37=True": the node, the command class, and the written value, if any.
fn parse_name(name: &str) -> (&str, &str, &str) {
    let id = name
        .split(' ')
        .find(|word| word.contains('-') && word.starts_with(char::is_numeric));
    let (id, value) = id.unwrap().split_once('=').unwrap_or((id.unwrap(), ""));
    let (node, class) = id.split_once('-').unwrap();
    (node, class, value)
}

/// Compares two results. Numbers from 1 to 99 are levels, and may differ by `LEVEL_TOLERANCE`.
fn is_same(recorded: &Json, reply: &Json) -> bool {
    match (recorded, reply) {
        (Json::Object(recorded), Json::Object(reply)) => {
            let is_same_field =
                |(name, field)| reply.get(name).is_some_and(|reply| is_same(field, reply));
            recorded.len() == reply.len() && recorded.iter().all(is_same_field)
        }
        (Json::Number(recorded), Json::Number(reply)) => {
            match (recorded.as_i64(), reply.as_i64()) {
                (Some(first), Some(second))
                    if (1..=99).contains(&first) && (1..=99).contains(&second) =>
                {
                    (first - second).abs() <= LEVEL_TOLERANCE
                }
                _ => recorded == reply,
            }
        }
        (recorded, reply) => recorded == reply,
    }
}

#[tokio::test(start_paused = true)]
async fn a_device_that_is_asked_answers_as_recorded() {
    let text = include_str!("../../../fixtures/ask_the_device.json");
    let cases: Vec<Json> = serde_json::from_str(text).unwrap();
    let mut far = FarEnd::with_radio(45).await;
    for (node, travel) in [(5, 1980), (10, 4950)] {
        far.house.change(node, |habits| {
            habits.travel = Duration::from_millis(travel);
        });
    }
    // The states when the recording began.
    far.house.by_hand(5, "38-0-currentValue", json!(20));
    far.house.by_hand(12, "98-0-currentMode", json!(255));
    let mut write_time = Instant::now();
    let mut wrong = Vec::new();
    for case in cases {
        let name = case["case"].as_str().unwrap();
        let (node, class, value) = parse_name(name);
        let (target, current) = properties(class);
        let place = json!({
            "nodeId": node.parse::<u16>().unwrap(),
            "commandClass": class.parse::<u16>().unwrap(), "endpoint": 0,
        });
        let value_id = |property: &str| {
            let mut place = place.clone();
            place["property"] = json!(property);
            place
        };
        // If the name ends with " s", the device was asked 6 s after the write.
        if name.ends_with(" s") {
            sleep_until(write_time + Duration::from_secs(6)).await;
        }
        far.take_messages();
        let start = Instant::now();
        if name.starts_with("write") {
            write_time = start;
            let value: Json = serde_json::from_str(&value.to_lowercase()).unwrap();
            far.call("writeValue", json!([value_id(target), value]));
        } else if name.starts_with("pollValue") {
            far.call("pollValue", json!([value_id(current)]));
        } else {
            far.call("sendCommand", json!([place, "get", []]));
        }
        let reply = loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            if let Some((_, reply)) = far.take_replies().into_iter().next() {
                break reply;
            }
        };
        let (took, wanted) = (start.elapsed().as_secs_f64() * 1000.0, &case["reply"]);
        for part in ["success", "message", "result"] {
            if !is_same(&wanted[part], &reply[part]) {
                wrong.push(format!("{name}: {}, not {}", reply[part], wanted[part]));
            }
        }
        let recorded = case["ms"].as_f64().unwrap();
        if (took - recorded).abs() > TIME_TOLERANCE_MS {
            wrong.push(format!("{name}: {took} ms, not {recorded}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
