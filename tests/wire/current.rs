//! What is decided on and listed is what the house is now: gateways that are there, groups that exist,
//! names as they are when the call comes, and nothing unproven as a fact.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};
use zwave_mcp_server::simulator::{Fault, Faults, Setup};

use crate::support::{
    House, Mosquitto, Publisher, Server, captured_nodes, eventually, setup, simulate,
    without_events,
};

/// Leaves statuses on the broker, as gateways do that were given another name.
fn leave_statuses(broker: &Mosquitto, count: usize) {
    let mut publisher = Publisher::connect(broker.port());
    for number in 0..count {
        let topic = format!("zwave/_CLIENTS/ZWAVE_GATEWAY-old-{number:03}/status");
        publisher.retain(&topic, br#"{"value": true, "time": 1700000000000}"#);
    }
}

#[tokio::test]
async fn statuses_that_nobody_stands_behind_neither_hide_nor_delay_the_house() {
    needs!(mosquitto);
    for count in [70, 3000] {
        let broker = Mosquitto::start();
        leave_statuses(&broker, count);
        let _house = simulate(&broker, setup(), captured_nodes());
        sleep(Duration::from_millis(500)).await;
        let mut server = Server::start(&broker, &[]).await;
        let begun = Instant::now();
        let list = server.list("").await;
        assert!(list.starts_with("23 devices"), "{list}");
        assert!(!list.contains("old-0"), "{list}");
        let answer = server.control("lamp corner", "on").await;
        answer.is("confirmed", "Lamp Corner is now on.");
        assert!(
            begun.elapsed() < Duration::from_secs(8),
            "{:?}",
            begun.elapsed()
        );
    }
}

#[tokio::test]
async fn where_no_gateway_answers_the_answer_names_those_that_left_a_status() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    leave_statuses(&broker, 2);
    let mut server = Server::start(&broker, &["--reply-timeout=1s"]).await;
    let list = server.list("").await;
    assert!(
        list.contains("old-000") && list.contains("old-001"),
        "{list}"
    );
    let answer = server.control("lamp", "on").await;
    assert!(answer.text.contains("old-001"), "{answer:?}");
}

#[tokio::test]
async fn a_gateway_that_was_given_another_name_is_listed_once_by_a_fresh_server() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    leave_statuses(&broker, 1);
    let _house = simulate(&broker, setup(), captured_nodes());
    let mut server = Server::start(&broker, &[]).await;
    eventually("each device is listed once", async || {
        server.list("").await.starts_with("23 devices")
    })
    .await;
}

#[tokio::test]
async fn a_gateway_that_is_given_another_name_while_the_server_runs_is_listed_once() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let first = simulate(&broker, setup(), captured_nodes());
    let mut server = Server::start(&broker, &[]).await;
    eventually("the house is listed", async || {
        server.list("").await.starts_with("23 devices")
    })
    .await;
    // Its retained status stays, and says that it is there.
    first.stop();
    let second = Setup {
        name: "Haus".to_owned(),
        ..setup()
    };
    let house = simulate(&broker, second, captured_nodes());
    eventually("it is there", async || house.is_connected()).await;
    let answer = server.control("kitchen dimmer", "on").await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(house.received().len(), 1);
    let list = server.list("").await;
    assert!(list.starts_with("23 devices"), "{list}");
}

#[tokio::test]
async fn a_group_that_is_gone_is_not_listed_and_moves_nothing() {
    needs!(mosquitto);
    let house = House::start().await;
    let group = json!({ "id": 4096, "name": "Downstairs lights", "nodeIds": [3, 4] });
    house.set_groups(vec![group.clone()]);
    let mut server = Server::start(&house.broker, &[]).await;
    house.is_heard().await;
    eventually("the group is listed", async || {
        server.list("").await.contains("Downstairs lights")
    })
    .await;
    house.set_groups(Vec::new());
    let answer = server.control("downstairs lights", "on").await;
    assert!(answer.is_error, "{answer:?}");
    assert_eq!(house.writes(), []);
    house.set_groups(vec![group]);
    let answer = server.control("downstairs lights", "on").await;
    answer.is("confirmed", "Downstairs lights is now on.");
    house.set_groups(Vec::new());
    sleep(Duration::from_millis(2100)).await;
    let list = server.list("").await;
    assert!(!list.contains("Downstairs lights"), "{list}");
}

#[tokio::test]
async fn a_group_that_was_just_made_is_found_and_listed() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    house.is_heard().await;
    server.list("").await;
    let group = |id: u64, name: &str| json!({ "id": id, "name": name, "nodeIds": [3, 4] });
    house.set_groups(vec![group(4096, "Downstairs lights")]);
    let answer = server.control("downstairs lights", "on").await;
    answer.is("confirmed", "Downstairs lights is now on.");
    house.set_groups(vec![
        group(4096, "Downstairs lights"),
        group(4097, "Night lights"),
    ]);
    sleep(Duration::from_millis(2100)).await;
    let list = server.list("").await;
    assert!(list.contains("Night lights"), "{list}");
}

