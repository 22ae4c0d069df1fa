//! Full pipes: a host that does not read stdout or stderr.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::host::{Host, binary, clear_environment, initialize, list, parse_answers};

/// More answers than any pipe holds.
const MANY: u64 = 1000;

/// Starts a server whose unread answers fill stdout.
fn start_stuck() -> Host {
    let mut host =
        Host::spawn_without_reading(clear_environment(Command::new(binary()).arg("--demo")));
    host.say(&initialize(1));
    for id in 2..=MANY {
        host.say(&list(id));
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(!host.has_ended());
    host
}

#[test]
fn a_host_that_reads_again_finds_every_answer() {
    let mut host = start_stuck();
    host.start_reading();
    let ended = host.finish();
    for id in 2..=MANY {
        assert!(ended.answers.text(id).starts_with("16 devices"), "{id}");
    }
}

#[test]
fn a_host_that_stops_reading_and_leaves_does_not_keep_the_process_alive() {
    let start = Instant::now();
    let mut host = start_stuck();
    host.close();
    host.close_stdout();
    assert_eq!(host.wait_for_end().code, Some(0));
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_host_that_never_reads_again_does_not_keep_the_process_alive() {
    let start = Instant::now();
    let mut hosts = vec![start_stuck()];
    hosts[0].close();
    #[cfg(unix)]
    for name in ["TERM", "INT"] {
        hosts.push(start_stuck());
        hosts.last().unwrap().signal(name);
    }
    for host in hosts {
        assert_eq!(host.wait_for_end().code, Some(0));
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_log_that_nobody_reads_does_not_stop_the_server() {
    let mut child = Command::new(binary())
        .args(["--demo", "--log-level", "trace"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let unread = child.stderr.take();
    let lines: Vec<String> = (2..=300).map(list).collect();
    let text = format!("{}\n{}\n", initialize(1), lines.join("\n"));
    let writing = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let mut stdout = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
    writing.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(unread);
    assert_eq!(parse_answers(&stdout).0.len(), 300);
}
