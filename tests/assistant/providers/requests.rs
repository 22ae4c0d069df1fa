//! The requests to each provider have the documented fields, even if another provider's model made earlier calls.

use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::{Conversation, Provider, ProviderSettings, Turn};
use zwave_mcp_server::client::formats::ToolCall;
use zwave_mcp_server::client::{Tool, ToolResult};

use super::{
    KEY, MODEL, client_at, client_with, content_type, conversation, limits, settings, tools,
};
use crate::stand_in::{Answer, Request, StandIn};

/// Returns the request that a client sends. The answer is garbage, because only the request matters.
async fn send_request(provider: Provider, conversation: &Conversation, tools: &[Tool]) -> Request {
    let stand_in = StandIn::new([Answer::stream(content_type(provider), ["-"])]).await;
    let client = client_at(provider, &stand_in.address, limits());
    let reply = client.reply(conversation, tools, &mut |_| {}).await;
    assert!(reply.is_err());
    stand_in.requests().remove(0)
}

/// Returns a conversation with two calls in one reply, and then a call whose arguments are not JSON. Providers
/// reject the ids of the first two calls. The first call has no result, and the third has no id.
fn long_conversation() -> Conversation {
    let call = |id: Option<&str>, name: &str, arguments: Json| ToolCall {
        id: id.map(str::to_owned),
        name: name.to_owned(),
        arguments,
    };
    let first = call(Some("läuft/1"), "control", json!({ "device": "Küche" }));
    let second = call(Some("läuft/2"), "files/read", json!({}));
    let third = call(None, "control", "{\"dev".into());
    let mut conversation = conversation();
    conversation.turns.extend([
        Turn::Model {
            text: String::new(),
            calls: vec![first, second.clone()],
        },
        Turn::Called {
            call: second,
            result: Box::new(ToolResult::text("empty")),
        },
        Turn::Model {
            text: "Again.".to_owned(),
            calls: vec![third.clone()],
        },
        Turn::Called {
            call: third,
            result: Box::new(ToolResult::failure("The arguments are not JSON.")),
        },
        Turn::Person("thanks".to_owned()),
    ]);
    conversation
}

/// Returns [`tools`] in the format of Ollama and `OpenAI`.
fn function() -> Json {
    json!([{
        "type": "function",
        "function": {
            "name": "control",
            "description": "Controls a lamp.",
            "parameters": {
                "type": "object",
                "properties": { "device": { "type": "string" } },
                "required": ["device"],
            },
        },
    }])
}

#[tokio::test]
async fn requests_to_anthropic_are_as_documented() {
    let request = send_request(Provider::Anthropic, &long_conversation(), &tools()).await;
    assert_eq!(request.line, "POST /v1/messages HTTP/1.1");
    for header in [
        "anthropic-version: 2023-06-01".to_owned(),
        format!("x-api-key: {KEY}"),
        "content-type: application/json".to_owned(),
    ] {
        assert!(request.headers.contains(&header), "{:?}", request.headers);
    }
    let result = |id: &str, text: &str, is_error: bool| {
        json!({
            "type": "tool_result",
            "tool_use_id": id,
            "content": [{ "type": "text", "text": text }],
            "is_error": is_error,
        })
    };
    let name = &request.body["messages"][1]["content"][1]["name"];
    let is_valid = |character: char| character.is_ascii_alphanumeric() || character == '_';
    assert!(name.as_str().unwrap().chars().all(is_valid), "{name}");
    assert_eq!(
        request.body,
        json!({
            "model": MODEL,
            "max_tokens": 2048,
            "stream": true,
            "system": "Be short.",
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "kitchen on" }] },
                { "role": "assistant", "content": [
                    { "type": "tool_use", "id": "call_1", "name": "control", "input": { "device": "Küche" } },
                    { "type": "tool_use", "id": "call_2", "name": name, "input": {} },
                ] },
                { "role": "user", "content": [
                    result("call_2", "empty", false),
                    result("call_1", "This call was not made.", true),
                ] },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "Again." },
                    { "type": "tool_use", "id": "call_3", "name": "control", "input": {} },
                ] },
                { "role": "user", "content": [
                    result("call_3", "The arguments are not JSON.", true),
                    { "type": "text", "text": "thanks" },
                ] },
            ],
            "tools": [{
                "name": "control",
                "description": "Controls a lamp.",
                "input_schema": {
                    "type": "object",
                    "properties": { "device": { "type": "string" } },
                    "required": ["device"],
                },
            }],
        })
    );
}

#[tokio::test]
async fn requests_to_ollama_are_as_documented() {
    let request = send_request(Provider::Ollama, &long_conversation(), &tools()).await;
    assert_eq!(request.line, "POST /api/chat HTTP/1.1");
    let name = &request.body["messages"][2]["tool_calls"][1]["function"]["name"];
    assert_eq!(
        request.body,
        json!({
            "model": MODEL,
            "stream": true,
            "think": false,
            "messages": [
                { "role": "system", "content": "Be short." },
                { "role": "user", "content": "kitchen on" },
                { "role": "assistant", "content": "", "tool_calls": [
                    { "function": { "name": "control", "arguments": { "device": "Küche" } } },
                    { "function": { "name": name, "arguments": {} } },
                ] },
                { "role": "tool", "tool_name": name, "content": "empty" },
                { "role": "tool", "tool_name": "control", "content": "This call was not made." },
                { "role": "assistant", "content": "Again.", "tool_calls": [
                    { "function": { "name": "control", "arguments": {} } },
                ] },
                { "role": "tool", "tool_name": "control", "content": "The arguments are not JSON." },
                { "role": "user", "content": "thanks" },
            ],
            "tools": function(),
        })
    );
}

