//! A server that can't be written to, or that says nothing any more, is no longer alive.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, json};
#[cfg(unix)]
use zwave_mcp_server::client::Program;
use zwave_mcp_server::client::{
    ClientError, Connection, Host, ServerEvent, ToolResult, ToolServer,
};

use crate::hostile::Script;
use crate::support::{
    LIMIT, begin_session, call, hasty, hearing, processes, session, text_result, until,
};

async fn echo(server: &Connection) -> Result<ToolResult, ClientError> {
    server.call("echo", Map::new(), LIMIT).await
}

fn host() -> Host {
    hasty(Host::new("test", "0"))
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_closed_its_stdin_and_lives_is_not_alive_after_one_call_and_is_connected_anew()
 {
    let script = Script::with(|script| script.closes_stdin = true);
    let (host, heard) = hearing();
    let server = Connection::new(script.program(), hasty(host));
    server.connect().await.unwrap();
    let is_closed = || server.stderr().contains(&"stdin is closed".to_owned());
    until("its stdin is closed", is_closed).await;
    let error = echo(&server).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("its stdin is closed"), "{error}");
    assert!(!server.is_alive());
    server.connect().await.unwrap();
    let is_another = || processes(&heard, "pid").len() == 2;
    until("it is another process", is_another).await;
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_server_that_hangs_is_not_alive_after_two_calls_and_is_connected_anew() {
    let script = Script {
        silent_at: vec!["tools/call".to_owned()],
        ignores_stdin: true,
        ..Script::default()
    };
    let server = Connection::new(script.program(), host());
    server.connect().await.unwrap();
    let short = Duration::from_millis(50);
    for alive in [true, false] {
        let error = server.call("echo", Map::new(), short).await.unwrap_err();
        assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
        assert_eq!(server.is_alive(), alive);
    }
    let error = echo(&server).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server is not reachable: it let two calls in a row run into their limits and said \
         nothing"
    );
    server.connect().await.unwrap();
    assert!(server.is_alive());
    assert_eq!(server.tools().await.unwrap().len(), 3);
    server.close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_at_the_head_of_a_full_pipe_was_not_written_and_is_not_sent_late() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    // The pipe in memory takes 64 KiB: this line fills it to the last byte.
    let line = |text: &str| {
        let params = json!({ "name": "echo", "arguments": { "text": text } });
        json!({ "id": 3, "jsonrpc": "2.0", "method": "tools/call", "params": params }).to_string()
    };
    let text = "x".repeat(64 * 1024 - line("").len() - 1);
    let full = call(&session, &text);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let blocked = call(&session, "");
    assert!(full.await.unwrap().unwrap_err().is_fate_unknown());
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
async fn a_listener_that_panics_ends_nothing() {
    let (_, heard) = hearing();
    let events = Arc::clone(&heard);
    let host = Host::new("test", "0").with_listener(move |event| {
        events.lock().unwrap().push(event.clone());
        assert!(!matches!(event, ServerEvent::BadLine(_)), "on purpose");
    });
    let (session, mut peer, ()) = begin_session(&host, async |peer| peer.shake_hands().await).await;
    let session = Arc::new(session.unwrap());
    let called = call(&session, "");
    let request = peer.expect("tools/call").await;
    peer.say("INFO working").await;
    peer.answer(&request, text_result("done")).await;
    assert_eq!(called.await.unwrap().unwrap().as_text(), "done");
    assert!(session.is_alive());
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_closes_its_stdin_at_once_is_no_connection() {
    let script = "exec 0<&-; sleep 1000";
    let server = Connection::new(Program::new("sh", ["-c", script]), host());
    let error = server.connect().await.unwrap_err();
    assert!(error.to_string().contains("its stdin is closed"), "{error}");
    assert!(!server.is_alive());
}
