//! Every row of the certainty table, from evidence.

use std::time::Duration;

use serde_json::json;
use zwave_mcp_server::simulator::{Fault, Faults, Setup};

use crate::support::{House, Server, eventually, node, read, setup, stays};

#[tokio::test]
async fn confirmed_by_supervision_without_any_question() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("switch one", "on").await;
    answer.is("confirmed", "Switch One is now on.");
    assert_eq!(house.calls("pollValue") + house.calls("sendCommand"), 0);
}

#[tokio::test]
async fn confirmed_by_the_devices_own_answer_after_one_question() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.dim("bedroom ceiling", 25.0).await;
    answer.is("confirmed", "Bedroom Ceiling is now on at 25 %.");
    assert_eq!(house.truth(6, "38-0-currentValue"), json!(25));
    assert_eq!(house.calls("sendCommand"), 1);
}

#[tokio::test]
async fn a_level_of_99_or_100_is_all_there_is() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.dim("bedroom ceiling", 100.0).await;
    answer.is("confirmed", "Bedroom Ceiling is now on at 100 %.");
    assert_eq!(house.truth(6, "38-0-currentValue"), json!(99));
    let answer = server.dim("bedroom ceiling", 0.0).await;
    answer.is("confirmed", "Bedroom Ceiling is now off.");
}

#[tokio::test]
async fn a_dimmer_that_needs_longer_than_there_is_time_is_still_changing() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(5, |habits| habits.travel = Duration::from_secs(20));
    let mut server = Server::start(&house.broker, &["--confirm-timeout=1s"]).await;
    let answer = server.dim("kitchen dimmer", 80.0).await;
    answer.is(
        "moving",
        "Kitchen Dimmer is still changing: now 0 %, target 80 %.",
    );
}

#[tokio::test]
async fn a_dimmer_that_arrives_in_time_is_confirmed_though_the_gateway_guessed_at_once() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let begun = tokio::time::Instant::now();
    let answer = server.dim("office ceiling", 90.0).await;
    answer.is("confirmed", "Office Ceiling is now on at 90 %.");
    assert!(
        begun.elapsed() > Duration::from_millis(1500),
        "the guess came after 50 ms and proves nothing"
    );
    assert_eq!(house.truth(7, "38-0-currentValue"), json!(90));
}

#[tokio::test]
async fn accepted_where_the_device_gives_no_answer() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(3, |habits| habits.answers = false);
    let mut server = Server::start(&house.broker, &["--confirm-timeout=500ms"]).await;
    let answer = server.control("lamp", "on").await;
    answer.is(
        "accepted",
        "Lamp: switching on was accepted, not yet confirmed.",
    );
    let list = server.list("living room lamp switch").await;
    assert!(list.contains("- Lamp: switch, on (unconfirmed)"), "{list}");
}

#[tokio::test]
async fn queued_for_a_node_that_sleeps_and_does_not_answer() {
    needs!(mosquitto);
    let sleeper = node(3, |document| {
        document.insert("isListening".to_owned(), json!(false));
        document.insert("status".to_owned(), json!("Asleep"));
    });
    let house = House::of(setup(), vec![sleeper]).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let begun = tokio::time::Instant::now();
    let answer = server.control("lamp", "on").await;
    answer.is(
        "queued",
        "Lamp is asleep; switching on waits for it to wake up.",
    );
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert_eq!(house.truth(3, "37-0-currentValue"), json!(false));

    house.set_status(3, "Awake");
    eventually("the lamp is on", async || {
        house.truth(3, "37-0-currentValue") == json!(true)
    })
    .await;
    assert_eq!(house.writes().len(), 1);
}

#[tokio::test]
async fn a_sleeping_node_is_not_called_queued_while_the_gateway_does_not_answer() {
    needs!(mosquitto);
    let sleeper = node(3, |document| {
        document.insert("isListening".to_owned(), json!(false));
        document.insert("status".to_owned(), json!("Asleep"));
    });
    let house = House::of(setup(), vec![sleeper]).await;
    let mut server = Server::start(&house.broker, &["--reply-timeout=1s"]).await;
    server.list("").await;
    house.set_faults(Faults(vec![("getInfo", Fault::Drop)]));
    let answer = server.control("lamp", "on").await;
    let words = "Lamp may or may not have switched on; check it before trying again. The Z-Wave \
                 gateway Mosquitto does not answer.";
    assert_eq!(answer.certainty.as_deref(), Some("unknown"), "{answer:?}");
    assert!(answer.text.starts_with(words), "{answer:?}");
}

