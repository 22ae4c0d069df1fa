//! Sends recorded requests to the simulated gateway, in the recorded order and at the recorded times. Checks
//! that the gateway's messages have the recorded topics, payloads, order and times.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use simulator_testing::{Setup, Simulation};
use tokio::time::{Instant, sleep, sleep_until};
use zwave_mcp_server::home::model::ids::Timestamp;

use super::far_end::{FarEnd, Message, messages_of, read_lines};
use crate::fixture::{captured_nodes, setup};

/// The tolerated difference in milliseconds. If a tenth of the recorded time is more, that is tolerated
/// instead. The recorded broker held small messages back (`docs/dev/GATEWAY.md#timing`), and the radio takes
/// 40 to 60 ms.
const SLACK: f64 = 60.0;

/// Messages that only the recording or only the simulation has. Each entry is the beginning of a case's name,
/// and a part of the message's topic or payload.
type Exceptions = &'static [(&'static str, &'static str)];

/// A recorded request or other action, and the messages that followed.
struct Case {
    name: String,
    at: Duration,
    request: Option<(String, Json)>,
    then: Vec<Message>,
}

/// Returns true for the requests that the simulated gateway serves: those that this server makes, and those for
/// an unknown API.
fn is_simulated(topic: &str, payload: &Json) -> bool {
    let api = topic.split_once("/api/").and_then(|(_, api)| api.strip_suffix("/set"));
    let args = payload["args"].as_array().map(Vec::as_slice);
    match (api, args) {
        (Some("writeValue"), Some([id, value, ..])) => {
            let is_level = |level| level <= 99 || level == 255;
            let is_bad_level =
                value.is_string() || value.is_number() && !value.as_u64().is_some_and(is_level);
            id["nodeId"] != 255 && !(id["commandClass"] == 38 && is_bad_level)
        }
        (Some("sendCommand"), Some([target, command, ..])) => {
            target["commandClass"].is_u64() && command == "get"
        }
        (
            Some("getInfo" | "pollValue" | "_getScenes" | "_getGroups" | "_activateScene"),
            Some(_),
        ) => true,
        (Some("noSuchApi" | "close"), _) => true,
        _ => false,
    }
}

/// Reads the cases of a recording. Leaves out those whose request is not simulated.
fn read_cases(text: &str) -> Vec<Case> {
    let read = |case: Json| Case {
        name: case["case"].as_str().unwrap().to_owned(),
        at: Duration::from_secs(case["at"].as_u64().unwrap()),
        request: case["topic"].as_str().map(|topic| (topic.to_owned(), case["payload"].clone())),
        then: messages_of(&case),
    };
    let is_kept = |case: &Case| {
        let request = case.request.as_ref();
        request.is_none_or(|(topic, payload)| is_simulated(topic, payload))
    };
    read_lines(text).map(read).filter(is_kept).collect()
}

/// Reduces a message to what the recording kept. An event keeps only the recorded fields of its node. A reply
/// loses `args` and `origin` if the recording left them out and they repeat the request. The result of `getInfo`
/// is emptied, because the result describes the gateway's machine.
fn reduce_as_recorded(
    message: &Message,
    request: Option<&Json>,
    recorded: &Json,
) -> (String, Json) {
    let Message { topic, payload, .. } = message;
    let mut payload = payload.clone();
    if topic.starts_with("_EVENTS/") {
        let kept = recorded["data"][0].as_object();
        if let (Some(kept), Some(node)) = (kept, payload["data"][0].as_object_mut()) {
            node.retain(|name, _| kept.contains_key(name));
        } else if let Some(node) = payload["data"][0].as_object_mut() {
            node.retain(|name, _| name == "id");
        }
    } else if let Some(fields) = payload.as_object_mut().filter(|_| topic.contains("/api/")) {
        let args = request.map(|request| &request["args"]);
        for (name, sent) in [("args", args), ("origin", request)] {
            let is_repeated = request.is_none() || fields.get(name) == sent;
            if recorded.get(name).is_none() && is_repeated {
                fields.remove(name);
            }
        }
        if topic.ends_with("/getInfo") {
            fields.insert("result".to_owned(), Json::Object(Map::new()));
        }
    }
    (topic.clone(), payload)
}

fn is_excepted(exceptions: Exceptions, case: &Case, message: &Message) -> bool {
    exceptions.iter().any(|(name, part)| {
        case.name.starts_with(name)
            && (message.topic.contains(part) || message.payload.to_string().contains(part))
    })
}

