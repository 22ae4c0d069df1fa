//! `--guard confirm`: a person is asked, and nothing happens without a plain yes.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::support::{Answer, House, Server, read};

const LOCK: &str = "98-0-currentMode";
const NOBODY_ASKED: &str = "Front Door was not unlocked: the host accepted without asking anybody: \
                            no yes or no came with it.";

/// A server that was initialized by a host that can ask a person.
async fn asking(house: &House) -> Server {
    let arguments = ["--broker", &house.broker.url(), "--guard=confirm"];
    let mut server = Server::spawn(&arguments.map(str::to_owned));
    server.initialize_with(json!({ "elicitation": {} })).await;
    server
}

/// What a host hands on from a person who allows it.
fn yes() -> Json {
    json!({ "action": "accept", "content": { "allow": true } })
}

/// Asks to unlock the front door, and answers the question that comes of it.
async fn unlock(server: &mut Server, said: Json) -> (String, Answer) {
    let arguments = json!({ "deviceName": "front door", "action": "unlock" });
    let answer = server.begin_call("control_zwave_device", arguments).await;
    let question = server.said("elicitation/create").await;
    server
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": said }))
        .await;
    let text = question["params"]["message"].as_str().unwrap().to_owned();
    (text, read(answer.await.unwrap()))
}

#[tokio::test]
async fn a_person_who_accepts_has_the_door_unlocked_this_once() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = asking(&house).await;
    let (question, answer) = unlock(&mut server, yes()).await;
    assert_eq!(question, "Unlock Front Door?");
    answer.is("confirmed", "Front Door is now unlocked.");
    assert_eq!(house.truth(12, LOCK), json!(0));
    // Locking is nobody's question, and the next unlocking is a new one.
    let answer = server.control("front door", "lock").await;
    answer.is("confirmed", "Front Door is now locked.");
    let (_, answer) = unlock(&mut server, json!({ "action": "decline" })).await;
    answer.is(
        "failed",
        "Front Door was not unlocked: the person who was asked declined.",
    );
    assert_eq!(house.truth(12, LOCK), json!(255));
}

#[tokio::test]
async fn a_question_about_a_scene_names_what_it_opens() {
    needs!(mosquitto);
    let house = House::start().await;
    let write = |node: u16, class: u16, property: &str, value: Json| {
        json!({
            "id": format!("{node}-{class}-0-{property}"), "nodeId": node, "commandClass": class,
            "endpoint": 0, "property": property, "value": value, "timeout": 0,
        })
    };
    let unlock = write(12, 98, "targetMode", json!(0));
    let dim = write(5, 38, "targetValue", json!(20));
    house.set_scenes(vec![
        json!({ "sceneid": 1, "label": "Coming home", "values": [dim, unlock] }),
    ]);
    let mut server = asking(&house).await;
    let arguments = json!({ "deviceName": "coming home", "action": "on" });
    let answer = server.begin_call("control_zwave_device", arguments).await;
    let question = server.said("elicitation/create").await;
    assert_eq!(
        question["params"]["message"],
        "Switch on Coming home? It unlocks or opens \"Entrance Front Door\"."
    );
    // The host goes away in the middle of it: nobody can say yes any more.
    let begun = Instant::now();
    server.close_stdin();
    assert_eq!(server.ended().await, Some(0));
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    let answer = read(answer.await.unwrap());
    assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
    assert_eq!(house.writes(), []);
}

/// Codex with full access accepts like this: its person saw nothing.
#[tokio::test]
async fn a_host_that_accepts_by_itself_leaves_the_door_locked() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = asking(&house).await;
    let locked = server.control("front door", "lock").await;
    locked.is("confirmed", "Front Door is now locked.");
    for content in [
        json!({}),
        Json::Null,
        json!([true]),
        json!({ "allow": null }),
        json!({ "allow": "true" }),
        json!({ "allow": "yes" }),
        json!({ "allow": 1 }),
        json!({ "Allow": true }),
    ] {
        let said = json!({ "action": "accept", "content": content });
        let (_, answer) = unlock(&mut server, said).await;
        answer.is("failed", NOBODY_ASKED);
    }
    let (_, answer) = unlock(&mut server, json!({ "action": "accept" })).await;
    answer.is("failed", NOBODY_ASKED);
    assert_eq!(house.writes().len(), 1);
    assert_eq!(house.truth(12, LOCK), json!(255));
}

