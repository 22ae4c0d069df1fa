//! A million value updates and a hundred reconnects, and what the process holds before and after.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::bare::Bare;
use crate::houses::{self, GATEWAY, House};
use crate::process::Held;
use crate::proxy::Proxy;
use crate::server::Server;

/// What the memory may differ by, in KiB: what an allocator keeps for itself, never a leak of even
/// three bytes for each update.
const FLAT: u64 = 3 * 1024;

/// Updates between two looks at whether all of them have arrived. What waits to be taken in needs
/// room too, and that is not what is measured here.
const BURST: usize = 2000;

/// A house that has just been read may be read once more within this time, and then shows what the
/// simulation believes, which the played updates do not change.
const READ_ANEW: Duration = Duration::from_secs(6);

/// Until a cut has reached everybody.
const CUT: Duration = Duration::from_millis(50);

/// A value whose updates are played.
struct Source {
    topic: String,
    node: u16,
    /// The node's name and room, as every event tells them.
    name: String,
    room: String,
}

/// Plays updates and reconnects; whether memory, descriptors and threads stayed.
pub fn flat(house: &House, events: bool, updates: usize, reconnects: usize) -> bool {
    let sources = sources(house);
    let wire = houses::wire(house.broker.port());
    let mut server = Server::start(&wire.url());
    server.house_known();
    let mut bare = Bare::connect(house.broker.port(), "flood", "none");
    // The first event has the nodes read once more, and the gateway knows nothing of the flood.
    let switched = json!({ "deviceName": "switch one", "action": "on" });
    assert!(!server.call("control_zwave_device", switched).0.is_error);
    // The first of everything makes room that is kept.
    flood(&mut bare, &mut server, &sources, events, updates / 10);
    reconnect(&wire, &mut server, house, reconnects / 10);
    let before = server.process().settled();
    tell("before", before);
    let took = flood(&mut bare, &mut server, &sources, events, updates);
    let flooded = server.process().settled();
    let rate = updates as f64 / took.as_secs_f64();
    tell(
        &format!("after {updates} value updates ({rate:.0} a second)"),
        flooded,
    );
    let took = reconnect(&wire, &mut server, house, reconnects);
    let after = server.process().settled();
    let each = took.as_millis() / reconnects as u128;
    tell(
        &format!("after {reconnects} reconnects ({each} ms each)"),
        after,
    );
    server.close();
    let stayed = |held: Held| {
        held.resident.saturating_sub(before.resident) <= FLAT
            && held.descriptors == before.descriptors
            && held.threads <= before.threads
    };
    stayed(flooded) && stayed(after)
}

fn tell(when: &str, held: Held) {
    println!(
        "{when}: {:.2} MiB resident (peak {:.2}), {} descriptors, {} threads",
        held.resident as f64 / 1024.0,
        held.peak as f64 / 1024.0,
        held.descriptors,
        held.threads
    );
}

/// The levels of the dimmers, by the topics under which the gateway publishes them.
fn sources(house: &House) -> Vec<Source> {
    let filter = "zwave/+/+/switch_multilevel/endpoint_0/currentValue";
    let mut bare = Bare::connect(house.broker.port(), "sources", filter);
    let mut sources = Vec::new();
    while sources.len() < 50 {
        let (topic, _) = bare.message();
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

/// Plays updates as the gateway does, a topic and an event for each. After every burst the list
/// must tell the last level: everything arrived, and in its order. Without events it has the nodes
/// read, which know nothing of the flood.
fn flood(
    bare: &mut Bare,
    server: &mut Server,
    sources: &[Source],
    events: bool,
    updates: usize,
) -> Duration {
    std::thread::sleep(READ_ANEW);
    let start = Instant::now();
    for burst in 0..updates.div_ceil(BURST) {
        let played = BURST.min(updates - burst * BURST);
        let mut last = None;
        for begin in (0..played).step_by(100) {
            let mut messages = Vec::new();
            for update in begin..(begin + 100).min(played) {
                let count = burst * BURST + update;
                let source = &sources[count % sources.len()];
                let level = 1 + count % 97;
                messages.push((source.topic.clone(), update_payload(level).to_string()));
                if events {
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
            if !events || answer.text.contains(&wanted) {
                break;
            }
            assert!(Instant::now() < deadline, "not {wanted}: {answer:?}");
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

/// Cuts the connection again and again; each time the house must be told without a trouble again.
fn reconnect(wire: &Proxy, server: &mut Server, house: &House, times: usize) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        wire.cut();
        std::thread::sleep(CUT);
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let arguments = json!({ "deviceName": "switch one", "action": "on" });
            let (answer, _) = server.call("control_zwave_device", arguments);
            if !answer.is_error {
                break;
            }
            assert!(Instant::now() < deadline, "not itself again: {answer:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(
            house.simulation.true_state(2, "37-0-currentValue"),
            json!(true)
        );
    }
    start.elapsed()
}
