//! A server's questions for the person at the host, in both eras of the protocol.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::sleep;
use zwave_mcp_server::client::{Host, PersonAnswer, Question};

use crate::support::{call, session, text_result};

/// A host whose person takes a while, and agrees where the question says so.
fn host(asked: &Arc<Mutex<Vec<Question>>>) -> Host {
    let asked = Arc::clone(asked);
    Host::new("test", "0").asking(move |question| {
        asked.lock().unwrap().push(question.clone());
        async move {
            sleep(Duration::from_secs(5)).await;
            if question.message.contains("lamp") {
                PersonAnswer::Accept(question.agreed())
            } else {
                PersonAnswer::Decline
            }
        }
    })
}

fn form(message: &str) -> Json {
    json!({
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": { "allow": { "type": "boolean" }, "why": { "type": "string" } },
        },
    })
}

#[tokio::test(start_paused = true)]
async fn a_question_in_a_result_is_asked_and_the_call_sent_again_with_the_answers() {
    let asked = Arc::default();
    let (session, mut peer) = session(&host(&asked)).await;
    let called = call(&session, "a");
    let call = peer.expect("tools/call").await;
    let question = |message| json!({ "method": "elicitation/create", "params": form(message) });
    peer.answer(
        &call,
        json!({
            "resultType": "input_required",
            "inputRequests": {
                "one": question("the lamp?"),
                "two": question("the door?"),
                "other": { "method": "sampling/createMessage", "params": {} },
            },
            "requestState": "7",
        }),
    )
    .await;
    let again = peer.expect("tools/call").await;
    assert_ne!(again["id"], call["id"]);
    assert_eq!(again["params"]["arguments"], call["params"]["arguments"]);
    assert_eq!(again["params"]["requestState"], "7");
    assert_eq!(
        again["params"]["inputResponses"],
        json!({
            "one": { "action": "accept", "content": { "allow": true } },
            "two": { "action": "decline" },
            // Nobody offered that.
            "other": { "action": "decline" },
        })
    );
    peer.answer(&again, text_result("done")).await;
    assert_eq!(called.await.unwrap().unwrap().as_text(), "done");
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_without_end_is_given_up() {
    let (session, mut peer) = session(&host(&Arc::default())).await;
    let called = call(&session, "a");
    for _ in 0..8 {
        peer.answer_call(json!({ "resultType": "input_required" }))
            .await;
    }
    let error = called.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("asks again and again"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_question_of_the_server_s_own_keeps_nothing_waiting() {
    let asked = Arc::default();
    let (session, mut peer) = session(&host(&asked)).await;
    for (id, message) in [(1, "the lamp?"), (2, "the door?")] {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": form(message) });
        peer.say(&request.to_string()).await;
    }
    // A call is answered while the person still thinks.
    let called = call(&session, "a");
    peer.answer_call(text_result("done")).await;
    let mut answers = [peer.next().await, peer.next().await];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let [lamp, door] = answers;
    let content = json!({ "action": "accept", "content": { "allow": true } });
    assert_eq!((&lamp["id"], &lamp["result"]), (&json!(1), &content));
    assert_eq!(door["result"], json!({ "action": "decline" }));
    assert_eq!(called.await.unwrap().unwrap().as_text(), "done");
}
