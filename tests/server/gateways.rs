//! Several gateways under one prefix: running gateways, gateways that left only a retained status, and
//! renamed gateways.

use std::time::Duration;

use serde_json::json;
use simulator_testing::Setup;
use tokio::time::{Instant, sleep};
use zwave_mcp_server::gateway::bus::Outgoing;
use zwave_mcp_server::gateway::memory::MemoryBroker;

use crate::fixture::{captured_nodes, eventually, lamp, setup_of};
use crate::{House, Server};

/// Starts two captured houses, called "Up" and "Down", on one broker, and a server for both.
async fn start_two_houses(events: bool, options: &[&str]) -> (House, House, Server) {
    let setup_for = |name| Setup {
        events,
        ..setup_of(name)
    };
    let upstairs = House::of(setup_for("Up"), captured_nodes()).await;
    let downstairs = House::at(&upstairs.broker, setup_for("Down"), captured_nodes()).await;
    let mut server = Server::start(&upstairs, options).await;
    eventually("the devices of both houses are listed", async || {
        server.list("").await.starts_with("46 devices")
    })
    .await;
    (upstairs, downstairs, server)
}

/// Leaves retained statuses on a broker, as renamed gateways do.
fn leave_statuses(broker: &MemoryBroker, count: usize) {
    let bus = broker.connect().bus;
    for number in 0..count {
        let status = json!({ "value": true, "time": 1_700_000_000_000_u64 });
        let published = bus.publish(Outgoing {
            topic: format!("zwave/_CLIENTS/ZWAVE_GATEWAY-old-{number:03}/status"),
            payload: status.to_string().into_bytes(),
            retain: true,
            acknowledged: false,
        });
        published.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_of_one_gateway_is_not_taken_for_a_value_of_another() {
    let (upstairs, downstairs, mut server) = start_two_houses(false, &[]).await;
    upstairs.by_hand(3, "37-0-currentValue", json!(true));
    eventually("the lamp upstairs is listed as on", async || {
        let list = server.list("lamp").await;
        let mut lit = list.lines().filter(|line| line.contains("switch, on"));
        lit.next().is_some_and(|line| line.contains("(Up)")) && lit.next().is_none()
    })
    .await;
    assert_eq!(downstairs.true_state(3, "37-0-currentValue"), false);
}

#[tokio::test(start_paused = true)]
async fn two_houses_are_served_together_and_a_name_that_both_have_is_shown_with_the_gateway() {
    let (upstairs, downstairs, mut server) = start_two_houses(true, &[]).await;
    let answer = server.control("lamp corner", "on").await;
    answer.assert_says("failed", "Lamp Corner (Up)");
    answer.assert_says("failed", "Lamp Corner (Down)");
    server.control("lamp corner down", "on").await.assert_certainty("confirmed");
    assert_eq!(
        (upstairs.written_to(), downstairs.written_to()),
        (vec![], vec![4])
    );
}

#[tokio::test(start_paused = true)]
async fn no_command_is_told_as_failed_because_the_gateway_was_ended_after_it_was_sent() {
    let lamps = (2..22).map(|id| lamp(id, &format!("Lamp {id}"), "Hall"));
    let slow = Setup {
        radio: Duration::from_millis(300),
        ..setup_of("Mosquitto")
    };
    let house = House::of(slow, lamps.collect()).await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    let mut calls = Vec::new();
    for id in 2..22 {
        calls.push((id, server.begin_control(&format!("Lamp {id}"), "on").await));
    }
    sleep(Duration::from_millis(500)).await;
    house.terminate().await;
    let mut unknown = 0;
    for (id, call) in calls {
        let answer = call.answer().await;
        let is_sent = house.written_to().contains(&id);
        match answer.certainty.as_deref() {
            Some("confirmed") => assert_eq!(house.true_state(id, "37-0-currentValue"), true),
            Some("unknown") => unknown += 1,
            // The gateway replied before it ended.
            Some("accepted") => {}
            _ => assert!(!is_sent, "{answer:?}"),
        }
    }
    assert!(unknown > 3, "{unknown} commands were under way");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_to_a_name_that_two_gateways_use() {
    for events in [true, false] {
        let setup_of_home = |home| Setup {
            home,
            events,
            ..setup_of("zwave-js-ui")
        };
        let ours = House::of(setup_of_home(1), captured_nodes()).await;
        let theirs = House::at(&ours.broker, setup_of_home(2), captured_nodes()).await;
        let mut server = Server::start(&ours, &[]).await;
        server.list("").await;
        for device in ["lamp", "kitchen dimmer", "all lights"] {
            let answer = server.control(device, "on").await;
            answer.assert_says(
                "failed",
                "Two Z-Wave gateways use the MQTT name zwave-js-ui",
            );
        }
        sleep(Duration::from_secs(700)).await;
        server.control("lamp", "on").await.assert_says("failed", "Two Z-Wave gateways");
        assert!(server.list("").await.contains("Two Z-Wave gateways"));
        assert_eq!((ours.writes(), theirs.writes()), (vec![], vec![]));
        // The other gateway is gone, or has its own name now.
        theirs.stop();
        eventually("the lamp is switched on", async || {
            !server.control("lamp", "on").await.is_error
        })
        .await;
        assert_eq!((ours.written_to(), theirs.written_to()), (vec![3], vec![]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_gateway_that_starts_quietly_under_the_name_is_found_within_ten_minutes() {
    let setup_of_home = |home| Setup {
        home,
        retain: false,
        ..setup_of("zwave-js-ui")
    };
    let ours = House::of(setup_of_home(1), captured_nodes()).await;
    let mut server = Server::start(&ours, &[]).await;
    server.control("lamp", "on").await.assert_certainty("confirmed");
    let theirs = House::at(&ours.broker, setup_of_home(2), captured_nodes()).await;
    sleep(Duration::from_secs(610)).await;
    server.control("lamp", "off").await.assert_says("failed", "Two Z-Wave gateways");
    assert_eq!((ours.written_to(), theirs.written_to()), (vec![3], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_command_to_all_lights_says_that_a_gateway_is_still_being_read() {
    let upstairs = House::of(setup_of("Up"), captured_nodes()).await;
    let down_setup = Setup {
        home: 2,
        ..setup_of("Down")
    };
    let downstairs = House::at(&upstairs.broker, down_setup, captured_nodes()).await;
    downstairs.freeze();
    // The server expects that the gateways in its options exist, even if they are silent.
    let mut server = Server::start(&upstairs, &["--gateway=Up", "--gateway=Down"]).await;
    let answer = server.control("all lights in the office", "off").await;
    answer.assert_says("confirmed", "still being read");
    assert_eq!(
        (upstairs.written_to(), downstairs.written_to()),
        (vec![7], vec![])
    );
}

#[tokio::test(start_paused = true)]
async fn statuses_of_gateways_that_are_gone_neither_hide_nor_delay_the_house() {
    for count in [1, 70, 3000] {
        let house = House::start().await;
        leave_statuses(&house.broker, count);
        let mut server = Server::start(&house, &[]).await;
        let started = Instant::now();
        let list = server.list("").await;
        assert!(
            list.starts_with("23 devices") && !list.contains("old-0"),
            "{list}"
        );
        server.control("lamp corner", "on").await.assert_certainty("confirmed");
        assert!(started.elapsed() < Duration::from_secs(8));
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_names_the_gateways_that_left_a_status_if_none_of_them_replies() {
    let broker = MemoryBroker::default();
    leave_statuses(&broker, 2);
    let mut server = Server::at(&broker, &["--reply-timeout=1s"]);
    server.initialize().await;
    let list = server.list("").await;
    assert!(
        list.contains("old-000") && list.contains("old-001"),
        "{list}"
    );
    server.control("lamp", "on").await.assert_says("failed", "old-001");
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_is_renamed_while_the_server_runs_is_listed_once() {
    let first = House::start().await;
    let mut server = Server::start(&first, &[]).await;
    assert!(server.list("").await.starts_with("23 devices"));
    // The retained status of the stopped gateway still says that the gateway is online.
    first.stop();
    let second = House::at(&first.broker, setup_of("Haus"), captured_nodes()).await;
    assert!(!server.control("kitchen dimmer", "on").await.is_error);
    assert_eq!(second.written_to(), [5]);
    let list = server.list("").await;
    assert!(list.starts_with("23 devices"), "{list}");
}