#[tokio::test]
async fn queued_for_a_node_that_falls_asleep_meanwhile() {
    needs!(mosquitto);
    let sleeper = node(3, |document| {
        document.insert("isListening".to_owned(), json!(false));
        document.insert("status".to_owned(), json!("Awake"));
    });
    let house = House::of(setup(), vec![sleeper]).await;
    house.set_faults(Faults(vec![("writeValue", Fault::Drop)]));
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let arguments = json!({ "deviceName": "lamp", "action": "on" });
    let answer = server.begin_call("control_zwave_device", arguments).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    house.set_status(3, "Asleep");
    read(answer.await.unwrap()).is(
        "queued",
        "Lamp is asleep; switching on waits for it to wake up.",
    );
}

#[tokio::test]
async fn a_sleeping_node_that_was_awake_when_it_was_written_to_is_told_as_what_it_did() {
    needs!(mosquitto);
    let sleeper = node(3, |document| {
        document.insert("isListening".to_owned(), json!(false));
        document.insert("status".to_owned(), json!("Awake"));
    });
    let slow = Setup {
        radio: Duration::from_millis(300),
        ..setup()
    };
    let house = House::of(slow, vec![sleeper]).await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let (answer, ()) = tokio::join!(server.control("lamp", "on"), async {
        tokio::time::sleep(Duration::from_millis(150)).await;
        house.set_status(3, "Asleep");
    });
    assert_ne!(answer.certainty.as_deref(), Some("queued"), "{answer:?}");
    assert_eq!(house.truth(3, "37-0-currentValue"), json!(true));
}

#[tokio::test]
async fn what_works_on_a_command_for_longer_than_there_is_time_is_moving() {
    needs!(mosquitto);
    let house = House::start().await;
    for node in [2, 11, 12] {
        house.change(node, |habits| {
            habits.supervised = true;
            habits.travel = Duration::from_secs(8);
        });
    }
    let mut server = Server::start(&house.broker, &["--guard=allow"]).await;
    let lock = house.truth(12, "98-0-currentMode") == json!(255);
    let answer = server
        .control("front door", if lock { "unlock" } else { "lock" })
        .await;
    assert_eq!(answer.certainty.as_deref(), Some("moving"), "{answer:?}");
    let answer = server.control("switch one", "toggle").await;
    assert_eq!(answer.certainty.as_deref(), Some("moving"), "{answer:?}");
    let other = if house.truth(11, "64-0-mode") == json!(1) {
        "cool"
    } else {
        "heat"
    };
    let mode = json!({ "deviceName": "hall thermostat", "action": "set_mode", "mode": other });
    let answer = server.call("control_zwave_device", mode).await;
    assert_eq!(answer.certainty.as_deref(), Some("moving"), "{answer:?}");
}

#[tokio::test]
async fn what_worked_until_its_time_was_up_and_did_not_obey_has_failed() {
    needs!(mosquitto);
    let house = House::start().await;
    let before = house.truth(2, "37-0-currentValue");
    house.change(2, |habits| {
        habits.travel = Duration::from_secs(1);
        habits.ends_in = Some(before);
    });
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("switch one", "toggle").await;
    assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
}

/// A lock that says at once that it is done.
async fn quick_lock() -> House {
    let house = House::start().await;
    house.change(12, |habits| habits.travel = Duration::ZERO);
    house.by_hand(12, "98-0-currentMode", json!(0));
    house
}

#[tokio::test]
async fn a_bolt_that_jams_after_its_success_is_not_said_to_be_locked() {
    needs!(mosquitto);
    for reports in [true, false] {
        let house = quick_lock().await;
        let mut server = Server::start(&house.broker, &[]).await;
        server.list("").await;
        let (answer, ()) = tokio::join!(server.control("front door", "lock"), async {
            tokio::time::sleep(Duration::from_millis(1200)).await;
            if reports {
                house.by_hand(12, "98-0-currentMode", json!(0));
            } else {
                house.put_secretly(12, "98-0-currentMode", json!(0));
            }
        });
        answer.is("failed", "Front Door still reports unlocked.");
        assert_eq!(house.calls("sendCommand"), usize::from(!reports));
        let list = server.list("front door").await;
        assert!(list.contains("unlocked"), "{list}");
    }
}

#[tokio::test]
async fn a_bolt_that_stays_locked_is_confirmed_by_one_more_question() {
    needs!(mosquitto);
    let house = quick_lock().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("front door", "lock").await;
    answer.is("confirmed", "Front Door is now locked.");
    assert_eq!(house.calls("sendCommand"), 1);
}

