//! Asks a person for consent. Up to revision 2025-11-25, the question is a request to the host. Since
//! 2026-07-28, it is the result of the call.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::fixture::{ASK_OPTIONS, Phone, clock, node, setup};
use crate::{House, Server};

/// Starts a server that asks for consent, with a host that can show forms.
async fn start_asking_server(house: &House) -> Server {
    let mut server = Server::spawn(house, &["--guard=confirm"]);
    server.initialize_with(json!({ "elicitation": {} })).await;
    server
}

/// Calls `control_zwave_device` without a session, to unlock the front door. If the call replies to an
/// earlier question, `replied` has the request state of the question and the person's reply.
async fn unlock(server: &mut Server, replied: Option<(&Json, Json)>) -> Json {
    let mut params = json!({
        "name": "control_zwave_device",
        "arguments": { "deviceName": "front door", "action": "unlock" },
    });
    if let Some((state, reply)) = replied {
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({ "consent": reply });
    }
    let capabilities = json!({ "elicitation": { "form": {} } });
    let params = crate::protocol::stateless(params, &capabilities);
    server.request("tools/call", params).await["result"].take()
}

#[tokio::test(start_paused = true)]
async fn the_form_has_one_required_yes_or_no_field_without_a_default() {
    let house = House::start().await;
    let mut server = start_asking_server(&house).await;
    let _call = server.begin_control("front door", "unlock").await;
    let question = server.wait_for_message("elicitation/create").await;
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
    let asked = unlock(&mut server, None).await;
    let params = &asked["inputRequests"]["consent"]["params"];
    assert_eq!(params["requestedSchema"], form, "{asked}");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_leaves_during_a_question_gives_no_consent() {
    let house = House::start().await;
    let mut server = start_asking_server(&house).await;
    let call = server.begin_control("front door", "unlock").await;
    server.wait_for_message("elicitation/create").await;
    server.close_input();
    call.answer().await.assert_certainty("failed");
    assert_eq!(house.writes(), []);
}

#[tokio::test(start_paused = true)]
async fn since_2026_07_28_the_question_is_a_result_and_each_answer_counts_once() {
    let yes = || json!({ "action": "accept", "content": { "allow": true } });
    let house = House::start().await;
    let mut server = Server::spawn(&house, &["--guard=confirm"]);
    let asked = unlock(&mut server, None).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["consent"];
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    assert_eq!(question["params"]["message"], "Unlock Front Door?");

    let declined = Some((&asked["requestState"], json!({ "action": "decline" })));
    let result = unlock(&mut server, declined).await;
    assert_eq!(result["isError"], true, "{result}");
    let asked = unlock(&mut server, Some((&asked["requestState"], yes()))).await;
    assert_eq!(
        asked["resultType"], "input_required",
        "a used state was accepted: {asked}"
    );
    let without_choice = json!({ "action": "accept", "content": {} });
    let result = unlock(&mut server, Some((&asked["requestState"], without_choice))).await;
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(house.writes(), []);

    // Two request states have little in common, so nobody can guess one of them from the other.
    let again = unlock(&mut server, None).await;
    let asked = unlock(&mut server, None).await;
    let states = [&again, &asked].map(|asked| asked["requestState"].as_str().unwrap());
    let equal_bytes = states[0]
        .bytes()
        .zip(states[1].bytes())
        .filter(|(first, second)| first == second)
        .count();
    assert!(
        states[0].len() >= 32 && equal_bytes < states[0].len() / 2,
        "{states:?}"
    );
    let result = unlock(&mut server, Some((&asked["requestState"], yes()))).await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(house.true_state(12, "98-0-currentMode"), json!(0));
    assert_eq!(house.written_to(), [12]);
}

/// Starts a server that asks on a topic, for a host that can't ask, and the phone that shows the questions.
async fn start_asking_on_topic(house: &House) -> (Server, Phone) {
    let server = Server::start(house, &ASK_OPTIONS).await;
    (server, Phone::on(house.broker.connect()).await)
}

/// Advances the clock.
async fn wait_seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_yes_on_the_topic_unlocks_once_and_the_outcome_is_told_there() {
    let house = House::start().await;
    let (mut server, mut phone) = start_asking_on_topic(&house).await;
    let call = server.begin_control("front door", "unlock").await;
    let question = phone.question().await;
    assert_eq!(question["question"], "Unlock Front Door?");
    assert_eq!(question["device"], "Entrance Front Door");
    assert_eq!(question["action"], "unlock");
    let id = question["id"].as_str().unwrap();
    assert!(id.len() == 32 && id.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let expires = chrono::DateTime::parse_from_rfc3339(question["expires"].as_str().unwrap());
    let left = expires.unwrap().timestamp_millis() - i64::try_from(clock()().0).unwrap();
    assert!((58_000..=60_000).contains(&left), "{left}");
    assert_eq!(house.writes(), []);
    phone.answer(&question, true);
    let answer = call.answer().await;
    answer.assert_certainty("confirmed");
    assert_eq!(house.written_to(), [12]);
    phone.wait_for_states(&question, &["allowed", "done"]).await;
    let told = phone.messages().pop().unwrap();
    assert_eq!(told["sentence"], answer.text.as_str());
    assert!(!answer.text.contains(id) && !phone.has_retained());
    // Locking is nobody's question.
    server.control("front door", "lock").await.assert_certainty("confirmed");
    assert_eq!(phone.questions().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_came_too_late_allows_the_same_command_of_the_same_caller_once_within_a_minute()
{
    let house = House::start().await;
    let (mut server, mut phone) = start_asking_on_topic(&house).await;
    let call = server.begin_control_from("hall", "front door", "unlock").await;
    let question = phone.question().await;
    call.answer().await.assert_says("failed", "has not answered within 25 s");
    wait_seconds(5).await;
    phone.answer(&question, true);
    phone.wait_for_states(&question, &["allowed"]).await;
    wait_seconds(50).await;
    assert_eq!(house.writes(), [], "nothing is done late by itself");
    let other = server.begin_control_from("garage", "front door", "unlock").await;
    other.answer().await.assert_says("failed", "already being asked about it");
    let again = server.begin_control_from("hall", "front door", "unlock").await;
    again.answer().await.assert_certainty("confirmed");
    phone.wait_for_states(&question, &["allowed", "done"]).await;
    assert_eq!(house.written_to(), [12]);
    // It is used up: the next one is a new question.
    let next = server.begin_control_from("hall", "front door", "unlock").await;
    phone.question().await;
    next.answer().await.assert_certainty("failed");
    assert_eq!(house.written_to(), [12]);
}

#[tokio::test(start_paused = true)]
async fn a_late_yes_that_nobody_uses_expires() {
    let house = House::start().await;
    let (mut server, mut phone) = start_asking_on_topic(&house).await;
    server
        .begin_control("front door", "unlock")
        .await
        .answer()
        .await
        .assert_certainty("failed");
    let question = phone.question().await;
    phone.answer(&question, true);
    wait_seconds(61).await;
    phone.wait_for_states(&question, &["allowed", "expired"]).await;
    let call = server.begin_control("front door", "unlock").await;
    let new = phone.question().await;
    assert_ne!(new["id"], question["id"]);
    phone.answer(&question, true);
    call.answer().await.assert_certainty("failed");
    assert_eq!(house.writes(), []);
}

#[tokio::test(start_paused = true)]
async fn the_same_command_waits_for_the_open_question_and_another_one_is_refused() {
    let house = House::start().await;
    let (mut server, mut phone) = start_asking_on_topic(&house).await;
    let first = server.begin_control("garage door", "open").await;
    let question = phone.question().await;
    wait_seconds(10).await;
    let second = server.begin_control("garage door", "open").await;
    let other = server
        .control_with(json!({ "deviceName": "garage door", "action": "open", "level": 50 }))
        .await;
    assert!(other.is_error, "{other:?}");
    first.answer().await.assert_certainty("failed");
    phone.answer(&question, true);
    assert!(!second.answer().await.is_error);
    assert_eq!((phone.questions().len(), house.writes().len()), (1, 1));
    // Of two that wait at the same time, one acts.
    let calls = [
        server.begin_control("front door", "unlock").await,
        server.begin_control("front door", "unlock").await,
    ];
    let question = phone.question().await;
    phone.answer(&question, true);
    let [first, second] = calls;
    first.answer().await.assert_certainty("confirmed");
    second.answer().await.assert_says("failed", "another call has used that");
    assert_eq!((phone.questions().len(), house.writes().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn after_a_no_and_after_a_minute_without_answer_that_device_is_not_asked_about_for_ten_minutes()
 {
    for says_no in [true, false] {
        let house = House::start().await;
        let (mut server, mut phone) = start_asking_on_topic(&house).await;
        let call = server.begin_control("front door", "unlock").await;
        let question = phone.question().await;
        if says_no {
            phone.answer(&question, false);
            call.answer().await.assert_says("failed", "declined");
            phone.wait_for_states(&question, &["refused"]).await;
        } else {
            wait_seconds(61).await;
            call.answer().await.assert_certainty("failed");
            phone.wait_for_states(&question, &["expired"]).await;
        }
        phone.answer(&question, true);
        wait_seconds(590).await;
        let answer = server.control("front door", "unlock").await;
        answer.assert_says("failed", "within the last ten minutes");
        // Another device has nothing to do with it.
        let garage = server.begin_control("garage door", "open").await;
        let other = phone.question().await;
        phone.answer(&other, true);
        assert!(!garage.answer().await.is_error);
        assert_eq!(house.writes().len(), 1);
        wait_seconds(15).await;
        let call = server.begin_control("front door", "unlock").await;
        let question = phone.question().await;
        phone.answer(&question, true);
        call.answer().await.assert_certainty("confirmed");
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_four_questions_are_open_and_ten_are_asked_in_an_hour() {
    let locks = (40..55).map(|id| {
        node(12, |document| {
            document.insert("id".to_owned(), json!(id));
            document.insert("name".to_owned(), json!(format!("Door {id}")));
        })
    });
    let house = House::of(setup(), locks.collect()).await;
    let (mut server, mut phone) = start_asking_on_topic(&house).await;
    let mut calls = Vec::new();
    for id in 40..44 {
        calls.push(server.begin_control(&format!("door {id}"), "unlock").await);
        phone.question().await;
    }
    server.control("door 44", "unlock").await.assert_says("failed", "at most four");
    for (call, question) in calls.into_iter().zip(phone.questions()) {
        phone.answer(&question, true);
        call.answer().await.assert_certainty("confirmed");
    }
    for id in 44..50 {
        let call = server.begin_control(&format!("door {id}"), "unlock").await;
        let question = phone.question().await;
        phone.answer(&question, true);
        call.answer().await.assert_certainty("confirmed");
    }
    server
        .control("door 50", "unlock")
        .await
        .assert_says("failed", "ten are asked in an hour");
    wait_seconds(3600).await;
    let call = server.begin_control("door 50", "unlock").await;
    let question = phone.question().await;
    phone.answer(&question, true);
    call.answer().await.assert_certainty("confirmed");
    assert_eq!(house.written_to(), (40..=50).collect::<Vec<u16>>());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_ends_its_question_now_and_later() {
    let house = House::start().await;
    let (mut server, mut phone) = start_asking_on_topic(&house).await;
    let _call = server.begin_control("front door", "unlock").await;
    let question = phone.question().await;
    server.cancel_last().await;
    phone.wait_for_states(&question, &["expired"]).await;
    phone.answer(&question, true);
    wait_seconds(5).await;
    let again = server.begin_control("front door", "unlock").await;
    let next = phone.question().await;
    phone.answer(&next, false);
    again.answer().await.assert_says("failed", "declined");
    assert_eq!(house.writes(), []);
    assert_eq!(phone.states(&question), ["expired"]);
}

/// Whatever is no plain yes to an open question unlocks nothing.
#[tokio::test(start_paused = true)]
async fn anything_else_with_the_id_is_a_no_and_anything_without_it_is_nothing() {
    for answer in [
        json!("true"),
        json!(1),
        json!(null),
        json!({}),
        json!([true]),
    ] {
        let house = House::start().await;
        let (mut server, mut phone) = start_asking_on_topic(&house).await;
        let call = server.begin_control("front door", "unlock").await;
        let question = phone.question().await;
        for other in [
            json!({ "allow": true }),
            json!(true),
            json!({ "id": 1, "allow": true }),
        ] {
            phone.say(&other);
        }
        phone.say(&json!({ "id": "0123456789abcdef0123456789abcdef", "allow": true }));
        phone.answer(&question, answer.clone());
        phone.answer(&question, true);
        call.answer().await.assert_says("failed", "declined");
        assert_eq!(phone.states(&question), ["refused"], "{answer}");
        assert_eq!(house.writes(), []);
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_set_or_a_scene() {
    let house = House::start().await;
    house.set_scenes(vec![json!({ "sceneid": 1, "label": "Coming home", "values": [
        { "id": "12-98-0-targetMode", "nodeId": 12, "commandClass": 98, "endpoint": 0, "property": "targetMode", "value": 0, "timeout": 0 },
    ] })]);
    let (mut server, phone) = start_asking_on_topic(&house).await;
    for (device, action) in [("all locks", "unlock"), ("coming home", "on")] {
        let answer = server.control(device, action).await;
        answer.assert_certainty("failed");
        assert_eq!(answer.refusal.as_deref(), Some("guarded"), "{answer:?}");
    }
    assert_eq!((phone.questions(), house.writes()), (vec![], vec![]));
}

#[tokio::test(start_paused = true)]
async fn the_host_is_asked_if_it_can_ask_unless_the_owner_prefers_the_topic() {
    for (by, on_phone) in [
        ("", false),
        ("--confirm-by=host", false),
        ("--confirm-by=topic", true),
    ] {
        let house = House::start().await;
        let more = [by];
        let options = ASK_OPTIONS.iter().chain(more.iter().filter(|by| !by.is_empty()));
        let mut server = Server::spawn(&house, &options.copied().collect::<Vec<_>>());
        server.initialize_with(json!({ "elicitation": {} })).await;
        let mut phone = Phone::on(house.broker.connect()).await;
        let call = server.begin_control("front door", "unlock").await;
        if on_phone {
            let question = phone.question().await;
            phone.answer(&question, true);
        } else {
            let question = server.wait_for_message("elicitation/create").await;
            let yes = json!({ "action": "accept", "content": { "allow": true } });
            server.answer(&question, yes).await;
        }
        call.answer().await.assert_certainty("confirmed");
        assert_eq!(phone.questions().len(), usize::from(on_phone));
    }
}
