//! Garbage does not disturb a session. An error quotes a malformed tool list. If the host drops a subscription,
//! the server is told.

use std::time::Duration;

use serde_json::{Map, json};
use tokio::time::timeout;
use zwave_mcp_server::client::{Host, ServerEvent, ToolServer};

use crate::garbage::Garbage;
use crate::support::{LONG, call, listening_host, start_session, text_result};

#[tokio::test(start_paused = true)]
async fn garbage_around_an_answer_disturbs_nothing_and_gets_no_reply() {
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    for garbage in Garbage::ALL {
        let called = call(&session, "a");
        let request = peer.expect("tools/call").await;
        peer.write(&garbage.bytes()).await;
        peer.answer(&request, text_result("a")).await;
        peer.write(&garbage.bytes()).await;
        assert_eq!(called.await.unwrap().unwrap().as_text(), "a", "{garbage:?}");
        if garbage == Garbage::Ping {
            // `Ping` is listed with the garbage, but it is a valid request, and must be answered.
            for _ in 0..2 {
                let pong = peer.next().await;
                assert_eq!(pong, json!({ "jsonrpc": "2.0", "id": "p", "result": {} }));
            }
        }
    }
    let called = call(&session, "last");
    // The next message is the call, so the client replied to no garbage except the pings.
    peer.answer_call(text_result("last")).await;
    called.await.unwrap().unwrap();
    // The peer wrote each kind twice.
    let bad = 2 * Garbage::ALL.iter().filter(|kind| kind.is_bad()).count();
    assert_eq!(session.bad_lines(), bad as u64);
    let heard = heard.lock().unwrap();
    let count =
        |wanted: fn(&ServerEvent) -> bool| heard.iter().filter(|event| wanted(event)).count();
    assert_eq!(count(|event| matches!(event, ServerEvent::BadLine(_))), bad);
    // `StrayAnswer` and `StringId` answer no request. The peer wrote each twice.
    assert_eq!(count(|event| matches!(event, ServerEvent::Stray { .. })), 4);
    let is_unheard_of = |event: &ServerEvent| matches!(event, ServerEvent::Notification { method, .. } if method == "notifications/unheard_of");
    assert_eq!(count(is_unheard_of), 2);
}

#[tokio::test(start_paused = true)]
async fn the_error_for_a_malformed_tool_list_quotes_its_beginning() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let listing = tokio::spawn(async move { session.tools().await });
    let request = peer.expect("tools/list").await;
    peer.answer(&request, json!({ "tool": "x".repeat(1000) })).await;
    let text = listing.await.unwrap().unwrap_err().to_string();
    assert!(text.contains("xxxx") && text.len() < 400, "{text}");
}

#[tokio::test(start_paused = true)]
async fn dropping_a_subscription_sends_an_unsubscribe_request_to_a_server_of_an_older_protocol() {
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    let params = json!({ "uri": "zwave://devices" });
    {
        let mut following = session.follow("zwave://devices");
        let request = tokio::select! {
            _ = &mut following => panic!("the subscription ended"),
            request = peer.expect("resources/subscribe") => request,
        };
        peer.answer(&request, json!({})).await;
        let second = Duration::from_secs(1);
        assert!(timeout(second, &mut following).await.is_err());
    }
    let request = timeout(LONG, peer.expect("resources/unsubscribe")).await.unwrap();
    assert_eq!(request["params"], params);
    peer.answer(&request, json!({})).await;
    let called = call(&session, "a");
    peer.answer_call(text_result("a")).await;
    called.await.unwrap().unwrap();
    assert!(
        heard.lock().unwrap().is_empty(),
        "events were heard, such as a stray answer"
    );
}

#[tokio::test(start_paused = true)]
async fn a_result_with_only_a_state_is_answered_by_the_same_call_with_the_state() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let called = call(&session, "a");
    let retry = json!({ "resultType": "input_required", "requestState": "s" });
    peer.answer_call(retry).await;
    let repeated = peer.answer_call(text_result("a")).await;
    let params = &repeated["params"];
    assert_eq!(
        (&params["requestState"], &params["name"]),
        (&json!("s"), &json!("echo"))
    );
    assert!(params.get("inputResponses").is_none(), "{params}");
    assert_eq!(called.await.unwrap().unwrap().as_text(), "a");
    // A result that gives neither a question nor a state is not worth another call.
    let called = call(&session, "a");
    peer.answer_call(json!({ "resultType": "input_required" })).await;
    let error = called.await.unwrap().unwrap_err().to_string();
    assert!(
        error.contains("it asks for input that can't be given"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_that_only_its_data_explains_is_told_with_its_data() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    for (code, is_told) in [(-32022, true), (-32021, true), (-32602, false)] {
        let called = call(&session, "a");
        let request = peer.expect("tools/call").await;
        let error =
            json!({ "code": code, "message": "No", "data": { "supported": ["2031-01-01"] } });
        peer.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
            .await;
        let error = called.await.unwrap().unwrap_err().to_string();
        assert_eq!(error.contains("2031-01-01"), is_told, "{error}");
        assert!(error.starts_with("No"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_answer_ends_only_the_call_that_it_answers() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let (first, second) = (call(&session, "a"), call(&session, "b"));
    let (request, other) = (
        peer.expect("tools/call").await,
        peer.expect("tools/call").await,
    );
    peer.write_line(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":NaN}}",
        request["id"]
    ))
    .await;
    // A log of the request is no answer, and a broken answer without an id may be that of either call.
    peer.write_line(&format!("DEBUG got {other}")).await;
    peer.write_line("\"jsonrpc\": \"2.0\",").await;
    let error = first.await.unwrap().unwrap_err();
    assert!(error.is_fate_unknown(), "{error}");
    assert!(error.to_string().contains("can't be used"), "{error}");
    peer.answer(&other, text_result("b")).await;
    assert_eq!(second.await.unwrap().unwrap().as_text(), "b");
}

#[tokio::test(start_paused = true)]
async fn a_call_can_carry_meta_for_the_server() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let meta = Map::from_iter([("zwave-mcp-server/said".to_owned(), json!("the lamp"))]);
    let called =
        tokio::spawn(
            async move { session.call_with_meta("control", Map::new(), meta, LONG).await },
        );
    let request = peer.expect("tools/call").await;
    let said = &request["params"]["_meta"]["zwave-mcp-server/said"];
    assert_eq!(said, "the lamp", "{request}");
    peer.answer(&request, text_result("done")).await;
    assert_eq!(called.await.unwrap().unwrap().as_text(), "done");
}