/// The captured shade, or one that tells neither where it goes nor for how long.
async fn shade(tells: bool) -> House {
    let shade = node(10, |document| {
        if !tells {
            let values = document["values"].as_object_mut().unwrap();
            values.remove("38-0-duration");
        }
    });
    let house = House::of(setup(), vec![shade]).await;
    house.put_secretly(10, "38-0-currentValue", json!(0));
    house.change(10, |habits| habits.travel = Duration::from_secs(6));
    house
}

#[tokio::test]
async fn a_shade_that_is_stopped_by_hand_has_failed_where_it_stands() {
    needs!(mosquitto);
    for tells in [true, false] {
        let house = shade(tells).await;
        let mut server = Server::start(&house.broker, &["--confirm-timeout=7s"]).await;
        let (answer, ()) = tokio::join!(server.control("bedroom shade", "open"), async {
            tokio::time::sleep(Duration::from_millis(1600)).await;
            house.put_secretly(10, "38-0-currentValue", json!(24));
        });
        answer.is("failed", "Bedroom Shade stopped at 24 %.");
    }
    let house = shade(false).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let (answer, ()) = tokio::join!(server.control("bedroom shade", "open"), async {
        tokio::time::sleep(Duration::from_millis(1600)).await;
        house.put_secretly(10, "38-0-currentValue", json!(24));
    });
    answer.is("failed", "Bedroom Shade stopped at 24 %.");
}

#[tokio::test]
async fn a_shade_that_tells_no_target_and_goes_on_is_moving() {
    needs!(mosquitto);
    let house = shade(false).await;
    house.change(10, |habits| habits.travel = Duration::from_secs(30));
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("bedroom shade", "open").await;
    assert_eq!(answer.certainty.as_deref(), Some("moving"), "{answer:?}");
}

#[tokio::test]
async fn a_shade_that_reports_only_at_the_end_is_accepted() {
    needs!(mosquitto);
    let house = shade(false).await;
    house.change(10, |habits| habits.hesitates = Duration::from_secs(30));
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("bedroom shade", "open").await;
    answer.is(
        "accepted",
        "Bedroom Shade: opening was accepted, not yet confirmed.",
    );
}

#[tokio::test]
async fn a_level_that_a_device_caps_is_listed_as_what_it_reports() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(5, |habits| {
        habits.travel = Duration::ZERO;
        habits.ends_in = Some(json!(50));
    });
    let mut server = Server::start(&house.broker, &[]).await;
    server.dim("kitchen dimmer", 80.0).await;
    let list = server.list("kitchen dimmer").await;
    assert!(list.contains("on 50 %"), "{list}");
}

#[tokio::test]
async fn a_device_that_ignores_the_command_is_not_said_to_be_on() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(3, |habits| habits.obeys = false);
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("lamp", "on").await;
    answer.is("failed", "Lamp still reports off.");
    assert_eq!(
        house.calls("pollValue"),
        3,
        "at once, a second later, at the end"
    );
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, off"), "{list}");
}

#[tokio::test]
async fn an_old_device_that_answers_with_its_old_value_first_is_asked_again() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(3, |habits| habits.obeys = false);
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let arguments = json!({ "deviceName": "lamp", "action": "on" });
    let answer = server.begin_call("control_zwave_device", arguments).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    house.put_secretly(3, "37-0-currentValue", json!(true));
    read(answer.await.unwrap()).is("confirmed", "Lamp is now on.");
    assert_eq!(house.calls("pollValue"), 2);
}

#[tokio::test]
async fn the_dead_plug_is_never_said_to_be_on() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("dead plug", "on").await;
    answer.is("failed", "Dead Plug did not respond.");
    let answer = server.control("dead plug", "toggle").await;
    answer.is("failed", "Dead Plug did not respond.");
    let list = server.list("dead").await;
    assert!(
        list.contains("- Dead Plug: switch, not responding"),
        "{list}"
    );
    house.by_hand(20, "37-0-currentValue", json!(true));
    let all = json!({ "includeInactive": true });
    let list = server.call("list_zwave_devices", all).await.text;
    assert!(
        list.contains("- Dead Plug: switch, not responding"),
        "{list}"
    );
    assert!(!server.list("basement").await.contains("Dead Plug"));
}

#[tokio::test]
async fn a_refusal_is_passed_on_in_the_gateways_words() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    house.change(2, |habits| habits.refuses = Some((5, "it is Sunday")));
    let answer = server.control("switch one", "on").await;
    answer.is(
        "failed",
        "Switch One: the gateway refused switching on: it is Sunday.",
    );
    house.change(2, |habits| habits.refuses = Some((2, "")));
    let answer = server.control("switch one", "on").await;
    answer.is("failed", "Switch One refused or did not respond.");
}

