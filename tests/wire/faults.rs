//! Each test causes one fault of the broker or the wire. A fault must cause no false confirmation, no second
//! write and no unanswered call. The server must recover by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use simulator_testing::{Fault, Faults};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use crate::House;
use crate::fixture::{Answer, Proxy, Publisher, Server, eventually};

const SHORT_TIMEOUTS: [&str; 2] = ["--reply-timeout=1500ms", "--confirm-timeout=1s"];

/// Starts a house, and a server with short timeouts. Waits until the server has read the house.
async fn start_house_and_server() -> (House, Server) {
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &SHORT_TIMEOUTS).await;
    server.wait_until_listed("", "23 devices").await;
    (house, server)
}

/// Controls the bedroom ceiling, which reacts at once, until a command is confirmed.
async fn assert_recovers(house: &House, server: &mut Server) {
    let since = Instant::now();
    loop {
        let answer = server.dim("bedroom ceiling", 33.0).await;
        if answer.is_confirmed() {
            assert_eq!(house.true_state(6, "38-0-currentValue"), json!(33));
            // The server is meant to recover within 5 s. A busy machine may need more.
            let took = since.elapsed();
            assert!(took < Duration::from_secs(10), "recovered after {took:?}");
            return;
        }
        assert!(since.elapsed() < Duration::from_secs(30), "{answer:?}");
        sleep(Duration::from_millis(50)).await;
    }
}

/// Checks that a command failed or that its outcome is unknown.
#[track_caller]
fn assert_claims_nothing(answer: &Answer) {
    let certainty = answer.certainty.as_deref();
    assert!(
        answer.is_error && matches!(certainty, Some("failed" | "unknown")),
        "{answer:?}"
    );
}

fn count_writes(house: &House, level: u32) -> usize {
    let writes = house.writes();
    writes.iter().filter(|(_, _, value)| *value == level).count()
}

#[tokio::test]
async fn a_stalled_broker_causes_no_false_answer_and_the_server_recovers() {
    needs!(mosquitto);
    let (house, mut server) = start_house_and_server().await;
    house.broker.stall();
    assert_claims_nothing(&server.dim("bedroom ceiling", 20.0).await);
    house.broker.resume();
    assert_recovers(&house, &mut server).await;
    assert!(count_writes(&house, 20) <= 1);

    // Stall the broker for longer. The house gives up its connection when its pings get no answer.
    house.broker.stall();
    eventually("the connection is given up", async || !house.is_connected()).await;
    assert_claims_nothing(&server.dim("bedroom ceiling", 21.0).await);
    house.broker.resume();
    eventually("the house is connected again", async || {
        house.is_connected()
    })
    .await;
    assert_recovers(&house, &mut server).await;
    assert!(count_writes(&house, 21) <= 1);
}

#[tokio::test]
async fn a_connection_cut_in_the_middle_of_a_packet_causes_no_false_answer() {
    needs!(mosquitto);
    let house = House::start().await;
    let proxy = Proxy::before(house.broker.port()).await;
    // Cut the connection in the middle of the first `getNodes` reply.
    proxy.cut_after(200_000);
    let mut server = Server::at(&proxy.url(), &SHORT_TIMEOUTS).await;
    assert_recovers(&house, &mut server).await;
    for bytes in [1, 2, 7, 40, 120] {
        let before = house.writes().len();
        proxy.cut_after(bytes as usize);
        let answer = server.dim("bedroom ceiling", f64::from(bytes)).await;
        if answer.is_confirmed() {
            assert_eq!(house.true_state(6, "38-0-currentValue"), json!(bytes));
        }
        let writes = house.writes().len() - before;
        assert!(writes <= 1, "cut after {bytes}: {answer:?}");
        // If fewer than `bytes` bytes have passed, the connection is still up.
        proxy.cut();
        assert_recovers(&house, &mut server).await;
    }
}

/// Starts a broker that answers each connection with this greeting and hangs up. Returns its URL, and the number of
/// connections so far.
async fn greet_and_hang_up(greeting: &'static [u8]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("mqtt://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            let _ = client.read(&mut [0; 1024]).await;
            let _ = client.write_all(greeting).await;
        }
    });
    (url, connections)
}

