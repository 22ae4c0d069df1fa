//! Measures `list` and `control` without events, and compares them with a bare MQTT client that reads the nodes.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::bare::Bare;
use crate::control::{polled_plug, switch_by_bare_client, switch_by_tool};
use crate::houses::{GATEWAY, House};
use crate::server::Server;
use crate::table::{Table, Timings};

/// The maximum ratio of our time to a bare client's.
const BUDGET: f64 = 1.10;

/// The time by which each wait is longer than needed.
const MARGIN: Duration = Duration::from_millis(200);

/// Compares both tools with a bare client. Our server reads the nodes during each call. Before a list, we
/// wait and publish a value, so that the known nodes are too old. For a command, the server always reads the
/// nodes if events are off.
pub fn compare_with_reading(
    table: &mut Table,
    label: &str,
    house: &House,
    server: &mut Server,
    pairs: usize,
) {
    let mut bare = Bare::connect_caller(house.broker.port());
    let took = Timings::of(5, || read_nodes(&mut bare)).median();
    let took = Duration::from_secs_f64(took / 1000.0);
    let what = format!("a bare client reads the nodes, {label}");
    table.add(&what, took.as_secs_f64() * 1000.0, "ms", None, "");
    let readings = || house.simulation.calls("getNodes");

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..pairs {
        std::thread::sleep(Duration::from_secs(1) + took + MARGIN);
        // Publish a value of another device, so that the server has to read the nodes again. Without events,
        // it learns only from such a message that something may have changed.
        house
            .simulation
            .publish_raw("Attic/Old/switch", &json!({ "value": true }), false);
        std::thread::sleep(MARGIN);
        theirs.push(read_nodes(&mut bare));
        let before = readings();
        let (answer, took) = server.list("");
        assert!(!answer.is_error, "{answer:?}");
        assert_eq!(readings(), before + 1, "a list must read the nodes once");
        ours.push(took);
    }
    let what = format!("list, events off, {label}");
    table.add_ratio(&what, ours, theirs, Some(BUDGET));

    let device = polled_plug();
    let pause = Duration::from_secs(2).max(took * 12) + took + MARGIN;
    println!(
        "waits {} s before each of {pairs} commands, {label}",
        pause.as_secs()
    );
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        std::thread::sleep(pause);
        let first_state = &device.states[pair % 2];
        let second_state = &device.states[(pair + 1) % 2];
        let start = Instant::now();
        read_nodes(&mut bare);
        switch_by_bare_client(&mut bare, &device, first_state);
        theirs.push(start.elapsed());
        let before = readings();
        ours.push(switch_by_tool(server, &device, second_state));
        assert_eq!(readings(), before + 1, "a command must read the nodes once");
    }
    let what = format!("control, events off, {label}");
    table.add_ratio(&what, ours, theirs, Some(BUDGET));
}

/// Reads the nodes. Returns how long that took.
fn read_nodes(bare: &mut Bare) -> Duration {
    let start = Instant::now();
    let nodes = bare.call(GATEWAY, "getNodes", json!([]));
    assert!(nodes.is_array());
    start.elapsed()
}
