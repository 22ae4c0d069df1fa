//! A time-out tells what came instead of the answer; and a batch is no garbage.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use zwave_mcp_server::client::{
    CallError, Host, Limits, McpSession, Redactor, ServerEvent, ToolExecutor, ToolManager,
};

use crate::support::{
    Calling, Peer, begin_session, call, hearing, initialized, session, text_result,
};

async fn words_of(called: Calling) -> String {
    let called = called.await.unwrap();
    called.map_or_else(|error| error.to_string(), |result| result.as_text())
}

/// The words of a time-out, after this came instead of an answer.
async fn words(instead: &[u8]) -> String {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let called = call(&session, "");
    let request = peer.expect("tools/call").await;
    assert_eq!(request["id"], 3);
    peer.write(instead).await;
    let words = words_of(called).await;
    let start = "the server did not answer within 30 s";
    let rest = words
        .strip_prefix(start)
        .unwrap_or_else(|| panic!("{words}"));
    rest.to_owned()
}

#[tokio::test(start_paused = true)]
async fn an_answer_with_a_wrong_a_textual_or_a_null_id_is_in_the_words_of_the_time_out() {
    for id in ["4", "\"3\"", "3.5", "null"] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        assert_eq!(
            words(line.as_bytes()).await,
            format!(
                "; meanwhile it sent an answer with the id {id}, which no request in flight has"
            )
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_could_not_read_the_request_is_quoted_in_the_words_of_the_time_out() {
    let expected = "; meanwhile it said that it could not read a request: Parse error";
    for id in ["\"id\":null,", ""] {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",{id}\"error\":{{\"code\":-32700,\"message\":\"Parse error\"}}}}\n"
        );
        assert_eq!(words(line.as_bytes()).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_not_finished_is_in_the_words_of_the_time_out() {
    let answer = json!({ "jsonrpc": "2.0", "id": 3, "result": text_result("done") }).to_string();
    let words = words(answer.as_bytes()).await;
    let expected = "; meanwhile it began a line and did not end it: \"{\\\"id\\\":3,\\\"jsonrpc";
    let other = "; meanwhile it began a line and did not end it: \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":3";
    assert!(
        words.starts_with(expected) || words.starts_with(other),
        "{words}"
    );
}

#[tokio::test(start_paused = true)]
async fn everything_that_came_instead_is_told_and_only_what_came_since() {
    let instead = b"{\"jsonrpc\":\"2.0\",\"id\":\"3\",\"result\":{}}\nINFO done\n> ";
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    peer.write(&instead[..instead.len() - 2]).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(
        words_of(call(&session, "")).await,
        "the server did not answer within 30 s"
    );
    assert_eq!(
        words(instead).await,
        "; meanwhile it sent an answer with the id \"3\", which no request in flight has, printed a \
         line that is no message: \"INFO done\" (expected value at line 1 column 1), and began a \
         line and did not end it: \"> \""
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_reads_what_came_instead_and_whether_the_call_was_written_at_all() {
    for (instead, expected) in [
        (
            &b"{\"jsonrpc\":\"2.0\",\"id\":\"4\",\"result\":{}}\n"[..],
            "control did not answer within 30 s and was cancelled; it may or may not have been \
             done. Meanwhile its server sent an answer with the id \"4\", which no request in \
             flight has.",
        ),
        (
            b"",
            "control did not answer within 30 s and was cancelled; it may or may not have been \
             done.",
        ),
    ] {
        let (executor, _session, mut peer) = executor().await;
        let called = tokio::spawn(async move { executor.call("control", json!({})).await });
        peer.expect("tools/call").await;
        peer.write(instead).await;
        let error = called.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let (executor, session, _peer) = executor().await;
    let big = call(&session, &"x".repeat(200_000));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let error = executor.call("control", json!({})).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }));
    assert_eq!(
        error.to_string(),
        "control did not answer within 30 s. Its server never read the call, so nothing was done."
    );
    assert!(big.await.unwrap().is_err());
}

/// An executor with a server's tool `control`.
async fn executor() -> (ToolExecutor, Arc<McpSession>, Peer) {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let manager = Arc::new(ToolManager::default());
    let (added, ()) = tokio::join!(manager.add_server(session.clone()), async {
        let request = peer.expect("tools/list").await;
        peer.answer(&request, json!({ "tools": [{ "name": "control" }] }))
            .await;
    });
    added.unwrap();
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    (executor, session, peer)
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_the_revision_2025_03_26_is_read_as_its_messages() {
    let (host, heard) = hearing();
    let (session, mut peer, ()) = begin_session(&host, async |peer| {
        let discover = peer.expect("server/discover").await;
        peer.refuse(&discover, -32601, "Method not found").await;
        let initialize = peer.expect("initialize").await;
        peer.answer(&initialize, initialized("2025-03-26")).await;
        peer.expect("notifications/initialized").await;
    })
    .await;
    let session = Arc::new(session.unwrap());
    let calls = [call(&session, ""), call(&session, "")];
    let ids = [
        peer.next().await["id"].clone(),
        peer.next().await["id"].clone(),
    ];
    peer.send(json!([
        { "jsonrpc": "2.0", "id": ids[1], "result": text_result("second") },
        { "jsonrpc": "2.0", "method": "notifications/progress" },
        { "jsonrpc": "2.0", "id": "p", "method": "ping" },
        { "jsonrpc": "2.0", "id": ids[0], "result": text_result("first") },
    ]))
    .await;
    let [first, second] = calls;
    assert_eq!(
        (words_of(first).await, words_of(second).await),
        ("first".into(), "second".into())
    );
    assert_eq!(peer.next().await["id"], "p");
    assert_eq!(session.bad_lines(), 0);
    let heard = heard.lock().unwrap();
    assert!(
        matches!(heard.as_slice(), [ServerEvent::Notification { .. }]),
        "{heard:?}"
    );
}
