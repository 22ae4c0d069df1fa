//! A hidden device is not listed, controlled, counted, suggested or named.

use serde_json::json;

use crate::{House, Server};

#[tokio::test(start_paused = true)]
async fn a_hidden_device_is_in_no_text_and_obeys_no_name() {
    let house = House::start().await;
    let hide = ["--hide=kind:lock", "--hide=Living Room/Lamp Corner"];
    let mut server = Server::start(&house, &hide).await;
    let list = server.list("").await;
    assert!(list.starts_with("21 devices"), "{list}");
    let mut texts = vec![list];
    for name in [
        "front door",
        "lamp corner",
        "frontdoor",
        "corner",
        "entrance lock",
        "lamp cornr",
        "node 12",
        "all locks",
    ] {
        // The answer may quote the name that was said.
        let quoted = format!("\"{name}\"");
        for action in ["on", "lock", "unlock"] {
            let answer = server.control(name, action).await;
            assert!(answer.is_error, "{name}: {answer:?}");
            texts.push(answer.text.replace(&quoted, ""));
        }
        texts.push(server.list(name).await.replace(&quoted, ""));
    }
    texts.push(server.control("all lights", "off").await.text);
    texts.push(server.control("everything", "off").await.text);
    for text in &texts {
        let lower = text.to_lowercase();
        assert!(
            !lower.contains("corner") && !lower.contains("front door"),
            "{text}"
        );
    }
    let written = house.written_to();
    assert!(
        !written.contains(&4) && !written.contains(&12),
        "{written:?}"
    );
    // The hidden Lamp Corner does not make this name ambiguous.
    server.control("living room lamp", "on").await.assert_certainty("confirmed");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_came_from_a_phrase_for_a_hidden_device_moves_nothing() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--hide=living room/lamp"]).await;
    for (said, moves) in [("living room lamp", false), ("lamp corner", true)] {
        let params = json!({
            "name": "control_zwave_device",
            "arguments": { "deviceName": "lamp corner", "action": "on" },
            "_meta": { "zwave-mcp-server/said": said },
        });
        let answer = server.request("tools/call", params).await;
        let reason = &answer["result"]["_meta"]["zwave-mcp-server/reason"];
        assert_eq!(house.writes().is_empty(), !moves, "{said}: {answer}");
        assert_eq!(reason == "unknown-name", !moves, "{said}: {answer}");
    }
}
