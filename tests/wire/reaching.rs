//! What is reached is what the device itself says, whatever number it has for it.

use std::time::Duration;

use serde_json::{Value as Json, json};
use zwave_mcp_server::simulator::SimNode;

use crate::nodes::Document;
use crate::support::{House, Server, eventually, read, setup};

async fn house(documents: impl IntoIterator<Item = Document>) -> House {
    let documents = documents.into_iter().map(Document::json);
    let nodes = documents.map(|document| SimNode::from_document(document).unwrap());
    House::of(setup(), nodes.collect()).await
}

#[tokio::test]
async fn a_lock_in_any_mode_that_is_not_secured_is_unlocked() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(12, |habits| {
        habits.obeys = false;
        habits.supervised = false;
    });
    let options = ["--guard=allow", "--confirm-timeout=300ms"];
    let mut server = Server::start(&house.broker, &options).await;
    for mode in [0, 1, 16, 17, 32, 33] {
        house.put_secretly(12, "98-0-currentMode", json!(mode));
        let answer = server.control("front door", "unlock").await;
        answer.is("confirmed", "Front Door is now unlocked.");
        let answer = server.control("front door", "lock").await;
        answer.is("failed", "Front Door still reports unlocked.");
    }
    house.put_secretly(12, "98-0-currentMode", json!(254));
    let answer = server.control("front door", "lock").await;
    answer.is(
        "accepted",
        "Front Door: locking was accepted, not yet confirmed.",
    );
    let list = server.list("front door").await;
    assert!(list.contains("lock, state unknown"), "{list}");
}

#[tokio::test]
async fn a_shade_stops_by_whatever_its_level_change_is_called() {
    needs!(mosquitto);
    let shade = Document::new("Curtain", 17, 6)
        .level(0, 0)
        .level_change(0, ["Left", "Right"]);
    let motor = Document::new("Garage Door", 64, 7)
        .field("id", json!(3))
        .level(0, 50)
        .level_change(0, ["Open", "Close"]);
    let house = house([shade, motor]).await;
    house.change(2, |habits| habits.travel = Duration::from_secs(30));
    let mut server = Server::start(&house.broker, &["--confirm-timeout=1s"]).await;
    let answer = server.control("curtain", "open").await;
    assert_eq!(answer.certainty.as_deref(), Some("moving"), "{answer:?}");
    let answer = server.control("curtain", "stop").await;
    assert_eq!(answer.certainty.as_deref(), Some("confirmed"), "{answer:?}");
    assert!(
        answer.text.starts_with("Curtain is now stopped"),
        "{answer:?}"
    );
    let answer = server.control("garage door", "stop").await;
    answer.is("confirmed", "Garage Door is now stopped.");
    let stops: Vec<_> = house.writes().split_off(1);
    let (right, open) = ("38-0-Right".to_owned(), "38-0-Open".to_owned());
    assert_eq!(stops, [(2, right, json!(false)), (3, open, json!(false))]);
}

#[tokio::test]
async fn two_toggles_during_a_fade_are_opposite_commands() {
    needs!(mosquitto);
    let house = House::start().await;
    house.by_hand(6, "38-0-currentValue", json!(60));
    house.change(6, |habits| habits.travel = Duration::from_secs(30));
    let mut server = Server::start(&house.broker, &["--confirm-timeout=300ms"]).await;
    for _ in 0..2 {
        server.control("bedroom ceiling", "toggle").await;
    }
    let levels: Vec<Json> = house
        .writes()
        .into_iter()
        .map(|(.., level)| level)
        .collect();
    assert_eq!(levels, [json!(0), json!(255)]);
}

#[tokio::test]
async fn a_dimmer_that_fades_in_is_on_when_it_stands_still() {
    needs!(mosquitto);
    let house = House::start().await;
    house.by_hand(6, "38-0-currentValue", json!(60));
    house.by_hand(6, "38-0-currentValue", json!(0));
    house.change(6, |habits| habits.travel = Duration::from_secs(3));
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("bedroom ceiling", "on").await;
    answer.is("confirmed", "Bedroom Ceiling is now on at 60 %.");
    server.control("bedroom ceiling", "off").await;
    eventually("it is off", async || {
        house.truth(6, "38-0-currentValue") == json!(0)
    })
    .await;
    house.change(6, |habits| habits.travel = Duration::from_secs(60));
    let answer = server.control("bedroom ceiling", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("moving"), "{answer:?}");
    assert!(answer.text.ends_with("target 60 %."), "{answer:?}");
}

