//! A hidden device is neither listed, controlled, counted, suggested nor named.

use crate::{House, Server};

#[tokio::test(start_paused = true)]
async fn a_hidden_device_is_in_no_text_and_obeys_to_no_name() {
    let house = House::start().await;
    let hide = ["--hide=kind:lock", "--hide=Living Room/Lamp Corner"];
    let mut server = Server::start(&house, &hide).await;
    let list = server.list("").await;
    assert!(list.starts_with("21 devices"), "{list}");
    let mut told = vec![list];
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
        // The answer may repeat the name that was said.
        let own = format!("\"{name}\"");
        for action in ["on", "lock", "unlock"] {
            let answer = server.control(name, action).await;
            assert!(answer.is_error, "{name}: {answer:?}");
            told.push(answer.text.replace(&own, ""));
        }
        told.push(server.list(name).await.replace(&own, ""));
    }
    told.push(server.control("all lights", "off").await.text);
    told.push(server.control("everything", "off").await.text);
    for text in &told {
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
    // Nor is the lamp's name taken from it by one that nobody can see.
    server.control("living room lamp", "on").await.is("confirmed");
}
