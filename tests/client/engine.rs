//! Shows why this crate has its own client instead of using rmcp's: both get the same garbled answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use rmcp::service::{PeerRequestOptions, ServiceExt};
use serde_json::{Map, Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};
use zwave_mcp_server::client::{Host, McpSession, ToolServer};

use crate::garbage::Garbage;
use crate::support::initialized;

const LIMIT: Duration = Duration::from_secs(30);

/// The messages that a server received.
type Received = Arc<Mutex<Vec<Json>>>;

/// Starts a server that prints this line instead of answering a call. Returns the client's end of the
/// pipe, and the messages that the server receives.
fn start_server(garbled: Garbage) -> (DuplexStream, Received) {
    let (ours, theirs) = duplex(64 * 1024);
    let received = Received::default();
    tokio::spawn(serve(theirs, garbled, Arc::clone(&received)));
    (ours, received)
}

async fn serve(pipe: DuplexStream, garbled: Garbage, received: Received) {
    let (reader, mut writer) = split(pipe);
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        let message: Json = serde_json::from_str(&line).unwrap();
        let outcome = match message["method"].as_str() {
            Some("server/discover") => json!({ "error": { "code": -32601, "message": "No" } }),
            Some("initialize") => json!({ "result": initialized("2025-11-25") }),
            _ => Json::Null,
        };
        let reply = match (message["method"].as_str(), outcome) {
            (Some("tools/call"), _) => garbled.bytes(),
            (_, Json::Object(mut reply)) => {
                reply.insert("jsonrpc".to_owned(), "2.0".into());
                reply.insert("id".to_owned(), message["id"].clone());
                format!("{}\n", Json::Object(reply)).into_bytes()
            }
            _ => Vec::new(),
        };
        writer.write_all(&reply).await.unwrap();
        received.lock().unwrap().push(message);
    }
}

/// Returns the error responses that a server received.
fn errors(received: &Received) -> Vec<Json> {
    let received = received.lock().unwrap();
    received
        .iter()
        .filter(|message| message["error"].is_object())
        .cloned()
        .collect()
}

/// Returns the message of our client's timeout, and the error responses that it sent.
async fn call_by_this_client(garbled: Garbage) -> (String, Vec<Json>) {
    let (pipe, received) = start_server(garbled);
    let (reader, writer) = split(pipe);
    let session = McpSession::connect(reader, writer, &Host::new("test", "0")).await;
    let called = session.unwrap().call("echo", Map::new(), LIMIT).await;
    (called.unwrap_err().to_string(), errors(&received))
}

/// Returns the message of the timeout of rmcp's client, and the error responses that it sent.
async fn call_by_rmcp(garbled: Garbage) -> (String, Vec<Json>) {
    let (pipe, received) = start_server(garbled);
    let client = ().serve(split(pipe)).await.unwrap();
    let mut options = PeerRequestOptions::no_options();
    options.timeout = Some(LIMIT);
    let call = CallToolRequest::new(CallToolRequestParams::new("echo"));
    let request = ClientRequest::CallToolRequest(call);
    let sent = client.send_cancellable_request(request, options).await;
    let called = sent.unwrap().await_response().await;
    (called.unwrap_err().to_string(), errors(&received))
}

#[tokio::test(start_paused = true)]
async fn our_timeout_error_quotes_a_garbled_answer_and_rmcps_does_not() {
    let quoted = "INFO connecting to the broker";
    let (words, _) = call_by_this_client(Garbage::LogLine).await;
    assert!(words.contains(quoted), "{words}");
    let (words, _) = call_by_rmcp(Garbage::LogLine).await;
    assert!(words.contains("timeout"), "{words}");
    assert!(!words.contains(quoted), "rmcp quotes it now: {words}");
}

#[tokio::test(start_paused = true)]
async fn our_client_does_not_reply_to_a_bad_line_and_rmcps_does() {
    let (words, errors) = call_by_this_client(Garbage::JsonLog).await;
    assert!(words.contains("ready"), "{words}");
    assert_eq!(errors, Vec::<Json>::new());
    let (_, errors) = call_by_rmcp(Garbage::JsonLog).await;
    assert_eq!(errors.len(), 1, "rmcp writes nothing back now");
    assert_eq!(errors[0]["error"]["code"], -32600);
}
