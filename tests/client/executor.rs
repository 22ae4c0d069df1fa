//! A model's calls: argument names, time, log, secrets, and errors as sentences.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use tokio::time::Instant;
use zwave_mcp_server::client::formats::anthropic;
use zwave_mcp_server::client::{
    CallError, Host, Limits, LocalTool, Redactor, ToolExecutor, ToolManager, ToolResult, normalized,
};

use crate::fixture::Log;
use crate::support::{Peer, session, text_result, tool};

/// An executor with a server's `control` and the host's own tools.
async fn executor(secrets: &[&str]) -> (Arc<ToolExecutor>, Peer) {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
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
    let own = |name: &str, schema: Json| {
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
    let none = json!({ "type": "object", "properties": {} });
    for name in ["slow", "endless", "panics", "fails"] {
        manager.add_local(own(name, none.clone()));
    }
    manager.add_local(own(
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
    let secrets = Redactor::new(secrets.iter().copied());
    let executor = ToolExecutor::new(manager, Limits::default(), secrets);
    (Arc::new(executor), peer)
}

fn begin(
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
fn names_are_put_right_by_the_list_first_and_then_from_snake_case() {
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
        // Known names stay, and so does what maps to nothing.
        (
            json!({ "deviceName": "Lamp", "room": "x" }),
            json!({ "deviceName": "Lamp", "room": "x" }),
        ),
        // The right name was sent as well: nothing is overwritten.
        (
            json!({ "device_name": "A", "deviceName": "B" }),
            json!({ "device_name": "A", "deviceName": "B" }),
        ),
    ] {
        assert_eq!(Json::from(normalized(&control, object(sent))), meant);
    }
    // Where the schema itself says so, or has no such argument, nothing is changed.
    let shell = tool(
        "shell",
        json!({ "type": "object", "properties": { "command": {} } }),
    );
    let sent = json!({ "command": "ls", "brightness": 1 });
    assert_eq!(Json::from(normalized(&shell, object(sent.clone()))), sent);
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
        let after = normalized(&tool, sent.clone());
        prop_assert_eq!(after.len(), sent.len());
        for (name, value) in &after {
            let before = value.as_str().unwrap();
            // A name stays, or an unknown one became a known one that was not sent.
            let renamed = !known.contains(before) && known.contains(name) && !names.contains(name);
            prop_assert!(name == before || renamed);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_servers_tool_gets_its_own_names_and_every_change_is_logged() {
    let (log, _guard) = Log::start();
    let (executor, mut peer) = executor(&[]).await;
    let arguments = json!({ "device_name": "Lamp", "command": "dim", "brightness": 40 });
    let called = begin(&executor, "control", arguments);
    let request = peer.expect("tools/call").await;
    assert_eq!(
        request["params"]["arguments"],
        json!({ "deviceName": "Lamp", "action": "dim", "level": 40 })
    );
    peer.answer(&request, text_result("ok")).await;
    called.await.unwrap().unwrap();
    for change in [
        "device_name → deviceName",
        "command → action",
        "brightness → level",
    ] {
        assert_eq!(log.with(change).len(), 1, "{change}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_hosts_own_tools_get_what_was_sent() {
    let (log, _guard) = Log::start();
    let (executor, _peer) = executor(&[]).await;
    let sent = json!({ "device_name": "Lamp", "level": 4 });
    let result = executor.call("note", sent.clone()).await.unwrap();
    assert_eq!(result.as_text(), sent.to_string());
    assert!(log.with("→").is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_calls_name_arguments_result_and_time_are_logged() {
    let (log, _guard) = Log::start();
    let (executor, mut peer) = executor(&[]).await;
    let called = begin(&executor, "control", json!({ "deviceName": "Lamp" }));
    let request = peer.expect("tools/call").await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    peer.answer(&request, text_result("It is on.")).await;
    called.await.unwrap().unwrap();
    let calls = log.with("tool call");
    assert!(
        calls[0].contains("control") && calls[0].contains("deviceName"),
        "{calls:?}"
    );
    let ended = log.with("tool result");
    assert!(
        ended[0].contains("It is on.") && ended[0].contains("ms=700"),
        "{ended:?}"
    );
    assert!(log.with("slow").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_of_more_than_a_second_is_warned_of() {
    let (log, _guard) = Log::start();
    let (executor, _peer) = executor(&[]).await;
    executor.call("slow", json!({})).await.unwrap();
    let slow = log.with("slow tool call");
    assert_eq!(slow.len(), 1);
    assert!(
        slow[0].contains("WARN") && slow[0].contains("ms=3000"),
        "{slow:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn after_30_seconds_a_call_ends_and_is_cancelled_at_the_server() {
    let (executor, mut peer) = executor(&[]).await;
    let start = Instant::now();
    let called = begin(&executor, "control", json!({ "deviceName": "Lamp" }));
    let request = peer.expect("tools/call").await;
    let error = called.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(
        error.to_string(),
        "control did not answer within 30 s and was cancelled; it may or may not have been done."
    );
    let cancelled = peer.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    let start = Instant::now();
    let error = executor.call("endless", json!({})).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }));
    assert_eq!(start.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_a_warning_in_the_log_and_a_sentence_with_the_names_there_are() {
    let (log, _guard) = Log::start();
    let (executor, _peer) = executor(&[]).await;
    let error = executor.call("lights", json!({})).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "There is no tool \"lights\". There are: control, slow, endless, panics, fails, note."
    );
    assert!(
        log.with("There is no tool")
            .iter()
            .all(|line| line.contains("WARN"))
    );
    assert_eq!(log.with("There is no tool").len(), 1);
    let result = ToolResult::from(error);
    assert!(result.is_error);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_lists_20_names_at_the_most_each_as_it_is_offered() {
    let manager = Arc::new(ToolManager::default());
    for number in 0..1000 {
        let name = format!("{number}/{}", "x".repeat(1000));
        let none = json!({ "type": "object" });
        let tool = LocalTool::new(&name, "The host's own.", none, |_| async {
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
async fn a_call_by_the_offered_name_and_keys_reaches_the_right_tool_under_its_own() {
    let (session, mut peer) = session(&Host::new("test", "0")).await;
    let manager = Arc::new(ToolManager::default());
    let schema = json!({ "type": "object", "properties": { "filter[id]": { "type": "number" } } });
    let tools = ["a/b", "a.b"].map(|name| json!({ "name": name, "inputSchema": schema }));
    let (added, ()) = tokio::join!(manager.add_server(session), async {
        let request = peer.expect("tools/list").await;
        peer.answer(&request, json!({ "tools": tools })).await;
    });
    added.unwrap();
    let none = json!({ "type": "object", "properties": { "größe": { "type": "number" } } });
    let own = |arguments: Map<String, Json>| async { Ok(Json::Object(arguments).to_string()) };
    manager.add_local(LocalTool::new("a b", "The host's own.", none, own).unwrap());
    let offered = anthropic::tools(&manager.tools());
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    let executor = Arc::new(executor);
    let calls = offered.iter().map(|tool| {
        let properties = tool["input_schema"]["properties"].as_object().unwrap();
        let arguments: Map<_, _> = properties
            .keys()
            .map(|key| (key.clone(), json!(1)))
            .collect();
        begin(&executor, tool["name"].as_str().unwrap(), arguments.into())
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

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_is_a_warning_in_the_log() {
    let (log, _guard) = Log::start();
    let (executor, _peer) = executor(&[]).await;
    executor.call("fails", json!({})).await.unwrap();
    let failed = log.with("The printer is out of paper.");
    assert_eq!(failed.len(), 1);
    assert!(
        failed[0].contains("WARN") && failed[0].contains("ms=") && failed[0].contains("fails"),
        "{failed:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_none_is_no_success() {
    let (executor, mut peer) = executor(&[]).await;
    for block in [
        json!({ "type": "text", "text": 42 }),
        json!({ "type": "text" }),
    ] {
        let called = begin(&executor, "control", json!({}));
        peer.answer_call(json!({ "content": [block] })).await;
        let error = called.await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::FateUnknown { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("a text in its content is none"), "{text}");
        assert!(text.contains(&block.to_string()), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_that_cannot_be_used_are_an_error_with_the_parameters_it_takes() {
    let (executor, _peer) = executor(&[]).await;
    for (arguments, why) in [
        (json!([1]), "they must be a JSON object"),
        (
            json!("kitchen"),
            "they are no JSON (expected value at line 1 column 1)",
        ),
    ] {
        let error = executor.call("control", arguments).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "Invalid arguments for control: {why}. It takes deviceName (string, required), \
                 action (string), level (number), pinCode (string)."
            )
        );
    }
    for (arguments, why) in [
        (json!({}), "level is missing"),
        (
            json!({ "level": "5" }),
            "level must be of the type integer, not \"5\"",
        ),
        (
            json!({ "level": 1.5 }),
            "level must be of the type integer, not 1.5",
        ),
        (
            json!({ "level": 101 }),
            "level must be at most 100, not 101",
        ),
        (json!({ "level": -1 }), "level must be at least 0, not -1"),
        (
            json!({ "level": 1, "how": "loud" }),
            "how must be one of [\"big\",\"small\"], not \"loud\"",
        ),
        (json!({ "level": 1, "volume": 1 }), "there is no volume"),
    ] {
        let error = executor
            .call("note", arguments)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_may_be_an_object_as_a_json_string_or_nothing() {
    let (executor, mut peer) = executor(&[]).await;
    for (sent, meant) in [
        (
            json!("{\"deviceName\": \"Lamp\"}"),
            json!({ "deviceName": "Lamp" }),
        ),
        (json!(null), json!({})),
        (json!(""), json!({})),
        (json!("null"), json!({})),
    ] {
        let called = begin(&executor, "control", sent);
        let request = peer.expect("tools/call").await;
        assert_eq!(request["params"]["arguments"], meant);
        peer.answer(&request, text_result("ok")).await;
        called.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_server_is_passed_on_unchanged() {
    let (executor, mut peer) = executor(&[]).await;
    let called = begin(&executor, "control", json!({}));
    let request = peer.expect("tools/call").await;
    peer.refuse(&request, -32602, "deviceName, please").await;
    let error = called.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "deviceName, please");
    assert!(
        matches!(error, CallError::Refused { code: -32602, .. }),
        "{error:?}"
    );
    let called = begin(&executor, "control", json!({}));
    let request = peer.expect("tools/call").await;
    let mut failed = text_result("There is no \"Lampe\". Near names: Lamp.");
    failed["isError"] = true.into();
    peer.answer(&request, failed).await;
    let result = called.await.unwrap().unwrap();
    assert!(result.is_error);
    assert_eq!(result.as_text(), "There is no \"Lampe\". Near names: Lamp.");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_gone_is_a_sentence_and_says_whether_something_may_have_happened() {
    let (executor, mut peer) = executor(&[]).await;
    let called = begin(&executor, "control", json!({}));
    peer.expect("tools/call").await;
    drop(peer);
    assert_eq!(
        called.await.unwrap().unwrap_err().to_string(),
        "control may or may not have been done: the server broke off: it closed its stdout."
    );
    assert_eq!(
        executor
            .call("control", json!({}))
            .await
            .unwrap_err()
            .to_string(),
        "The service of control is not reachable (it closed its stdout). Nothing was done."
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_of_the_host_that_fails_or_panics_fails_alone() {
    let (executor, _peer) = executor(&[]).await;
    let result = executor.call("fails", json!({})).await.unwrap();
    assert!(result.is_error);
    assert_eq!(result.as_text(), "The printer is out of paper.");
    let result = executor.call("panics", json!({})).await.unwrap();
    assert!(result.is_error);
    assert_eq!(
        result.as_text(),
        "panics broke down; this is a fault in the host."
    );
    assert!(executor.call("slow", json!({})).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn secrets_never_reach_the_log_by_key_or_by_value_at_any_depth() {
    let (log, _guard) = Log::start();
    let (executor, mut peer) = executor(&["hunter2", "4711"]).await;
    let arguments = json!({
        "deviceName": "Lamp hunter2",
        "level": 4711,
        "pinCode": "0815",
        "deep": [{ "api_key": "k3y", "note": "{\"mqttPassword\": \"s3cret\", \"x\": \"hunter2\"}" }],
    });
    let called = begin(&executor, "control", arguments.clone());
    let request = peer.expect("tools/call").await;
    // The server gets what was sent.
    assert_eq!(request["params"]["arguments"], arguments);
    peer.answer(
        &request,
        text_result("{\"token\": \"t0ken\", \"by\": \"hunter2\"}"),
    )
    .await;
    let result = called.await.unwrap().unwrap();
    assert!(result.as_text().contains("t0ken"));
    let text = log.text();
    assert!(text.contains("Lamp ***"), "{text}");
    for secret in ["hunter2", "4711", "0815", "k3y", "s3cret", "t0ken"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
}

proptest! {
    #[test]
    fn a_known_secret_is_found_wherever_it_stands(
        secret in "[a-z0-9]{6,12}", before in "[ A-Z]{0,5}", depth in 0usize..20, nested in any::<bool>()
    ) {
        let mut json = json!(format!("{before}{secret}"));
        for _ in 0..depth {
            json = json!({ "a": [json, 1] });
        }
        if nested {
            json = json!(json.to_string());
        }
        let clean = Redactor::new([secret.clone()]).json(&json).to_string();
        prop_assert!(!clean.contains(&secret), "{}", clean);
    }
}
