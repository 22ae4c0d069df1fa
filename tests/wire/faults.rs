//! One fault of the broker or the wire at a time, each with what must come of it: no false "is now", no
//! write twice, no call without an answer, and recovery by itself.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::House;
use crate::fixture::{Answer, Proxy, Publisher, Server, eventually};

const PATIENCE: [&str; 2] = ["--reply-timeout=1500ms", "--confirm-timeout=1s"];

/// A house, and a server with short patience before it.
async fn house_and_server() -> (House, Server) {
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &PATIENCE).await;
    eventually("it knows the house", async || {
        server.list("").await.starts_with("23 devices")
    })
    .await;
    (house, server)
}

/// Controls the bedroom ceiling, which is instant, until that is confirmed.
async fn recovers(house: &House, server: &mut Server) {
    let since = Instant::now();
    loop {
        let answer = server.dim("bedroom ceiling", 33.0).await;
        if answer.is_confirmed() {
            assert_eq!(house.true_state(6, "38-0-currentValue"), json!(33));
            // The promise is 5 s; a busy machine gets more.
            let took = since.elapsed();
            assert!(took < Duration::from_secs(10), "recovered after {took:?}");
            return;
        }
        assert!(since.elapsed() < Duration::from_secs(30), "{answer:?}");
        sleep(Duration::from_millis(50)).await;
    }
}

#[track_caller]
fn claims_nothing(answer: &Answer) {
    let certainty = answer.certainty.as_deref();
    assert!(
        answer.is_error && matches!(certainty, Some("failed" | "unknown")),
        "{answer:?}"
    );
}

fn times_written(house: &House, level: u32) -> usize {
    let writes = house.writes();
    writes.iter().filter(|(_, _, value)| *value == level).count()
}

#[tokio::test]
async fn a_stalled_broker() {
    needs!(mosquitto);
    let (house, mut server) = house_and_server().await;
    house.broker.stall();
    claims_nothing(&server.dim("bedroom ceiling", 20.0).await);
    house.broker.go_on();
    recovers(&house, &mut server).await;
    assert!(times_written(&house, 20) <= 1);

    // Longer than any keep-alive: the connection is given up, and comes again.
    house.broker.stall();
    eventually("the connection is given up", async || !house.is_connected()).await;
    claims_nothing(&server.dim("bedroom ceiling", 21.0).await);
    house.broker.go_on();
    eventually("the house is connected again", async || {
        house.is_connected()
    })
    .await;
    recovers(&house, &mut server).await;
    assert!(times_written(&house, 21) <= 1);
}

#[tokio::test]
async fn a_wire_cut_in_the_middle_of_a_packet() {
    needs!(mosquitto);
    let house = House::start().await;
    let proxy = Proxy::before(house.broker.port()).await;
    // In the middle of the first getNodes reply, and once more.
    proxy.cut_after(200_000);
    let mut server = Server::at(&proxy.url(), &PATIENCE).await;
    recovers(&house, &mut server).await;
    for bytes in [1, 2, 7, 40, 120] {
        let before = house.writes().len();
        proxy.cut_after(bytes as usize);
        let answer = server.dim("bedroom ceiling", f64::from(bytes)).await;
        if answer.is_confirmed() {
            assert_eq!(house.true_state(6, "38-0-currentValue"), json!(bytes));
        }
        let writes = house.writes().len() - before;
        assert!(writes <= 1, "cut after {bytes}: {answer:?}");
        // Nothing may be left to cut.
        proxy.cut();
        recovers(&house, &mut server).await;
    }
}

#[tokio::test]
async fn a_flood_of_fifty_thousand_value_messages() {
    needs!(mosquitto);
    let (house, mut server) = house_and_server().await;
    let port = house.broker.port();
    let topic = "zwave/Living_Room/Lamp_Corner/switch_binary/endpoint_0/currentValue";
    let flood = tokio::task::spawn_blocking(move || {
        let mut publisher = Publisher::connect(port);
        for number in 0..50_000_u32 {
            let payload = format!("{{\"time\":1,\"value\":{}}}", number % 2 == 0);
            publisher.publish(topic, payload.as_bytes());
        }
    });
    let mut level = 0;
    while !flood.is_finished() || level < 3 {
        level += 1;
        server.dim("bedroom ceiling", f64::from(level)).await.is("confirmed");
        assert_eq!(house.true_state(6, "38-0-currentValue"), json!(level));
    }
    flood.await.unwrap();
    assert_eq!(house.writes().len() as u32, level);
    // Topics are not believed: the house tells the state.
    assert!(server.list("").await.contains("- Lamp Corner: switch, off"));
    reports_are_heard(&house, &mut server).await;
}

async fn reports_are_heard(house: &House, server: &mut Server) {
    house.by_hand(4, "37-0-currentValue", json!(true));
    eventually("the lamp is listed as on", async || {
        server.list("").await.contains("- Lamp Corner: switch, on")
    })
    .await;
}

#[tokio::test]
async fn payloads_that_are_malformed_of_the_wrong_type_or_20_mib() {
    needs!(mosquitto);
    let (house, mut server) = house_and_server().await;
    let mut publisher = Publisher::connect(house.broker.port());
    let huge = vec![b'['; 20 * 1024 * 1024];
    let long = format!("{{\"value\":\"{}\"}}", "x".repeat(20 * 1024 * 1024)).into_bytes();
    let gateway = "ZWAVE_GATEWAY-Mosquitto";
    for path in [
        "Living_Room/Lamp_Corner/switch_binary/endpoint_0/currentValue".to_owned(),
        "Bathroom/Multisensor/sensor_multilevel/endpoint_0/Air_temperature".to_owned(),
        "Living_Room/Lamp_Corner/lastActive".to_owned(),
        format!("_EVENTS/{gateway}/node/node_value_updated"),
        format!("_EVENTS/{gateway}/node/node_dead"),
        format!("_EVENTS/{gateway}/driver/driver_ready"),
        format!("_CLIENTS/{gateway}/version"),
        format!("_CLIENTS/{gateway}/api/getNodes"),
        format!("_CLIENTS/{gateway}/api/writeValue"),
        format!("_CLIENTS/{gateway}/api/writeValue/set/set"),
        "//".to_owned(),
    ] {
        for payload in [
            &b""[..],
            b"\xff\xfe\x00",
            b"{",
            b"null",
            b"[]",
            b"{\"value\":{\"a\":[1,2]}}",
            b"{\"value\":[]}",
            b"{\"value\":1e400}",
            b"{\"data\":7}",
            b"{\"data\":[]}",
            b"{\"data\":[{\"id\":-1},{\"commandClass\":\"x\"}]}",
            b"{\"success\":true}",
            b"{\"success\":1,\"origin\":[],\"result\":{\"status\":\"255\"}}",
            &huge,
            &long,
        ] {
            let heavy = path.ends_with("currentValue") || path.ends_with("/getNodes");
            if heavy || payload.len() < 1000 {
                publisher.publish(&format!("zwave/{path}"), payload);
            }
        }
    }
    // Reading all that takes its time; then everything is as before.
    recovers(&house, &mut server).await;
    reports_are_heard(&house, &mut server).await;
    let list = server.list("").await;
    assert!(list.starts_with("23 devices."), "{list}");
}
