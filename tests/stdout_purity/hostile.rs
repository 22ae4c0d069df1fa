//! Hostile lines on stdin, lines that arrive in parts, and unusual ids.

use std::time::Duration;

use serde_json::json;

use crate::host::{Host, initialize, list};
use crate::hostile_lines::{self, Expected, Row};

/// Returns the id in the server's notation, such as `1` for `1.0`.
fn written_id(expected: &Expected) -> String {
    let id = expected.id.to_string();
    id.strip_suffix(".0").unwrap_or(&id).to_owned()
}

/// Returns the expected answers with an id, each with the reason why its line is hostile.
fn answers_with_ids(rows: &[Row]) -> impl Iterator<Item = (&str, &Expected)> {
    rows.iter()
        .flat_map(|row| row.answers.iter().map(|answer| (&*row.why, answer)))
        .filter(|(_, answer)| !answer.id.is_null())
}

/// Returns the codes of the expected answers without an id.
fn codes_without_ids(rows: &[Row]) -> Vec<i64> {
    let answers = rows.iter().flat_map(|row| &row.answers);
    answers
        .filter(|answer| answer.id.is_null())
        .filter_map(|answer| answer.code)
        .collect()
}

#[test]
fn every_hostile_line_is_answered_as_expected_and_so_is_the_request_after_it() {
    let rows = hostile_lines::rows();
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    for (number, row) in rows.iter().enumerate() {
        host.send(&row.bytes);
        host.send(b"\n");
        host.say(&list(100 + number as u64));
    }
    let mut ended = host.finish();
    for (number, row) in rows.iter().enumerate() {
        let text = ended.answers.text(100 + number as u64);
        assert!(text.starts_with("16 devices"), "after {}: {text}", row.why);
    }
    for (why, expected) in answers_with_ids(&rows) {
        let answer = ended.answers.0.remove(&written_id(expected));
        let answer = answer.unwrap_or_else(|| panic!("no answer to {why}"));
        assert_eq!(
            answer["error"]["code"].as_i64(),
            expected.code,
            "{why}: {answer}"
        );
    }
    assert_eq!(ended.answers.1, codes_without_ids(&rows));
    // Only the answers to `initialize` and to the list request after each line are left.
    assert_eq!(
        ended.answers.0.len(),
        1 + rows.len(),
        "{:?}",
        ended.answers.0.keys()
    );
}

#[test]
fn the_server_survives_every_hostile_line_before_the_session_begins() {
    let rows = hostile_lines::rows();
    let mut host = Host::spawn(&["--demo"]);
    for row in &rows {
        host.send(&row.bytes);
        host.send(b"\n");
    }
    host.say(&initialize(1));
    host.say(&list(2));
    let mut ended = host.finish();
    assert!(ended.answers.text(2).starts_with("16 devices"));
    for (why, expected) in answers_with_ids(&rows) {
        let answer = ended.answers.0.remove(&written_id(expected));
        assert!(answer.is_some(), "no answer to {why}");
    }
    assert_eq!(ended.answers.0.len(), 2, "{:?}", ended.answers.0.keys());
    assert_eq!(ended.answers.1, codes_without_ids(&rows));
}

#[test]
fn stdin_may_be_closed_in_the_middle_of_any_line() {
    let lines = format!("{}\n{}\n", initialize(1), list(2));
    let first = initialize(1).len();
    for end in [
        0,
        1,
        first / 2,
        first - 1,
        first,
        first + 1,
        first + 40,
        lines.len() - 2,
    ] {
        let mut host = Host::spawn(&["--demo"]);
        host.send(&lines.as_bytes()[..end]);
        let ended = host.finish();
        // The first line is answered even without its newline. The second line lacks at least its last bracket.
        assert_eq!(
            ended.answers.0.len(),
            usize::from(end >= first),
            "cut at {end}"
        );
    }
    let mut host = Host::spawn(&["--demo"]);
    host.send(lines.trim_end().as_bytes());
    assert!(host.finish().answers.text(2).starts_with("16 devices"));
}

#[test]
fn a_line_may_arrive_in_any_parts_and_at_any_pace() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let lines = format!("{}\r\n{}\n", list(2), list(3));
    let (in_bytes, in_parts) = lines.as_bytes().split_at(60);
    for byte in in_bytes {
        host.send(&[*byte]);
        std::thread::sleep(Duration::from_millis(2));
    }
    // The first answer can be written while the second line is still arriving.
    for part in in_parts.chunks(7) {
        host.send(part);
        std::thread::sleep(Duration::from_millis(1));
    }
    let ended = host.finish();
    assert!(ended.answers.text(2).starts_with("16 devices"));
    assert!(ended.answers.text(3).starts_with("16 devices"));
}

#[test]
fn a_flood_of_good_and_bad_lines_is_answered_completely() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let mut lines = Vec::new();
    for id in 0..2000_u64 {
        lines.extend(format!("{}\n", list(10_000 + id)).bytes());
        lines.extend(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\n", 20_000 + id).bytes());
        lines.extend(b"\x00\xff noise\n[1,2\n");
    }
    host.send(&lines);
    let ended = host.finish();
    for id in 0..2000_u64 {
        assert!(ended.answers.text(10_000 + id).starts_with("16 devices"));
    }
    assert_eq!(ended.answers.0.len(), 2001);
    assert_eq!(ended.answers.1, vec![-32700; 3 * 2000]);
}

#[test]
fn an_answer_has_the_id_of_its_request_in_the_same_type() {
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
        // A request with invalid parameters is answered with its id too.
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

#[cfg(target_os = "linux")]
#[test]
fn a_line_without_an_end_takes_a_bounded_amount_of_memory() {
    let mut host = Host::spawn(&["--demo"]);
    host.begin();
    let part = vec![b'['; 1 << 20];
    for _ in 0..200 {
        host.send(&part);
    }
    let peak = crate::fixture::resource_usage(host.id()).peak;
    host.say(&format!("\n{}", list(2)));
    assert!(host.finish().answers.text(2).starts_with("16 devices"));
    assert!(peak < 100 * 1024, "{peak} kB after 200 MiB");
}
