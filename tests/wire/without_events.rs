//! A gateway as zwave-js-ui is installed: it sends no events. What is decided on is read, and no
//! topic is believed.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};
use zwave_mcp_server::simulator::{Fault, Faults, GatewayKind, Layout, Setup};

use crate::support::{
    House, Server, captured_nodes, eventually, lamp, read, stays, without_events,
};

/// A list reads nodes of this age again where something changed, and a control in any case
/// (`docs/ARCHITECTURE.md#how-current-a-snapshot-is`); and a little more, for the way to the house.
const TOO_OLD_FOR_A_LIST: Duration = Duration::from_millis(1200);
const TOO_OLD_FOR_A_CONTROL: Duration = Duration::from_millis(2200);

async fn house(change: impl FnOnce(&mut Setup)) -> House {
    let mut setup = without_events();
    change(&mut setup);
    House::of(setup, captured_nodes()).await
}

#[tokio::test]
async fn a_thermostat_is_set_for_the_mode_that_it_is_in_now() {
    needs!(mosquitto);
    let house = house(|setup| {
        // Nothing is published at all.
        setup.layout = Layout {
            kind: GatewayKind::Manual(Vec::new()),
            status: false,
            ..Layout::default()
        };
    })
    .await;
    house.put_secretly(11, "64-0-mode", json!(2));
    let mut server = Server::start(&house.broker, &["--gateway=Mosquitto"]).await;
    server.list("").await;
    let mode = |mode| json!({ "deviceName": "thermostat", "action": "set_mode", "mode": mode });
    let warm = json!({ "deviceName": "thermostat", "action": "set_temperature", "level": 19 });
    let answer = server.call("control_zwave_device", mode("heat")).await;
    answer.is("confirmed", "Hall Thermostat is now in mode heat.");
    // At once: what was confirmed is known to the next call.
    let answer = server.call("control_zwave_device", warm.clone()).await;
    answer.is("confirmed", "Hall Thermostat is now set to 19 °C.");
    let list = server.list("thermostat hall").await;
    assert!(list.contains("heat, set to 19 °C"), "{list}");
    // Somebody turns it by hand, and nothing tells.
    house.by_hand(11, "64-0-mode", json!(2));
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    let answer = server.call("control_zwave_device", warm).await;
    answer.is("confirmed", "Hall Thermostat is now set to 19 °C.");
    let written: Vec<String> = house.writes().into_iter().map(|(_, key, _)| key).collect();
    let expected = ["64-0-mode", "67-0-setpoint-1", "67-0-setpoint-2"];
    assert_eq!(written, expected);
}

#[tokio::test]
async fn a_mode_that_was_only_accepted_is_read_before_a_temperature_is_set() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    house.change(11, |habits| habits.supervised = false);
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    // The device's answers are lost: what it did is not proven.
    house.set_faults(Faults(vec![
        ("sendCommand", Fault::Drop),
        ("pollValue", Fault::Drop),
    ]));
    for (said, key) in [("heat", "67-0-setpoint-1"), ("cool", "67-0-setpoint-2")] {
        let mode = json!({ "deviceName": "thermostat", "action": "set_mode", "mode": said });
        let answer = server.call("control_zwave_device", mode).await;
        assert_eq!(answer.certainty.as_deref(), Some("accepted"), "{answer:?}");
        let set = json!({ "deviceName": "thermostat", "action": "set_temperature", "level": 22 });
        let answer = server.call("control_zwave_device", set).await;
        assert!(!answer.is_error, "{answer:?}");
        assert_eq!(house.writes().last().unwrap().1, key);
    }
}

#[tokio::test]
async fn a_topic_of_the_owners_own_is_followed_and_what_is_done_is_listed_so() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    house.set_topic(3, "37-0-currentValue", "light");
    let mut server = Server::start(&house.broker, &[]).await;
    assert!(server.list("lamp").await.contains("- Lamp: switch, off"));
    house.by_hand(3, "37-0-currentValue", json!(true));
    house.unread_for(TOO_OLD_FOR_A_LIST).await;
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, on"), "{list}");
    for (action, state) in [("off", "off"), ("on", "on"), ("off", "off")] {
        let answer = server.control("lamp", action).await;
        answer.is("confirmed", &format!("Lamp is now {state}."));
        let list = server.list("lamp").await;
        assert!(list.contains(&format!("- Lamp: switch, {state}")), "{list}");
    }
}

