//! Large houses: two hundred recorded nodes, and four thousand copies of one node.

use serde_json::json;
use zwave_mcp_server::simulator::SimNode;

use crate::fixture::{node, setup, two_hundred_nodes};
use crate::{House, Server};

/// Returns copies of the captured lamp with only the values of its switch, in forty rooms.
pub fn switches(ids: std::ops::Range<u16>) -> Vec<SimNode> {
    let switch = |id| {
        node(3, |document| {
            document.remove("eventsQueue");
            document["values"]
                .as_object_mut()
                .unwrap()
                .retain(|key, _| key.starts_with("37-"));
            document.insert("id".to_owned(), json!(id));
            document.insert("name".to_owned(), json!(format!("Switch {id}")));
            document.insert("loc".to_owned(), json!(format!("Floor {}", id % 40)));
        })
    };
    ids.map(switch).collect()
}

#[tokio::test(start_paused = true)]
async fn two_hundred_recorded_nodes_are_listed_filtered_and_controlled() {
    let house = House::of(setup(), two_hundred_nodes()).await;
    let mut server = Server::start(&house, &[]).await;
    let list = server.list("").await;
    assert!(list.starts_with("203 devices"), "{list}");
    assert_eq!(
        list.lines().filter(|line| line.starts_with("- ")).count(),
        100
    );
    assert!(
        list.contains("filter"),
        "the list says how to see the others"
    );
    let hall = server.list("hall lights").await;
    assert!(hall.contains("- Device 27: color light"), "{hall}");
    assert!(
        !hall.contains("Thermostat") && !hall.contains("Garden"),
        "{hall}"
    );
    server.dim("device 24", 30.0).await.assert_certainty("confirmed");
    server.control("device", "on").await.assert_certainty("failed");
    assert_eq!(
        house.writes(),
        [(24, "38-0-targetValue".to_owned(), json!(30))]
    );
}

#[tokio::test(start_paused = true)]
async fn four_thousand_nodes_are_listed_filtered_and_controlled() {
    let house = House::of(setup(), switches(2..4002)).await;
    let mut server = Server::start(&house, &[]).await;
    let list = server.list("").await;
    assert!(list.starts_with("4000 devices"), "{list}");
    let floor = server.list("floor 7").await;
    assert!(floor.starts_with("100 matching devices"), "{floor}");
    server.control("switch 3456", "on").await.assert_certainty("confirmed");
    assert_eq!(
        house.writes(),
        [(3456, "37-0-targetValue".to_owned(), json!(true))]
    );
    house.by_hand(17, "37-0-currentValue", json!(true));
    server.wait_until_listed("switch 17", "switch, on").await;
}
