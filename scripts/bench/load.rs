//! Compares memory, descriptors and threads before and after a million value updates and a hundred reconnects.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::bare::Bare;
use crate::houses::{self, GATEWAY, House};
use crate::process::ResourceUsage;
use crate::proxy::Proxy;
use crate::server::Server;

/// The maximum growth of the memory, in KiB. This leaves room for what an allocator retains, but not for a
/// leak of four bytes for each of a million updates.
const MAX_GROWTH: u64 = 3 * 1024;

/// The number of updates in a burst. The server is asked for a list after each burst, so that its queue of
/// updates stays short. A long queue would need memory, too, and look like a leak.
const BURST: usize = 2000;

/// The wait before a flood. Within this time after a fetch of the nodes, the server may fetch them once more.
/// A fetch during the flood would replace the published levels with those of the simulation.
const REREAD_DELAY: Duration = Duration::from_secs(6);

/// The time until both ends of a connection have noticed that it was cut.
const CUT_DELAY: Duration = Duration::from_millis(50);

/// A value whose updates are published.
struct Source {
    topic: String,
    node: u16,
    /// The node's name and room, which every event contains.
    name: String,
    room: String,
}

/// Publishes updates, and cuts the connection. Returns true if nothing grew by more than is allowed.
pub fn check_flat(house: &House, has_events: bool, updates: usize, reconnects: usize) -> bool {
    let sources = find_sources(house);
    let proxy = houses::start_proxy(house.broker.port());
    let mut server = Server::start(&proxy.url());
    server.wait_until_known();
    let mut bare = Bare::connect(house.broker.port(), "flood", "none");
    // After the first event, the server fetches the nodes again. Cause this event now, because a fetch during
    // the flood would replace the published levels.
    let switched = json!({ "deviceName": "switch one", "action": "on" });
    assert!(!server.call("control_zwave_device", switched).0.is_error);
    // Warm up: during the first updates and reconnects, the server allocates memory that it keeps.
    flood(&mut bare, &mut server, &sources, has_events, updates / 10);
    reconnect(&proxy, &mut server, house, reconnects / 10);
    let before = server.process().wait_until_settled();
    print_held("before", before);
    let took = flood(&mut bare, &mut server, &sources, has_events, updates);
    let flooded = server.process().wait_until_settled();
    let rate = updates as f64 / took.as_secs_f64();
    print_held(
        &format!("after {updates} value updates ({rate:.0} a second)"),
        flooded,
    );
    let took = reconnect(&proxy, &mut server, house, reconnects);
    let after = server.process().wait_until_settled();
    let each = took.as_millis() / reconnects as u128;
    print_held(
        &format!("after {reconnects} reconnects ({each} ms each)"),
        after,
    );
    server.close();
    let is_flat = |held: ResourceUsage| {
        held.resident.saturating_sub(before.resident) <= MAX_GROWTH
            && held.descriptors == before.descriptors
            && held.threads <= before.threads
    };
    is_flat(flooded) && is_flat(after)
}

fn print_held(when: &str, held: ResourceUsage) {
    println!(
        "{when}: {:.2} MiB resident (peak {:.2}), {} descriptors, {} threads",
        held.resident as f64 / 1024.0,
        held.peak as f64 / 1024.0,
        held.descriptors,
        held.threads
    );
}

/// Finds the topics on which the gateway publishes the levels of 50 dimmers.
fn find_sources(house: &House) -> Vec<Source> {
    let filter = "zwave/+/+/switch_multilevel/endpoint_0/currentValue";
    let mut bare = Bare::connect(house.broker.port(), "sources", filter);
    let mut sources = Vec::new();
    while sources.len() < 50 {
        let (topic, _) = bare.read_message();
        let node = topic.split('/').nth(2).and_then(|name| {
            let number = name.strip_prefix("Device_")?;
            number.parse::<u16>().ok()
        });
        if let Some(node) = node {
            let room = topic.split('/').nth(1).unwrap().replace('_', " ");
            sources.push(Source {
                topic,
                node,
                name: format!("Device {node}"),
                room,
            });
        }
    }
    sources
}

/// Publishes each update as the gateway does: on the value's topic and, with `has_events`, as an event. Calls
/// the list tool after each burst. With events, waits until the list shows the last level. Without events,
/// only checks that the list succeeds, because it shows the fetched levels, not the published ones. Returns
/// how long the updates took.
fn flood(
    bare: &mut Bare,
    server: &mut Server,
    sources: &[Source],
    has_events: bool,
    updates: usize,
) -> Duration {
    std::thread::sleep(REREAD_DELAY);
    let start = Instant::now();
    for burst in 0..updates.div_ceil(BURST) {
        let size = BURST.min(updates - burst * BURST);
        let mut last = None;
        for first in (0..size).step_by(100) {
            let mut messages = Vec::new();
            for update in first..(first + 100).min(size) {
                let count = burst * BURST + update;
                let source = &sources[count % sources.len()];
                let level = 1 + count % 97;
                messages.push((source.topic.clone(), update_payload(level).to_string()));
                if has_events {
                    messages.push((
                        format!("zwave/_EVENTS/ZWAVE_GATEWAY-{GATEWAY}/node/node_value_updated"),
                        event_payload(source, level).to_string(),
                    ));
                }
                last = Some((source, level));
            }
            bare.publish_all(&messages);
        }
        let (source, level) = last.unwrap();
        let wanted = format!(" {level} %");
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let (answer, _) = server.list(&source.name);
            assert!(!answer.is_error, "{answer:?}");
            if !has_events || answer.text.contains(&wanted) {
                break;
            }
            assert!(Instant::now() < deadline, "lacks \"{wanted}\": {answer:?}");
        }
    }
    start.elapsed()
}

fn update_payload(level: usize) -> Json {
    json!({ "time": houses::now(), "value": level })
}

fn event_payload(source: &Source, level: usize) -> Json {
    let node = json!({
        "id": source.node, "inited": true, "name": source.name, "location": source.room,
        "status": 4, "ready": true,
    });
    let change = json!({
        "commandClass": 38, "endpoint": 0, "property": "currentValue", "newValue": level,
    });
    json!({ "data": [node, change] })
}

/// Cuts the connection this many times. After each cut, waits until a command succeeds. Returns how long
/// everything took.
fn reconnect(proxy: &Proxy, server: &mut Server, house: &House, times: usize) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        proxy.cut();
        std::thread::sleep(CUT_DELAY);
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let arguments = json!({ "deviceName": "switch one", "action": "on" });
            let (answer, _) = server.call("control_zwave_device", arguments);
            if !answer.is_error {
                break;
            }
            assert!(Instant::now() < deadline, "commands still fail: {answer:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(
            house.simulation.true_state(2, "37-0-currentValue"),
            json!(true)
        );
    }
    start.elapsed()
}
