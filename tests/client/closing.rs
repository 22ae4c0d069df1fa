//! Closing ends whatever was begun and says what is left; and a host that is gone leaves nothing.

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
use crate::support::{Heard, LONG, exists, hasty, hearing, processes, until};

fn impatient() -> (Host, Heard) {
    let (host, heard) = hearing();
    (hasty(host), heard)
}

/// A program that says nothing and ends only when it is killed.
fn mute() -> Program {
    let script = Script {
        ignores_stdin: true,
        ignores_term: true,
        ..Script::mute()
    };
    script.program()
}

#[tokio::test]
async fn closing_ends_a_connection_that_is_being_made() {
    let (host, heard) = impatient();
    let server = Arc::new(Connection::new(mute(), host));
    let connecting = tokio::spawn({
        let server = Arc::clone(&server);
        async move { server.connect().await }
    });
    until("it is spawned", || !processes(&heard, "pid").is_empty()).await;
    timeout(LONG, server.close()).await.unwrap().unwrap();
    assert!(!exists(processes(&heard, "pid")[0]));
    let error = connecting.await.unwrap().unwrap_err();
    assert_eq!(error.reason, ClientError::Closed);
    assert_eq!(
        error.to_string(),
        "MCP connection failed after 1 attempt: the host closed the connection"
    );
    assert_eq!(processes(&heard, "pid").len(), 1, "no other attempt");
}

#[tokio::test]
async fn closing_ends_a_connection_that_is_being_made_by_nobody_any_more() {
    let (host, heard) = impatient();
    let server = Connection::new(mute(), host);
    let mut connecting = pin!(server.connect());
    let mut context = Context::from_waker(Waker::noop());
    until("it is spawned", || {
        // Once that is so, nobody polls it.
        !processes(&heard, "pid").is_empty()
            || matches!(connecting.as_mut().poll(&mut context), Poll::Ready(_))
    })
    .await;
    timeout(LONG, server.close()).await.unwrap().unwrap();
    assert!(!exists(processes(&heard, "pid")[0]));
    assert_eq!(connecting.await.unwrap_err().reason, ClientError::Closed);
}

#[tokio::test]
async fn closing_waits_for_what_a_dropped_connecting_left_and_a_new_one_does_too() {
    let (host, heard) = impatient();
    let server = Connection::new(mute(), host);
    for number in 0..3 {
        {
            let mut connecting = pin!(server.connect());
            let spawned = until("it is spawned", || processes(&heard, "pid").len() > number);
            tokio::select! {
                _ = &mut connecting => panic!("connected"),
                () = spawned => {}
            }
        }
        let before = processes(&heard, "pid");
        let there = before.iter().filter(|process| exists(**process)).count();
        assert!(there <= 1, "{before:?}");
    }
    timeout(LONG, server.close()).await.unwrap().unwrap();
    assert!(!processes(&heard, "pid").into_iter().any(exists));
}

#[tokio::test]
async fn one_attempts_process_is_gone_before_the_next_begins_and_the_last_before_the_error() {
    let (mut host, _) = impatient();
    let at_once = Arc::new(Mutex::new((Vec::new(), 0)));
    let counted = Arc::clone(&at_once);
    host = host.with_listener(move |event| {
        if let ServerEvent::Stderr(line) = event
            && let Some(process) = line.strip_prefix("pid ")
        {
            let (processes, most) = &mut *counted.lock().unwrap();
            processes.push(process.parse().unwrap());
            *most = (*most).max(processes.iter().filter(|process| exists(**process)).count());
        }
    });
    // Long enough to name itself.
    host.limits.attempt = Duration::from_secs(2);
    let server = Connection::new(mute(), host);
    assert_eq!(server.connect().await.unwrap_err().attempts, 3);
    let (processes, most) = at_once.lock().unwrap().clone();
    assert_eq!((processes.len(), most), (3, 1));
    assert!(!processes.into_iter().any(exists));
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_connection_can_be_made_again_after_closing_and_closing_twice_is_no_error() {
    let server = Connection::new(Script::default().program(), impatient().0);
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
async fn a_descendant_that_holds_the_pipes_is_named_and_costs_neither_a_task_nor_a_descriptor() {
    let script = Script::with(|script| script.daemon = true);
    let (host, heard) = impatient();
    let server = Connection::new(script.program(), host);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    for number in 1..=3 {
        server.connect().await.unwrap();
        until("it has a descendant", || {
            processes(&heard, "daemon").len() == number
        })
        .await;
        let error = timeout(LONG, server.close()).await.unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the server is gone, but a process that sh started in a session of its own goes on and \
             holds the server's stdout and stderr; end it by hand"
        );
        assert!(matches!(error, CloseError::Pipe { .. }));
        until("no task is left", || tasks() == before).await;
    }
    // They write until nobody has the other end any more.
    until("no descriptor is left", || {
        !processes(&heard, "daemon").into_iter().any(exists)
    })
    .await;
}

const HOST: &str = "HOST_THAT_GOES";
const NAME: &str = "closing::a_host_that_goes_in_any_way_leaves_nothing_behind";

/// This very test as a host of its own, which goes in some way with a server at hand.
fn host(way: &str) -> Child {
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", NAME, "--nocapture"])
        .env(HOST, way)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    host.spawn().unwrap()
}

/// A way to go: it is killed, and its server has moved to its group.
const JOINED: &str = "is killed beside its server";

fn be_the_host(way: &str) {
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
        until("both named themselves", || {
            let said = server.stderr();
            ["pid ", "child "].map(|name| said.iter().any(|line| line.starts_with(name)))
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
async fn a_host_that_goes_in_any_way_leaves_nothing_behind() {
    use std::io::BufRead;

    if let Ok(way) = std::env::var(HOST) {
        std::thread::spawn(move || be_the_host(&way)).join().unwrap();
    }
    for way in ["returns", "exits", "is killed", JOINED] {
        let mut host = host(way);
        let lines = std::io::BufReader::new(host.stderr.take().unwrap()).lines();
        let mut left = Vec::new();
        for line in lines.map_while(Result::ok) {
            let named = ["pid ", "child "].iter().find_map(|name| line.strip_prefix(name));
            left.extend(named.map(|process| process.parse::<u32>().unwrap()));
            if line == "connected" {
                break;
            }
        }
        assert_eq!(left.len(), 2, "a server and what it started");
        if way.starts_with("is killed") {
            assert!(left.iter().all(|process| exists(*process)));
            host.kill().unwrap();
        }
        host.wait().unwrap();
        until(way, || !left.iter().any(|process| exists(*process))).await;
        #[cfg(unix)]
        until("the group is gone", || !in_group(left[0])).await;
    }
}

/// Checks that a process of this group is there.
#[cfg(unix)]
fn in_group(leader: u32) -> bool {
    let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
    test_kill_process_group(leader.unwrap()).is_ok()
}
