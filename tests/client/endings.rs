//! No server outlives its host's interest, and none stays behind as a zombie; and real pipes full of
//! garbage.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Map;
use tokio::time::Instant;
#[cfg(unix)]
use zwave_mcp_server::client::Program;
use zwave_mcp_server::client::{ClientError, Connection, Host, ServerEvent, ToolServer};

use crate::garbage::Garbage;
use crate::hostile::Script;
use crate::support::{LONG, exists, hasty, hearing, processes, until};

/// The process that a line on stderr names.
fn process(server: &Connection, name: &str) -> u32 {
    let prefix = format!("{name} ");
    let stderr = server.stderr();
    let line = stderr.iter().find_map(|line| line.strip_prefix(&prefix));
    line.unwrap_or_else(|| panic!("no {name} in {stderr:?}")).parse().unwrap()
}

async fn wait_until_gone(process: u32) {
    until("the process is gone", || !exists(process)).await;
}

/// A host that does not give a server long to end.
fn impatient() -> Host {
    hasty(Host::new("test", "0"))
}

async fn connect(script: &Script, host: Host) -> Connection {
    let server = Connection::new(script.program(), host);
    server.connect().await.unwrap();
    server
}

async fn echo(server: &Connection, text: &str) -> Result<String, ClientError> {
    let arguments = Map::from_iter([("text".to_owned(), text.into())]);
    let result = server.call("echo", arguments, LONG).await;
    result.map(|result| result.as_text())
}

#[tokio::test]
async fn closing_closes_stdin_and_waits_until_the_server_is_gone() {
    let server = connect(&Script::default(), Host::new("test", "0")).await;
    let pid = process(&server, "pid");
    let start = Instant::now();
    server.close().await.unwrap();
    assert!(!exists(pid));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "it ended by itself"
    );
    assert!(!server.is_alive());
}

#[tokio::test]
async fn a_server_that_ignores_its_stdin_is_terminated_and_one_that_ignores_that_is_killed() {
    // Windows has no such step.
    let both = [false, true].into_iter().filter(|last| !last || cfg!(unix));
    for ignores_term in both {
        let script = Script {
            ignores_stdin: true,
            ignores_term,
            ..Script::default()
        };
        let server = connect(&script, impatient()).await;
        let pid = process(&server, "pid");
        let start = Instant::now();
        server.close().await.unwrap();
        assert!(!exists(pid));
        let least = if ignores_term { 400 } else { 200 };
        assert!(
            start.elapsed() >= Duration::from_millis(least),
            "each step has its time"
        );
    }
}

#[tokio::test]
async fn what_a_server_started_does_not_outlive_it() {
    let script = Script::with(|script| script.child = true);
    let server = connect(&script, impatient()).await;
    let child = process(&server, "child");
    assert!(exists(child));
    server.close().await.unwrap();
    wait_until_gone(child).await;
}

#[tokio::test]
async fn a_connection_that_is_dropped_ends_its_server() {
    let script = Script::with(|script| script.ignores_stdin = true);
    let server = connect(&script, impatient()).await;
    let pid = process(&server, "pid");
    drop(server);
    wait_until_gone(pid).await;
}

#[tokio::test]
async fn a_connecting_that_is_dropped_ends_its_server() {
    let script = Script::mute();
    let (host, heard) = hearing();
    let host = hasty(host);
    let server = Connection::new(script.program(), host);
    let connecting = tokio::time::timeout(Duration::from_secs(2), server.connect());
    assert!(connecting.await.is_err());
    wait_until_gone(processes(&heard, "pid")[0]).await;
}

#[test]
fn a_runtime_that_ends_takes_its_servers_with_it() {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().unwrap()
    };
    let script = Script {
        ignores_stdin: true,
        ignores_term: true,
        child: true,
        ..Script::default()
    };
    let first = runtime();
    let server = first.block_on(connect(&script, Host::new("test", "0")));
    let (pid, child) = (process(&server, "pid"), process(&server, "child"));
    drop(first);
    assert!(!exists(pid), "neither running nor a zombie");
    runtime().block_on(wait_until_gone(child));
}

#[tokio::test]
async fn a_server_that_died_is_no_zombie() {
    let server = connect(&Script::default(), Host::new("test", "0")).await;
    let pid = process(&server, "pid");
    assert!(server.call("die", Map::new(), LONG).await.is_err());
    wait_until_gone(pid).await;
}

