//! A model's calls: argument names, offered names, the error for an unknown tool, and secrets.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::client::formats::anthropic;
use zwave_mcp_server::client::{
    CallError, Host, Limits, LocalTool, McpSession, Redactor, ToolExecutor, ToolManager,
    ToolResult, rename_arguments,
};

use crate::support::{Peer, start_session, text_result, tool};

/// Returns an executor with a server's tool `control` and several of the host's own tools.
pub async fn executor_of(
    session: Arc<McpSession>,
    peer: &mut Peer,
    secrets: &[String],
) -> Arc<ToolExecutor> {
    let manager = Arc::new(ToolManager::default());
    let schema = json!({
        "type": "object",
        "properties": {
            "deviceName": { "type": "string" }, "action": { "type": "string" },
            "level": { "type": "number" }, "pinCode": { "type": "string" },
        },
        "required": ["deviceName"],
    });
    let listed = json!({ "tools": [{ "name": "control", "inputSchema": schema }] });
    let (added, ()) = tokio::join!(manager.add_server(session), async {
        let request = peer.expect("tools/list").await;
        peer.answer(&request, listed).await;
    });
    added.unwrap();
    let local_tool = |name: &str, schema: Json| {
        let name = name.to_owned();
        LocalTool::new(&name.clone(), "The host's own.", schema, move |arguments| {
            let name = name.clone();
            async move {
                match name.as_str() {
                    "slow" => tokio::time::sleep(Duration::from_secs(3)).await,
                    "endless" => std::future::pending::<()>().await,
                    "panics" => panic!("on purpose"),
                    "fails" => return Err("The printer is out of paper.".to_owned()),
                    _ => {}
                }
                Ok(Json::Object(arguments).to_string())
            }
        })
        .unwrap()
    };
    let no_parameters = json!({ "type": "object", "properties": {} });
    for name in ["slow", "endless", "panics", "fails"] {
        manager.add_local(local_tool(name, no_parameters.clone()));
    }
    manager.add_local(local_tool(
        "note",
        json!({
            "type": "object",
            "properties": {
                "deviceName": { "type": "string" },
                "device_name": { "type": "string" },
                "level": { "type": "integer", "minimum": 0, "maximum": 100 },
                "how": { "type": "string", "enum": ["big", "small"] },
            },
            "required": ["level"],
        }),
    ));
    let secrets = Redactor::new(secrets.to_vec());
    Arc::new(ToolExecutor::new(manager, Limits::default(), secrets))
}

fn start_call(
    executor: &Arc<ToolExecutor>,
    tool: &str,
    arguments: Json,
) -> tokio::task::JoinHandle<Result<ToolResult, CallError>> {
    let (executor, tool) = (Arc::clone(executor), tool.to_owned());
    tokio::spawn(async move { executor.call(&tool, arguments).await })
}

fn object(json: Json) -> Map<String, Json> {
    json.as_object().unwrap().clone()
}

#[test]
fn argument_names_are_corrected_with_known_aliases_first_and_then_by_converting_snake_case() {
    let properties = json!({ "deviceName": {}, "action": {}, "level": {}, "colorTemperature": {} });
    let control = tool(
        "control",
        json!({ "type": "object", "properties": properties }),
    );
    for (sent, meant) in [
        (
            json!({ "device_name": "Lamp", "command": "dim", "brightness": 40 }),
            json!({ "deviceName": "Lamp", "action": "dim", "level": 40 }),
        ),
        (
            json!({ "color_temperature": 1 }),
            json!({ "colorTemperature": 1 }),
        ),
        // Names in the schema are kept, and so are names without a correction.
        (
            json!({ "deviceName": "Lamp", "room": "x" }),
            json!({ "deviceName": "Lamp", "room": "x" }),
        ),
        // Nothing is renamed, because the right name was sent as well.
        (
            json!({ "device_name": "A", "deviceName": "B" }),
            json!({ "device_name": "A", "deviceName": "B" }),
        ),
    ] {
        assert_eq!(Json::from(rename_arguments(&control, object(sent))), meant);
    }
    // Nothing is renamed: the schema has "command", and has no "level" to replace "brightness".
    let shell = tool(
        "shell",
        json!({ "type": "object", "properties": { "command": {} } }),
    );
    let sent = json!({ "command": "ls", "brightness": 1 });
    assert_eq!(
        Json::from(rename_arguments(&shell, object(sent.clone()))),
        sent
    );
}

