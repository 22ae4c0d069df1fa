//! Every action of every kind on the captured house, each with the check that nothing else moved.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::{House, Server, eventually, node, setup};

/// Controls, and checks what was said and the only write that came of it.
async fn does(
    house: &House,
    server: &mut Server,
    arguments: Json,
    answer: (&str, &str),
    write: (u16, &str, Json),
) {
    let before = house.writes().len();
    let said = server.call("control_zwave_device", arguments).await;
    said.is(answer.0, answer.1);
    let (node, key, value) = write;
    assert_eq!(house.writes()[before..], [(node, key.to_owned(), value)]);
}

#[tokio::test]
async fn a_color_light_is_switched_dimmed_and_coloured() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let name = "bjorns lamp";
    let spoken = "Björn's Lämp 🌈";
    does(
        &house,
        &mut server,
        json!({ "deviceName": name, "action": "set_color", "color": "orange" }),
        ("confirmed", &format!("{spoken} is now orange.")),
        (
            8,
            "51-0-targetColor",
            json!({ "warmWhite": 0, "coldWhite": 0, "red": 255, "green": 136, "blue": 0 }),
        ),
    )
    .await;
    assert_eq!(
        house.truth(8, "38-0-currentValue"),
        json!(50),
        "the brightness stays"
    );
    does(
        &house,
        &mut server,
        json!({ "deviceName": name, "action": "dim", "level": 20 }),
        ("confirmed", &format!("{spoken} is now on at 20 %.")),
        (8, "38-0-targetValue", json!(20)),
    )
    .await;
    let list = server.list("kids room").await;
    assert!(list.contains("color light, on 20 %, orange"), "{list}");
    house.change(8, |habits| habits.supervised = false);
    does(
        &house,
        &mut server,
        json!({ "deviceName": name, "action": "set_color", "color": "warm white" }),
        ("confirmed", &format!("{spoken} is now warm white.")),
        (
            8,
            "51-0-targetColor",
            json!({ "warmWhite": 255, "coldWhite": 0, "red": 0, "green": 0, "blue": 0 }),
        ),
    )
    .await;
    assert_eq!(house.calls("pollValue"), 5, "each lamp was asked");
    house.change(8, |habits| habits.obeys = false);
    let arguments = json!({ "deviceName": name, "action": "set_color", "color": "#00ff00" });
    let answer = server.call("control_zwave_device", arguments).await;
    answer.is("failed", &format!("{spoken} still reports warm white."));
}

#[tokio::test]
async fn a_shade_opens_closes_stops_and_goes_to_a_percentage() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(10, |habits| habits.travel = Duration::from_secs(2));
    let mut server = Server::start(&house.broker, &[]).await;
    let shade = |action: &str| json!({ "deviceName": "shade", "action": action });
    does(
        &house,
        &mut server,
        shade("close"),
        ("confirmed", "Bedroom Shade is now closed."),
        (10, "38-0-targetValue", json!(0)),
    )
    .await;
    does(
        &house,
        &mut server,
        json!({ "deviceName": "shade", "action": "open", "level": "40%" }),
        ("confirmed", "Bedroom Shade is now 40 % open."),
        (10, "38-0-targetValue", json!(40)),
    )
    .await;
    house.change(10, |habits| habits.travel = Duration::from_secs(30));
    let answer = server.control("shade", "up").await;
    answer.is(
        "moving",
        "Bedroom Shade is still moving: now 40 %, target 100 %.",
    );
    let before = house.writes().len();
    let answer = server.control("shade", "stop").await;
    answer.is("confirmed", "Bedroom Shade is now stopped, 40 % open.");
    assert_eq!(
        house.writes()[before..],
        [(10, "38-0-Up".to_owned(), json!(false))]
    );
    let answer = server.control("shade", "toggle").await;
    assert_eq!(answer.certainty.as_deref(), Some("moving"));
    assert_eq!(house.writes().last().unwrap().2, json!(0), "it was open");
}

