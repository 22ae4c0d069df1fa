//! Asking a person: the form, and the protocol of 2026-07-28, in which the question is a result.

use serde_json::{Value as Json, json};

use crate::{House, Server};

async fn asking(house: &House) -> Server {
    let mut server = Server::spawn(house, &["--guard=confirm"]);
    server.initialize_with(json!({ "elicitation": {} })).await;
    server
}

/// A call of the stateless revision, with a person's reply to an earlier one.
async fn unlock(server: &mut Server, round: Option<(&Json, Json)>) -> Json {
    let mut params = json!({
        "name": "control_zwave_device",
        "arguments": { "deviceName": "front door", "action": "unlock" },
    });
    if let Some((state, reply)) = round {
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({ "consent": reply });
    }
    let capabilities = json!({ "elicitation": { "form": {} } });
    let params = crate::protocol::stateless(params, &capabilities);
    server.request("tools/call", params).await["result"].take()
}

#[tokio::test(start_paused = true)]
async fn the_form_is_one_required_yes_or_no_that_no_host_fills_in() {
    let house = House::start().await;
    let mut server = asking(&house).await;
    let _call = server.begin_control("front door", "unlock").await;
    let question = server.told("elicitation/create").await;
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
async fn a_host_that_goes_away_in_the_middle_of_a_question_can_say_yes_no_more() {
    let house = House::start().await;
    let mut server = asking(&house).await;
    let call = server.begin_control("front door", "unlock").await;
    server.told("elicitation/create").await;
    server.close_input();
    call.answer().await.is("failed");
    assert_eq!(house.writes(), []);
}

#[tokio::test(start_paused = true)]
async fn since_2026_07_28_the_question_is_the_result_and_an_answer_counts_once() {
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
        "an old number: {asked}"
    );
    let by_itself = json!({ "action": "accept", "content": {} });
    let result = unlock(&mut server, Some((&asked["requestState"], by_itself))).await;
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(house.writes(), []);

    // Nobody can guess the next state from the last.
    let again = unlock(&mut server, None).await;
    let asked = unlock(&mut server, None).await;
    let states = [&again, &asked].map(|asked| asked["requestState"].as_str().unwrap());
    let equal = states[0]
        .bytes()
        .zip(states[1].bytes())
        .filter(|(one, other)| one == other)
        .count();
    assert!(
        states[0].len() >= 32 && equal < states[0].len() / 2,
        "{states:?}"
    );
    let result = unlock(&mut server, Some((&asked["requestState"], yes()))).await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(house.true_state(12, "98-0-currentMode"), json!(0));
    assert_eq!(house.written_to(), [12]);
}