proptest! {
    #[test]
    fn no_argument_is_ever_lost_or_overwritten(
        names in prop::collection::btree_set("[a-c]_?[a-c]|deviceName|device_name|command", 0..8),
        known in prop::collection::btree_set("[a-c][A-C]?|deviceName|action", 0..8),
    ) {
        let properties: Map<String, Json> =
            known.iter().map(|name| (name.clone(), json!({}))).collect();
        let tool = tool("t", json!({ "type": "object", "properties": properties }));
        let sent: Map<String, Json> =
            names.iter().map(|name| (name.clone(), json!(name))).collect();
        let after = rename_arguments(&tool, sent.clone());
        prop_assert_eq!(after.len(), sent.len());
        for (name, value) in &after {
            let before = value.as_str().unwrap();
            // Either the name is kept, or an unknown name became a known name that was not sent.
            let renamed = !known.contains(before) && known.contains(name) && !names.contains(name);
            prop_assert!(name == before || renamed);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_error_for_an_unknown_tool_lists_at_most_20_offered_names() {
    let manager = Arc::new(ToolManager::default());
    for number in 0..1000 {
        let name = format!("{number}/{}", "x".repeat(1000));
        let schema = json!({ "type": "object" });
        let tool = LocalTool::new(&name, "The host's own.", schema, |_| async {
            Ok(String::new())
        });
        manager.add_local(tool.unwrap());
    }
    let offered = anthropic::tools(&manager.tools());
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    let error = executor.call("lights", json!({})).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.ends_with(" and 980 more.") && text.len() < 2000,
        "{text}"
    );
    assert_eq!(text.matches(", ").count(), 19, "{text}");
    assert!(
        text.contains(offered[19]["name"].as_str().unwrap()),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_offered_names_of_a_tool_and_its_arguments_become_the_original_names_in_the_call() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let manager = Arc::new(ToolManager::default());
    let schema = json!({ "type": "object", "properties": { "filter[id]": { "type": "number" } } });
    let tools = ["a/b", "a.b"].map(|name| json!({ "name": name, "inputSchema": schema }));
    let (added, ()) = tokio::join!(manager.add_server(session), async {
        let request = peer.expect("tools/list").await;
        peer.answer(&request, json!({ "tools": tools })).await;
    });
    added.unwrap();
    let schema = json!({ "type": "object", "properties": { "größe": { "type": "number" } } });
    let echo = |arguments: Map<String, Json>| async { Ok(Json::Object(arguments).to_string()) };
    manager.add_local(LocalTool::new("a b", "The host's own.", schema, echo).unwrap());
    let offered = anthropic::tools(&manager.tools());
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    let executor = Arc::new(executor);
    let calls = offered.iter().map(|tool| {
        let properties = tool["input_schema"]["properties"].as_object().unwrap();
        let arguments: Map<_, _> = properties.keys().map(|key| (key.clone(), json!(1))).collect();
        start_call(&executor, tool["name"].as_str().unwrap(), arguments.into())
    });
    let calls: Vec<_> = calls.collect();
    for name in ["a/b", "a.b"] {
        let request = peer.expect("tools/call").await;
        assert_eq!(
            request["params"],
            json!({ "name": name, "arguments": { "filter[id]": 1 } })
        );
        peer.answer(&request, text_result(name)).await;
    }
    let mut texts = Vec::new();
    for call in calls {
        texts.push(call.await.unwrap().unwrap().as_text());
    }
    assert_eq!(texts, ["a/b", "a.b", "{\"größe\":1}"]);
}

proptest! {
    #[test]
    fn a_known_secret_is_redacted_at_any_position(
        secret in "[a-z0-9]{6,12}", before in "[ A-Z]{0,5}", depth in 0usize..20, nested in any::<bool>()
    ) {
        let mut json = json!(format!("{before}{secret}"));
        for _ in 0..depth {
            json = json!({ "a": [json, 1] });
        }
        if nested {
            json = json!(json.to_string());
        }
        let clean = Redactor::new([secret.clone()]).redact_json(&json).to_string();
        prop_assert!(!clean.contains(&secret), "{}", clean);
    }

    #[test]
    fn a_known_secret_is_redacted_in_any_line(
        before in "\\PC{0,20}", secret in "[a-z0-9]{4,12}", after in "\\PC{0,20}"
    ) {
        let line = format!("{before}{secret}{after}");
        let clean = Redactor::new([secret.clone()]).redact_line(&line);
        prop_assert!(!clean.contains(&secret), "{}", clean);
    }
}
