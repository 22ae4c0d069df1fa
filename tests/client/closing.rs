//! Closing ends whatever is in progress and reports what it can't end. A host leaves no process behind when it ends.

use std::future::Future;
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Pid, test_kill_process_group};
use tokio::time::timeout;
#[cfg(unix)]
use zwave_mcp_server::client::CloseError;
use zwave_mcp_server::client::{ClientError, Connection, Host, Program, ServerEvent, ToolServer};

use crate::hostile::Script;
use crate::support::{
    Heard, LONG, exists, impatient_host, listening_host, processes, wait_until, with_short_limits,
};

/// Returns a host with short limits, and the events that it receives.
fn impatient_listening_host() -> (Host, Heard) {
    let (host, heard) = listening_host();
    (with_short_limits(host), heard)
}

/// Returns a server that does not answer the handshake and ends only when it is killed.
fn mute() -> Program {
    let script = Script {
        ignores_stdin: true,
        ignores_term: true,
        ..Script::mute()
    };
    script.program()
}

#[tokio::test]
async fn closing_ends_a_connection_attempt() {
    let (host, heard) = impatient_listening_host();
    let server = Arc::new(Connection::new(mute(), host));
    let connecting = tokio::spawn({
        let server = Arc::clone(&server);
        async move { server.connect().await }
    });
    wait_until("the server starts", || !processes(&heard, "pid").is_empty()).await;
    timeout(LONG, server.close()).await.unwrap().unwrap();
    assert!(!exists(processes(&heard, "pid")[0]));
    let error = connecting.await.unwrap().unwrap_err();
    assert_eq!(error.reason, ClientError::Closed);
    assert_eq!(
        error.to_string(),
        "MCP connection failed after 1 attempt: the host closed the connection"
    );
    assert_eq!(processes(&heard, "pid").len(), 1, "a second attempt began");
}

#[tokio::test]
async fn closing_ends_a_connection_attempt_that_is_no_longer_polled() {
    let (host, heard) = impatient_listening_host();
    let server = Connection::new(mute(), host);
    let mut connecting = pin!(server.connect());
    let mut context = Context::from_waker(Waker::noop());
    wait_until("the server starts", || {
        // The attempt is polled only until its process is spawned.
        !processes(&heard, "pid").is_empty()
            || matches!(connecting.as_mut().poll(&mut context), Poll::Ready(_))
    })
    .await;
    timeout(LONG, server.close()).await.unwrap().unwrap();
    assert!(!exists(processes(&heard, "pid")[0]));
    assert_eq!(connecting.await.unwrap_err().reason, ClientError::Closed);
}

#[tokio::test]
async fn closing_and_reconnecting_wait_for_the_process_of_a_dropped_attempt() {
    let (host, heard) = impatient_listening_host();
    let server = Connection::new(mute(), host);
    for number in 0..3 {
        {
            let mut connecting = pin!(server.connect());
            let spawned = wait_until("the server starts", || {
                processes(&heard, "pid").len() > number
            });
            tokio::select! {
                _ = &mut connecting => panic!("connected"),
                () = spawned => {}
            }
        }
        let before = processes(&heard, "pid");
        let alive = before.iter().filter(|process| exists(**process)).count();
        assert!(alive <= 1, "{before:?}");
    }
    timeout(LONG, server.close()).await.unwrap().unwrap();
    assert!(!processes(&heard, "pid").into_iter().any(exists));
}

