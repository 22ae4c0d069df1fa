//! The client works with MCP's reference server from npm, which is not ours.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use zwave_mcp_server::client::formats::{ToolCall, anthropic, ollama, openai};
use zwave_mcp_server::client::{
    CallError, ClientError, Connection, Limits, Program, Redactor, ServerEvent, Tool, ToolExecutor,
    ToolManager,
};

use crate::accepted::{
    assert_accepted_by_anthropic, assert_accepted_by_ollama, assert_accepted_by_openai,
};
use crate::needs;
use crate::support::listening_host;

fn reference_server() -> Program {
    let path = needs::everything().expect(
        "ZWAVE_TEST_EVERYTHING must be the path of mcp-server-everything; scripts/test.sh installs it",
    );
    Program::new(path, ["stdio"])
}

fn check_conversions(tools: &[Tool]) {
    let before = tools.to_vec();
    for (tool, converted) in tools.iter().zip(ollama::tools(tools)) {
        assert_accepted_by_ollama(&converted);
        assert_eq!(converted["function"]["name"], tool.name);
    }
    anthropic::tools(tools).iter().for_each(assert_accepted_by_anthropic);
    assert_accepted_by_openai(&openai::tools(tools));
    assert_eq!(tools, before);
    let converted = ollama::tools(tools);
    let mut functions = converted.iter().map(|tool| &tool["function"]);
    let link = functions.find(|function| function["name"] == "get-resource-links").unwrap();
    assert_eq!(
        link["parameters"]["properties"]["count"]["description"],
        "Number of resource links to return (1-10). From 1 to 10. Default 3."
    );
}

#[tokio::test]
async fn the_tools_of_the_reference_server_can_be_listed_and_called_and_a_long_call_times_out() {
    needs!(everything);
    let (mut host, heard) = listening_host();
    // Node starts slowly on a busy machine.
    host.limits.attempt = Duration::from_secs(60);
    let server = Arc::new(Connection::new(reference_server(), host));
    server.connect().await.unwrap();
    assert_eq!(server.info().unwrap().name, "mcp-servers/everything");
    let manager = Arc::new(ToolManager::default());
    assert!(manager.add_server(server.clone()).await.unwrap() >= 10);
    check_conversions(&manager.tools());
    let limits = Limits {
        call: Duration::from_secs(5),
        ..Limits::default()
    };
    let executor = ToolExecutor::new(manager, limits, Redactor::default());
    let text = executor.call("echo", json!({ "message": "grüß dich" })).await.unwrap();
    assert_eq!(text.as_text(), "Echo: grüß dich");
    let sum = executor.call("get-sum", json!("{\"a\": 2, \"b\": 3}")).await.unwrap();
    assert!(sum.as_text().contains('5'), "{sum:?}");
    let call = ToolCall {
        id: Some("t".to_owned()),
        name: "get-tiny-image".to_owned(),
        arguments: json!({}),
    };
    let image = executor.call("get-tiny-image", json!({})).await.unwrap();
    let result = anthropic::tool_result(&call, &image);
    let kinds = result["content"].as_array().unwrap().iter().map(|block| &block["type"]);
    assert!(kinds.clone().any(|kind| kind == "image"), "{result}");
    let wrong = executor.call("get-sum", json!({ "a": "x" })).await.unwrap();
    assert!(wrong.is_error, "{wrong:?}");

    let start = Instant::now();
    let arguments = json!({ "duration": 100, "steps": 100 });
    let long = executor.call("trigger-long-running-operation", arguments).await;
    let Err(CallError::NoResult { reason, .. }) = &long else {
        panic!("{long:?}");
    };
    assert!(matches!(reason, ClientError::TimedOut { .. }), "{long:?}");
    assert!(start.elapsed() < Duration::from_secs(50));
    let text = executor.call("echo", json!({ "message": "still there" })).await.unwrap();
    assert_eq!(text.as_text(), "Echo: still there");
    server.close().await.unwrap();
    let heard = heard.lock().unwrap();
    assert!(!heard.iter().any(|event| matches!(event, ServerEvent::BadLine(_))));
}
