//! Requests and answers, over a pipe in memory and on a clock that stands still while anybody works.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;
use zwave_mcp_server::client::{ClientError, Hint, Host, Limits, ServerEvent, ToolServer};

use crate::garbage::Garbage;
use crate::support::{LIMIT, Peer, call, hearing, session, text_result};

/// Answers the next call with its own text.
async fn echo(peer: &mut Peer) {
    let call = peer.expect("tools/call").await;
    let text = call["params"]["arguments"]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    peer.answer(&call, text_result(&text)).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_answered_ends_after_its_time_and_is_cancelled_at_the_server() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let start = Instant::now();
    let called = call(&session, "a");
    let request = peer.expect("tools/call").await;
    let error = called.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(error.to_string(), "the server did not answer within 30 s");
    assert!(error.fate_unknown());
    let cancelled = peer.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    // The late answer is for nobody, and the next call is a new one.
    peer.answer(&request, text_result("late")).await;
    let called = call(&session, "b");
    echo(&mut peer).await;
    assert_eq!(called.await.unwrap().unwrap().as_text(), "b");
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_future_is_dropped_is_cancelled_at_the_server() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let called = call(&session, "a");
    let request = peer.expect("tools/call").await;
    called.abort();
    let cancelled = peer.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_garbled_answer_ends_in_the_time_out_which_shows_the_line() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let called = call(&session, "a");
    peer.expect("tools/call").await;
    peer.say(r#"{"jsonrpc":"2.0","id":3,INFO hello"#).await;
    let error = called.await.unwrap().unwrap_err().to_string();
    assert!(
        error.contains("INFO hello") && error.contains("key must be a string"),
        "{error}"
    );
    assert_eq!(session.bad_lines(), 1);
}

#[tokio::test(start_paused = true)]
async fn garbage_before_and_after_an_answer_disturbs_nothing_and_nothing_is_written_back_about_it()
{
    let (host, heard) = hearing();
    let (session, mut peer) = session(&host).await;
    for garbage in Garbage::ALL {
        let called = call(&session, "a");
        let request = peer.expect("tools/call").await;
        peer.write(&garbage.bytes()).await;
        peer.answer(&request, text_result("a")).await;
        peer.write(&garbage.bytes()).await;
        assert_eq!(called.await.unwrap().unwrap().as_text(), "a", "{garbage:?}");
        if garbage == Garbage::Ping {
            // A ping is a message, and has its answer.
            for _ in 0..2 {
                let pong = peer.next().await;
                assert_eq!(pong, json!({ "jsonrpc": "2.0", "id": "p", "result": {} }));
            }
        }
    }
    let called = call(&session, "last");
    // The very next thing that is written is a call: nobody answered garbage.
    echo(&mut peer).await;
    called.await.unwrap().unwrap();
    let bad = 2 * Garbage::ALL.iter().filter(|kind| kind.is_bad()).count();
    assert_eq!(session.bad_lines(), bad as u64);
    let heard = heard.lock().unwrap();
    let count =
        |wanted: fn(&ServerEvent) -> bool| heard.iter().filter(|event| wanted(event)).count();
    assert_eq!(count(|event| matches!(event, ServerEvent::BadLine(_))), bad);
    assert_eq!(count(|event| matches!(event, ServerEvent::Stray { .. })), 4);
    let unheard = |event: &ServerEvent| matches!(event, ServerEvent::Notification { method, .. } if method == "notifications/unheard_of");
    assert_eq!(count(unheard), 2);
}

#[tokio::test(start_paused = true)]
async fn an_early_or_second_answer_is_for_nobody() {
    let (host, heard) = hearing();
    let (session, mut peer) = session(&host).await;
    // Ids 1 and 2 were the handshake's; 3 is still to come.
    peer.send(json!({ "jsonrpc": "2.0", "id": 3, "result": text_result("early") }))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let called = call(&session, "a");
    let request = peer.expect("tools/call").await;
    assert_eq!(request["id"], 3);
    peer.answer(&request, text_result("first")).await;
    peer.answer(&request, text_result("second")).await;
    assert_eq!(called.await.unwrap().unwrap().as_text(), "first");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let stray = ServerEvent::Stray { id: 3.into() };
    assert_eq!(heard.lock().unwrap().as_slice(), [stray.clone(), stray]);
}

#[tokio::test(start_paused = true)]
async fn answers_in_another_order_find_their_calls() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let calls: Vec<_> = ["a", "b", "c"].map(|text| call(&session, text)).into();
    let mut requests = Vec::new();
    for _ in &calls {
        requests.push(peer.expect("tools/call").await);
    }
    for request in requests.iter().rev() {
        let text = request["params"]["arguments"]["text"].as_str().unwrap();
        peer.answer(request, text_result(text)).await;
    }
    let mut texts = Vec::new();
    for called in calls {
        texts.push(called.await.unwrap().unwrap().as_text());
    }
    assert_eq!(texts, ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_server_asks_for_and_nobody_offered_is_refused() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    peer.send(
        json!({ "jsonrpc": "2.0", "id": 9, "method": "sampling/createMessage", "params": {} }),
    )
    .await;
    let answer = peer.next().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&9.into(), &(-32601).into())
    );
    assert!(session.is_alive());
}

