//! Nothing but protocol ever reaches stdout: every byte belongs to a JSON-RPC message on one line,
//! and every request that can be answered is answered exactly once.
//!
//! Drives the real binary; another one can be named by `ZWAVE_MCP_BINARY`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

fn spawn(arguments: &[&str]) -> Child {
    let binary = std::env::var("ZWAVE_MCP_BINARY");
    let binary = binary.unwrap_or_else(|_| env!("CARGO_BIN_EXE_zwave-mcp-server").to_owned());
    Command::new(binary)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn request(id: u64, method: &str, params: Json) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn initialize(id: u64) -> String {
    let info = json!({ "name": "purity", "version": "0" });
    request(
        id,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info }),
    )
}

fn list(id: u64) -> String {
    let params = json!({ "name": "list_zwave_devices", "arguments": {} });
    request(id, "tools/call", params)
}

/// Feeds lines, closes stdin, waits for the end: the messages on stdout by id, and stderr.
fn run(arguments: &[&str], lines: &[Vec<u8>]) -> (HashMap<u64, Json>, String) {
    let mut child = spawn(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let out = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let err = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    for line in lines {
        stdin.write_all(line).unwrap();
    }
    drop(stdin);
    let begun = Instant::now();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(20));
    (answers(&out.join().unwrap()), err.join().unwrap())
}

/// Every line is one JSON-RPC message, and no id is answered twice.
fn answers(stdout: &[u8]) -> HashMap<u64, Json> {
    let text = std::str::from_utf8(stdout).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    let mut answers = HashMap::new();
    for line in text.lines() {
        let message: Json = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if let Some(id) = message["id"].as_u64() {
            assert!(
                answers.insert(id, message).is_none(),
                "answered twice: {line}"
            );
        }
    }
    answers
}

fn line(text: &str) -> Vec<u8> {
    format!("{text}\n").into_bytes()
}

#[test]
fn stdout_is_pure_at_every_log_level_with_and_without_a_broker() {
    for level in ["error", "warn", "info", "debug", "trace"] {
        for broker in [&["--demo"][..], &["--broker", "mqtt://127.0.0.1:1"][..]] {
            let arguments = [broker, &["--log-level", level]].concat();
            let lines = [line(&initialize(1)), line(&list(2))];
            let (answers, stderr) = run(&arguments, &lines);
            assert_eq!(answers.len(), 2, "{arguments:?}");
            assert_eq!(
                answers[&1]["result"]["serverInfo"]["name"],
                "zwave-mcp-server"
            );
            let text = answers[&2]["result"]["content"][0]["text"]
                .as_str()
                .unwrap();
            assert!(!text.is_empty());
            assert_eq!(level == "trace", stderr.contains("TRACE"), "{level}");
        }
    }
}

#[test]
fn hostile_lines_are_survived_and_every_request_between_them_is_answered() {
    let mut deep = "[".repeat(100_000);
    deep.push_str(&"]".repeat(100_000));
    let hostile: Vec<Vec<u8>> = vec![
        b"\n\n\r\n".to_vec(),
        line("not json"),
        line("{\"jsonrpc\":\"2.0\",\"id\":"),
        vec![0xff, 0xfe, 0x00, b'\n'],
        line(&deep),
        line("[]"),
        line("null"),
        line("{}"),
        line("\"text\""),
        line("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":7}"),
        line("{\"jsonrpc\":\"1.0\",\"id\":900,\"result\":{}}"),
        line(&request(901, "no/such/method", json!({}))),
        line(&request(902, "tools/call", json!({ "name": "rm -rf" }))),
        line(&request(
            903,
            "tools/call",
            json!({ "name": "control_zwave_device" }),
        )),
        vec![b'x'; 1_000_000],
        b"\n".to_vec(),
        line(&json!({ "jsonrpc": "2.0", "method": "notifications/unheard" }).to_string()),
    ];
    let mut lines = vec![line(&initialize(1))];
    for (number, bad) in hostile.into_iter().enumerate() {
        lines.push(bad);
        lines.push(line(&list(100 + number as u64)));
    }
    lines.push(b"{\"jsonrpc\":\"2.0\",\"id\":999,\"method\":\"pi".to_vec());
    let (answers, _) = run(&["--demo"], &lines);
    for number in 0..17 {
        // Two line ends between a list and the next are part of its neighbour's garbage: request
        // 115 stands on the line that the million x began.
        if number == 14 {
            continue;
        }
        let answer = &answers[&(100 + number)];
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("13 devices"), "{number}: {answer}");
    }
    assert!(answers[&901]["error"].is_object());
    assert_eq!(answers[&902]["error"]["code"], -32602);
    assert_eq!(answers[&903]["result"]["isError"], true);
    assert!(!answers.contains_key(&999));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stray_print_into_descriptor_1_goes_to_stderr() {
    let mut child = spawn(&["--demo"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&line(&initialize(1))).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let descriptor = format!("/proc/{}/fd/1", child.id());
    let mut stray = std::fs::OpenOptions::new()
        .write(true)
        .open(descriptor)
        .unwrap();
    stray.write_all(b"a stray print\n").unwrap();
    stdin.write_all(&line(&list(2))).unwrap();
    drop((stdin, stray));
    let output = child.wait_with_output().unwrap();
    assert_eq!(answers(&output.stdout).len(), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("a stray print"));
}

#[test]
fn a_host_that_stops_reading_and_leaves_does_not_keep_the_process() {
    let mut child = spawn(&["--demo"]);
    let mut stdin = child.stdin.take().unwrap();
    let stdout = child.stdout.take().unwrap();
    stdin.write_all(&line(&initialize(1))).unwrap();
    for id in 2..2000 {
        if stdin.write_all(&line(&list(id))).is_err() {
            break;
        }
        if id == 300 {
            break;
        }
    }
    std::thread::sleep(Duration::from_millis(500));
    drop(stdout);
    drop(stdin);
    let begun = Instant::now();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(15));
}
