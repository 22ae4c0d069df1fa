//! No server outlives its connection or remains as a zombie. Garbage from a real process does no harm.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Map;
use tokio::time::Instant;
#[cfg(unix)]
use zwave_mcp_server::client::Program;
use zwave_mcp_server::client::{Connection, Host, ServerEvent, ToolServer};

use crate::garbage::Garbage;
use crate::hostile::Script;
use crate::support::{
    LONG, connect, echo, exists, impatient_host, listening_host, processes, wait_until,
    with_short_limits,
};

/// Finds the line `<name> <process id>` in a server's stderr, and returns the id.
fn read_pid(server: &Connection, name: &str) -> u32 {
    let prefix = format!("{name} ");
    let stderr = server.stderr();
    let line = stderr.iter().find_map(|line| line.strip_prefix(&prefix));
    line.unwrap_or_else(|| panic!("no {name} in {stderr:?}")).parse().unwrap()
}

async fn wait_until_gone(process: u32) {
    wait_until("the process is gone", || !exists(process)).await;
}

#[tokio::test]
async fn closing_a_connection_closes_stdin_and_waits_until_the_server_is_gone() {
    let server = connect(&Script::default(), Host::new("test", "0")).await;
    let pid = read_pid(&server, "pid");
    let start = Instant::now();
    server.close().await.unwrap();
    assert!(!exists(pid));
    // The client terminates a server only after 6 s, so this server ended by itself.
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(!server.is_alive());
}

#[tokio::test]
async fn a_server_that_ignores_closed_stdin_is_terminated_and_one_that_ignores_sigterm_is_killed() {
    // Windows has no SIGTERM.
    let cases = [false, true].into_iter().filter(|ignores_term| !ignores_term || cfg!(unix));
    for ignores_term in cases {
        let script = Script {
            ignores_stdin: true,
            ignores_term,
            ..Script::default()
        };
        let server = connect(&script, impatient_host()).await;
        let pid = read_pid(&server, "pid");
        let start = Instant::now();
        server.close().await.unwrap();
        assert!(!exists(pid));
        // The client waits 200 ms after closing stdin, and 200 ms more if SIGTERM is ignored.
        let least = if ignores_term { 400 } else { 200 };
        assert!(start.elapsed() >= Duration::from_millis(least));
    }
}

#[tokio::test]
async fn processes_started_by_a_server_do_not_outlive_it() {
    let script = Script::with(|script| script.child = true);
    let server = connect(&script, impatient_host()).await;
    let child = read_pid(&server, "child");
    assert!(exists(child));
    server.close().await.unwrap();
    wait_until_gone(child).await;
}

#[tokio::test]
async fn dropping_a_connection_ends_its_server() {
    let script = Script::with(|script| script.ignores_stdin = true);
    let server = connect(&script, impatient_host()).await;
    let pid = read_pid(&server, "pid");
    drop(server);
    wait_until_gone(pid).await;
}

#[tokio::test]
async fn dropping_a_connection_attempt_ends_its_server() {
    let script = Script::mute();
    let (host, heard) = listening_host();
    let host = with_short_limits(host);
    let server = Connection::new(script.program(), host);
    let connecting = tokio::time::timeout(Duration::from_secs(2), server.connect());
    assert!(connecting.await.is_err());
    wait_until_gone(processes(&heard, "pid")[0]).await;
}

#[test]
fn dropping_a_runtime_ends_its_servers() {
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
    let (pid, child) = (read_pid(&server, "pid"), read_pid(&server, "child"));
    drop(first);
    assert!(!exists(pid), "the server still runs, or is a zombie");
    runtime().block_on(wait_until_gone(child));
}

#[tokio::test]
async fn a_dead_server_does_not_remain_as_a_zombie() {
    let server = connect(&Script::default(), Host::new("test", "0")).await;
    let pid = read_pid(&server, "pid");
    assert!(server.call("die", Map::new(), LONG).await.is_err());
    wait_until_gone(pid).await;
}

#[tokio::test]
async fn the_death_of_a_server_is_noticed_even_if_a_descendant_keeps_the_pipe_open() {
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
async fn a_server_that_closes_its_stdout_is_ended() {
    let program = Program::new("sh", ["-c", "echo pid $$ >&2; exec 1>&-; sleep 1000"]);
    let (host, heard) = listening_host();
    let mut host = with_short_limits(host);
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
async fn the_last_200_lines_of_stderr_are_kept_and_a_listener_gets_all_lines() {
    let script = Script::with(|script| script.chatter = 300);
    let (host, heard) = listening_host();
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
    let is_last = |line: &String| line.starts_with("chatter 299 ");
    wait_until("the last line is read", || {
        server.stderr().iter().any(is_last)
    })
    .await;
    assert_eq!(server.stderr().len(), 200);
    server.close().await.unwrap();
}

#[tokio::test]
async fn garbage_of_every_kind_around_real_answers_disturbs_nothing() {
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
        // `start` alone has 11 bad lines.
        assert!(server.bad_lines() >= 11, "{}", server.bad_lines());
        server.close().await.unwrap();
    }
}

#[test]
fn any_mixture_of_garbage_leaves_the_answers_of_a_real_server_intact() {
    let garbage = || prop::collection::vec(Garbage::any(), 0..6);
    let mixture = (garbage(), garbage(), garbage(), any::<bool>());
    // Few cases, because each starts a process. The tests of `LineReader` try many more.
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
            let texts = (0..5).map(|number| format!("number {number}"));
            for text in texts {
                prop_assert_eq!(echo(&server, &text).await.unwrap(), text);
            }
            server.close().await.unwrap();
            Ok(())
        })
    });
    tried.unwrap();
}

#[tokio::test]
async fn a_log_line_inside_an_answer_is_quoted_in_the_error_and_the_next_call_works() {
    let script = Script::with(|script| script.inside = Some(Garbage::LogLine));
    let server = connect(&script, Host::new("test", "0")).await;
    let before = server.bad_lines();
    let call = server.call("echo", Map::new(), Duration::from_secs(2)).await;
    let error = call.unwrap_err();
    assert!(
        error.to_string().contains("meanwhile it printed a line that is not a message"),
        "{error}"
    );
    // One bad line is the answer's first half with the log line; the other is the second half.
    assert_eq!(server.bad_lines() - before, 2);
    assert!(server.is_alive());
    // Only answers to tool calls have garbage inside.
    assert_eq!(server.tools().await.unwrap().len(), 3);
    server.close().await.unwrap();
}
