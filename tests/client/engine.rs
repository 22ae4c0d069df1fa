//! Shows why this crate does not use rmcp's client: that client replies to bad lines, and does not quote them in
//! a timeout error. Other tests show that this crate's client quotes bad lines and replies to none.

use std::time::Duration;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use rmcp::service::{PeerRequestOptions, ServiceExt};
use serde_json::Value as Json;

use crate::garbage::Garbage;
use crate::support::{LIMIT, initialized, pipe};

/// Calls a server that prints this line instead of an answer. Returns the timeout error, and the next message
/// from the client.
async fn call_with_rmcp(bad_line: Garbage) -> (String, Json) {
    let (reader, writer, mut peer) = pipe();
    let (client, ()) = tokio::join!(().serve((reader, writer)), async {
        loop {
            let message = peer.next().await;
            match message["method"].as_str() {
                Some("initialize") => peer.answer(&message, initialized("2025-11-25")).await,
                Some("notifications/initialized") => break,
                _ => peer.refuse(&message, -32601, "No").await,
            }
        }
    });
    let client = client.unwrap();
    let mut options = PeerRequestOptions::no_options();
    options.timeout = Some(LIMIT);
    let call = CallToolRequest::new(CallToolRequestParams::new("echo"));
    let request = ClientRequest::CallToolRequest(call);
    let sent = client.send_cancellable_request(request, options).await.unwrap();
    peer.expect("tools/call").await;
    peer.write(&bad_line.bytes()).await;
    let error = sent.await_response().await.unwrap_err();
    let next = tokio::time::timeout(Duration::from_secs(1), peer.next()).await;
    (error.to_string(), next.unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_timeout_error_of_rmcp_does_not_quote_a_bad_line() {
    let (error, _) = call_with_rmcp(Garbage::LogLine).await;
    assert!(error.contains("timeout"), "{error}");
    let line = "INFO connecting to the broker";
    assert!(!error.contains(line), "rmcp quotes the line now: {error}");
}

#[tokio::test(start_paused = true)]
async fn the_client_of_rmcp_replies_to_a_bad_line() {
    let (_, reply) = call_with_rmcp(Garbage::JsonLog).await;
    assert_eq!(reply["error"]["code"], -32600, "rmcp no longer replies");
}