#[tokio::test]
async fn a_broker_that_hangs_up_after_its_greeting_is_asked_less_and_less_often() {
    let (url, connections) = greet_and_hang_up(&[0x20, 2, 0, 0]).await;
    let server = Server::at(&url, &[]).await;
    sleep(Duration::from_secs(12)).await;
    let connections = connections.load(Ordering::Relaxed);
    assert!((3..12).contains(&connections), "{connections} connections");
    let log = server.finish().await;
    assert_eq!(
        log.matches("no connection to the MQTT broker").count(),
        1,
        "{log}"
    );
}

#[tokio::test]
async fn a_broker_that_answers_in_mqtt_5_is_told_as_such() {
    let (url, _) = greet_and_hang_up(&[0x20, 3, 0, 0x84, 0]).await;
    let mut server = Server::at(&url, &[]).await;
    server.wait_until_listed("", "it answers in MQTT 5").await;
    assert!(!server.list("").await.contains("TLS"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_is_answered_even_if_the_process_stands_still_beyond_its_limit() {
    needs!(mosquitto);
    let (house, mut server) = start_house_and_server().await;
    for (node, name) in [(6, "bedroom ceiling"), (7, "office ceiling")] {
        house.set_faults(Faults(vec![("writeValue", Fault::Drop)]));
        let before = house.writes().len();
        let arguments = json!({ "deviceName": name, "action": "dim", "level": 20 });
        let call = server.begin_call("control_zwave_device", arguments).await;
        eventually("the gateway has the write", async || {
            house.writes().len() > before
        })
        .await;
        server.signal("STOP");
        sleep(Duration::from_millis(3500)).await;
        server.signal("CONT");
        let resumed = Instant::now();
        let answer = call.answer().await;
        assert!(resumed.elapsed() < Duration::from_secs(10), "{answer:?}");
        assert_eq!(answer.certainty.as_deref(), Some("unknown"), "{answer:?}");
        assert_eq!(house.written_to().split_off(before), [node]);
        house.set_faults(Faults::default());
        assert_recovers(&house, &mut server).await;
    }
    let questions = house.calls("getInfo");
    assert!(questions < 50, "getInfo was called {questions} times");
}

#[tokio::test]
async fn a_flood_of_fifty_thousand_value_messages_disturbs_no_command() {
    needs!(mosquitto);
    let (house, mut server) = start_house_and_server().await;
    let port = house.broker.port();
    let topic = "zwave/Living_Room/Lamp_Corner/switch_binary/endpoint_0/currentValue";
    let flood = tokio::task::spawn_blocking(move || {
        let mut publisher = Publisher::connect(port);
        for number in 0..50_000_u32 {
            let payload = format!("{{\"time\":1,\"value\":{}}}", number % 2 == 1);
            publisher.publish(topic, payload.as_bytes());
        }
    });
    let mut level = 0;
    while !flood.is_finished() || level < 3 {
        level += 1;
        server
            .dim("bedroom ceiling", f64::from(level))
            .await
            .assert_certainty("confirmed");
        assert_eq!(house.true_state(6, "38-0-currentValue"), json!(level));
    }
    flood.await.unwrap();
    assert_eq!(house.writes().len() as u32, level);
    // The lamp is off, although the last message of the flood says that it is on.
    assert!(server.list("").await.contains("- Lamp Corner: switch, off"));
    assert_reports_are_heard(&house, &mut server).await;
}

/// Checks that a list shows a change that was made by hand.
async fn assert_reports_are_heard(house: &House, server: &mut Server) {
    house.by_hand(4, "37-0-currentValue", json!(true));
    server.wait_until_listed("", "- Lamp Corner: switch, on").await;
}

#[tokio::test]
async fn malformed_payloads_and_payloads_of_20_mib_do_no_harm() {
    needs!(mosquitto);
    let (house, mut server) = start_house_and_server().await;
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
            // Huge payloads take long, so only these topics get them.
            let gets_huge_payloads = path.ends_with("currentValue") || path.ends_with("/getNodes");
            if gets_huge_payloads || payload.len() < 1000 {
                publisher.publish(&format!("zwave/{path}"), payload);
            }
        }
    }
    // Once the server has parsed all payloads, everything works as before.
    assert_recovers(&house, &mut server).await;
    assert_reports_are_heard(&house, &mut server).await;
    let list = server.list("").await;
    assert!(list.starts_with("23 devices."), "{list}");
}
