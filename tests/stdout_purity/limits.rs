//! A host costs a bounded amount of memory, however much it sends and however little it reads.

use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::fixture::resource_usage;
use crate::host::{Host, binary, clear_environment, eventually, initialize, list, request};

/// Returns the server's resident memory in MiB.
fn resident(host: &Host) -> u64 {
    resource_usage(host.id()).resident / 1024
}

#[test]
fn a_flood_of_answered_calls_leaks_no_memory() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    host.say(&list(2));
    host.wait_for(2);
    let before = resident(&host);
    let pings = (10..20_000).map(|id| request(id, "ping", json!({})) + "\n");
    host.send(pings.collect::<String>().as_bytes());
    let lists = (20_000..25_000).map(|id| list(id) + "\n");
    host.send(lists.collect::<String>().as_bytes());
    // Answers may overtake each other, so the last id is no sign that all answers have come.
    eventually("every request is answered", || {
        host.stdout_so_far().lines().count() >= 24_992
    });
    let more = resident(&host) - before;
    assert!(more < 6, "{more} MiB more than {before}");
    assert_eq!(host.finish().answers.0.len(), 24_992);
}

/// Returns one request for each id. All ask for the page of the house, because that answer is long.
fn page_requests(ids: std::ops::Range<u64>) -> String {
    let line = |id| request(id, "resources/read", json!({ "uri": "ui://zwave/house" })) + "\n";
    ids.map(line).collect()
}

fn start_without_reader() -> Host {
    let mut host =
        Host::spawn_without_reading(clear_environment(Command::new(binary()).arg("--demo")));
    host.say(&initialize(1));
    host
}

#[test]
fn a_host_that_does_not_read_costs_bounded_memory_and_finds_every_answer_later() {
    let mut host = start_without_reader();
    let mut stdin = host.take_stdin();
    let writing = std::thread::spawn(move || {
        stdin.write_all(page_requests(10..5000).as_bytes()).unwrap();
        stdin
    });
    std::thread::sleep(Duration::from_secs(4));
    let used = resident(&host);
    assert!(used < 100, "{used} MiB");
    host.start_reading();
    drop(writing.join().unwrap());
    let ended = host.wait_for_end();
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.answers.0.len(), 4991);
}

#[test]
fn the_end_of_stdin_is_noticed_even_if_the_host_does_not_read() {
    let mut host = start_without_reader();
    host.send(page_requests(10..900).as_bytes());
    std::thread::sleep(Duration::from_secs(2));
    assert!(!host.has_ended());
    let start = Instant::now();
    host.close();
    assert_eq!(host.wait_for_end().code, Some(0));
    assert!(start.elapsed() < Duration::from_secs(15));
}