#[tokio::test]
async fn requests_to_openai_are_as_documented() {
    let request = send_request(Provider::OpenAi, &long_conversation(), &tools()).await;
    assert_eq!(request.line, "POST /v1/chat/completions HTTP/1.1");
    let header = format!("authorization: Bearer {KEY}");
    assert!(request.headers.contains(&header), "{:?}", request.headers);
    let name = &request.body["messages"][2]["tool_calls"][1]["function"]["name"];
    let call = |id: &str, name: &Json, arguments: &str| {
        json!({
            "id": id,
            "type": "function",
            "function": { "name": name, "arguments": arguments },
        })
    };
    assert_eq!(
        request.body,
        json!({
            "model": MODEL,
            "stream": true,
            "messages": [
                { "role": "system", "content": "Be short." },
                { "role": "user", "content": "kitchen on" },
                { "role": "assistant", "content": "", "tool_calls": [
                    call("call_1", &"control".into(), "{\"device\":\"Küche\"}"),
                    call("call_2", name, "{}"),
                ] },
                { "role": "tool", "tool_call_id": "call_2", "content": "empty" },
                { "role": "tool", "tool_call_id": "call_1", "content": "This call was not made." },
                { "role": "assistant", "content": "Again.", "tool_calls": [
                    call("call_3", &"control".into(), "{}"),
                ] },
                { "role": "tool", "tool_call_id": "call_3", "content": "The arguments are not JSON." },
                { "role": "user", "content": "thanks" },
            ],
            "tools": function(),
        })
    );
}

/// Providers refuse requests with empty lists or texts.
#[tokio::test]
async fn empty_lists_and_texts_are_left_out() {
    let conversation = Conversation {
        system: " ".to_owned(),
        turns: vec![
            Turn::Person(String::new()),
            Turn::Person("kitchen on".to_owned()),
            Turn::Model {
                text: String::new(),
                calls: Vec::new(),
            },
            Turn::Person("please".to_owned()),
        ],
        ..Conversation::default()
    };
    for provider in Provider::ALL {
        let body = send_request(provider, &conversation, &[]).await.body;
        assert!(body.get("tools").is_none(), "{body}");
        assert!(!body.to_string().contains("\"system\""), "{body}");
        assert!(!body.to_string().contains("assistant"), "{body}");
        assert!(!body.to_string().contains("\"\""), "{body}");
    }
}

/// The tool is offered under another name, because providers reject its original name.
#[tokio::test]
async fn a_call_gets_the_tools_original_name_back() {
    let tools = [Tool::read(json!({ "name": "files/read", "inputSchema": {} })).unwrap()];
    let stand_in = StandIn::new([Answer::with_status(400, "")]).await;
    let client = client_at(Provider::Ollama, &stand_in.address, limits());
    let _ = client.reply(&conversation(), &tools, &mut |_| {}).await;
    let offered = stand_in.requests()[0].body["tools"][0]["function"]["name"].clone();
    let line = json!({
        "message": { "tool_calls": [{ "function": { "name": offered, "arguments": {} } }] },
        "done": true,
    });
    stand_in.add(Answer::stream(
        content_type(Provider::Ollama),
        [line.to_string()],
    ));
    let reply = client.reply(&conversation(), &tools, &mut |_| {}).await;
    assert_eq!(reply.unwrap().calls[0].name, "files/read");
}

#[tokio::test]
async fn the_model_must_call_the_only_offered_tool_if_the_settings_say_so() {
    let mut two_tools = [tools(), tools()].concat();
    two_tools[1].name = "another".to_owned();
    let openai = json!({ "type": "function", "function": { "name": "control" } });
    let anthropic = json!({ "type": "tool", "name": "control" });
    for (provider, choice) in [
        (Provider::OpenAi, openai),
        (Provider::Anthropic, anthropic),
        // Ollama's API has no field `tool_choice`.
        (Provider::Ollama, Json::Null),
    ] {
        for (must_call, tools, wanted) in [
            (true, tools(), choice),
            (true, two_tools.clone(), Json::Null),
            (true, Vec::new(), Json::Null),
            (false, tools(), Json::Null),
        ] {
            let stand_in = StandIn::new([Answer::stream(content_type(provider), ["-"])]).await;
            let client = client_with(
                provider,
                ProviderSettings {
                    must_call,
                    ..settings(&stand_in.address, limits())
                },
            );
            let reply = client.reply(&conversation(), &tools, &mut |_| {}).await;
            assert!(reply.is_err());
            let request = stand_in.requests().remove(0);
            let sent = &request.body["tool_choice"];
            assert_eq!(*sent, wanted, "{provider:?} {must_call} {tools:?}");
        }
    }
}