#[tokio::test]
async fn a_window_covering_opens_and_stops_in_either_direction() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(9, |habits| habits.travel = Duration::from_secs(20));
    let mut server = Server::start(&house.broker, &["--confirm-timeout=2s"]).await;
    for (action, target) in [("open", 99), ("open", 99), ("close", 0)] {
        let answer = server.control("blind east", action).await;
        assert_eq!(answer.certainty.as_deref(), Some("moving"), "{answer:?}");
        assert_eq!(
            *house.writes().last().unwrap(),
            (9, "106-0-targetValue-13".to_owned(), json!(target))
        );
        tokio::time::sleep(Duration::from_secs(2)).await;
        let answer = server.control("blind east", "stop").await;
        answer.is("confirmed", "Blind/East is now stopped.");
        let stopped = house.truth(9, "106-0-currentValue-13");
        tokio::time::sleep(Duration::from_millis(700)).await;
        assert_eq!(house.truth(9, "106-0-currentValue-13"), stopped);
    }
    assert_eq!(
        house.truth(9, "106-0-currentValue-23"),
        json!(0),
        "the slats stay"
    );
}

#[tokio::test]
async fn a_garage_door_closes_always_and_opens_with_leave() {
    needs!(mosquitto);
    let house = House::start().await;
    house.change(13, |habits| habits.travel = Duration::from_secs(1));
    let mut server = Server::start(&house.broker, &["--guard=allow"]).await;
    let garage = |action: &str| json!({ "deviceName": "garage door", "action": action });
    does(
        &house,
        &mut server,
        garage("open"),
        ("confirmed", "Garage Door is now open."),
        (13, "102-0-targetState", json!(255)),
    )
    .await;
    house.change(13, |habits| habits.travel = Duration::from_secs(30));
    does(
        &house,
        &mut server,
        garage("close"),
        (
            "moving",
            "Garage Door is still moving: closing is under way.",
        ),
        (13, "102-0-targetState", json!(0)),
    )
    .await;
    assert!(server.list("garage").await.contains("garage door, closing"));
}

#[tokio::test]
async fn a_lock_locks_always_and_unlocks_with_leave() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--guard=allow"]).await;
    let lock = |action: &str| json!({ "deviceName": "front door", "action": action });
    does(
        &house,
        &mut server,
        lock("lock"),
        ("confirmed", "Front Door is now locked."),
        (12, "98-0-targetMode", json!(255)),
    )
    .await;
    assert_eq!(
        house.calls("sendCommand"),
        1,
        "it listens at intervals: only the last question"
    );
    does(
        &house,
        &mut server,
        lock("unlock"),
        ("confirmed", "Front Door is now unlocked."),
        (12, "98-0-targetMode", json!(0)),
    )
    .await;
    let list = server.list("entrance lock").await;
    assert!(
        list.contains("- Front Door: lock, unlocked, door open"),
        "{list}"
    );
}

#[tokio::test]
async fn a_thermostat_changes_mode_and_the_active_setpoint() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let temperature =
        json!({ "deviceName": "thermostat", "action": "set_temperature", "level": 22 });
    let answer = server
        .call("control_zwave_device", temperature.clone())
        .await;
    answer.is(
        "failed",
        "Hall Thermostat is off or in a mode without a temperature, so none can be set. Use \
         action \"set_mode\" first.",
    );
    does(
        &house,
        &mut server,
        json!({ "deviceName": "thermostat", "action": "set_mode", "mode": "heat" }),
        ("confirmed", "Hall Thermostat is now in mode heat."),
        (11, "64-0-mode", json!(1)),
    )
    .await;
    does(
        &house,
        &mut server,
        temperature,
        ("confirmed", "Hall Thermostat is now set to 22 °C."),
        (11, "67-0-setpoint-1", json!(22)),
    )
    .await;
    let list = server.list("thermostat hall").await;
    assert!(
        list.contains("- Thermostat: thermostat, heat, set to 22 °C, idle, 21.3 °C, humidity 44 %"),
        "{list}"
    );
    let hot = json!({ "deviceName": "thermostat", "action": "set_temperature", "level": 99 });
    let answer = server.call("control_zwave_device", hot).await;
    answer.is("failed", "Hall Thermostat can be set to 7 to 35 °C.");
    does(
        &house,
        &mut server,
        json!({ "deviceName": "thermostat", "action": "off" }),
        ("confirmed", "Hall Thermostat is now off."),
        (11, "64-0-mode", json!(0)),
    )
    .await;
}

