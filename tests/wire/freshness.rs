//! The snapshot follows the house: topics, events, statuses, other clients.

use serde_json::json;
use zwave_mcp_server::demo::Setup;

use crate::support::{House, Server, captured_nodes, eventually, setup};

async fn a_change_made_by_hand_is_listed(setup: Setup) {
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house.broker, &["--gateway=Mosquitto"]).await;
    assert!(server.list("lamp").await.contains("- Lamp: switch, off"));
    house.by_hand(3, "37-0-currentValue", json!(true));
    eventually("the lamp is listed as on", async || {
        server.list("lamp").await.contains("- Lamp: switch, on")
    })
    .await;
    house.by_hand(15, "49-0-Air temperature", json!(23.4));
    eventually("the temperature is listed", async || {
        server.list("multisensor").await.contains("23.4 °C")
    })
    .await;
    assert_eq!(house.calls("getNodes"), 1, "heard, not fetched again");
}

#[tokio::test]
async fn a_change_made_by_hand_is_listed_from_topics_alone() {
    let setup = Setup {
        events: false,
        ..setup()
    };
    a_change_made_by_hand_is_listed(setup).await;
}

#[tokio::test]
async fn a_change_made_by_hand_is_listed_without_retained_topics() {
    let setup = Setup {
        retain: false,
        ..setup()
    };
    a_change_made_by_hand_is_listed(setup).await;
}

#[tokio::test]
async fn a_node_that_dies_or_falls_asleep_is_listed_so() {
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.set_status(4, "Dead");
    eventually("it is counted, not listed", async || {
        let list = server.list("living room").await;
        !list.contains("Lamp Corner") && list.contains("1 more not responding")
    })
    .await;
    house.set_status(4, "Alive");
    eventually("it is back", async || {
        server.list("living room").await.contains("Lamp Corner")
    })
    .await;
    assert!(server.list("door sensor").await.contains("asleep"));
}

#[tokio::test]
async fn a_returned_gateway_is_read_again() {
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.stop();
    eventually("it is gone", async || {
        server.list("").await.contains("driver")
    })
    .await;
    house.put_secretly(3, "37-0-currentValue", json!(true));
    house.restart(std::time::Duration::from_millis(200));
    eventually("it is read again", async || {
        house.calls("getNodes") > 1 && !server.list("").await.contains("driver")
    })
    .await;
}
