//! While the broker is away, answers come quickly and name the outage, and no command is kept for later.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::House;
use crate::fixture::{
    Mosquitto, Server, assert_stays, captured_nodes, eventually, setup, without_events,
};

#[tokio::test]
async fn while_the_broker_is_away_the_last_known_house_is_listed_and_no_command_is_kept_for_later()
{
    needs!(mosquitto);
    for setup in [setup(), without_events()] {
        let mut house = House::of(setup, captured_nodes()).await;
        let mut server = Server::start(&house.broker, &[]).await;
        server.list("").await;
        house.broker.stop();
        server.wait_until_listed("", "MQTT broker").await;
        let list = server.list("").await;
        assert!(list.contains("Values as of"), "{list}");
        assert!(list.contains("- Lamp Corner: switch, off"), "{list}");
        let started = Instant::now();
        for _ in 0..10 {
            let answer = server.control("lamp corner", "on").await;
            answer.assert_says("failed", "Nothing was sent to ");
        }
        server.control("no such thing", "on").await.assert_certainty("failed");
        assert!(started.elapsed() < Duration::from_secs(4));
        house.broker.start_again();
        eventually("the server sees the house again", async || {
            let list = server.list("").await;
            list.starts_with("23 devices") && !list.contains("broker")
        })
        .await;
        assert_stays("nothing is written", Duration::from_secs(1), async || {
            house.writes().is_empty()
        })
        .await;
        server.control("lamp corner", "on").await.assert_certainty("confirmed");
        assert_eq!(house.written_to(), [4]);
    }
}

#[tokio::test]
async fn a_broker_that_was_never_reached_delays_only_the_answers_that_need_it() {
    needs!(mosquitto);
    let mut broker = Mosquitto::start();
    broker.stop();
    let started = Instant::now();
    let mut server = Server::start(&broker, &[]).await;
    let took = started.elapsed();
    assert!(took < Duration::from_secs(2), "initialize waited {took:?}");
    let port = broker.port();
    let away = format!("The MQTT broker at 127.0.0.1:{port} can't be reached");
    server.control("lamp", "on").await.assert_says("failed", &away);
    let list = server.list_with(json!({})).await;
    assert!(list.is_error && list.text.contains(&away), "{list:?}");
    for uri in ["zwave://devices", "zwave://devices/Living%20Room/Lamp"] {
        let answer = server.request("resources/read", json!({ "uri": uri })).await;
        let internal_error = -32603;
        assert_eq!(answer["error"]["code"], internal_error, "{answer}");
    }
    assert!(started.elapsed() < Duration::from_secs(8));
}

#[tokio::test]
async fn during_an_outage_the_answer_to_an_unknown_name_reports_the_outage() {
    needs!(mosquitto);
    let mut house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.broker.stop();
    eventually("the outage is known", async || {
        let answer = server.control("helicopter", "on").await;
        answer.assert_certainty("failed");
        answer.text.contains("MQTT broker")
    })
    .await;
}

#[tokio::test]
async fn a_host_is_notified_when_a_missing_house_appears() {
    needs!(mosquitto);
    let mut house = House::start().await;
    house.broker.stop();
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.request("resources/list", json!({})).await;
    let resources = answer["result"]["resources"].as_array().unwrap();
    // These are the list of devices and the list of changes.
    assert_eq!(resources.len(), 2, "{answer}");
    house.broker.start_again();
    server.wait_for_message("notifications/resources/list_changed").await;
    eventually("each device is a resource, too", async || {
        let answer = server.request("resources/list", json!({})).await;
        answer["result"]["resources"].as_array().unwrap().len() == 26
    })
    .await;
}
