//! The life of the process between its host's first byte and its last.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::process::Command;
use tokio::time::{Instant, timeout};

use crate::support::{House, Mosquitto, Server, eventually, read};

fn demo() -> Vec<String> {
    vec!["--demo".to_owned()]
}

async fn signal(server: &Server, name: &str) {
    let id = server.child.id().unwrap().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status().await;
    assert!(sent.unwrap().success());
}

#[tokio::test]
async fn stdin_closed_before_anything_was_said_is_a_clean_end() {
    needs!(mosquitto);
    let mut server = Server::spawn(&demo());
    server.close_stdin();
    assert_eq!(server.ended().await, Some(0));
}

#[tokio::test]
async fn a_signal_ends_it_cleanly_also_while_initialize_is_awaited() {
    needs!(mosquitto);
    for name in ["TERM", "INT"] {
        let server = &mut Server::spawn(&demo());
        // The handler must be there first; an empty line gets no answer to wait for.
        tokio::time::sleep(Duration::from_millis(300)).await;
        signal(server, name).await;
        assert_eq!(server.ended().await, Some(0), "{name} before initialize");

        let server = &mut Server::spawn(&demo());
        server.initialize().await;
        signal(server, name).await;
        assert_eq!(server.ended().await, Some(0), "{name} in a session");
    }
}

#[tokio::test]
async fn with_nothing_in_flight_it_ends_at_once() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let begun = Instant::now();
    server.close_stdin();
    assert_eq!(server.ended().await, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_call_in_flight_is_finished_when_the_host_says_no_more() {
    needs!(mosquitto);
    for how in ["stdin", "TERM"] {
        let house = House::start().await;
        let mut server = Server::start(&house.broker, &[]).await;
        server.list("").await;
        let arguments = json!({ "deviceName": "dead plug", "action": "on" });
        let answer = server.begin_call("control_zwave_device", arguments).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        match how {
            "stdin" => server.close_stdin(),
            name => signal(&server, name).await,
        }
        let answer = timeout(Duration::from_secs(10), answer).await.unwrap();
        read(answer.unwrap()).is("failed", "Dead Plug did not respond.");
        assert_eq!(server.ended().await, Some(0));
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_does_not_keep_the_process() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--reply-timeout=60s"]).await;
    server.list("").await;
    house.set_faults(zwave_mcp_server::simulator::Faults(vec![(
        "*",
        zwave_mcp_server::simulator::Fault::Drop,
    )]));
    let arguments = json!({ "deviceName": "switch one", "action": "on" });
    let _answer = server.begin_call("control_zwave_device", arguments).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    server.close_stdin();
    assert_eq!(server.ended().await, Some(0));
    let took = begun.elapsed();
    assert!(
        took > Duration::from_secs(4) && took < Duration::from_secs(9),
        "{took:?}"
    );
}

#[tokio::test]
async fn a_host_that_dies_without_closing_the_pipe_is_noticed() {
    needs!(mosquitto);
    // The shell is the host. The pipe's other end is held by this test, which lives on.
    let binary = env!("CARGO_BIN_EXE_zwave-mcp-server");
    let script = format!("'{binary}' --demo <&0 & echo $! >&2; wait");
    let mut host = Command::new("bash")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let stdin = host.stdin.take();
    let mut lines = {
        use tokio::io::AsyncBufReadExt;
        tokio::io::BufReader::new(host.stderr.take().unwrap()).lines()
    };
    let server = lines.next_line().await.unwrap().unwrap();
    let alive = || std::path::Path::new(&format!("/proc/{server}/fd/0")).exists();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(alive(), "it waits for its host");
    host.kill().await.unwrap();
    eventually("it is gone", async || !alive()).await;
    drop(stdin);
}

#[tokio::test]
async fn every_protocol_revision_is_served() {
    needs!(mosquitto);
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = Server::spawn(&demo());
        let params = json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" },
        });
        let answer = server.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], revision);
        assert!(server.list("").await.starts_with("13 devices"));
    }
    let mut server = Server::spawn(&demo());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = server
        .request("server/discover", json!({ "_meta": meta }))
        .await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let params = json!({ "name": "list_zwave_devices", "arguments": {}, "_meta": meta });
    let listed = read(server.request("tools/call", params).await);
    assert!(listed.text.starts_with("13 devices"), "{listed:?}");
}

#[tokio::test]
async fn a_notification_before_the_first_request_is_passed_over() {
    needs!(mosquitto);
    let mut server = Server::spawn(&demo());
    server
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    server.initialize().await;
    assert!(server.list("").await.starts_with("13 devices"));
}

#[tokio::test]
async fn no_password_reaches_stderr_at_any_level() {
    needs!(mosquitto);
    let mut broker = Mosquitto::start();
    broker.stop();
    let url = format!("mqtt://someone:s3cr3tpw@127.0.0.1:{}", broker.port());
    let arguments = ["--broker", &url, "--log-level", "trace"].map(str::to_owned);
    let mut server = Server::spawn(&arguments);
    server.initialize().await;
    let answer = server.control("lamp", "on").await;
    assert!(!answer.text.contains("s3cr3tpw"), "{answer:?}");
    broker.start_again();
    eventually("it connected", async || {
        server.stderr().contains("connected to the MQTT broker")
    })
    .await;
    assert!(!server.stderr().contains("s3cr3tpw"), "{}", server.stderr());
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_and_read_only_has_no_control_tool() {
    needs!(mosquitto);
    let mut server = Server::spawn(&["--demo".to_owned(), "--read-only".to_owned()]);
    server.initialize().await;
    let tools = server.request("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
    let params = json!({ "name": "control_zwave_device", "arguments": {} });
    let answer = server.request("tools/call", params).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        answer["error"]["message"],
        "Unknown tool \"control_zwave_device\". This server has list_zwave_devices alone, because it is \
         read-only."
    );
}

#[tokio::test]
async fn a_call_that_is_taken_back_before_its_turn_is_not_done() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    server.list("").await;
    let on = |device: &str| json!({ "deviceName": device, "action": "on" });
    let params = json!({ "name": "control_zwave_device", "arguments": on("dead plug") });
    let (_, first) = server.begin("tools/call", params.clone()).await;
    let (id, _second) = server.begin("tools/call", params).await;
    let cancel = json!({ "requestId": id });
    server
        .send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel,
        }))
        .await;
    read(first.await.unwrap()).is("failed", "Dead Plug did not respond.");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(house.writes().len(), 1);
}
