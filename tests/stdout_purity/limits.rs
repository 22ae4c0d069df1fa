//! Whatever a host says, and however much, costs a bounded amount.

#[cfg(target_os = "linux")]
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::host::{Host, request};
#[cfg(target_os = "linux")]
use crate::host::{binary, eventually, initialize, without_environment};

fn call(id: u64, tool: &str, arguments: Json) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    request(id, "tools/call", params)
}

/// Calls `control_zwave_device`, and returns what it answers.
fn controlled(arguments: Json) -> String {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    host.say(&call(2, "list_zwave_devices", json!({})));
    host.say(&call(3, "control_zwave_device", arguments));
    host.wait_for(3);
    host.finished().answers.text(3).to_owned()
}

#[test]
fn a_text_that_is_too_long_is_refused_in_a_sentence_and_pings_are_answered_meanwhile() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    host.say(&call(2, "list_zwave_devices", json!({})));
    let long = "a b".repeat(100_000);
    let control = |arguments: Json| {
        let mut all = json!({ "deviceName": "Front Door", "action": "set_mode", "mode": "heat" });
        let own = arguments.as_object().unwrap().clone();
        all.as_object_mut().unwrap().extend(own);
        ("control_zwave_device", all)
    };
    let calls = [
        ("list_zwave_devices", json!({ "filter": long })),
        ("list_zwave_devices", json!({ "room": "x".repeat(201) })),
        control(json!({ "deviceName": long })),
        control(json!({ "deviceName": long, "mode": null })),
        control(json!({ "deviceName": format!("zwave://devices/{long}/x") })),
        control(json!({ "room": long })),
        control(json!({ "mode": long })),
    ];
    let start = Instant::now();
    let mut id = 10;
    for (tool, arguments) in calls.clone() {
        host.say(&call(id, tool, arguments));
        host.say(&request(id + 1, "ping", json!({})));
        id += 2;
    }
    // An action without a device that is named is not looked up either, nor is an argument's name.
    host.say(&call(
        50,
        "control_zwave_device",
        json!({ "deviceName": long }),
    ));
    let unknown = json!({ "deviceName": "Fan", "action": "on", long.as_str(): 1 });
    host.say(&call(51, "control_zwave_device", unknown));
    let uri = format!("zwave://devices/Hall/{}", "x".repeat(201));
    host.say(&request(52, "resources/read", json!({ "uri": uri })));
    host.say(&request(53, "resources/subscribe", json!({ "uri": uri })));
    let template = json!({ "type": "ref/resource", "uri": "zwave://devices/{room}/{name}" });
    let argument = json!({ "name": "room", "value": long });
    let complete = json!({ "ref": template, "argument": argument });
    host.say(&request(54, "completion/complete", complete));
    host.say(&request(55, "ping", json!({})));
    host.wait_for(55);
    let took = start.elapsed();
    let ended = host.finished();
    for at in 0..calls.len() as u64 {
        let text = ended.answers.text(10 + 2 * at);
        assert!(
            text.ends_with("can have at most 200 characters."),
            "{at}: {text}"
        );
        assert_eq!(text.matches(". ").count(), 0, "{text}");
        assert_eq!(ended.answers.of(11 + 2 * at)["result"], json!({}));
    }
    for id in [50, 51] {
        assert!(
            ended.answers.text(id).len() < 400,
            "{}",
            ended.answers.text(id)
        );
    }
    for id in 52..55 {
        let message = ended.answers.of(id)["error"]["message"].as_str().unwrap();
        assert!(
            message.ends_with("can have at most 200 characters."),
            "{message}"
        );
    }
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn two_hundred_characters_are_read() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let filter = format!("front{}door", " ".repeat(191));
    host.say(&call(2, "list_zwave_devices", json!({ "filter": filter })));
    host.wait_for(2);
    let ended = host.finished();
    assert!(
        ended.answers.text(2).contains("Front Door"),
        "{:?}",
        ended.answers
    );
}

#[test]
fn an_argument_that_nobody_knows_is_named_before_anything_else() {
    // It is a switch and can't dim anyway.
    let said = controlled(json!({ "deviceName": "Coffee Machine", "action": "dim", "levle": 30 }));
    let first = "Unknown argument \"levle\"; did you mean \"level\"?";
    assert!(said.starts_with(first), "{said}");
    let said = controlled(json!({ "deviceName": "Fan", "action": "off", "frobnicate": 1 }));
    assert!(
        said.starts_with("Unknown argument \"frobnicate\"."),
        "{said}"
    );
}

#[test]
fn an_unknown_argument_of_a_list_is_named_at_its_end() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let arguments = json!({ "filter": "hall", "frobnicate": 1 });
    host.say(&call(2, "list_zwave_devices", arguments));
    host.say(&call(
        3,
        "list_zwave_devices",
        json!({ "filter": "sauna", "frobnicate": 1 }),
    ));
    host.wait_for(3);
    let ended = host.finished();
    for id in [2, 3] {
        let text = ended.answers.text(id);
        let last = "Passed over: \"frobnicate\"; this tool takes filter and includeInactive.";
        assert!(text.trim_end().ends_with(last), "{text}");
    }
}

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
    let ended = host.finished();
    for id in ids {
        assert_eq!(ended.answers.0[&id.to_string()]["id"], id);
        let broken = json!(format!("{id} unreadable"));
        assert_eq!(ended.answers.0[&broken.to_string()]["id"], broken);
    }
}

/// Resident memory in MiB.
#[cfg(target_os = "linux")]
fn resident(host: &Host) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", host.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<u64>().unwrap() / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn a_flood_of_calls_that_are_answered_leaves_no_memory_behind() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    host.say(&call(2, "list_zwave_devices", json!({})));
    host.wait_for(2);
    let before = resident(&host);
    let pings = (10..20_000).map(|id| request(id, "ping", json!({})) + "\n");
    host.send(pings.collect::<String>().as_bytes());
    let lists = (20_000..25_000).map(|id| call(id, "list_zwave_devices", json!({})) + "\n");
    host.send(lists.collect::<String>().as_bytes());
    // Answers may overtake each other.
    eventually("all are answered", || {
        host.stdout_so_far().lines().count() >= 24_992
    });
    let more = resident(&host) - before;
    assert!(more < 6, "{more} MiB more than {before}");
    assert_eq!(host.finished().answers.0.len(), 24_992);
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
    let held = resident(&host);
    assert!(held < 100, "{held} MiB");
    host.read();
    drop(writing.join().unwrap());
    let ended = host.ended();
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
    assert_eq!(host.ended().code, Some(0));
    assert!(start.elapsed() < Duration::from_secs(15));
}
