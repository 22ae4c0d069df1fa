//! The gate: what is said while the broker is away is never done later.

use std::time::Duration;

use crate::support::{House, Mosquitto, Server, eventually, stays};

#[tokio::test]
async fn a_command_given_while_the_broker_is_away_is_never_executed_later() {
    needs!(mosquitto);
    let mut house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.broker.stop();
    eventually("the server knows", async || {
        server.list("").await.contains("MQTT broker")
    })
    .await;
    for _ in 0..20 {
        let answer = server.control("lamp corner", "on").await;
        assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
        assert!(answer.text.starts_with("Nothing was sent to Lamp Corner."));
    }
    house.broker.start_again();
    eventually("the server sees the house again", async || {
        let list = server.list("").await;
        list.starts_with("23 devices") && !list.contains("broker")
    })
    .await;
    stays("nothing is written", Duration::from_secs(1), async || {
        house.writes().is_empty()
    })
    .await;
    let answer = server.control("lamp corner", "on").await;
    answer.is("confirmed", "Lamp Corner is now on.");
    assert_eq!(house.writes().len(), 1);
}

#[tokio::test]
async fn the_last_known_house_is_listed_with_its_age_while_the_broker_is_away() {
    needs!(mosquitto);
    let mut house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.broker.stop();
    eventually("the server knows", async || {
        server.list("").await.contains("MQTT broker")
    })
    .await;
    let list = server.list("").await;
    assert!(list.contains("Values as of"), "{list}");
    assert!(list.contains("- Lamp Corner: switch, off"), "{list}");
}

#[tokio::test]
async fn a_broker_that_was_never_there_delays_nothing_but_the_answer_that_needs_it() {
    needs!(mosquitto);
    let mut broker = Mosquitto::start();
    broker.stop();
    let begun = tokio::time::Instant::now();
    let mut server = Server::start(&broker, &[]).await;
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "initialize waited"
    );
    let answer = server.control("lamp", "on").await;
    assert!(answer.is_error);
    let start = format!(
        "Nothing was sent to lamp. The MQTT broker at 127.0.0.1:{} can't be reached",
        broker.port()
    );
    assert!(answer.text.starts_with(&start), "{}", answer.text);
    let answer = server
        .call("list_zwave_devices", serde_json::json!({}))
        .await;
    assert!(answer.is_error && answer.text.contains("can't be reached"));
    assert!(begun.elapsed() < Duration::from_secs(8));
}