#[tokio::test]
async fn a_name_means_what_it_means_when_the_call_comes() {
    needs!(mosquitto);
    let house = House::of(without_events(), captured_nodes()).await;
    let mut server = Server::start(&house.broker, &[]).await;
    for expected in [4, 3, 4, 3] {
        server.list("").await;
        house.swap_names_silently(3, 4);
        let answer = server.control("lamp", "on").await;
        assert!(!answer.is_error, "{answer:?}");
        assert_eq!(house.written_to().last(), Some(&expected));
    }
    // However slow the reading is.
    let slow = Fault::Delay(Duration::from_secs(3));
    house.set_faults(Faults(vec![("getNodes", slow)]));
    server.list("").await;
    house.swap_names_silently(3, 4);
    let answer = server.control("lamp", "off").await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(house.written_to().last(), Some(&4));
}

/// A server that switched a lamp on which neither obeys nor answers.
async fn commanded_in_vain(house: &House) -> Server {
    house.change(3, |habits| {
        habits.obeys = false;
        habits.answers = false;
    });
    let mut server = Server::start(&house.broker, &["--confirm-timeout=500ms"]).await;
    let answer = server.control("lamp", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("accepted"), "{answer:?}");
    server
}

#[tokio::test]
async fn what_nothing_has_proven_is_not_listed_as_a_fact_however_long_it_takes() {
    needs!(mosquitto);
    for setup in [setup(), without_events()] {
        let house = House::of(setup, captured_nodes()).await;
        let mut server = commanded_in_vain(&house).await;
        sleep(Duration::from_secs(8)).await;
        let list = server.list("lamp").await;
        let line = list.lines().find(|line| line.starts_with("- Lamp:"));
        let line = line.unwrap_or_else(|| panic!("{list}"));
        assert!(
            !line.contains(", on") || line.contains("unconfirmed"),
            "{line}"
        );
        // The device's own report is proof.
        house.by_hand(3, "37-0-currentValue", json!(false));
        eventually("the device reports that it is off", async || {
            server.list("lamp").await.contains("- Lamp: switch, off")
        })
        .await;
        house.by_hand(3, "37-0-currentValue", json!(true));
        eventually("what the device reports is a fact", async || {
            let list = server.list("lamp").await;
            list.lines().any(|line| line == "- Lamp: switch, on")
        })
        .await;
    }
}

#[tokio::test]
async fn what_a_gateway_kept_in_its_cache_is_no_fact_after_it_was_killed() {
    needs!(mosquitto);
    for (events, setup) in [(true, setup()), (false, without_events())] {
        let house = House::of(setup, captured_nodes()).await;
        let mut server = Server::start(&house.broker, &[]).await;
        server.control("switch one", "off").await;
        house.write_cache();
        let answer = server.control("switch one", "on").await;
        assert_eq!(answer.certainty.as_deref(), Some("confirmed"));
        house.kill();
        house.restart(Duration::from_millis(100));
        eventually("its last state is told as such", async || {
            let list = server.list("switch one").await;
            assert!(!list.contains("switch, off"), "{list}");
            list.contains("- Switch One: switch, on (last known)")
        })
        .await;
        house.by_hand(2, "37-0-currentValue", json!(false));
        eventually("what it reports since is told", async || {
            let list = server.list("switch one").await;
            let fact = list.contains("- Switch One: switch, off") && !list.contains("last known");
            // Without events nobody can tell it from what the gateway kept.
            fact || !events && list.contains("- Switch One: switch, off (last known)")
        })
        .await;
    }
}

#[tokio::test]
async fn a_lamp_that_died_before_it_obeyed_is_listed_as_dead_and_never_as_on() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = commanded_in_vain(&house).await;
    house.set_status(3, "Dead");
    let inactive = json!({ "filter": "living room lamp", "includeInactive": true });
    eventually("it is listed as dead", async || {
        let list = server
            .call("list_zwave_devices", inactive.clone())
            .await
            .text;
        list.lines()
            .any(|line| line.starts_with("- Lamp:") && line.contains("not responding"))
    })
    .await;
    house.set_status(3, "Alive");
    eventually("what it never confirmed is no fact", async || {
        let list = server.list("living room lamp").await;
        let line = list.lines().find(|line| line.starts_with("- Lamp:"));
        line.is_some_and(|line| !line.contains(", on") || line.contains("unconfirmed"))
    })
    .await;
}