#[tokio::test]
async fn a_person_who_says_no_in_the_form_has_declined() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = asking(&house).await;
    let no = json!({ "action": "accept", "content": { "allow": false } });
    let (_, answer) = unlock(&mut server, no).await;
    answer.is(
        "failed",
        "Front Door was not unlocked: the person who was asked declined.",
    );
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn the_form_is_one_required_yes_or_no_that_no_host_fills_in() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = asking(&house).await;
    let arguments = json!({ "deviceName": "front door", "action": "unlock" });
    let _answer = server.begin_call("control_zwave_device", arguments).await;
    let question = server.said("elicitation/create").await;
    let form = json!({
        "type": "object",
        "properties": {
            "allow": {
                "type": "boolean",
                "title": "Allow it this once",
                "description": "Yes does it now. No leaves everything as it is.",
            },
        },
        "required": ["allow"],
    });
    assert_eq!(question["params"]["requestedSchema"], form);
    let asked = stateless(&mut server, None).await;
    let params = &asked["inputRequests"]["consent"]["params"];
    assert_eq!(params["requestedSchema"], form, "{asked}");
}

#[tokio::test]
async fn whatever_is_no_plain_yes_leaves_the_door_locked() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = asking(&house).await;
    for said in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "perhaps" }),
        json!({ "action": "decline", "content": { "allow": true } }),
        json!({ "action": "cancel", "content": { "allow": true } }),
        json!({ "content": { "allow": true } }),
        json!({}),
    ] {
        let (_, answer) = unlock(&mut server, said).await;
        assert_eq!(answer.certainty.as_deref(), Some("failed"), "{answer:?}");
        assert!(answer.text.starts_with("Front Door was not unlocked"));
    }
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn a_host_that_cant_ask_is_told_so_and_sets_are_never_asked_about() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--guard=confirm"]).await;
    let answer = server.control("front door", "unlock").await;
    assert!(answer.text.contains("this host can't ask"), "{answer:?}");
    let answer = server.control("garage door", "open").await;
    assert!(answer.text.contains("this host can't ask"), "{answer:?}");
    let mut server = asking(&house).await;
    let answer = server.control("all locks", "unlock").await;
    assert!(
        answer
            .text
            .contains("guarded is never in a set: Entrance Front Door"),
        "{answer:?}"
    );
    assert_eq!(house.writes(), []);
}

#[tokio::test]
async fn a_question_that_nobody_answers_ends_after_25_seconds() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = asking(&house).await;
    let arguments = json!({ "deviceName": "garage door", "action": "open" });
    let asked = tokio::time::Instant::now();
    let answer = server.begin_call("control_zwave_device", arguments).await;
    server.said("elicitation/create").await;
    // Nobody else waits for the person.
    let lamp = server.control("lamp", "on").await;
    lamp.is("confirmed", "Lamp is now on.");
    let answer = read(answer.await.unwrap());
    answer.is(
        "failed",
        "Garage Door was not opened: nobody answered the question within 25 s.",
    );
    assert!(asked.elapsed() < Duration::from_secs(32));
    let touched = house.written_to();
    assert_eq!(touched, [3]);
}

/// A call of the stateless revision, with what a person said to an earlier one.
async fn stateless(server: &mut Server, round: Option<(&Json, Json)>) -> Json {
    let mut params = json!({
        "name": "control_zwave_device",
        "arguments": { "deviceName": "front door", "action": "unlock" },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        },
    });
    if let Some((state, said)) = round {
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({ "consent": said });
    }
    server.request("tools/call", params).await["result"].clone()
}

#[tokio::test]
async fn since_2026_07_28_the_question_is_the_result_and_an_answer_counts_once() {
    needs!(mosquitto);
    let house = House::start().await;
    let arguments = ["--broker", &house.broker.url(), "--guard=confirm"];
    let mut server = Server::spawn(&arguments.map(str::to_owned));
    let asked = stateless(&mut server, None).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["consent"];
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    let text = question["params"]["message"].as_str().unwrap();
    assert_eq!(text, "Unlock Front Door?");
    assert_eq!(house.writes(), []);

    let declined = Some((&asked["requestState"], json!({ "action": "decline" })));
    let result = stateless(&mut server, declined).await;
    assert_eq!(result["isError"], true, "{result}");
    let asked = stateless(&mut server, Some((&asked["requestState"], yes()))).await;
    assert_eq!(
        asked["resultType"], "input_required",
        "an old number: {asked}"
    );
    let by_itself = json!({ "action": "accept", "content": {} });
    let result = stateless(&mut server, Some((&asked["requestState"], by_itself))).await;
    assert_eq!(result["content"][0]["text"], NOBODY_ASKED);
    assert_eq!(house.writes(), []);

    // Nobody can guess the next state from the last.
    let again = stateless(&mut server, None).await;
    let asked = stateless(&mut server, None).await;
    let states = [&again, &asked].map(|asked| asked["requestState"].as_str().unwrap());
    let same = states[0].bytes().zip(states[1].bytes());
    let same = same.filter(|(one, other)| one == other).count();
    assert!(
        states[0].len() >= 32 && same < states[0].len() / 2,
        "{states:?}"
    );
    let result = stateless(&mut server, Some((&asked["requestState"], yes()))).await;
    assert_eq!(result["content"][0]["text"], "Front Door is now unlocked.");
    assert_eq!(house.truth(12, LOCK), json!(0));
    assert_eq!(house.writes().len(), 1);
}
