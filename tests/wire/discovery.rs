//! Gateways are found with and without retained topics, by name and by what passes.

use std::time::Duration;

use crate::support::{House, Mosquitto, Server, captured_nodes, setup, simulate};
use zwave_mcp_server::simulator::Setup;

fn unretained(name: &str) -> Setup {
    Setup {
        retain: false,
        name: name.to_owned(),
        ..setup()
    }
}

#[tokio::test]
async fn without_retained_topics_the_default_name_is_asked() {
    needs!(mosquitto);
    let house = House::of(unretained("zwave-js-ui"), captured_nodes()).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    assert!(server.list("").await.starts_with("23 devices"));
    let answer = server.control("lamp corner", "on").await;
    answer.is("confirmed", "Lamp Corner is now on.");
}

#[tokio::test]
async fn without_retained_topics_another_name_is_found_by_gateway_or_by_what_passes() {
    needs!(mosquitto);
    let house = House::of(unretained("cellar"), captured_nodes()).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut named = Server::start(&house.broker, &["--gateway", "cellar"]).await;
    assert!(named.list("").await.starts_with("23 devices"));

    let mut unnamed = Server::start(&house.broker, &["--reply-timeout=3s"]).await;
    let list = unnamed.list("").await;
    assert!(list.contains("No zwave-js-ui gateway was found"), "{list}");
    assert!(list.contains("--gateway"), "{list}");
    house.by_hand(3, "37-0-currentValue", serde_json::json!(true));
    crate::support::eventually("an event gives the gateway away", async || {
        unnamed.list("").await.starts_with("23 devices")
    })
    .await;
}

#[tokio::test]
async fn a_gateway_that_is_named_and_not_there_is_named_in_the_answer() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--gateway=attic", "--reply-timeout=1s"]).await;
    let list = server.list("").await;
    assert!(list.contains("gateway attic does not answer"), "{list}");
    let answer = server.control("lamp", "on").await;
    assert!(answer.is_error, "{answer:?}");
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn under_another_prefix_nothing_is_found_and_the_answer_says_where_it_looked() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--prefix=home/zw"]).await;
    let list = server.list("").await;
    assert!(
        list.contains("under the topic prefix \"home/zw\""),
        "{list}"
    );
}

#[tokio::test]
async fn two_houses_are_served_at_once_and_shared_names_get_their_gateways() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let upstairs = simulate(
        &broker,
        Setup {
            name: "Up".to_owned(),
            ..setup()
        },
        captured_nodes(),
    );
    let down = Setup {
        name: "Down".to_owned(),
        ..setup()
    };
    let downstairs = simulate(&broker, down, captured_nodes());
    let mut server = Server::start(&broker, &[]).await;
    crate::support::eventually("both are found", async || {
        server.list("").await.starts_with("46 devices")
    })
    .await;
    let answer = server.control("lamp corner", "on").await;
    assert!(answer.text.contains("Lamp Corner (Up)"), "{answer:?}");
    assert!(answer.text.contains("Lamp Corner (Down)"), "{answer:?}");
    let answer = server.control("lamp corner down", "on").await;
    answer.is("confirmed", "Living Room Lamp Corner (Down) is now on.");
    assert_eq!(upstairs.received(), []);
    assert_eq!(downstairs.received().len(), 1);
}

#[tokio::test]
async fn what_is_done_to_all_lights_says_of_which_gateway_none_is_known() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let up = Setup {
        name: "Up".to_owned(),
        ..setup()
    };
    let upstairs = simulate(&broker, up, captured_nodes());
    let down = Setup {
        name: "Down".to_owned(),
        home: 2,
        ..setup()
    };
    let downstairs = simulate(&broker, down, captured_nodes());
    crate::support::eventually("both are there", async || {
        upstairs.is_connected() && downstairs.is_connected()
    })
    .await;
    downstairs.freeze();
    // A gateway that is named is no rumour.
    let named = ["--gateway=Up", "--gateway=Down"];
    let mut server = Server::start(&broker, &named).await;
    let answer = server.control("all lights in the office", "off").await;
    assert!(answer.text.contains(" is now off."), "{answer:?}");
    assert!(
        answer
            .text
            .ends_with("The house is still being read. Try again in a few seconds."),
        "{answer:?}"
    );
    assert!(!upstairs.received().is_empty() && downstairs.received().is_empty());
}
