//! Large houses: two hundred recorded nodes, and four thousand made of one.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::{Value as Json, json};
use zwave_mcp_server::simulator::{SimNode, house_of_reply};

use crate::support::{House, Server, eventually, setup};

/// The two hundred nodes that were recorded.
pub fn two_hundred() -> Vec<SimNode> {
    let packed: &[u8] = include_bytes!("../../fixtures/getNodes_reply_big200.json.gz");
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    house_of_reply(&text).unwrap()
}

/// Switches like the captured one, without the values that are not for people.
pub fn switches(ids: std::ops::Range<u16>) -> Vec<SimNode> {
    let text = include_str!("../../fixtures/getNodes_reply.json");
    let reply: Json = serde_json::from_str(text).unwrap();
    let documents = reply["result"].as_array().unwrap().iter();
    let mut pattern = documents.filter(|document| document["id"] == 3);
    let mut pattern = pattern.next().unwrap().as_object().unwrap().clone();
    pattern.remove("eventsQueue");
    if let Some(Json::Object(values)) = pattern.get_mut("values") {
        values.retain(|key, _| key.starts_with("37-"));
    }
    let switch = |id| {
        let mut document = pattern.clone();
        document.insert("id".to_owned(), json!(id));
        document.insert("name".to_owned(), json!(format!("Switch {id}")));
        document.insert("loc".to_owned(), json!(format!("Floor {}", id % 40)));
        SimNode::from_document(Json::Object(document)).unwrap()
    };
    ids.map(switch).collect()
}

#[tokio::test]
async fn two_hundred_recorded_nodes_are_listed_filtered_and_controlled() {
    needs!(mosquitto);
    let house = House::of(setup(), two_hundred()).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let list = server.list("").await;
    assert!(list.starts_with("203 devices"), "{list}");
    assert_eq!(
        list.lines().filter(|line| line.starts_with("- ")).count(),
        100
    );
    assert!(list.contains("filter"), "it says how to see the others");
    let hall = server.list("hall lights").await;
    assert!(hall.contains("- Device 27: color light"), "{hall}");
    assert!(
        !hall.contains("Thermostat") && !hall.contains("Garden"),
        "{hall}"
    );
    let answer = server.dim("device 24", 30.0).await;
    answer.is("confirmed", "Device 24 is now on at 30 %.");
    assert_eq!(
        house.writes(),
        [(24, "38-0-targetValue".to_owned(), json!(30))]
    );
    let answer = server.control("device", "on").await;
    assert!(answer.is_error, "{answer:?}");
    assert_eq!(house.writes().len(), 1);
}

#[tokio::test]
async fn four_thousand_nodes_are_listed_filtered_and_controlled() {
    needs!(mosquitto);
    let house = House::of(setup(), switches(2..4002)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    eventually("the house is read", async || {
        server.list("").await.starts_with("4000 devices")
    })
    .await;
    let floor = server.list("floor 7").await;
    assert!(floor.starts_with("100 matching devices"), "{floor}");
    let answer = server.control("switch 3456", "on").await;
    answer.is("confirmed", "Switch 3456 is now on.");
    assert_eq!(
        house.writes(),
        [(3456, "37-0-targetValue".to_owned(), json!(true))]
    );
    house.by_hand(17, "37-0-currentValue", json!(true));
    eventually("a change by hand is listed", async || {
        server.list("switch 17").await.contains("switch, on")
    })
    .await;
}
