//! A panic in a tool call becomes an answer for that call, and the session lives on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use zwave_mcp_server::gateway::{GatewaySettings, Gateways, memory};
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::mcp::{Policy, serve};

#[tokio::test]
async fn a_panic_becomes_an_error_answer_and_the_next_call_works() {
    let broken = Arc::new(AtomicBool::new(false));
    let breaks = Arc::clone(&broken);
    let (near, _far) = memory::pair();
    let gateway = Gateways::start(
        near,
        GatewaySettings {
            prefix: "zwave".to_owned(),
            gateways: Vec::new(),
            exposure: Exposure::default(),
            reply_timeout: Duration::from_millis(100),
            confirm_timeout: Duration::from_millis(100),
            clock: Arc::new(move || {
                assert!(!breaks.load(Ordering::SeqCst), "the clock is broken");
                Timestamp(1)
            }),
            process: 1,
        },
    );
    let (host, server) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(server);
    let serving = tokio::spawn(serve(
        reader,
        writer,
        Box::new(|| false),
        gateway,
        Policy::default(),
    ));
    let (answers, mut requests) = tokio::io::split(host);
    let mut answers = BufReader::new(answers).lines();
    let mut ask = async |id: u64, method: &str, params: Json| -> Json {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let line = format!("{request}\n");
        requests.write_all(line.as_bytes()).await.unwrap();
        serde_json::from_str(&answers.next_line().await.unwrap().unwrap()).unwrap()
    };
    let info = json!({ "name": "test", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    ask(1, "initialize", hello).await;
    tokio::time::sleep(Duration::from_millis(50)).await;

    broken.store(true, Ordering::SeqCst);
    let call = json!({ "name": "list_zwave_devices", "arguments": {} });
    let answer = ask(2, "tools/call", call.clone()).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        answer["result"]["_meta"]["zwave-mcp-server/certainty"],
        "unknown"
    );
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("Something went wrong inside the server"),
        "{text}"
    );

    broken.store(false, Ordering::SeqCst);
    let answer = ask(3, "tools/call", call).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("No zwave-js-ui gateway was found"), "{text}");
    drop(ask);
    drop(requests);
    drop(answers);
    serving.await.unwrap().unwrap();
}
