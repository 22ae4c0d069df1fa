//! Arguments from a host: a text that is too long is refused in a sentence, and an unknown argument is named.

use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::Server;

const TOO_LONG: &str = "can have at most 200 characters.";

#[tokio::test(start_paused = true)]
async fn a_text_that_is_too_long_is_refused_in_a_sentence_without_delaying_pings() {
    let mut server = Server::demo(&[]).await;
    server.list("").await;
    let long = "a b".repeat(100_000);
    let control = |name: &str, text: &str| {
        let mut arguments =
            json!({ "deviceName": "Front Door", "action": "set_mode", "mode": "heat" });
        arguments[name] = json!(text);
        ("control_zwave_device", arguments)
    };
    // Real time, because the paused clock does not show how long the processor works.
    let started = Instant::now();
    for (tool, arguments) in [
        ("list_zwave_devices", json!({ "filter": long })),
        ("list_zwave_devices", json!({ "room": "x".repeat(201) })),
        control("deviceName", &long),
        control("deviceName", &format!("zwave://devices/{long}/x")),
        control("room", &long),
        control("mode", &long),
    ] {
        let call = server.begin_call(tool, arguments).await;
        let ping = server.request("ping", json!({})).await;
        assert_eq!(ping["result"], json!({}));
        let text = call.answer().await.text;
        assert!(text.ends_with(TOO_LONG) && !text.contains(". "), "{text}");
    }
    // An answer does not quote the whole of a long device name or argument name.
    for arguments in [
        json!({ "deviceName": long }),
        json!({ "deviceName": "Fan", "action": "on", long.as_str(): 1 }),
    ] {
        let text = server.control_with(arguments).await.text;
        assert!(text.len() < 400, "{text}");
    }
    let uri = format!("zwave://devices/Hall/{}", "x".repeat(201));
    for (method, params) in [
        ("resources/read", json!({ "uri": uri })),
        ("resources/subscribe", json!({ "uri": uri })),
    ] {
        let answer: Json = server.request(method, params).await;
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.ends_with(TOO_LONG), "{text}");
    }
    assert!(started.elapsed().as_secs() < 5);
}

#[tokio::test(start_paused = true)]
async fn a_text_of_two_hundred_characters_is_accepted() {
    let mut server = Server::demo(&[]).await;
    let list = server.list(&format!("front{}door", " ".repeat(191))).await;
    assert!(list.contains("Front Door"), "{list}");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_argument_is_named_at_the_start_of_a_control_answer_and_at_the_end_of_a_list() {
    let mut server = Server::demo(&[]).await;
    // The coffee machine can't dim, but the answer is about the unknown argument.
    let dim = json!({ "deviceName": "Coffee Machine", "action": "dim", "levle": 30 });
    let text = server.control_with(dim).await.text;
    assert!(
        text.starts_with("Unknown argument \"levle\"; did you mean \"level\"?"),
        "{text}"
    );
    let off = json!({ "deviceName": "Fan", "action": "off", "frobnicate": 1 });
    let text = server.control_with(off).await.text;
    assert!(
        text.starts_with("Unknown argument \"frobnicate\"."),
        "{text}"
    );
    for filter in ["hall", "sauna"] {
        let list = server.list_with(json!({ "filter": filter, "frobnicate": 1 })).await.text;
        let last = list.lines().last().unwrap();
        assert!(
            last.contains("\"frobnicate\"") && last.contains("includeInactive"),
            "{list}"
        );
    }
}