#[tokio::test]
async fn a_command_that_a_later_one_replaced_says_so() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(7, |habits| habits.travel = Duration::from_secs(2));
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let dim = |level| json!({ "deviceName": "office ceiling", "action": "dim", "level": level });
    let first = server.begin_call("control_zwave_device", dim(90)).await;
    let second = server.begin_call("control_zwave_device", dim(10)).await;
    read(first.await.unwrap()).is(
        "failed",
        "Office Ceiling: dimming to 90 % was replaced by a later command.",
    );
    read(second.await.unwrap()).is("confirmed", "Office Ceiling is now on at 10 %.");
    let levels: Vec<_> = house
        .writes()
        .into_iter()
        .map(|(.., level)| level)
        .collect();
    assert_eq!(levels, [json!(90), json!(10)], "in the order of the calls");
}

#[tokio::test]
async fn unknown_where_no_reply_comes_and_the_write_is_not_sent_again() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--reply-timeout=1s"]).await;
    server.list("").await;
    house.set_faults(Faults(vec![("writeValue", Fault::Drop)]));
    let answer = server.control("switch one", "on").await;
    answer.is(
        "unknown",
        "Switch One may or may not have switched on; check it before trying again.",
    );
    stays("written once", Duration::from_secs(2), async || {
        house.writes().len() == 1
    })
    .await;
    assert_eq!(
        house.truth(2, "37-0-currentValue"),
        json!(true),
        "it did switch"
    );
}

#[tokio::test]
async fn a_garbled_reply_is_no_reply() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--reply-timeout=1s"]).await;
    server.list("").await;
    house.set_faults(Faults(vec![("writeValue", Fault::Garble)]));
    let answer = server.control("switch one", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("unknown"), "{answer:?}");
}

#[tokio::test]
async fn doubled_and_overtaken_replies_find_their_own_calls() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.set_faults(Faults(vec![("*", Fault::Double)]));
    server
        .control("lamp corner", "on")
        .await
        .is("confirmed", "Lamp Corner is now on.");
    house.set_faults(Faults(vec![(
        "writeValue",
        Fault::Delay(Duration::from_millis(400)),
    )]));
    let arguments = json!({ "deviceName": "switch one", "action": "on" });
    let slow = server.begin_call("control_zwave_device", arguments).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    house.set_faults(Faults::default());
    let quick = server.control("dead plug", "on");
    quick.await.is("failed", "Dead Plug did not respond.");
    read(slow.await.unwrap()).is("confirmed", "Switch One is now on.");
}

#[tokio::test]
async fn a_set_is_as_sure_as_its_worst_member_and_names_the_exceptions() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(3, |habits| habits.obeys = false);
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("living room lamps", "on").await;
    assert_eq!(
        (
            answer.certainty.as_deref(),
            answer.is_error,
            answer.text.as_str()
        ),
        (
            Some("failed"),
            false,
            "1 of 2 lamps in the Living Room are now on. Lamp still reports off."
        )
    );
    let answer = server.control("everything in the basement", "off").await;
    answer.is("failed", "Dead Plug did not respond.");
}

#[tokio::test]
async fn nothing_is_sent_to_a_gateway_that_is_gone() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.kill();
    eventually("the server knows", async || {
        server.list("").await.contains("offline")
    })
    .await;
    let answer = server.control("lamp", "on").await;
    assert_eq!(answer.certainty.as_deref(), Some("failed"));
    let start = "Nothing was sent to Lamp. The Z-Wave gateway Mosquitto is offline";
    assert!(answer.text.starts_with(start), "{}", answer.text);

    house.restart(Duration::from_millis(300));
    eventually("the lamp obeys again", async || {
        !server.control("lamp", "on").await.is_error
    })
    .await;
    let ons = house.writes().into_iter().filter(|(node, ..)| *node == 3);
    assert_eq!(ons.count(), 1, "only the last call reached the lamp");
}

#[tokio::test]
async fn a_driver_that_is_not_ready_is_told_from_a_gateway_that_is_gone() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    house.lose_stick();
    eventually("the server knows", async || {
        server.list("").await.contains("driver")
    })
    .await;
    let answer = server.control("lamp", "on").await;
    let start = "Nothing was sent to Lamp. The Z-Wave driver of the gateway Mosquitto is not ready";
    assert!(answer.text.starts_with(start), "{}", answer.text);
    assert_eq!(house.writes(), []);
    house.find_stick();
    eventually("the lamp obeys again", async || {
        !server.control("lamp", "on").await.is_error
    })
    .await;
}
