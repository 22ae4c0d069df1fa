//! Many calls at once, and many updates and reconnects: nothing is lost or done twice, and memory does not
//! grow. `scripts/bench.sh load` makes many more updates and reconnects.

use std::collections::HashMap;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use serde_json::json;
use simulator_testing::Setup;
use zwave_mcp_server::simulator::SimNode;

use crate::House;
use crate::fixture::{Server, node, setup};

/// Returns this many dimmers in one room, named "Dimmer 30" and so on.
fn dimmers(count: u16) -> Vec<SimNode> {
    (30..30 + count)
        .map(|id| {
            node(5, |document| {
                document.insert("id".to_owned(), json!(id));
                document.insert("name".to_owned(), json!(format!("Dimmer {id}")));
            })
        })
        .collect()
}

/// Starts a house of this many dimmers with a fast radio, and a server that has read the house.
async fn start_fast_house(count: u16) -> (House, Server) {
    let setup = Setup {
        radio: Duration::from_millis(1),
        ..setup()
    };
    let house = House::of(setup, dimmers(count)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    (house, server)
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_each_answered_once_and_truly() {
    needs!(mosquitto);
    let (house, mut server) = start_fast_house(20).await;
    // No two calls have the same node and level, so the node and level of a write show which call sent it.
    let targets: Vec<(u16, u64)> =
        (0..1000).map(|call| (30 + call % 20, 1 + u64::from(call / 20))).collect();
    let mut calls = Vec::new();
    for (node, level) in &targets {
        let arguments = json!({
            "deviceName": format!("dimmer {node}"), "action": "dim", "level": level,
        });
        calls.push(server.begin_call("control_zwave_device", arguments).await);
    }
    let mut answers = Vec::new();
    for call in calls {
        // The session's reader panics at a second answer to a call.
        answers.push(call.answer().await);
    }
    let mut written: HashMap<(u16, u64), usize> = HashMap::new();
    let mut order: HashMap<u16, Vec<u64>> = HashMap::new();
    for (node, _, value) in house.writes() {
        let level = value.as_u64().unwrap();
        *written.entry((node, level)).or_default() += 1;
        order.entry(node).or_default().push(level);
    }
    for (target, answer) in targets.iter().zip(&answers) {
        let times = written.get(target).copied().unwrap_or_default();
        // On a slow machine, some calls time out before they are sent. Their writes must not be sent later.
        match answer.certainty.as_deref() {
            Some("confirmed") => assert_eq!(times, 1, "{target:?}: {answer:?}"),
            Some("failed") if answer.text.contains("Nothing was sent") => {
                assert_eq!(times, 0, "{target:?}: {answer:?}");
            }
            _ => panic!("{target:?}: {answer:?}"),
        }
    }
    let confirmed = answers.iter().filter(|answer| answer.is_confirmed());
    assert!(confirmed.count() > 500);
    assert!(order.values().all(|levels| levels.is_sorted()), "{order:?}");
    server.close_input();
    assert_eq!(server.wait_for_end().await, Some(0));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn replies_do_not_wait_for_the_acknowledgement_of_the_previous_packet() {
    needs!(mosquitto);
    let (_house, mut server) = start_fast_house(1).await;
    let start = Instant::now();
    for level in 1..=75 {
        let answer = server.dim("dimmer 30", f64::from(level)).await;
        answer.assert_certainty("confirmed");
    }
    // If each reply waited for the system's delayed acknowledgement (40 ms), all 75 would take more than 3 s.
    let took = start.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn lists_that_wait_for_the_same_nodes_leak_no_memory() {
    needs!(mosquitto);
    use crate::fixture::{resource_usage, without_events};
    use simulator_testing::{Fault, Faults};

    let house = House::of(without_events(), dimmers(100)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let process = server.child.id().unwrap();
    let before = resource_usage(process);
    let slow = Fault::Delay(Duration::from_millis(700));
    house.set_faults(Faults(vec![("getNodes", slow)]));
    // After a write the known nodes may be out of date, so every list waits for a fetch.
    server.dim("dimmer 30", 20.0).await;
    let mut calls = Vec::new();
    for _ in 0..1000 {
        calls.push(server.begin_call("list_zwave_devices", json!({})).await);
    }
    for call in calls {
        assert!(!call.answer().await.is_error);
    }
    let grown = resource_usage(process).resident.saturating_sub(before.resident);
    assert!(grown < 4 * 1024, "{grown} KiB more");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn value_updates_and_reconnects_leak_nothing() {
    needs!(mosquitto);
    use crate::fixture::resource_usage;

    let mut house = House::of(setup(), dimmers(20)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    // The first round allocates memory that stays allocated. So measure only after this round.
    make_updates(&house, &mut server, 5_000).await;
    make_reconnects(&mut house, &mut server, 1).await;
    let process = server.child.id().unwrap();
    let before = resource_usage(process);
    make_updates(&house, &mut server, 20_000).await;
    make_reconnects(&mut house, &mut server, 4).await;
    let after = resource_usage(process);
    println!(
        "{} KiB before, {} KiB after, {} KiB at the most",
        before.resident, after.resident, after.peak
    );
    let grown = after.resident.saturating_sub(before.resident);
    assert!(grown < 3 * 1024, "{grown} KiB more");
    assert_eq!(after.descriptors, before.descriptors);
    assert_eq!(after.threads, before.threads);
}

/// Changes levels by hand. After each thousand changes, waits until a list shows the last one.
#[cfg(target_os = "linux")]
async fn make_updates(house: &House, server: &mut Server, count: u32) {
    for update in 0..count {
        let (id, level) = (30 + (update % 20) as u16, 1 + update % 97);
        house.by_hand(id, "38-0-currentValue", json!(level));
        if update % 1000 == 999 {
            // Wait, because the queue to the broker holds only a few thousand messages.
            let listed = format!("{level} %");
            let filter = format!("dimmer {id}");
            server.wait_until_listed(&filter, &listed).await;
        }
    }
}

/// Restarts the broker, and checks each time that the house can be controlled again.
#[cfg(target_os = "linux")]
async fn make_reconnects(house: &mut House, server: &mut Server, times: u64) {
    for time in 0..times {
        house.broker.stop();
        house.broker.start_again();
        let level = 20.0 + time as f64;
        crate::fixture::eventually("the house can be controlled again", async || {
            !server.dim("dimmer 30", level).await.is_error
        })
        .await;
        assert_eq!(house.true_state(30, "38-0-currentValue"), json!(20 + time));
    }
}
