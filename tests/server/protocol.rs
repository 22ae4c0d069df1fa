//! Sessions of every protocol revision, and requests without a session.

use serde_json::{Value as Json, json};

use crate::{House, Server};

/// Adds the metadata that a request without a session needs, such as the capabilities of its host.
pub fn stateless(mut params: Json, capabilities: &Json) -> Json {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

#[tokio::test(start_paused = true)]
async fn every_protocol_revision_is_served() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = Server::spawn_demo(&[]).await;
        let params = json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" },
        });
        let answer = server.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], revision);
        assert!(server.list("").await.starts_with("16 devices"));
    }
    let mut server = Server::spawn_demo(&[]).await;
    let no_capabilities = json!({});
    let found = server.request("server/discover", stateless(json!({}), &no_capabilities)).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let call = json!({ "name": "list_zwave_devices", "arguments": {} });
    let listed = server.request("tools/call", stateless(call, &no_capabilities)).await;
    let text = listed["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("16 devices"), "{listed}");
}

#[tokio::test(start_paused = true)]
async fn a_notification_before_the_first_request_is_ignored() {
    let mut server = Server::spawn_demo(&[]).await;
    let early = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    server.send(&early).await;
    server.initialize().await;
    assert!(server.list("").await.starts_with("16 devices"));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_a_protocol_error_and_a_read_only_server_has_no_control_tool() {
    let mut server = Server::demo(&["--read-only"]).await;
    let tools = server.request("tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
    let params = json!({ "name": "control_zwave_device", "arguments": {} });
    let answer = server.request("tools/call", params).await;
    assert_eq!(answer["error"]["code"], -32602);
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.contains("read-only"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_method_is_refused_in_a_short_and_harmless_text() {
    let mut server = Server::demo(&[]).await;
    let method = format!("{}{}", crate::bounds::HOSTILE, "x".repeat(100_000));
    let answer = server.request(&method, json!({})).await;
    assert_eq!(answer["error"]["code"], -32601);
    let text = answer["error"]["message"].as_str().unwrap();
    crate::bounds::assert_harmless(text, 300);
    assert!(
        text.starts_with("Unknown method \"x - Front Door"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_before_its_turn_is_not_carried_out() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    let on = json!({ "deviceName": "dead plug", "action": "on" });
    let params = json!({ "name": "control_zwave_device", "arguments": on });
    let first = server.begin_control("dead plug", "on").await;
    let (id, _second) = server.begin("tools/call", params).await;
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    });
    server.send(&cancelled).await;
    first.answer().await.assert_certainty("failed");
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(house.written_to(), [20]);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_uses_resources_is_not_notified_of_them() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    house.rename(3, "Reading Light", "Office");
    house.by_hand(4, "37-0-currentValue", json!(true));
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert!(server.list("office").await.contains("Reading Light"));
    assert_eq!(server.messages(), Vec::<Json>::new());
}

#[tokio::test(start_paused = true)]
async fn a_served_method_is_never_refused_as_unknown() {
    let mut server = Server::demo(&[]).await;
    for method in [
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        let answer = server.request(method, json!({ "uri": 5 })).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains("params"), "{method}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_method_of_a_capability_that_is_not_declared_is_unknown() {
    let mut server = Server::demo(&[]).await;
    for method in [
        "prompts/list",
        "prompts/get",
        "logging/setLevel",
        "completion/complete",
    ] {
        let params = json!({ "name": "x", "level": "info" });
        let answer = server.request(method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_describes_itself_in_another_form_is_served() {
    let icons = json!([{ "src": "a.png", "sizes": "48x48", "theme": "sepia" }]);
    let info = json!({ "name": "test", "version": "0", "icons": icons, "title": 5 });
    let capabilities = json!({
        "experimental": { "x": true }, "roots": true, "sampling": { "context": 1 },
        "extensions": { "a/b": true }, "elicitation": {},
    });
    let mut server = Server::spawn_demo(&[]).await;
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info,
    });
    let answer = server.request("initialize", params).await;
    assert_eq!(
        answer["result"]["protocolVersion"], "2025-11-25",
        "{answer}"
    );
    let mut server = Server::spawn_demo(&[]).await;
    let mut params = stateless(json!({}), &capabilities);
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = info;
    let answer = server.request("tools/list", params).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_no_list_gave_is_an_error() {
    let mut server = Server::demo(&[]).await;
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        let answer = server.request(method, json!({ "cursor": "made up" })).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        let answer = server.request(method, json!({})).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_result_without_a_session_says_which_server_it_is_from() {
    const SERVER: &str = "io.modelcontextprotocol/serverInfo";
    let mut server = Server::spawn_demo(&[]).await;
    let call = json!({ "name": "list_zwave_devices", "arguments": {} });
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/call", call.clone()),
        ("resources/read", json!({ "uri": "zwave://devices" })),
    ] {
        let answer = server.request(method, stateless(params, &json!({}))).await;
        let info = &answer["result"]["_meta"][SERVER];
        assert_eq!(info["name"], "zwave-mcp-server", "{method}: {answer}");
    }
    let mut server = Server::demo(&[]).await;
    let answer = server.request("tools/call", call).await;
    assert!(answer["result"]["_meta"].get(SERVER).is_none(), "{answer}");
}
