//! The house changes its shape: names, rooms, nodes that come and go; a name means the device that
//! has it now, and never the one that had it.

use std::time::Duration;

use serde_json::json;
use zwave_mcp_server::simulator::Setup;

use crate::support::{
    House, Mosquitto, Server, captured_nodes, eventually, lamp, node, setup, simulate,
    without_events,
};

#[tokio::test]
async fn a_renamed_or_moved_device_is_known_by_its_new_name_at_once() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.rename(3, "Reading Light", "Office");
    // The house's word and the host's come by two ways; the test waits for the slower one.
    eventually("the rename is heard", async || house.calls("getNodes") > 1).await;
    let answer = server.control("office reading light", "on").await;
    answer.is("confirmed", "Reading Light is now on.");
    assert_eq!(house.written_to(), [3]);
    let list = server.list("living room").await;
    assert!(!list.contains("- Lamp:"), "{list}");
}

#[tokio::test]
async fn two_names_that_are_swapped_mean_the_other_device_from_then_on() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.rename(3, "Lamp Corner", "Living Room");
    house.rename(4, "Lamp", "Living Room");
    eventually("the names are read again", async || {
        house.calls("getNodes") > 1
    })
    .await;
    let answer = server.control("lamp", "on").await;
    answer.is("confirmed", "Lamp is now on.");
    assert_eq!(house.written_to(), [4]);
}

#[tokio::test]
async fn a_new_name_that_nothing_tells_of_is_looked_up_before_it_is_denied() {
    needs!(mosquitto);
    let house = House::of(without_events(), captured_nodes()).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.rename(3, "Reading Light", "Living Room");
    // Names are not asked for anew within two seconds.
    house.unread_for(Duration::from_millis(2200)).await;
    let answer = server.control("reading light", "on").await;
    answer.is("confirmed", "Reading Light is now on.");
    assert_eq!(house.written_to(), [3]);
}

#[tokio::test]
async fn a_new_node_is_listed_and_obeys_and_a_removed_one_is_gone() {
    needs!(mosquitto);
    for setup in [setup(), without_events()] {
        let mut nodes = captured_nodes();
        nodes.retain(|node| node.id() != 4);
        let house = House::of(setup, nodes).await;
        let mut server = Server::start(&house.broker, &[]).await;
        assert!(!server.list("").await.contains("Lamp Corner"));
        house.include(node(4, |_| {}));
        eventually("the new one is listed", async || {
            server.list("").await.contains("Lamp Corner")
        })
        .await;
        let answer = server.control("lamp corner", "on").await;
        answer.is("confirmed", "Lamp Corner is now on.");
        house.exclude(3);
        // Without events nothing tells; then the gateway refuses what is not there.
        let answer = server.control("lamp", "on").await;
        assert!(answer.is_error, "{answer:?}");
        assert_eq!(house.truth(4, "37-0-currentValue"), true);
    }
}

#[tokio::test]
async fn a_node_that_was_dead_from_the_start_is_whole_when_it_lives() {
    needs!(mosquitto);
    let mut nodes = captured_nodes();
    nodes.retain(|node| node.id() != 3);
    nodes.push(node(3, |document| {
        document.insert("values".to_owned(), json!({}));
        document.insert("status".to_owned(), json!("Dead"));
        document.insert("ready".to_owned(), json!(false));
        document.insert("available".to_owned(), json!(false));
    }));
    let house = House::of(setup(), nodes).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let arguments = json!({ "filter": "living room", "includeInactive": true });
    let list = server.call("list_zwave_devices", arguments).await.text;
    assert!(list.contains("not responding"), "{list}");
    let answer = server.control("lamp", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
    house.replace(node(3, |_| {}));
    house.set_status(3, "Alive");
    eventually("it is whole", async || {
        server.list("lamp").await.contains("- Lamp: switch, off")
    })
    .await;
    let answer = server.control("lamp", "on").await;
    answer.is("confirmed", "Lamp is now on.");
}

#[tokio::test]
async fn left_over_topics_are_no_devices_and_ask_for_nothing() {
    needs!(mosquitto);
    let house = House::start().await;
    for number in 0..50 {
        let path = format!("Attic/Old_{number}/switch_binary/endpoint_0/currentValue");
        house.publish_raw(&path, &json!({ "time": 1, "value": true }), true);
    }
    house.is_heard().await;
    let mut server = Server::start(&house.broker, &[]).await;
    assert!(server.list("").await.starts_with("23 devices"));
    for _ in 0..40 {
        // Somebody goes on publishing under a name that nobody has.
        let path = "Attic/Old_1/switch_binary/endpoint_0/currentValue";
        house.publish_raw(path, &json!({ "time": 1, "value": false }), true);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(server.list("").await.starts_with("23 devices"));
    let fetches = house.calls("getNodes");
    assert!(fetches <= 2, "fetched {fetches} times");
}

#[tokio::test]
async fn names_that_make_the_same_topic_are_never_taken_for_each_other() {
    needs!(mosquitto);
    let named = |id, name| lamp(id, name, "Attic");
    let nodes = vec![
        named(2, "日本語"),
        named(3, "Пример"),
        named(4, "a/b"),
        named(5, "a+/b"),
    ];
    let house = House::of(without_events(), nodes).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let list = server.list("").await;
    assert_eq!(list.matches("switch, off").count(), 4, "{list}");
    house.by_hand(3, "37-0-currentValue", json!(true));
    house.by_hand(4, "37-0-currentValue", json!(true));
    eventually("exactly those two are listed as on", async || {
        let list = server.list("").await;
        let on: Vec<&str> = list
            .lines()
            .filter(|line| line.contains("switch, on"))
            .collect();
        assert!(
            on.iter()
                .all(|line| line.contains("Пример") || line.contains("a/b")),
            "{list}"
        );
        on.len() == 2
    })
    .await;
    let answer = server.control("Пример", "off").await;
    answer.is("confirmed", "Пример is now off.");
    assert_eq!(house.written_to(), [3]);
}

#[tokio::test]
async fn two_gateways_under_one_prefix_do_not_read_each_others_values() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let of = |name: &str| Setup {
        name: name.to_owned(),
        ..without_events()
    };
    let upstairs = simulate(&broker, of("Up"), captured_nodes());
    let downstairs = simulate(&broker, of("Down"), captured_nodes());
    let mut server = Server::start(&broker, &[]).await;
    eventually("both are found", async || {
        server.list("").await.starts_with("46 devices")
    })
    .await;
    upstairs.by_hand(3, "37-0-currentValue", json!(true));
    eventually("the lamp upstairs is listed as on", async || {
        let list = server.list("lamp").await;
        let on: Vec<&str> = list
            .lines()
            .filter(|line| line.contains("switch, on"))
            .collect();
        assert!(on.iter().all(|line| line.contains("(Up)")), "{list}");
        on.len() == 1
    })
    .await;
    assert_eq!(downstairs.truth(3, "37-0-currentValue"), false);
}