/// Sets the state with which a case began, because the previous case may have left another state. The scenes
/// and groups are those that the case's replies list. A value begins as the `prevValue` of its first event.
fn prepare_state(house: &Simulation, then: &[Message]) {
    let mut prepared = Vec::new();
    for Message { topic, payload, .. } in then {
        let listed = payload["result"].as_array().cloned().unwrap_or_default();
        match topic.rsplit_once('/') {
            Some((_, "_getScenes")) => house.set_scenes(listed),
            Some((_, "_getGroups")) => house.set_groups(listed),
            _ => {}
        }
        let (node, change) = (&payload["data"][0]["id"], &payload["data"][1]);
        let (Some(node), Some(property)) = (node.as_u64(), change["property"].as_str()) else {
            continue;
        };
        let (class, endpoint) = (&change["commandClass"], &change["endpoint"]);
        let mut key = format!("{class}-{endpoint}-{property}");
        if let Some(part) = change.get("propertyKey") {
            key.push_str(&format!("-{part}"));
        }
        let id = (node as u16, key);
        if prepared.contains(&id) {
            continue;
        }
        let before = change.get("prevValue");
        if let Some(before) = before.filter(|before| **before != house.cached_value(id.0, &id.1)) {
            house.by_hand(id.0, &id.1, before.clone());
        }
        prepared.push(id);
    }
}

fn describe_messages(messages: &[&Message]) -> String {
    let describe = |message: &&Message| {
        let Message { ms, topic, payload } = message;
        let payload = if topic.starts_with("_EVENTS/") {
            &payload["data"][1]
        } else {
            payload
        };
        format!("    {ms:.0} {topic} {payload}\n")
    };
    messages.iter().map(describe).collect()
}

/// Returns the differences between the recorded and the simulated messages of a case.
fn find_differences(case: &Case, recorded: &[&Message], simulated: &[&Message]) -> Vec<String> {
    let request = case.request.as_ref().map(|(_, payload)| payload);
    let none = Json::Null;
    let reduced: Vec<(String, Json)> = simulated
        .iter()
        .enumerate()
        .map(|(index, message)| {
            let payload = recorded.get(index).map_or(&none, |recorded| &recorded.payload);
            reduce_as_recorded(message, request, payload)
        })
        .collect();
    let expected: Vec<(String, Json)> = recorded
        .iter()
        .map(|message| (message.topic.clone(), message.payload.clone()))
        .collect();
    if reduced != expected {
        return vec![format!(
            "{}\n  recorded:\n{}  simulated:\n{}",
            case.name,
            describe_messages(recorded),
            describe_messages(simulated)
        )];
    }
    let mut differences = Vec::new();
    for (recorded, simulated) in recorded.iter().zip(simulated) {
        let (recorded_ms, simulated_ms) = (recorded.ms, simulated.ms);
        if (recorded_ms - simulated_ms).abs() > (recorded_ms * 0.1).max(SLACK) {
            differences.push(format!(
                "{}: {} after {simulated_ms} ms, recorded after {recorded_ms} ms",
                case.name, recorded.topic
            ));
        }
    }
    differences
}