#[tokio::test]
async fn what_the_owner_has_done_to_a_topic_changes_no_value() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    house.set_post_operation(15, "49-0-Air temperature", "/10");
    house.set_post_operation(5, "38-0-currentValue", "*2");
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.by_hand(15, "49-0-Air temperature", json!(25));
    house.by_hand(5, "38-0-currentValue", json!(30));
    house.unread_for(TOO_OLD_FOR_A_LIST).await;
    let list = server.list("").await;
    assert!(
        list.contains(", 25 °C") && list.contains("on 30 %"),
        "{list}"
    );
}

#[tokio::test]
async fn two_names_that_were_swapped_without_a_word_mean_the_other_device() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.swap_names_silently(3, 4);
    // What a control goes by is less than two seconds old.
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    let answer = server.control("lamp", "on").await;
    answer.is("confirmed", "Lamp is now on.");
    assert_eq!(house.written_to(), [4]);
}

#[tokio::test]
async fn a_layout_that_is_switched_over_shows_no_lamp_the_state_of_another() {
    needs!(mosquitto);
    let nodes = vec![lamp(3, "Lamp", "Attic"), lamp(4, "Lamp", "Cellar")];
    let house = House::of(without_events(), nodes).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let layout = Layout {
        ignore_location: true,
        ..Layout::default()
    };
    house.set_layout(layout, Duration::from_millis(100));
    house.by_hand(4, "37-0-currentValue", json!(true));
    eventually("the lamp in the cellar is listed as on", async || {
        let list = server.list("").await;
        assert!(!list.contains("Attic:\n- Lamp: switch, on"), "{list}");
        list.contains("Cellar:\n- Lamp: switch, on")
    })
    .await;
}

#[tokio::test]
async fn a_gateway_that_froze_is_asked_before_it_is_written_to_again() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &["--reply-timeout=2s"]).await;
    server.list("").await;
    house.freeze();
    for _ in 0..3 {
        let begun = Instant::now();
        let answer = server.control("lamp corner", "on").await;
        assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
        assert!(answer.text.contains("does not answer"), "{answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(3));
    }
    assert!(server.list("").await.contains("does not answer"));
    house.thaw();
    eventually("it is known to be back", async || {
        !server.list("").await.contains("does not answer")
    })
    .await;
    let answer = server.control("lamp corner", "on").await;
    answer.is("confirmed", "Lamp Corner is now on.");
    assert_eq!(house.written_to(), [4], "nothing was sent to it before");
}

#[tokio::test]
async fn scenes_come_behind_nodes_that_take_long() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let scene = json!({ "sceneid": 1, "label": "Movie night", "values": [] });
    house.set_scenes(vec![scene]);
    // The nodes take about three seconds.
    house.set_link(Some(150_000));
    let mut server = Server::start(&house.broker, &[]).await;
    eventually("the scene is listed", async || {
        server.list("").await.contains("- Movie night: scene")
    })
    .await;
    let answer = server.control("movie night", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("accepted"), "{answer:?}");
    assert_eq!(house.calls("_activateScene"), 1);
}

#[tokio::test]
async fn a_scene_that_is_new_or_another_is_known_when_it_is_named() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    let scene = json!({ "sceneid": 1, "label": "Movie night", "values": [] });
    house.set_scenes(vec![scene]);
    let answer = server.control("movie night", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("accepted"), "{answer:?}");
}

#[tokio::test]
async fn what_is_not_proven_is_listed_so_and_a_failed_switch_never_as_done() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    house.change(7, |habits| habits.obeys = false);
    let mut server = Server::start(&house.broker, &["--confirm-timeout=1s"]).await;
    server.list("").await;
    house.set_faults(Faults(vec![
        ("sendCommand", Fault::Drop),
        ("pollValue", Fault::Drop),
    ]));
    let begun = Instant::now();
    let answer = server.dim("office ceiling", 80.0).await;
    assert_eq!(answer.certainty.as_deref(), Some("accepted"), "{answer:?}");
    let line = async |server: &mut Server| {
        let list = server.list("office ceiling").await;
        let line = list.lines().find(|line| line.starts_with("- Ceiling"));
        line.unwrap_or_else(|| panic!("{list}")).to_owned()
    };
    while begun.elapsed() < Duration::from_secs(5) {
        let told = line(&mut server).await;
        let done = told.contains("80 %") && !told.contains("unconfirmed");
        assert!(!done, "{told} after {:?}", begun.elapsed());
        sleep(Duration::from_millis(300)).await;
    }
    let truth = house.truth(7, "38-0-currentValue");
    assert_ne!(truth, json!(80));
    eventually("the truth is listed", async || {
        let told = line(&mut server).await;
        !told.contains("80 %") && !told.contains("unconfirmed")
    })
    .await;
}