#[tokio::test(start_paused = true)]
async fn a_result_of_the_wrong_shape_is_an_error_that_shows_its_content() {
    for (result, why) in [
        (json!("done!"), "it has no content"),
        (
            json!({ "content": "done!" }),
            "its content is no list of blocks",
        ),
        (
            json!({ "content": ["done!"] }),
            "its content is no list of blocks",
        ),
        (
            json!({ "content": [], "isError": "done!" }),
            "its isError is neither true nor false",
        ),
        (
            json!({ "resultType": "input_required", "x": "done!" }),
            "it asks for input",
        ),
    ] {
        let (session, mut peer) = session(&Host::new("test", "0")).await;
        let called = call(&session, "a");
        peer.answer_call(result).await;
        let error = called.await.unwrap().unwrap_err();
        assert!(error.fate_unknown());
        let text = error.to_string();
        assert!(text.contains(why) && text.contains("done!"), "{text}");
    }
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let listing = tokio::spawn(async move { session.tools().await });
    let request = peer.expect("tools/list").await;
    peer.answer(&request, json!({ "tool": "x".repeat(1000) }))
        .await;
    let text = listing.await.unwrap().unwrap_err().to_string();
    assert!(text.contains("xxxx") && text.len() < 400, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_servers_error_is_passed_on_in_its_own_words() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let called = call(&session, "a");
    let request = peer.expect("tools/call").await;
    peer.refuse(&request, -32602, "Unknown tool: echo; try ECHO")
        .await;
    let error = called.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "Unknown tool: echo; try ECHO");
    assert!(!error.fate_unknown());
    // One that does not even keep to the protocol there.
    let called = call(&session, "a");
    let request = peer.expect("tools/call").await;
    peer.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": "kaputt" }))
        .await;
    assert_eq!(called.await.unwrap().unwrap_err().to_string(), "\"kaputt\"");
}

#[tokio::test(start_paused = true)]
async fn when_the_pipe_ends_every_call_in_flight_is_an_error_at_once() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let calls: Vec<_> = ["a", "b", "c"].map(|text| call(&session, text)).into();
    for _ in &calls {
        peer.expect("tools/call").await;
    }
    let start = Instant::now();
    drop(peer);
    for called in calls {
        let error = called.await.unwrap().unwrap_err();
        assert!(matches!(error, ClientError::Ended { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "the server broke off: it closed its stdout"
        );
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    let error = call(&session, "d").await.unwrap().unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert!(!error.fate_unknown() && !session.is_alive());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_behind_a_server_that_does_not_read_is_never_sent_late() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    // More than the pipe takes, so that what comes after it waits.
    let big = call(&session, &"x".repeat(200_000));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let waiting = call(&session, "open the garage");
    let start = Instant::now();
    assert!(big.await.unwrap().is_err() && waiting.await.unwrap().is_err());
    assert!(start.elapsed() <= LIMIT);
    // Now it reads: the call that was written half-way, its cancellation, and nothing of the other.
    let fresh = call(&session, "fresh");
    let sent = [peer.next().await, peer.next().await, peer.next().await];
    assert_eq!(
        sent[0]["params"]["arguments"]["text"]
            .as_str()
            .unwrap()
            .len(),
        200_000
    );
    assert_eq!(sent[1]["method"], "notifications/cancelled");
    assert_eq!(sent[2]["params"]["arguments"]["text"], "fresh");
    peer.answer(&sent[2], text_result("fresh")).await;
    fresh.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn tools_come_from_every_page_and_one_that_cannot_be_read_is_left_out() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let listing = tokio::spawn(async move { session.tools().await });
    let schema = json!({ "type": "object" });
    let request = peer.expect("tools/list").await;
    assert_eq!(request["params"], json!({}));
    let page = json!([{ "name": "a", "inputSchema": schema, "new": 1 }, { "inputSchema": schema }]);
    peer.answer(&request, json!({ "tools": page, "nextCursor": "2" }))
        .await;
    let request = peer.expect("tools/list").await;
    assert_eq!(request["params"]["cursor"], "2");
    peer.answer(&request, json!({ "tools": [{ "name": "b" }] }))
        .await;
    let tools = listing.await.unwrap().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    // Unknown fields are not lost.
    assert_eq!(tools[0].document["new"], 1);
}

#[tokio::test(start_paused = true)]
async fn every_limit_can_be_overridden() {
    let mut host = Host::new("test", "0");
    host.limits = Limits {
        call: Duration::from_secs(3),
        bad_line: 5,
        ..Limits::default()
    };
    let (session, mut peer) = session(&host).await;
    let asking = Arc::clone(&session);
    let listing = tokio::spawn(async move {
        let start = Instant::now();
        (asking.tools().await, start.elapsed())
    });
    peer.expect("tools/list").await;
    peer.say("a long log line").await;
    let (listed, took) = listing.await.unwrap();
    assert_eq!(took.as_secs(), 3);
    let ClientError::TimedOut { instead, .. } = listed.unwrap_err() else {
        panic!("no time-out")
    };
    let [Hint::BadLine(line)] = instead.as_slice() else {
        panic!("{instead:?}")
    };
    assert_eq!(line.content, "a lon");
    let _: Json = peer.expect("notifications/cancelled").await;
}
