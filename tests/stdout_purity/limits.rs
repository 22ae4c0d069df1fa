//! A host costs a bounded amount of memory, however much it says and however little it reads.

#[cfg(target_os = "linux")]
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use serde_json::json;

#[cfg(target_os = "linux")]
use crate::fixture::held;
use crate::host::Host;
#[cfg(target_os = "linux")]
use crate::host::{binary, eventually, initialize, list, request, without_environment};

#[test]
fn the_id_of_an_answer_is_of_the_request_s_type() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let ids = [
        json!("1"),
        json!(7),
        json!("007"),
        json!(-3),
        json!(""),
        json!("a\"b"),
        json!(i64::MAX),
    ];
    for id in &ids {
        host.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string());
        // One that can't be read is answered too.
        let params = json!({ "name": 1 });
        let id = json!(format!("{id} unreadable"));
        let broken =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        host.say(&broken.to_string());
    }
    let ended = host.finish();
    for id in ids {
        assert_eq!(ended.answers.0[&id.to_string()]["id"], id);
        let broken = json!(format!("{id} unreadable"));
        assert_eq!(ended.answers.0[&broken.to_string()]["id"], broken);
    }
}

/// Resident memory in MiB.
#[cfg(target_os = "linux")]
fn resident(host: &Host) -> u64 {
    held(host.id()).resident / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn a_flood_of_calls_that_are_answered_leaves_no_memory_behind() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    host.say(&list(2));
    host.wait_for(2);
    let before = resident(&host);
    let pings = (10..20_000).map(|id| request(id, "ping", json!({})) + "\n");
    host.send(pings.collect::<String>().as_bytes());
    let lists = (20_000..25_000).map(|id| list(id) + "\n");
    host.send(lists.collect::<String>().as_bytes());
    // Answers may overtake each other.
    eventually("all are answered", || {
        host.stdout_so_far().lines().count() >= 24_992
    });
    let more = resident(&host) - before;
    assert!(more < 6, "{more} MiB more than {before}");
    assert_eq!(host.finish().answers.0.len(), 24_992);
}

/// Asks for the page, whose text is long.
#[cfg(target_os = "linux")]
fn pages(ids: std::ops::Range<u64>) -> String {
    let line = |id| request(id, "resources/read", json!({ "uri": "ui://zwave/house" })) + "\n";
    ids.map(line).collect()
}

#[cfg(target_os = "linux")]
fn without_reader() -> Host {
    let mut host = Host::without_reader(without_environment(Command::new(binary()).arg("--demo")));
    host.say(&initialize(1));
    host
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_that_does_not_read_costs_a_bounded_amount_and_finds_every_answer_later() {
    let mut host = without_reader();
    let mut stdin = host.take_stdin();
    let writing = std::thread::spawn(move || {
        use std::io::Write;
        stdin.write_all(pages(10..5000).as_bytes()).unwrap();
        stdin
    });
    std::thread::sleep(Duration::from_secs(4));
    let more = resident(&host);
    assert!(more < 100, "{more} MiB");
    host.read();
    drop(writing.join().unwrap());
    let ended = host.wait_for_end();
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.answers.0.len(), 4991);
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_stdin_is_noticed_though_the_host_does_not_read() {
    let mut host = without_reader();
    host.send(pages(10..900).as_bytes());
    std::thread::sleep(Duration::from_secs(2));
    assert!(!host.has_ended());
    let start = Instant::now();
    host.close();
    assert_eq!(host.wait_for_end().code, Some(0));
    assert!(start.elapsed() < Duration::from_secs(15));
}