#[tokio::test]
async fn one_reading_serves_all_who_wait_and_nobody_who_asks_for_nothing() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    house.by_hand(3, "37-0-currentValue", json!(true));
    // The topic and the calls come by two ways; the test waits for the slower one.
    sleep(Duration::from_millis(300)).await;
    let before = house.calls("getNodes");
    let mut waiting = Vec::new();
    for _ in 0..20 {
        let arguments = json!({ "filter": "lamp" });
        waiting.push(server.begin_call("list_zwave_devices", arguments).await);
    }
    for answer in waiting {
        let list = read(answer.await.unwrap()).text;
        assert!(list.contains("- Lamp: switch, on"), "{list}");
    }
    let after = house.calls("getNodes");
    assert!(after - before <= 2, "{} readings", after - before);
    house.by_hand(3, "37-0-currentValue", json!(false));
    stays("nobody asked", Duration::from_secs(12), async || {
        house.calls("getNodes") == after
    })
    .await;
}

#[tokio::test]
async fn who_subscribed_is_told_within_ten_seconds_of_a_topic() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let lamp = "zwave://devices/Living%20Room/Lamp";
    for method in ["resources/read", "resources/subscribe"] {
        let answer = server.request(method, json!({ "uri": lamp })).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    let before = house.calls("getNodes");
    house.by_hand(3, "37-0-currentValue", json!(true));
    let told = server.said("notifications/resources/updated").await;
    assert_eq!(told["params"]["uri"], lamp);
    let readings = house.calls("getNodes") - before;
    assert!(readings <= 2, "{readings} readings");
}

#[tokio::test]
async fn a_reading_that_was_overtaken_leaves_nothing_behind() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    // It tells what was true when it was asked, and comes when the gateway has begun anew.
    let late = Fault::Delay(Duration::from_secs(3));
    house.set_faults(Faults(vec![("getNodes", late)]));
    let arguments = json!({ "deviceName": "lamp", "action": "on" });
    let answer = server.begin_call("control_zwave_device", arguments).await;
    sleep(Duration::from_millis(500)).await;
    house.swap_names_silently(3, 4);
    house.set_faults(Faults::default());
    house.set_layout(Layout::default(), Duration::from_millis(50));
    // Its driver may still be starting: then nothing was sent, and the call is made again.
    let mut answer = read(answer.await.unwrap());
    while answer.is_error {
        assert_eq!(house.writes(), []);
        answer = server.control("lamp", "on").await;
    }
    answer.is("confirmed", "Lamp is now on.");
    assert_eq!(house.written_to(), [4]);
    stays("switched once", Duration::from_secs(4), async || {
        house.written_to() == [4]
    })
    .await;
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, on"), "{list}");
}

#[tokio::test]
async fn a_temperature_that_is_sent_together_with_a_mode_is_set_for_that_mode() {
    needs!(mosquitto);
    for events in [false, true] {
        let house = house(|setup| setup.events = events).await;
        house.by_hand(11, "64-0-mode", json!(2));
        let mut server = Server::start(&house.broker, &[]).await;
        server.list("").await;
        let mode = json!({ "deviceName": "thermostat", "action": "set_mode", "mode": "heat" });
        let set = json!({ "deviceName": "thermostat", "action": "set_temperature", "level": 19 });
        let first = server.begin_call("control_zwave_device", mode).await;
        let second = server.begin_call("control_zwave_device", set).await;
        read(first.await.unwrap()).is("confirmed", "Hall Thermostat is now in mode heat.");
        read(second.await.unwrap()).is("confirmed", "Hall Thermostat is now set to 19 °C.");
        let written: Vec<String> = house.writes().into_iter().map(|(_, key, _)| key).collect();
        assert_eq!(
            written,
            ["64-0-mode", "67-0-setpoint-1"],
            "events: {events}"
        );
    }
}

