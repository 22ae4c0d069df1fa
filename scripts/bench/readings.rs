//! `list` and `control` without events, beside a bare MQTT client that reads the nodes first.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::bare::Bare;
use crate::control::{by_hand, by_tool, is_asked};
use crate::houses::{GATEWAY, House};
use crate::server::Server;
use crate::table::{Table, Timings};

/// What a call may take over what a bare client takes.
const BUDGET: f64 = 1.10;

/// How much older than the nodes may be they are when the next call comes.
const MORE: Duration = Duration::from_millis(200);

/// Both tools in turns with a bare client. Every call of ours comes when the nodes are too old for
/// it, and so has them read.
pub fn read_first(
    table: &mut Table,
    label: &str,
    house: &House,
    server: &mut Server,
    pairs: usize,
) {
    let mut bare = Bare::caller(house.broker.port());
    let took = Timings::of(5, || read(&mut bare)).median();
    let took = Duration::from_secs_f64(took / 1000.0);
    let what = format!("the nodes read by a bare client, {label}");
    table.row(&what, took.as_secs_f64() * 1000.0, "ms", None, "");
    let readings = || house.simulation.calls("getNodes");

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..pairs {
        // Somebody switches something else, and only a topic tells of it.
        std::thread::sleep(Duration::from_secs(1) + took + MORE);
        house
            .simulation
            .publish_raw("Attic/Old/switch", &json!({ "value": true }), false);
        std::thread::sleep(MORE);
        theirs.push(read(&mut bare));
        let before = readings();
        let (answer, took) = server.list("");
        assert!(!answer.is_error, "{answer:?}");
        assert_eq!(readings(), before + 1, "the list had the nodes read");
        ours.push(took);
    }
    let what = format!("list, events off, {label}");
    table.ratio(&what, ours, theirs, Some(BUDGET));

    let device = is_asked();
    let old = Duration::from_secs(2).max(took * 12) + took + MORE;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        std::thread::sleep(old);
        let one = &device.states[pair % 2];
        let other = &device.states[(pair + 1) % 2];
        let start = Instant::now();
        read(&mut bare);
        by_hand(&mut bare, &device, one);
        theirs.push(start.elapsed());
        let before = readings();
        ours.push(by_tool(server, &device, other));
        assert_eq!(readings(), before + 1, "the command had the nodes read");
    }
    let what = format!("control, events off, {label}");
    table.ratio(&what, ours, theirs, Some(BUDGET));
}

fn read(bare: &mut Bare) -> Duration {
    let start = Instant::now();
    let nodes = bare.call(GATEWAY, "getNodes", json!([]));
    assert!(nodes.is_array());
    start.elapsed()
}