#[tokio::test]
async fn the_process_of_an_attempt_is_gone_before_the_next_attempt_and_before_connect_returns() {
    // The ids of all processes, and the greatest number of them that existed at once.
    let counts = Arc::new(Mutex::new((Vec::new(), 0)));
    let counted = Arc::clone(&counts);
    let mut host = impatient_host().with_listener(move |event| {
        if let ServerEvent::Stderr(line) = event
            && let Some(process) = line.strip_prefix("pid ")
        {
            let (processes, most) = &mut *counted.lock().unwrap();
            processes.push(process.parse().unwrap());
            *most = (*most).max(processes.iter().filter(|process| exists(**process)).count());
        }
    });
    // Long enough for the process to print its id.
    host.limits.attempt = Duration::from_secs(2);
    let server = Connection::new(mute(), host);
    assert_eq!(server.connect().await.unwrap_err().attempts, 3);
    let (processes, most) = counts.lock().unwrap().clone();
    assert_eq!((processes.len(), most), (3, 1));
    assert!(!processes.into_iter().any(exists));
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_closed_connection_can_be_reopened_and_closing_twice_is_not_an_error() {
    let server = Connection::new(Script::default().program(), impatient_host());
    server.close().await.unwrap();
    for _ in 0..2 {
        server.connect().await.unwrap();
        assert_eq!(server.tools().await.unwrap().len(), 3);
        let (first, second) = tokio::join!(server.close(), server.close());
        first.unwrap();
        second.unwrap();
        assert!(!server.is_alive());
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_descendant_that_holds_the_pipes_is_reported_and_no_task_or_descriptor_leaks() {
    let script = Script::with(|script| script.daemon = true);
    let (host, heard) = impatient_listening_host();
    let server = Connection::new(script.program(), host);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    for number in 1..=3 {
        server.connect().await.unwrap();
        wait_until("the server has a descendant", || {
            processes(&heard, "daemon").len() == number
        })
        .await;
        let error = timeout(LONG, server.close()).await.unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the server is gone, but a process that sh started in a separate session still holds the \
             server's stdout and stderr open; end that process by hand"
        );
        assert!(matches!(error, CloseError::Pipe { .. }));
        wait_until("no task is left", || tasks() == before).await;
    }
    // A descendant ends once nobody holds the other end of its pipes.
    wait_until("no descriptor is left", || {
        !processes(&heard, "daemon").into_iter().any(exists)
    })
    .await;
}

/// The environment variable that makes [`HOST_TEST`] run as a host, and says how the host ends.
const HOST_VARIABLE: &str = "HOST_THAT_GOES";
const HOST_TEST: &str = "closing::a_host_leaves_no_process_behind_however_it_ends";

/// Starts this test binary as a host that connects to a server and then ends as `way` says.
fn start_host(way: &str) -> Child {
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", HOST_TEST, "--nocapture"])
        .env(HOST_VARIABLE, way)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    host.spawn().unwrap()
}

/// A way to end: the host is killed while its server is in the host's process group.
const JOINED: &str = "is killed in one group with its server";

/// Acts as the host: connects to a server, and then exits or waits to be killed, as `way` says.
fn run_host(way: &str) {
    let script = Script {
        ignores_stdin: true,
        ignores_term: true,
        child: true,
        #[cfg(unix)]
        joins_host: way == JOINED,
        ..Script::default()
    };
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().unwrap();
    let mut host = Host::new("test", "0").with_listener(|event| {
        if let ServerEvent::Stderr(line) = event {
            eprintln!("{line}");
        }
    });
    host.limits.closing = Duration::from_millis(500);
    host.limits.terminating = Duration::from_millis(500);
    runtime.block_on(async {
        let server = Connection::new(script.program(), host);
        server.connect().await.unwrap();
        wait_until("the server and its child have printed their ids", || {
            let stderr = server.stderr();
            ["pid ", "child "].map(|name| stderr.iter().any(|line| line.starts_with(name)))
                == [true; 2]
        })
        .await;
        eprintln!("connected");
        match way {
            "returns" => {}
            "exits" => std::process::exit(0),
            _ => std::future::pending().await,
        }
    });
    drop(runtime);
    std::process::exit(0);
}

#[tokio::test]
async fn a_host_leaves_no_process_behind_however_it_ends() {
    use std::io::BufRead;

    if let Ok(way) = std::env::var(HOST_VARIABLE) {
        // `run_host` starts a runtime, so it needs a thread outside this test's runtime. `run_host` never returns.
        std::thread::spawn(move || run_host(&way)).join().unwrap();
    }
    for way in ["returns", "exits", "is killed", JOINED] {
        let mut host = start_host(way);
        let lines = std::io::BufReader::new(host.stderr.take().unwrap()).lines();
        let mut processes = Vec::new();
        for line in lines.map_while(Result::ok) {
            let id = ["pid ", "child "].iter().find_map(|name| line.strip_prefix(name));
            processes.extend(id.map(|id| id.parse::<u32>().unwrap()));
            if line == "connected" {
                break;
            }
        }
        assert_eq!(processes.len(), 2, "the server and its child");
        if way.starts_with("is killed") {
            assert!(processes.iter().all(|process| exists(*process)));
            host.kill().unwrap();
        }
        host.wait().unwrap();
        wait_until(way, || !processes.iter().any(|process| exists(*process))).await;
        #[cfg(unix)]
        wait_until("the group is gone", || !group_exists(processes[0])).await;
    }
}

#[cfg(unix)]
fn group_exists(leader: u32) -> bool {
    let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
    test_kill_process_group(leader.unwrap()).is_ok()
}
