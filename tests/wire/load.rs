//! Much at once, and much for a long time: nothing is lost, nothing is done twice, nothing grows.
//! `scripts/bench.sh load` does the same at many times the length.

use std::collections::HashMap;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use serde_json::json;
use zwave_mcp_server::simulator::{Setup, SimNode};

use crate::House;
use crate::fixture::{Server, node, setup};

/// As many dimmers as are asked for, "Dimmer 30" and so on, all in one room.
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

/// A house of so many dimmers on a quick radio, and a server that has read it.
async fn quick(count: u16) -> (House, Server) {
    let quick = Setup {
        radio: Duration::from_millis(1),
        ..setup()
    };
    let house = House::of(quick, dimmers(count)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    (house, server)
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_each_answered_once_and_truly() {
    needs!(mosquitto);
    let (house, mut server) = quick(20).await;
    // Each call can be told from every other at the house.
    let targets: Vec<(u16, u64)> =
        (0..1000).map(|call| (30 + call % 20, 1 + u64::from(call / 20))).collect();
    let mut answers = Vec::new();
    for (node, level) in &targets {
        let arguments = json!({
            "deviceName": format!("dimmer {node}"), "action": "dim", "level": level,
        });
        answers.push(server.begin_call("control_zwave_device", arguments).await);
    }
    let mut said = Vec::new();
    for answer in answers {
        // A second answer to a call would end the test: the server's reader refuses it.
        said.push(answer.answer().await);
    }
    let mut written: HashMap<(u16, u64), usize> = HashMap::new();
    let mut order: HashMap<u16, Vec<u64>> = HashMap::new();
    for (node, _, value) in house.writes() {
        let level = value.as_u64().unwrap();
        *written.entry((node, level)).or_default() += 1;
        order.entry(node).or_default().push(level);
    }
    for (target, answer) in targets.iter().zip(&said) {
        let times = written.get(target).copied().unwrap_or_default();
        // Where the machine is slow, some are not sent in time: then nothing may have been.
        match answer.certainty.as_deref() {
            Some("confirmed") => assert_eq!(times, 1, "{target:?}: {answer:?}"),
            Some("failed") if answer.text.contains("Nothing was sent") => {
                assert_eq!(times, 0, "{target:?}: {answer:?}");
            }
            _ => panic!("{target:?}: {answer:?}"),
        }
    }
    let confirmed = said.iter().filter(|answer| answer.is_confirmed());
    assert!(confirmed.count() > 500);
    let in_order = |levels: &Vec<u64>| levels.is_sorted();
    assert!(order.values().all(in_order), "{order:?}");
    server.close_input();
    assert_eq!(server.wait_for_end().await, Some(0));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_reply_waits_for_the_acknowledgement_of_what_came_before_it() {
    needs!(mosquitto);
    let (_house, mut server) = quick(1).await;
    let start = Instant::now();
    for level in 1..=75 {
        let answer = server.dim("dimmer 30", f64::from(level)).await;
        answer.is("confirmed");
    }
    // The system's delay of 40 ms for each would make it more than 3 s.
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn lists_that_wait_for_one_reading_leave_no_memory_behind() {
    needs!(mosquitto);
    use crate::fixture::{held, without_events};
    use zwave_mcp_server::simulator::{Fault, Faults};

    let house = House::of(without_events(), dimmers(100)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let process = server.child.id().unwrap();
    let before = held(process);
    house.set_faults(Faults(vec![(
        "getNodes",
        Fault::Delay(Duration::from_millis(700)),
    )]));
    // What is written makes the nodes doubtful: every list waits until they are read.
    server.dim("dimmer 30", 20.0).await;
    let mut answers = Vec::new();
    for _ in 0..1000 {
        answers.push(server.begin_call("list_zwave_devices", json!({})).await);
    }
    for answer in answers {
        assert!(!answer.answer().await.is_error);
    }
    let grown = held(process).resident.saturating_sub(before.resident);
    assert!(grown < 4 * 1024, "{grown} KiB more");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn value_updates_and_reconnects_leave_nothing_behind() {
    needs!(mosquitto);
    use crate::fixture::held;

    let mut house = House::of(setup(), dimmers(20)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    // The first time makes room that is kept.
    updates(&house, &mut server, 5_000).await;
    reconnects(&mut house, &mut server, 1).await;
    let process = server.child.id().unwrap();
    let before = held(process);
    updates(&house, &mut server, 20_000).await;
    reconnects(&mut house, &mut server, 4).await;
    let after = held(process);
    println!(
        "{} KiB before, {} KiB after, {} KiB at the most",
        before.resident, after.resident, after.peak
    );
    let grown = after.resident.saturating_sub(before.resident);
    assert!(grown < 3 * 1024, "{grown} KiB more");
    assert_eq!(after.descriptors, before.descriptors);
    assert_eq!(after.threads, before.threads);
}

/// Changes levels by hand and waits until the list tells the last one.
#[cfg(target_os = "linux")]
async fn updates(house: &House, server: &mut Server, count: u32) {
    for update in 0..count {
        let (id, level) = (30 + (update % 20) as u16, 1 + update % 97);
        house.by_hand(id, "38-0-currentValue", json!(level));
        if update % 1000 == 999 {
            // The queue to the broker holds some thousands.
            let told = format!("{level} %");
            let filter = format!("dimmer {id}");
            crate::fixture::eventually(&told, async || server.list(&filter).await.contains(&told))
                .await;
        }
    }
}

/// Ends the broker and starts it again; each time the house must be itself again.
#[cfg(target_os = "linux")]
async fn reconnects(house: &mut House, server: &mut Server, times: u64) {
    for time in 0..times {
        house.broker.stop();
        house.broker.start_again();
        let level = 20.0 + time as f64;
        crate::fixture::eventually("the house is itself again", async || {
            !server.dim("dimmer 30", level).await.is_error
        })
        .await;
        assert_eq!(house.true_state(30, "38-0-currentValue"), json!(20 + time));
    }
}
