//! Whatever a server sends, the client takes limited time, memory and log space. Secrets on stderr are redacted.

use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::client::formats::{anthropic, ollama, openai};
use zwave_mcp_server::client::{
    ClientError, Connection, Host, Program, Redactor, ServerEvent, Tool, ToolServer,
};

use crate::fixture::Log;
use crate::support::{
    Peer, assert_logged_once, connect_to_peer, listening_host, start_session, tool,
};

const MIB: usize = 1024 * 1024;

/// Many times the duration of a conversion or a refused call. A conversion without bounds takes far longer.
const SOON: Duration = Duration::from_secs(10);

/// Converts the tools for Anthropic, Ollama and `OpenAI`. Panics if this takes longer than [`SOON`].
fn convert(tools: &[Tool]) -> [Vec<Json>; 3] {
    let start = Instant::now();
    let converted = [
        anthropic::tools(tools),
        ollama::tools(tools),
        openai::tools(tools),
    ];
    eprintln!("converted in {:?}", start.elapsed());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    converted
}

/// Returns a schema in which each definition refers to the next one `breadth` times.
fn branching_schema(breadth: usize, depth: usize) -> Json {
    let level = |level: usize| {
        let next =
            json!({ "$ref": format!("#/$defs/l{}", level + 1), "description": "One of many." });
        let properties = (0..breadth).map(|branch| (format!("p{branch}"), next.clone()));
        json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() })
    };
    let mut defs: Map<String, Json> = (0..depth).map(|n| (format!("l{n}"), level(n))).collect();
    defs.insert(format!("l{depth}"), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/l0" } }, "$defs": defs })
}

#[test]
fn an_exponentially_branching_schema_is_expanded_within_one_budget() {
    for (breadth, depth) in [(10, 7), (30, 7), (30, 20)] {
        // Anthropic gets the schema with its references. For the other two, definitions replace them.
        for tools in convert(&[tool("t", branching_schema(breadth, depth))]).iter().skip(1) {
            let text = tools[0].to_string();
            assert!(text.len() < 64 * 1024, "{} bytes", text.len());
            assert!(text.contains("too large to be written out"), "{text}");
            assert!(text.contains("p0"), "the part that fits is missing");
        }
    }
}

#[test]
fn exponentially_branching_unions_are_reduced_within_the_same_budget() {
    let mut defs = Map::new();
    for level in 0..6 {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        defs.insert(format!("l{level}"), json!({ "anyOf": vec![next; 30] }));
    }
    defs.insert("l6".to_owned(), json!({ "type": "string" }));
    let schema = json!({
        "type": "object", "properties": { "a": { "$ref": "#/$defs/l0" } }, "$defs": defs,
    });
    for tools in convert(&[tool("t", schema)]).iter().skip(1) {
        assert!(tools[0].to_string().len() < 64 * 1024);
    }
}

#[test]
fn twenty_thousand_keys_are_shortened_quickly() {
    let keys = (0..20_000).map(|n| format!("schlüssel {n}"));
    let properties = keys.clone().map(|key| (key, json!({ "type": "string" })));
    let schema = json!({
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "required": keys.collect::<Vec<_>>(),
    });
    for tools in convert(&[tool("t", schema)]) {
        let text = tools[0].to_string();
        assert!(text.len() < 64 * 1024, "{} bytes", text.len());
        assert!(text.contains("more fields are left out"), "{text}");
    }
}

#[test]
fn descriptions_of_a_megabyte_are_shortened_quickly() {
    let long = "ä".repeat(MIB / 2);
    let property = |n| {
        (
            format!("p{n}"),
            json!({ "type": "string", "description": long }),
        )
    };
    let properties: Map<String, Json> = (0..12).map(property).collect();
    let mut tool = tool("t", json!({ "type": "object", "properties": properties }));
    tool.description = long.clone();
    for tools in convert(&[tool]) {
        let text = tools[0].to_string();
        assert!(text.len() < 64 * 1024, "{} bytes", text.len());
        assert!(text.contains("p11"), "a property is missing");
    }
}

#[tokio::test]
async fn an_error_of_ten_megabytes_is_cut_to_sixteen_kibibytes() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let calling = tokio::spawn(async move { session.call("t", Map::new(), SOON).await });
    let request = peer.expect("tools/call").await;
    peer.refuse(&request, -32000, &"x".repeat(10_000_000)).await;
    let ClientError::Refused { code, message } = calling.await.unwrap().unwrap_err() else {
        panic!("the error is not `Refused`");
    };
    assert_eq!(code, -32000);
    assert!(message.len() < 16 * 1024 + 100, "{} bytes", message.len());
    assert!(message.contains("10000000 bytes"));
}