/// Replays a recording. `prepare` is called before each case, with the case's name.
async fn replay(
    text: &str,
    mut prepare: impl FnMut(&Simulation, &str),
    with_events: bool,
    only_recorded: Exceptions,
    only_simulated: Exceptions,
) {
    let setup = Setup {
        radio: Duration::from_millis(45),
        events: with_events,
        clock: Arc::new(|| Timestamp(1)),
        ..setup()
    };
    let mut far = FarEnd::of(setup, captured_nodes()).await;
    let mut wrong = Vec::new();
    let started = Instant::now();
    let cases = read_cases(text);
    for (index, case) in cases.iter().enumerate() {
        let start = started + case.at;
        far.record_until(started, start).await;
        sleep_until(start).await;
        prepare_state(&far.house, &case.then);
        prepare(&far.house, &case.name);
        far.take_messages();
        if let Some((topic, payload)) = &case.request {
            far.publish(&format!("zwave/{topic}"), payload.to_string());
        }
        let last = case.then.last().map_or(0.0, |last| last.ms);
        let until = cases.get(index + 1).map_or_else(
            || start + Duration::from_secs_f64((last + 600.0) / 1000.0),
            |next| started + next.at,
        );
        let received = far.record_until(start, until).await;
        let is_compared = |message: &&Message| !is_excepted(only_recorded, case, message);
        let recorded: Vec<_> = case.then.iter().filter(is_compared).collect();
        let is_compared = |message: &&Message| !is_excepted(only_simulated, case, message);
        let simulated: Vec<_> = received.iter().filter(is_compared).collect();
        wrong.extend(find_differences(case, &recorded, &simulated));
    }
    assert!(
        wrong.is_empty(),
        "differences: {}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Makes devices move at the pace of the recorded case.
fn set_ramps(house: &Simulation, case: &str) {
    let moves = |node: u16, travel: u64, hesitates: u64, ends_in: Option<u64>| {
        house.change(node, |habits| {
            habits.travel = Duration::from_millis(travel);
            habits.hesitates = Duration::from_millis(hesitates);
            habits.ends_in = ends_in.map(Json::from);
        });
    };
    moves(5, 1980, 0, None);
    moves(7, 3000, 0, None);
    moves(9, 4950, 0, None);
    moves(10, 4950, 0, None);
    // Some ramps are long because the recorded mock used 255 as a level.
    match case {
        "dimmer supervised 2s ramp ->80" => moves(5, 18_400, 0, None),
        "dimmer ->255 (restore previous)" => moves(7, 3000, 4700, Some(99)),
        "dimmer off 0" => moves(7, 3000, 4740, None),
        "shade Up true (start)" => moves(10, 3000, 0, None),
        // The recorded case did not begin with the state that the previous case left.
        "BAD thermostat mode 31 unsupported" => {
            house.put_secretly(11, "67-0-setpoint-1", 20.5.into());
        }
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn writes_are_answered_as_recorded() {
    let text = include_str!("../../../fixtures/recorded/writes_ok.jsonl");
    // The recorded gateway announced once more that the volume exists. Nothing depends on this message.
    let only_recorded: Exceptions = &[("siren play tone 2", "node_metadata_updated")];
    // The simulated shade reports its arrival. The recorded mock arrived at once and reported nothing.
    let only_simulated: Exceptions = &[
        ("shade Up true (start)", "Bedroom/Shade"),
        ("shade Up true (start)", "node_value_updated"),
    ];
    replay(text, set_ramps, true, only_recorded, only_simulated).await;
}

#[tokio::test(start_paused = true)]
async fn bad_writes_are_answered_as_recorded() {
    let text = include_str!("../../../fixtures/recorded/writes_bad.jsonl");
    replay(text, set_ramps, true, &[], &[]).await;
}

#[tokio::test(start_paused = true)]
async fn writes_to_dead_and_sleeping_nodes_are_answered_as_recorded() {
    let text = include_str!("../../../fixtures/recorded/writes_slow.jsonl");
    let prepare = |house: &Simulation, case: &str| match case {
        "DEAD node write" => {
            house.set_status(19, "Asleep");
            house.change(19, |habits| habits.supervised = false);
        }
        "SLEEPING node woken by the mock after the write above" => {
            let house = house.clone();
            tokio::spawn(async move {
                sleep(Duration::from_millis(20)).await;
                house.set_status(19, "Awake");
                sleep(Duration::from_millis(400)).await;
                house.set_status(19, "Asleep");
            });
        }
        _ => {}
    };
    replay(text, prepare, true, &[], &[]).await;
}

#[tokio::test(start_paused = true)]
async fn scenes_and_groups_are_listed_and_run_as_recorded() {
    let text = include_str!("../../../fixtures/recorded/scenes_groups.jsonl");
    // This recording has no events.
    replay(text, set_ramps, false, &[], &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_rename_causes_the_recorded_messages() {
    let text = include_str!("../../../fixtures/recorded/rename_events.jsonl");
    let setup = Setup {
        clock: Arc::new(|| Timestamp(1)),
        ..setup()
    };
    let mut far = FarEnd::of(setup, captured_nodes()).await;
    for case in read_lines(text) {
        let (name, room) = match case["case"].as_str().unwrap() {
            "setNodeName [3, 'Reading Lamp']" => ("Reading Lamp", "Living Room"),
            "setNodeLocation [3, 'Library']" => ("Reading Lamp", "Library"),
            "setNodeName [3, 'Lamp']" => ("Lamp", "Library"),
            "setNodeLocation [3, 'Living Room']" => ("Lamp", "Living Room"),
            other => panic!("{other}"),
        };
        far.take_messages();
        far.house.rename(3, name, room);
        sleep(Duration::from_millis(1)).await;
        let received = far.take_messages();
        let recorded = messages_of(&case);
        let received: Vec<_> = received
            .into_iter()
            .zip(&recorded)
            .map(|((topic, payload), recorded)| {
                let ms = recorded.ms;
                let message = Message { ms, topic, payload };
                reduce_as_recorded(&message, None, &recorded.payload)
            })
            .collect();
        let recorded: Vec<_> =
            recorded.into_iter().map(|message| (message.topic, message.payload)).collect();
        assert_eq!(received, recorded, "{}", case["case"]);
    }
}
