//! Whatever a tool refuses carries a word for the reason, so that no program has to read sentences.

use serde_json::{Value as Json, json};
use zwave_mcp_server::home::decide::RefusalReason;

use crate::support::{House, Mosquitto, Server};

#[tokio::test]
async fn whatever_is_refused_says_why_in_a_word() {
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let control = |device: &str, action: &str| json!({ "deviceName": device, "action": action });
    let with = |mut arguments: Json, name: &str, value: Json| {
        arguments[name] = value;
        arguments
    };
    let cases = [
        ("unknown-name", control("sauna", "on")),
        ("unknown-name", control("all garage lights", "off")),
        (
            "unknown-name",
            with(control("lamp", "on"), "room", json!("sauna")),
        ),
        ("ambiguous-name", control("ceiling", "on")),
        ("ambiguous-name", control("bedroom", "on")),
        ("arguments", json!({ "deviceName": "lamp" })),
        ("arguments", control("lamp", "juggle")),
        ("arguments", control("office ceiling", "dim")),
        ("cannot", with(control("lamp", "dim"), "level", json!(40))),
        (
            "cannot",
            with(control("washer", "dim"), "level", json!(400)),
        ),
        ("cannot", control("everything", "on")),
        ("cannot", control("all lights", "toggle")),
        ("cannot", control("all blinds", "lock")),
        ("cannot", control("multisensor", "on")),
        (
            "out-of-range",
            with(control("office ceiling", "dim"), "level", json!(150)),
        ),
        (
            "out-of-range",
            with(
                control("radiator valve", "set_temperature"),
                "level",
                json!(85),
            ),
        ),
        ("guarded", control("front door", "unlock")),
        ("guarded", control("garage door", "open")),
        ("guarded", control("all doors", "unlock")),
        ("failed", control("dead plug", "on")),
    ];
    for (reason, arguments) in cases {
        let answer = server.call("control_zwave_device", arguments.clone()).await;
        assert!(answer.is_error, "{arguments}: {answer:?}");
        assert_eq!(
            answer.refusal.as_deref(),
            Some(reason),
            "{arguments}: {answer:?}"
        );
    }
    let answer = server.control("lamp", "on").await;
    assert_eq!(answer.refusal, None, "{answer:?}");
}

#[tokio::test]
async fn a_list_says_in_a_word_that_nothing_is_called_so() {
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    for (refusal, is_error, arguments) in [
        (Some("unknown-name"), false, json!({ "filter": "sauna" })),
        (
            Some("arguments"),
            true,
            json!({ "filter": { "room": "Hall" } }),
        ),
        (None, false, json!({ "filter": "hall" })),
    ] {
        let answer = server.call("list_zwave_devices", arguments.clone()).await;
        assert_eq!(answer.refusal.as_deref(), refusal, "{arguments}");
        assert_eq!(answer.is_error, is_error, "{arguments}");
    }
}

#[tokio::test]
async fn of_a_gateway_that_is_not_there_everything_is_unavailable() {
    let broker = Mosquitto::start();
    let mut server = Server::start(&broker, &["--gateway", "nowhere"]).await;
    let control = server.control("lamp", "on").await;
    assert_eq!(
        control.refusal.as_deref(),
        Some("unavailable"),
        "{control:?}"
    );
    let list = server.call("list_zwave_devices", json!({})).await;
    assert_eq!(list.refusal.as_deref(), Some("unavailable"), "{list:?}");
}

#[test]
fn the_readme_names_every_reason() {
    let readme = include_str!("../../README.md");
    for reason in RefusalReason::ALL {
        assert!(
            readme.contains(&format!("`{}`", reason.name())),
            "{reason:?}"
        );
    }
}
