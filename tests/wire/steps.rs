//! Steps up and down: they start from what the device says, add up, and stay within what it can do.

use serde_json::{Value as Json, json};

use crate::support::{Answer, House, Server};

async fn step(server: &mut Server, device: &str, action: &str, level: Json) -> Answer {
    let mut call = json!({ "deviceName": device, "action": action });
    if !level.is_null() {
        call["level"] = level;
    }
    server.call("control_zwave_device", call).await
}

#[tokio::test]
async fn a_step_starts_from_what_the_device_says_and_stops_at_the_end_of_its_range() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    for (device, node, value, before, action, level, after) in [
        (
            "kitchen dimmer",
            5,
            "38-0-currentValue",
            json!(40),
            "increase",
            Json::Null,
            json!(50),
        ),
        (
            "kitchen dimmer",
            5,
            "38-0-currentValue",
            json!(40),
            "decrease",
            json!(15),
            json!(25),
        ),
        (
            "kitchen dimmer",
            5,
            "38-0-currentValue",
            json!(40),
            "dim",
            json!("+5"),
            json!(45),
        ),
        (
            "kitchen dimmer",
            5,
            "38-0-currentValue",
            json!(40),
            "brighter",
            json!(10),
            json!(50),
        ),
        (
            "kitchen dimmer",
            5,
            "38-0-currentValue",
            json!(40),
            "down",
            Json::Null,
            json!(30),
        ),
        // Never off, and never beyond all.
        (
            "kitchen dimmer",
            5,
            "38-0-currentValue",
            json!(5),
            "decrease",
            json!(20),
            json!(1),
        ),
        (
            "kitchen dimmer",
            5,
            "38-0-currentValue",
            json!(95),
            "increase",
            json!(20),
            json!(99),
        ),
        (
            "bedroom shade",
            10,
            "38-0-currentValue",
            json!(5),
            "decrease",
            json!(20),
            json!(0),
        ),
    ] {
        house.by_hand(node, value, before.clone());
        let answer = step(&mut server, device, action, level.clone()).await;
        assert!(answer.certainty.is_some(), "{answer:?}");
        let what = format!("{device} {before} {action} {level}: {answer:?}");
        crate::support::eventually(&what, async || house.truth(node, value) == after).await;
    }
}

#[tokio::test]
async fn two_steps_at_once_add_up() {
    needs!(mosquitto);
    let house = House::start().await;
    house.by_hand(5, "38-0-currentValue", json!(40));
    let mut server = Server::start(&house.broker, &[]).await;
    let call = json!({ "deviceName": "kitchen dimmer", "action": "increase" });
    let first = server
        .begin_call("control_zwave_device", call.clone())
        .await;
    let second = server.begin_call("control_zwave_device", call).await;
    first.await.unwrap();
    second.await.unwrap();
    crate::support::eventually("both steps count", async || {
        house.truth(5, "38-0-currentValue") == json!(60)
    })
    .await;
}

#[tokio::test]
async fn a_step_switches_nothing_on() {
    needs!(mosquitto);
    let house = House::start().await;
    house.by_hand(5, "38-0-currentValue", json!(0));
    let mut server = Server::start(&house.broker, &[]).await;
    let writes = house.writes().len();
    for action in ["increase", "decrease"] {
        let answer = step(&mut server, "kitchen dimmer", action, Json::Null).await;
        assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
        assert!(answer.text.contains("is off"), "{answer:?}");
    }
    assert_eq!(house.writes().len(), writes);
}

#[tokio::test]
async fn what_was_meant_as_a_value_is_no_step() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--guard=allow"]).await;
    let writes = house.writes().len();
    for (device, action, level, instead) in [
        ("kitchen dimmer", "increase", json!(60), "\"dim\""),
        (
            "bathroom radiator valve",
            "increase",
            json!(21),
            "\"set_temperature\"",
        ),
        ("kitchen dimmer", "increase", json!(-10), "above 0"),
        ("kitchen dimmer", "decrease", json!("+10"), "above 0"),
        // What is guarded takes no step either way.
        ("front door", "increase", Json::Null, "can't do"),
        ("garage door", "decrease", Json::Null, "can't do"),
        ("living room lamp", "increase", Json::Null, "can't do"),
    ] {
        let answer = step(&mut server, device, action, level).await;
        assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
        assert!(answer.text.contains(instead), "{answer:?}");
    }
    assert_eq!(house.writes().len(), writes);
}

#[tokio::test]
async fn a_thermostat_steps_by_a_degree_and_says_what_it_was_set_to_while_it_sleeps() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let setpoint = "67-0-setpoint-1";
    house.by_hand(11, "64-0-mode", json!(1));
    house.by_hand(11, setpoint, json!(20));
    let answer = step(&mut server, "hall thermostat", "warmer", json!(2)).await;
    assert_eq!(answer.certainty.as_deref(), Some("confirmed"), "{answer:?}");
    assert_eq!(house.truth(11, setpoint), json!(22));
    let answer = step(
        &mut server,
        "hall thermostat",
        "set_temperature",
        json!("-1"),
    )
    .await;
    assert_eq!(answer.certainty.as_deref(), Some("confirmed"), "{answer:?}");
    assert_eq!(house.truth(11, setpoint), json!(21));
    house.set_status(19, "Asleep");
    let writes = house.writes().len();
    let answer = step(&mut server, "radiator valve", "increase", Json::Null).await;
    assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
    assert!(
        answer.text.contains("last known: set to") && answer.text.contains("set_temperature"),
        "{answer:?}"
    );
    assert_eq!(house.writes().len(), writes);
}

#[tokio::test]
async fn a_set_steps_each_member_from_where_it_is() {
    needs!(mosquitto);
    let house = House::of(
        crate::support::setup(),
        [(2, 30, "Left"), (3, 60, "Right")]
            .map(|(id, level, name)| {
                let document = crate::nodes::Document::new(name, 17, 1)
                    .field("id", json!(id))
                    .level(0, level);
                zwave_mcp_server::simulator::SimNode::from_document(document.json()).unwrap()
            })
            .into(),
    )
    .await;
    let mut server = Server::start(&house.broker, &["--confirm-timeout=5s"]).await;
    let answer = step(&mut server, "all lights", "increase", json!(20)).await;
    assert_eq!(answer.certainty.as_deref(), Some("confirmed"), "{answer:?}");
    let levels = [2, 3].map(|node| house.truth(node, "38-0-currentValue"));
    assert_eq!(levels, [json!(50), json!(80)]);
}

#[tokio::test]
async fn a_white_is_mixed_from_the_whites_that_the_lamp_has() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server
        .call(
            "control_zwave_device",
            json!({ "deviceName": "Björn's Lämp", "action": "set_color", "color": "2700K" }),
        )
        .await;
    assert_eq!(answer.certainty.as_deref(), Some("confirmed"), "{answer:?}");
    assert_eq!(house.truth(8, "51-0-currentColor-0"), json!(255));
}
