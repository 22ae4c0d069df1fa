//! The snapshot follows the house: topics, events, statuses, other clients.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use zwave_mcp_server::gateway::{Clock, GatewaySettings, Gateways, memory};
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::model::ids::{NodeId, Timestamp};
use zwave_mcp_server::home::model::node::NodeStatus;
use zwave_mcp_server::simulator::{Layout, Setup, Simulation};

use crate::support::{House, Server, captured_nodes, eventually, setup, stays, without_events};

async fn a_change_made_by_hand_is_listed(setup: Setup) {
    let events = setup.events;
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
    if events {
        let readings = house.calls("getNodes");
        assert!(readings <= 2, "heard, not read {readings} times");
    }
}

/// A large house takes seconds to read, and the calls behind it wait.
#[tokio::test]
async fn a_guess_that_was_proven_has_no_nodes_read() {
    needs!(mosquitto);
    let house = House::of(setup(), captured_nodes()).await;
    house.change(3, |habits| habits.supervised = false);
    let mut server = Server::start(&house.broker, &[]).await;
    // The first event has the nodes read once more.
    server.control("lamp", "on").await;
    house.unread_for(Duration::from_secs(2)).await;
    let answer = server.control("lamp", "off").await;
    answer.is("confirmed", "Lamp is now off.");
    let readings = house.calls("getNodes");
    stays("nothing is read", Duration::from_secs(7), async || {
        house.calls("getNodes") == readings
    })
    .await;
}

#[tokio::test]
async fn a_change_made_by_hand_is_listed_from_topics_alone() {
    needs!(mosquitto);
    a_change_made_by_hand_is_listed(without_events()).await;
}

#[tokio::test]
async fn a_change_made_by_hand_is_listed_without_retained_topics() {
    needs!(mosquitto);
    let setup = Setup {
        retain: false,
        ..setup()
    };
    a_change_made_by_hand_is_listed(setup).await;
}

#[tokio::test]
async fn a_node_that_dies_or_falls_asleep_is_listed_so() {
    needs!(mosquitto);
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
    needs!(mosquitto);
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

/// zwave-js-ui sends no events by default, and with ignoreStatus no statuses either.
#[tokio::test(start_paused = true)]
async fn a_name_and_an_end_that_nothing_tells_of_are_read_within_a_minute() {
    let begun = Instant::now();
    let clock: Clock =
        Arc::new(move || Timestamp(1_795_294_000_000 + begun.elapsed().as_millis() as u64));
    let setup = Setup {
        events: false,
        layout: Layout {
            status: false,
            ..Layout::default()
        },
        clock: Arc::clone(&clock),
        ..setup()
    };
    let (near, far) = memory::pair();
    let house = Simulation::start(far, setup, captured_nodes());
    let settings = GatewaySettings {
        prefix: "zwave".to_owned(),
        gateways: Vec::new(),
        exposure: Exposure::default(),
        reply_timeout: Duration::from_secs(10),
        confirm_timeout: Duration::from_secs(3),
        clock,
        process: 1,
    };
    let gateway = Gateways::start(near, settings);
    let told = async || {
        gateway.settle_for_list().await;
        gateway.look(|view| {
            let node = |id| view.house.node(&"Mosquitto".into(), NodeId(id)).unwrap();
            (node(3).name.to_string(), node(4).status)
        })
    };
    assert_eq!(told().await, ("Lamp".to_owned(), NodeStatus::Alive));
    house.rename(3, "Reading Light", "Office");
    house.set_status(4, "Dead");
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(told().await, ("Reading Light".to_owned(), NodeStatus::Dead));
}
