//! Asks a person for consent. Up to revision 2025-11-25, the question is a request to the host. Since
//! 2026-07-28, it is the result of the call.

use serde_json::{Value as Json, json};

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
