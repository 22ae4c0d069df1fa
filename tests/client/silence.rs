//! A server that can't be written to, or that no longer says anything, counts as dead. A listener that panics
//! does no harm.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, json};
#[cfg(unix)]
use zwave_mcp_server::client::Program;
use zwave_mcp_server::client::{ClientError, Connection, Host, ServerEvent, ToolServer};

use crate::hostile::Script;
use crate::support::{
    Heard, call, connect, connect_to_peer, echo, impatient_host, start_session, text_result,
};
#[cfg(unix)]
use crate::support::{listening_host, processes, wait_until, with_short_limits};

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_closed_its_stdin_counts_as_dead_after_one_call_and_can_be_reconnected() {
    let script = Script::with(|script| script.closes_stdin = true);
    let (host, heard) = listening_host();
    let server = connect(&script, with_short_limits(host)).await;
    let is_closed = || server.stderr().contains(&"stdin is closed".to_owned());
    wait_until("the server has closed its stdin", is_closed).await;
    let error = echo(&server, "").await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("its stdin is closed"), "{error}");
    assert!(!server.is_alive());
    server.connect().await.unwrap();
    let has_restarted = || processes(&heard, "pid").len() == 2;
    wait_until("a second process has started", has_restarted).await;
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_server_that_hangs_counts_as_dead_after_two_calls_and_can_be_reconnected() {
    let script = Script {
        silent_at: vec!["tools/call".to_owned()],
        ignores_stdin: true,
        ..Script::default()
    };
    let server = connect(&script, impatient_host()).await;
    let short = Duration::from_millis(50);
    for is_alive in [true, false] {
        let error = server.call("echo", Map::new(), short).await.unwrap_err();
        assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
        assert_eq!(server.is_alive(), is_alive);
    }
    let error = echo(&server, "").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server is not reachable: two calls in a row timed out, and it sent nothing \
         in the meantime"
    );
    server.connect().await.unwrap();
    assert!(server.is_alive());
    assert_eq!(server.tools().await.unwrap().len(), 3);
    server.close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_blocked_by_a_full_pipe_is_not_sent_later() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    // The in-memory pipe holds 64 KiB. The first call's line, with its newline, fills the pipe to the last byte.
    let line = |text: &str| {
        let params = json!({ "name": "echo", "arguments": { "text": text } });
        json!({ "id": 3, "jsonrpc": "2.0", "method": "tools/call", "params": params }).to_string()
    };
    let text = "x".repeat(64 * 1024 - line("").len() - 1);
    let filling = call(&session, &text);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let blocked = call(&session, "");
    assert!(filling.await.unwrap().unwrap_err().is_fate_unknown());
    let error = blocked.await.unwrap().unwrap_err();
    assert!(!error.is_fate_unknown(), "{error}");
    assert_eq!(peer.next().await["id"], 3);
    assert_eq!(peer.next().await["method"], "notifications/cancelled");
    let fresh = call(&session, "");
    let sent = peer.expect("tools/call").await;
    assert_eq!(sent["id"], 5, "the blocked call had the id 4");
    peer.answer(&sent, text_result("fresh")).await;
    fresh.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_panicking_listener_does_not_end_the_session() {
    let heard = Heard::default();
    let events = Arc::clone(&heard);
    let host = Host::new("test", "0").with_listener(move |event| {
        events.lock().unwrap().push(event.clone());
        assert!(!matches!(event, ServerEvent::BadLine(_)), "on purpose");
    });
    let (session, mut peer, ()) =
        connect_to_peer(&host, async |peer| peer.shake_hands().await).await;
    let session = Arc::new(session.unwrap());
    let called = call(&session, "");
    let request = peer.expect("tools/call").await;
    peer.write_line("INFO working").await;
    peer.answer(&request, text_result("done")).await;
    assert_eq!(called.await.unwrap().unwrap().as_text(), "done");
    assert!(session.is_alive());
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn connecting_fails_if_the_program_closes_its_stdin() {
    let script = "exec 0<&-; sleep 1000";
    let server = Connection::new(Program::new("sh", ["-c", script]), impatient_host());
    let error = server.connect().await.unwrap_err();
    assert!(error.to_string().contains("its stdin is closed"), "{error}");
    assert!(!server.is_alive());
}
