//! Connecting, the log of the attempts, and reconnecting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Map, json};
use tokio::time::Instant;
use zwave_mcp_server::client::{
    ClientError, Connection, Limits, LocalTool, Program, Redactor, ToolExecutor, ToolManager,
    ToolServer, retry,
};

use crate::fixture::Log;
use crate::garbage::Garbage;
use crate::hostile::{Script, read_count};
use crate::support::{assert_logged_once, connect, echo, impatient_host};

#[tokio::test(start_paused = true)]
async fn the_first_attempt_has_no_delay_the_next_two_have_2_and_4_seconds_and_each_is_logged() {
    let (log, _guard) = Log::start();
    let start = Instant::now();
    let mut attempts = Vec::new();
    let failed = retry(&Limits::default().delays, |number| {
        attempts.push((number, start.elapsed().as_secs()));
        async move { Err::<(), _>(format!("no {number}")) }
    })
    .await;
    assert_eq!(failed, Err("no 3".to_owned()));
    assert_eq!(attempts, [(1, 0), (2, 2), (3, 6)]);
    assert_eq!(log.lines_with("after a delay of").len(), 3);
    assert_logged_once(&log, "MCP connection attempt 3 of 3, after a delay of 4 s");
    assert_logged_once(&log, "MCP connection attempt 3 of 3 failed: no 3");
}

#[tokio::test(start_paused = true)]
async fn retrying_can_be_cancelled_during_a_delay() {
    let tried = AtomicBool::new(false);
    let delays = [Duration::from_secs(5)];
    let retrying = retry(&delays, async |_| {
        tried.store(true, Ordering::Relaxed);
        Ok::<_, String>(())
    });
    assert!(tokio::time::timeout(Duration::from_secs(4), retrying).await.is_err());
    assert!(!tried.load(Ordering::Relaxed));
}

#[tokio::test]
async fn the_error_for_a_server_that_dies_at_start_says_why_and_what_to_check() {
    let (log, _guard) = Log::start();
    let dir = tempfile::tempdir().unwrap();
    let script = Script::with(|script| script.starts = Some((dir.path().join("starts"), u32::MAX)));
    let server = Connection::new(script.program(), impatient_host());
    let error = server.connect().await.unwrap_err();
    assert_eq!(error.attempts, 3);
    assert!(error.stderr.contains(&"the broker is not there yet".to_owned()));
    let text = error.to_string();
    for part in [
        // The words in between depend on whether a request was written before the server exited.
        "MCP connection failed after 3 attempts: the server ",
        ": it ended with exit code 3\n",
        "\n  the broker is not there yet\n",
        &format!(
            "Check that the server is installed ({}). Until the connection succeeds",
            script.program().path.display()
        ),
        "only the host's own tools",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert_logged_once(&log, "MCP connection failed after 3 attempts");
    assert_eq!(read_count(&dir.path().join("starts")), 3);
}

#[tokio::test]
async fn a_server_that_starts_at_the_second_attempt_is_not_started_again() {
    let (log, _guard) = Log::start();
    let dir = tempfile::tempdir().unwrap();
    let script = Script::with(|script| script.starts = Some((dir.path().join("starts"), 2)));
    let server = connect(&script, impatient_host()).await;
    assert_logged_once(&log, "MCP connection succeeded on attempt 2");
    assert_eq!(log.lines_with("attempt 3").len(), 0);
    assert_eq!(read_count(&dir.path().join("starts")), 2);
    assert_eq!(server.tools().await.unwrap().len(), 3);
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_connection_attempt_times_out_if_the_server_is_silent_or_answers_garbage() {
    for start in [vec![], vec![Garbage::Ansi, Garbage::LogLine]] {
        let script = Script {
            start: start.clone(),
            ..Script::mute()
        };
        let mut host = impatient_host();
        host.limits.attempt = Duration::from_millis(1500);
        let error = Connection::new(script.program(), host).connect().await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("the server did not answer within 1500 ms"),
            "{text}"
        );
        assert_eq!(
            text.contains("INFO connecting to the broker"),
            !start.is_empty(),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_missing_program_is_named_in_the_error() {
    let missing = Program::new("/no/such/server", [""; 0]);
    let text = Connection::new(missing, impatient_host())
        .connect()
        .await
        .unwrap_err()
        .to_string();
    assert!(
        text.starts_with("MCP connection failed after 3 attempts: can't start /no/such/server: "),
        "{text}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn arguments_environment_and_directory_reach_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let script = "echo \"$1 $WORD $(pwd)\" >&2; exit 1";
    let mut program = Program::new("sh", ["-c", script, "sh", "argument"]);
    program.environment = vec![("WORD".into(), "environment".into())];
    program.directory = Some(dir.path().to_owned());
    let error = Connection::new(program, impatient_host()).connect().await.unwrap_err();
    let path = dir.path().canonicalize().unwrap();
    assert_eq!(
        error.stderr,
        [format!("argument environment {}", path.display())]
    );
}

#[tokio::test]
async fn a_server_that_exits_at_discovery_gets_the_older_handshake_next() {
    let script = Script::with(|script| script.die_at = Some("server/discover".to_owned()));
    let server = connect(&script, impatient_host()).await;
    assert_eq!(server.info().unwrap().revision, "2025-11-25");
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_host_keeps_its_own_tools_if_its_server_cannot_be_started() {
    let manager = Arc::new(ToolManager::default());
    let schema = json!({ "type": "object", "properties": {} });
    let local_tool = LocalTool::new("own", "The host's own.", schema, |_| async {
        Ok("done".into())
    });
    manager.add_local(local_tool.unwrap());
    let server = Arc::new(Connection::new(
        Program::new("/no/such", [""; 0]),
        impatient_host(),
    ));
    let executor = ToolExecutor::new(manager.clone(), Limits::default(), Redactor::default());
    let (connected, called) = tokio::join!(server.connect(), executor.call("own", json!({})));
    assert!(connected.is_err());
    assert_eq!(called.unwrap().as_text(), "done");
    assert!(matches!(
        manager.add_server(server).await,
        Err(ClientError::Unreachable { .. })
    ));
    assert_eq!(
        executor.call("own", json!(null)).await.unwrap().as_text(),
        "done"
    );
}

#[tokio::test]
async fn if_the_server_dies_the_calls_in_flight_fail_and_are_not_repeated_after_reconnecting() {
    let dir = tempfile::tempdir().unwrap();
    let calls = dir.path().join("calls");
    let script = Script::with(|script| script.calls = Some(calls.clone()));
    let server = Arc::new(connect(&script, impatient_host()).await);
    let calls_in_flight = ["hang", "hang", "die"].map(|tool| {
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            // The call of `die` kills the server. The delay lets the other two calls arrive first.
            if tool == "die" {
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            server.call(tool, Map::new(), Duration::from_secs(60)).await
        })
    });
    let start = Instant::now();
    for call in calls_in_flight {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the server broke off: it ended with exit code 9"
        );
        assert!(error.is_fate_unknown());
    }
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(!server.is_alive());
    let error = echo(&server, "").await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    server.connect().await.unwrap();
    assert_eq!(echo(&server, "again").await.unwrap(), "again");
    // Two calls that hung, one that killed the server, and one afterwards: none was repeated.
    assert_eq!(read_count(&calls), 4);
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_last_answer_without_a_newline_still_arrives() {
    let script = Script::with(|script| script.ends_without_newline = true);
    let server = connect(&script, impatient_host()).await;
    assert_eq!(echo(&server, "bye").await.unwrap(), "bye");
}
