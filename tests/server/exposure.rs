//! A hidden device is not listed, controlled, counted, suggested or named.

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