#[tokio::test]
async fn a_huge_handshake_is_not_logged_in_full() {
    let long = "x".repeat(15 * MIB);
    let (log, _guard) = Log::start();
    let handshake = async |peer: &mut Peer| {
        let discover = peer.expect("server/discover").await;
        peer.refuse(&discover, -32601, &long).await;
        let initialize = peer.expect("initialize").await;
        let result = json!({ "protocolVersion": long, "capabilities": {}, "serverInfo": {} });
        peer.answer(&initialize, result).await;
    };
    let (session, _peer, ()) = connect_to_peer(&Host::new("test", "0"), handshake).await;
    let why = session.unwrap_err().to_string();
    assert!(why.len() < 1000, "{} bytes", why.len());
    assert!(log.text().len() < 64 * 1024, "{} bytes", log.text().len());
}

#[tokio::test]
async fn a_line_with_an_id_of_more_than_200_characters_is_bad() {
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    let ping = |id: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    for _ in 0..20 {
        peer.send(ping(&"x".repeat(8_000_000))).await;
    }
    let longest = "ü".repeat(200);
    peer.send(ping(&longest)).await;
    assert_eq!(peer.next().await["id"], longest, "a bad line was answered");
    assert_eq!(session.bad_lines(), 20);
    let heard = heard.lock().unwrap();
    assert!(heard.iter().any(
        |event| matches!(event, ServerEvent::BadLine(line) if line.why.contains("200 characters"))
    ));
}

#[tokio::test]
async fn every_ping_of_a_burst_is_answered() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let mut burst = String::new();
    for id in 0..1000 {
        burst.push_str(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"
        ));
    }
    peer.write(burst.as_bytes()).await;
    for id in 0..1000 {
        assert_eq!(peer.next().await["id"], id);
    }
    assert_eq!(session.bad_lines(), 0);
}

#[tokio::test]
async fn a_line_of_a_million_values_is_a_bad_line() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let values = vec!["0"; 1_000_000].join(",");
    peer.write_line(&format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[{values}]}}"
    ))
    .await;
    peer.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
    assert_eq!(peer.next().await["id"], 1);
    assert_eq!(session.bad_lines(), 1);
}

#[tokio::test(start_paused = true)]
async fn noise_on_stdout_is_logged_up_to_ten_times_a_second_and_then_counted() {
    let (log, _guard) = Log::start();
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    for _ in 0..5_000 {
        peer.write_line("noise").await;
    }
    peer.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
    peer.next().await;
    assert_eq!(session.bad_lines(), 5_000);
    assert_eq!(
        log.lines_with("printed a line that is not a message").len(),
        10
    );
    session.end();
    let count = assert_logged_once(&log, "more lines that are not messages");
    assert!(count.contains("4990"), "{count}");
}

#[cfg(unix)]
#[tokio::test]
async fn secrets_on_a_servers_stderr_are_kept_out_of_the_log() {
    let (log, _guard) = Log::start();
    let script = "echo \"login with hunter2-env and hunter2-host\" >&2; exit 1";
    let mut program = Program::new("sh", ["-c", script]);
    program.environment = vec![("MQTT_PASSWORD".into(), "hunter2-env".into())];
    let mut host = Host::new("test", "0");
    host.limits.delays = vec![Duration::ZERO];
    host.redactor = Redactor::new(["hunter2-host"]);
    let error = Connection::new(program, host).connect().await.unwrap_err();
    assert!(
        error.to_string().contains("login with *** and ***"),
        "{error}"
    );
    assert!(!log.text().contains("hunter2"), "{}", log.text());
}

#[cfg(unix)]
#[tokio::test]
async fn no_part_of_a_secret_survives_on_a_long_line_of_stderr() {
    // Each line must be redacted before it is cut. Otherwise, the first line would not be valid JSON, so its
    // password would stay. The second line would end in the first two letters of a secret.
    let json = json!({ "password": "hunter2-json", "text": "x".repeat(3000) });
    let wide = format!("{}hunter2-host", "🏠".repeat(498));
    let script = "echo \"$LINES\" >&2; printf '{\"password\":\"hunter2-long\",\"x\":\"' >&2; \
                  head -c 300000 /dev/zero | tr '\\0' x >&2; exit 1";
    let mut program = Program::new("sh", ["-c", script]);
    program.environment = vec![("LINES".into(), format!("{json}\n{wide}").into())];
    let mut host = Host::new("test", "0");
    host.limits.delays = vec![Duration::ZERO];
    host.redactor = Redactor::new(["hunter2-host"]);
    let stderr = Connection::new(program, host).connect().await.unwrap_err().stderr;
    assert!(!stderr.concat().contains("hunter2"), "{stderr:?}");
    assert!(stderr[0].contains("\"password\":\"***\""), "{stderr:?}");
    assert_eq!(stderr[1], format!("{}**", "🏠".repeat(498)));
    assert_eq!(stderr[2], "(a line of more than 262144 bytes)");
}