#[tokio::test]
async fn a_siren_is_switched_on_whatever_level_is_said_beside_it() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let siren = json!({ "deviceName": "siren", "action": "on", "level": 19 });
    let answer = server.call("control_zwave_device", siren).await;
    answer.is("confirmed", "Hall Siren is now on.");
    let dim = json!({ "deviceName": "siren", "action": "dim", "level": 19 });
    let answer = server.call("control_zwave_device", dim).await;
    answer.is(
        "failed",
        "Hall Siren can't do \"dim\"; it can do on, off and stop.",
    );
}

#[tokio::test]
async fn in_auto_the_answer_says_which_of_both_temperatures_was_set() {
    needs!(mosquitto);
    let modes = json!([[0, "Off"], [1, "Heat"], [2, "Cool"], [3, "Auto"]]);
    let fan = json!([[0, "Auto low"], [1, "Low"], [3, "High"]]);
    let thermostat = Document::new("Stairs", 8, 6)
        .states("64-0-mode", true, modes, 3)
        .states("68-0-mode", true, fan, 1)
        .setpoint("67-0-setpoint-1", 66.0, "°F")
        .setpoint("67-0-setpoint-2", 76.0, "°F")
        .number("49-0-Air temperature", 70, "°F");
    let house = house([thermostat]).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let set =
        |level: u8| json!({ "deviceName": "stairs", "action": "set_temperature", "level": level });
    let mode = |mode: &str| json!({ "deviceName": "stairs", "action": "set_mode", "mode": mode });
    let tool = "control_zwave_device";
    let answer = server.call(tool, set(68)).await;
    answer.is("confirmed", "Stairs is now set to cool to 68 °F.");
    let answer = server.call(tool, set(80)).await;
    answer.is(
        "failed",
        "Stairs is in auto and cools to 68 °F, so it can't heat to 80 °F. Use a temperature below \
         68 °F, or action \"set_mode\" with heat first.",
    );
    house.by_hand(2, "49-0-Air temperature", json!(60));
    eventually("it is cooler", async || {
        server.list("stairs").await.contains("60 °F")
    })
    .await;
    let answer = server.call(tool, set(67)).await;
    answer.is("confirmed", "Stairs is now set to heat to 67 °F.");
    let before = house.writes().len();
    let answer = server.call(tool, mode("fan automatic")).await;
    answer.is("confirmed", "Stairs is now in fan mode auto low.");
    let answer = server.call(tool, mode("fan warm")).await;
    answer.is(
        "failed",
        "Stairs has the modes off, heat, cool, auto, fan auto low, fan low and fan high.",
    );
    assert_eq!(house.writes().len(), before + 1);
}

#[tokio::test]
async fn a_device_of_a_set_that_has_no_levels_is_named() {
    needs!(mosquitto);
    let dimmer = Document::new("Ceiling Light", 17, 1).level(0, 0);
    let switch = Document::new("Corner Light", 16, 1)
        .field("id", json!(3))
        .switch(0, false);
    let house = house([dimmer, switch]).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let all = json!({ "deviceName": "all lights", "action": "on", "level": 30 });
    let answer = server.call("control_zwave_device", all).await;
    answer.is(
        "confirmed",
        "1 of 2 lights are now on at 30 %. Corner Light is now on.",
    );
}

#[tokio::test]
async fn a_toggle_that_is_sent_twice_at_once_ends_where_it_began() {
    needs!(mosquitto);
    let house = House::start().await;
    house.by_hand(6, "38-0-currentValue", json!(60));
    house.change(6, |habits| habits.travel = Duration::from_secs(30));
    let mut server = Server::start(&house.broker, &["--confirm-timeout=300ms"]).await;
    server.list("").await;
    let toggle = || json!({ "deviceName": "bedroom ceiling", "action": "toggle" });
    let first = server.begin_call("control_zwave_device", toggle()).await;
    let second = server.begin_call("control_zwave_device", toggle()).await;
    for answer in [first, second] {
        let answer = read(answer.await.unwrap());
        assert!(!answer.is_error, "{answer:?}");
    }
    let levels: Vec<Json> = house
        .writes()
        .into_iter()
        .map(|(.., level)| level)
        .collect();
    assert_eq!(levels, [json!(0), json!(255)]);
}