#[tokio::test]
async fn a_sleeping_radiator_valve_gets_its_temperature_when_it_wakes_up() {
    needs!(mosquitto);
    let house = House::start().await;
    house.set_status(19, "Asleep");
    let mut server = Server::start(&house.broker, &[]).await;
    let arguments =
        json!({ "deviceName": "radiator valve", "action": "set_temperature", "level": "18 °C" });
    let answer = server.call("control_zwave_device", arguments).await;
    answer.is(
        "queued",
        "Radiator Valve is asleep; 18 °C waits for it to wake up.",
    );
    assert_eq!(house.truth(19, "67-0-setpoint-1"), json!(21));
    house.set_status(19, "Awake");
    eventually("the valve has its temperature", async || {
        house.truth(19, "67-0-setpoint-1") == json!(18)
    })
    .await;
    assert_eq!(house.writes().len(), 1);
}

#[tokio::test]
async fn a_siren_plays_and_stops() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let siren = |action: &str| json!({ "deviceName": "siren", "action": action });
    does(
        &house,
        &mut server,
        siren("on"),
        ("confirmed", "Hall Siren is now on."),
        (18, "121-0-toneId", json!(255)),
    )
    .await;
    does(
        &house,
        &mut server,
        siren("stop"),
        ("confirmed", "Hall Siren is now off."),
        (18, "121-0-toneId", json!(0)),
    )
    .await;
}

#[tokio::test]
async fn a_tone_that_is_listed_is_played_whatever_the_range_says() {
    needs!(mosquitto);
    let siren = node(18, |document| {
        let tone = &mut document["values"]["18-121-0-toneId"];
        let tone = if tone.is_null() {
            &mut document["values"]["121-0-toneId"]
        } else {
            tone
        };
        tone["max"] = json!(30);
    });
    let house = House::of(setup(), vec![siren]).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("hall siren", "on").await;
    answer.is("confirmed", "Hall Siren is now on.");
}

#[tokio::test]
async fn a_group_does_what_all_of_its_members_can() {
    needs!(mosquitto);
    let house = House::start().await;
    house.set_groups(vec![
        json!({ "id": 4096, "name": "Downstairs lights", "nodeIds": [5, 3] }),
    ]);
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.dim("downstairs lights", 40.0).await;
    assert!(answer.is_error, "{answer:?}");
    assert_eq!(
        answer.text,
        "Downstairs lights can't do \"dim\" as a whole, because Lamp can't."
    );
    assert_eq!(house.writes(), []);
    let answer = server.control("downstairs lights", "on").await;
    assert!(!answer.is_error, "{answer:?}");
}

#[tokio::test]
async fn a_fan_has_speeds() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    does(
        &house,
        &mut server,
        json!({ "deviceName": "the fan", "action": "on", "level": 33 }),
        ("confirmed", "Fan is now on at 33 %."),
        (22, "38-0-targetValue", json!(33)),
    )
    .await;
}

fn scene(id: u32, label: &str, values: Json) -> Json {
    json!({ "sceneid": id, "label": label, "values": values })
}

fn value(node: u16, class: u16, property: &str, value: Json) -> Json {
    json!({
        "id": format!("{node}-{class}-0-{property}"), "nodeId": node, "commandClass": class,
        "endpoint": 0, "property": property, "value": value, "timeout": 0,
    })
}