#[tokio::test]
async fn a_broker_that_is_away_is_told_at_once_and_no_command_goes_out_late() {
    needs!(mosquitto);
    let mut house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    house.broker.stop();
    eventually("the server knows", async || {
        server.list("").await.contains("MQTT broker")
    })
    .await;
    for said in ["lamp", "no such thing"] {
        let begun = Instant::now();
        let answer = server.control(said, "on").await;
        assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{answer:?}");
    }
    house.broker.start_again();
    eventually("the house is back", async || house.is_connected()).await;
    stays("nothing is written", Duration::from_secs(2), async || {
        house.writes().is_empty()
    })
    .await;
}

#[tokio::test]
async fn a_driver_that_is_gone_is_not_asked_for_its_nodes_all_the_time() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let lamp = "zwave://devices/Living%20Room/Lamp";
    for method in ["resources/read", "resources/subscribe"] {
        server.request(method, json!({ "uri": lamp })).await;
    }
    house.lose_stick();
    let before = house.calls("getNodes");
    stays("seldom asked", Duration::from_secs(12), async || {
        house.calls("getNodes") - before < 8
    })
    .await;
}

#[tokio::test]
async fn an_event_that_a_broker_kept_does_not_stand_for_events() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let kept = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_value_updated";
    house.publish_raw(kept, &json!({ "data": [{ "id": 3 }] }), true);
    house.is_heard().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    house.swap_names_silently(3, 4);
    let answer = server.control("lamp", "on").await;
    answer.is("confirmed", "Lamp is now on.");
    assert_eq!(house.written_to(), [4]);
}

#[tokio::test]
async fn nodes_that_do_not_come_decide_nothing() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    let mut server = Server::start(&house.broker, &["--reply-timeout=1s"]).await;
    server.list("").await;
    house.set_faults(Faults(vec![("getNodes", Fault::Drop)]));
    house.rename_silently(3, "Garage Opener", "Living Room");
    house.unread_for(TOO_OLD_FOR_A_CONTROL).await;
    for _ in 0..2 {
        let answer = server.control("lamp", "on").await;
        assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
        assert_eq!(house.writes(), []);
        sleep(Duration::from_millis(500)).await;
    }
    house.set_faults(Faults::default());
    eventually("it is read again", async || {
        let answer = server.control("garage opener", "on").await;
        answer
            .text
            .contains("its name says that it opens something")
    })
    .await;
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn what_got_another_name_while_its_command_waited_is_left_alone() {
    needs!(mosquitto);
    let house = house(|setup| setup.radio = Duration::from_secs(3)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let call = |action| json!({ "deviceName": "lamp", "action": action });
    let first = server.begin_call("control_zwave_device", call("on")).await;
    let second = server.begin_call("control_zwave_device", call("off")).await;
    eventually("one is on its way", async || house.writes().len() == 1).await;
    // The other one waits for it soon after.
    sleep(Duration::from_millis(500)).await;
    house.rename_silently(3, "Garage Opener", "Living Room");
    assert!(!read(first.await.unwrap()).is_error);
    let answer = read(second.await.unwrap());
    assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
    assert_eq!(house.writes().len(), 1);
}

#[tokio::test]
async fn what_a_scene_wrote_is_not_listed_as_fact() {
    needs!(mosquitto);
    let house = house(|_| {}).await;
    house.change(3, |habits| habits.obeys = false);
    let lamp = json!({
        "nodeId": 3, "commandClass": 37, "endpoint": 0, "property": "targetValue", "value": true,
    });
    let scene = json!({ "sceneid": 1, "label": "Movie night", "values": [lamp] });
    house.set_scenes(vec![scene]);
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let answer = server.control("movie night", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("accepted"), "{answer:?}");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(4) {
        let list = server.list("lamp").await;
        let line = list.lines().find(|line| line.starts_with("- Lamp:"));
        let line = line.unwrap_or_else(|| panic!("{list}"));
        assert!(
            !line.contains(", on") || line.contains("unconfirmed"),
            "{line}"
        );
        sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(house.truth(3, "37-0-currentValue"), false);
}