#[tokio::test]
async fn a_server_whose_descendant_keeps_the_pipe_open_is_still_noticed_when_it_dies() {
    let script = Script::with(|script| script.child = true);
    let server = connect(&script, Host::new("test", "0")).await;
    let start = Instant::now();
    let error = server.call("die", Map::new(), LONG).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server broke off: it ended with exit code 9"
    );
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_closes_its_stdout_and_lives_on_is_over_and_ended() {
    let program = Program::new("sh", ["-c", "echo pid $$ >&2; exec 1>&-; sleep 1000"]);
    let (host, heard) = hearing();
    let mut host = hasty(host);
    host.limits.delays = vec![Duration::ZERO];
    let server = Connection::new(program, host);
    let error = server.connect().await.unwrap_err();
    assert!(
        error.to_string().contains("it closed its stdout"),
        "{error}"
    );
    wait_until_gone(processes(&heard, "pid")[0]).await;
}

#[tokio::test]
async fn the_last_200_lines_of_stderr_are_kept_and_each_can_be_watched() {
    let script = Script::with(|script| script.chatter = 300);
    let (host, heard) = hearing();
    let server = connect(&script, host).await;
    echo(&server, "a").await.unwrap();
    server.close().await.unwrap();
    let heard = heard.lock().unwrap().clone();
    let lines: Vec<&String> = heard
        .iter()
        .filter_map(|event| match event {
            ServerEvent::Stderr(line) => Some(line),
            _ => None,
        })
        .collect();
    assert!(lines.len() >= 301, "{}", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 500));
    let server = connect(&script, Host::new("test", "0")).await;
    let is_said = |line: &String| line.starts_with("chatter 299 ");
    until("all is said", || server.stderr().iter().any(is_said)).await;
    assert_eq!(server.stderr().len(), 200);
    server.close().await.unwrap();
}

#[tokio::test]
async fn every_kind_of_garbage_before_between_and_after_real_answers_disturbs_nothing() {
    for (crlf, pieces) in [(false, None), (true, None), (false, Some(7))] {
        let script = Script {
            start: Garbage::ALL.to_vec(),
            before: if pieces.is_some() {
                Vec::new()
            } else {
                Garbage::ALL.to_vec()
            },
            after: vec![Garbage::LogLine, Garbage::Ping],
            crlf,
            pieces,
            ..Script::default()
        };
        let server = connect(&script, Host::new("test", "0")).await;
        for number in 0..3 {
            let text = format!("number {number}");
            assert_eq!(echo(&server, &text).await.unwrap(), text);
        }
        assert!(server.bad_lines() >= 11, "{}", server.bad_lines());
        server.close().await.unwrap();
    }
}

#[test]
fn any_mixture_of_garbage_leaves_every_answer_of_a_real_server_as_it_is() {
    let garbage = || prop::collection::vec(Garbage::any(), 0..6);
    let mixture = (garbage(), garbage(), garbage(), any::<bool>());
    // Each case is a process; the lines alone are tried many more times.
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    });
    let tried = runner.run(&mixture, |(start, before, after, crlf)| {
        let script = Script {
            start,
            before,
            after,
            crlf,
            ..Script::default()
        };
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().unwrap().block_on(async {
            let server = connect(&script, Host::new("test", "0")).await;
            let calls = (0..5).map(|number| format!("number {number}"));
            for text in calls {
                prop_assert_eq!(echo(&server, &text).await.unwrap(), text);
            }
            server.close().await.unwrap();
            Ok(())
        })
    });
    tried.unwrap();
}

#[tokio::test]
async fn a_log_line_inside_an_answer_is_an_error_that_shows_it_and_the_next_call_works() {
    let script = Script::with(|script| script.inside = Some(Garbage::LogLine));
    let server = connect(&script, Host::new("test", "0")).await;
    let before = server.bad_lines();
    let call = server.call("echo", Map::new(), Duration::from_secs(2)).await;
    let error = call.unwrap_err();
    assert!(
        error.to_string().contains("meanwhile it printed a line that is no message"),
        "{error}"
    );
    assert_eq!(server.bad_lines() - before, 2);
    assert!(server.is_alive());
    // Listing is answered in one piece, by the same server.
    assert_eq!(server.tools().await.unwrap().len(), 3);
    server.close().await.unwrap();
}