#[tokio::test]
async fn a_scene_is_run_and_never_said_to_be_done() {
    needs!(mosquitto);
    let house = House::start().await;
    let dim = value(5, 38, "targetValue", json!(20));
    let on = value(2, 37, "targetValue", json!(true));
    house.set_scenes(vec![scene(1, "Movie night", json!([dim, on]))]);
    let mut server = Server::start(&house.broker, &[]).await;
    assert!(server.list("scenes").await.contains("- Movie night: scene"));
    let answer = server.control("movie night", "on").await;
    answer.is(
        "accepted",
        "Movie night: switching on was accepted, not yet confirmed.",
    );
    eventually("its writes are done", async || {
        house.truth(2, "37-0-currentValue") == json!(true)
    })
    .await;
    assert_eq!(house.writes().len(), 2);
    let answer = server.control("movie night", "off").await;
    answer.is("failed", "Movie night can't do \"off\"; it can do on.");
}

#[tokio::test]
async fn a_scene_that_unlocks_is_guarded_also_when_it_was_changed_behind_our_back() {
    needs!(mosquitto);
    let house = House::start().await;
    let unlock = value(12, 98, "targetMode", json!(0));
    let dim = value(5, 38, "targetValue", json!(20));
    house.set_scenes(vec![
        scene(1, "Coming home", json!([dim, unlock])),
        scene(2, "Movie night", json!([dim])),
    ]);
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("coming home", "on").await;
    assert!(answer.text.contains("--guard allow"), "{answer:?}");
    let answer = server.control("coming home", "toggle").await;
    answer.is(
        "failed",
        "Coming home can't do \"toggle\". What it can do unlocks or opens something, and that is \
         not allowed here. Its owner can allow it with --guard allow (ZWAVE_GUARD=allow).",
    );
    house.set_scenes(vec![scene(2, "Movie night", json!([dim, unlock]))]);
    let answer = server.control("movie night", "on").await;
    assert!(answer.text.contains("--guard allow"), "{answer:?}");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn a_group_is_proven_member_by_member() {
    needs!(mosquitto);
    let house = House::start().await;
    let group = |nodes: Json| json!({ "id": 4096, "name": "Downstairs lights", "nodeIds": nodes });
    house.set_groups(vec![group(json!([3, 4]))]);
    let mut server = Server::start(&house.broker, &[]).await;
    let answer = server.control("downstairs lights", "on").await;
    answer.is("confirmed", "Downstairs lights is now on.");
    assert_eq!(
        house.writes(),
        [(4096, "37-0-targetValue".to_owned(), json!(true))]
    );
    assert_eq!(house.truth(3, "37-0-currentValue"), json!(true));
    house.change(3, |habits| habits.obeys = false);
    let answer = server.control("downstairs lights", "off").await;
    assert_eq!(
        (answer.certainty.as_deref(), answer.text.as_str()),
        (
            Some("failed"),
            "Downstairs lights: 1 of 2 are now off. Lamp reports another state."
        )
    );
    house.set_groups(vec![group(json!([3, 4, 13]))]);
    let before = house.writes().len();
    let answer = server.control("downstairs lights", "on").await;
    let left_alone = answer.text.contains("Left alone") && answer.text.contains("Garage Door");
    assert!(left_alone, "{answer:?}");
    let moved = house.writes().split_off(before);
    assert!(
        moved.iter().all(|(node, ..)| matches!(node, 3 | 4)),
        "{moved:?}"
    );
    assert!(moved.iter().any(|(node, ..)| *node == 4), "{moved:?}");
}

#[tokio::test]
async fn plain_state_words_filter_the_list() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let names = |list: String| -> Vec<String> {
        let lines = list.lines().filter_map(|line| line.strip_prefix("- "));
        let names = lines.filter_map(|line| line.split(':').next());
        names.map(str::to_owned).collect()
    };
    let lit = names(server.list("lights that are on").await);
    assert_eq!(lit, ["Björn's Lämp 🌈", "Ceiling"]);
    assert_eq!(names(server.list("open shades").await), ["Shade"]);
    assert_eq!(names(server.list("asleep").await), ["Door Sensor"]);
    assert_eq!(
        names(server.list("living room blinds").await),
        ["Blind/East"]
    );
    assert_eq!(
        names(server.list("heater").await),
        ["Radiator Valve", "Thermostat"]
    );
    assert_eq!(names(server.list("sirens").await), ["Siren"]);
}
