//! What is hidden is neither listed, controlled, counted, suggested nor named.

use serde_json::json;

use crate::support::{House, Server, eventually};

#[tokio::test]
async fn a_hidden_device_is_in_no_text_and_obeys_to_no_name() {
    needs!(mosquitto);
    let house = House::start().await;
    let hide = ["--hide=kind:lock", "--hide=Living Room/Lamp Corner"];
    let mut server = Server::start(&house.broker, &hide).await;
    let list = server.list("").await;
    assert!(list.starts_with("21 devices"), "{list}");
    let mut said = vec![list];
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
        for action in ["on", "lock", "unlock"] {
            let answer = server.control(name, action).await;
            assert!(answer.is_error, "{name}: {answer:?}");
            said.push(answer.text.replace(&format!("\"{name}\""), ""));
        }
        said.push(server.list(name).await.replace(&format!("\"{name}\""), ""));
    }
    said.push(server.control("all lights", "off").await.text);
    said.push(server.control("everything", "off").await.text);
    for text in &said {
        let lower = text.to_lowercase();
        assert!(!lower.contains("corner"), "{text}");
        assert!(!lower.contains("front door"), "{text}");
    }
    assert!(
        house
            .written_to()
            .into_iter()
            .all(|node| node != 4 && node != 12)
    );
    // The lamp's name is not taken from it by one that nobody can see.
    let answer = server.control("living room lamp", "on").await;
    answer.is("confirmed", "Lamp is now on.");
}

#[tokio::test]
async fn only_what_is_exposed_exists_and_hide_wins() {
    needs!(mosquitto);
    let house = House::start().await;
    let only = ["--expose=kitchen,", "--expose=*/Ceiling", "--hide=bedroom"];
    let mut server = Server::start(&house.broker, &only).await;
    let list = server.list("").await;
    assert!(list.starts_with("2 devices"), "{list}");
    let answer = server.dim("ceiling", 40.0).await;
    answer.is("confirmed", "Ceiling is now on at 40 %.");
    assert_eq!(
        house.writes(),
        [(7, "38-0-targetValue".to_owned(), json!(40))]
    );
    let list = server.list("sauna").await;
    assert!(list.ends_with("Rooms: Kitchen, Office."), "{list}");
}

#[tokio::test]
async fn a_setting_that_fits_nothing_is_told_in_the_log_once_the_house_is_known() {
    needs!(mosquitto);
    let house = House::start().await;
    let slips = [
        "--hide=Frunt Door,kind:gate",
        "--hide=bedroom",
        "--unguarded=Gaarden",
        "--reply-timeout=500ms",
    ];
    let mut server = Server::start(&house.broker, &slips).await;
    let told = "Nothing in the house is called \"Frunt Door\"";
    eventually("it is told", async || server.stderr().contains(told)).await;
    server.close_stdin();
    assert_eq!(server.ended().await, Some(0));
    let stderr = server.stderr();
    let told = stderr.matches("Nothing in the house is called");
    assert_eq!(told.count(), 2, "{stderr}");
    assert!(stderr.contains("called \"Gaarden\""), "{stderr}");
}
