//! Tools, calls and results in the formats of the models' APIs.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use zwave_mcp_server::client::formats::{ToolCall, anthropic, ollama, openai};
use zwave_mcp_server::client::{Tool, ToolResult};

use crate::accepted::assert_accepted_by_ollama;
use crate::fixture::{Log, read_rows};
use crate::support::tool;

/// Returns the reduced schema of a property.
fn reduce(property: Json) -> Json {
    reduce_within(json!({ "type": "object", "properties": { "p": property } }))
}

/// Returns the reduced schema of the property "p" of this schema.
fn reduce_within(schema: Json) -> Json {
    let tools = [tool("t", schema)];
    let before = tools.clone();
    let converted = ollama::tools(&tools);
    assert_eq!(tools, before, "the input is not changed");
    assert_accepted_by_ollama(&converted[0]);
    converted[0]["function"]["parameters"]["properties"]["p"].clone()
}

#[test]
fn an_empty_list_stays_empty() {
    assert!(ollama::tools(&[]).is_empty());
    assert!(anthropic::tools(&[]).is_empty());
    assert!(openai::tools(&[]).is_empty());
}

#[test]
fn a_conversion_is_logged_at_debug_level() {
    let (log, _guard) = Log::start();
    ollama::tools(&[tool("a", json!({})), tool("b", json!({}))]);
    let lines = log.lines_with("🔧 Converted 2 tools from LangChain to Qwen format");
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("DEBUG"));
}

#[test]
fn a_tool_becomes_a_function_with_a_name_a_description_and_parameters() {
    let document = json!({
        "name": "dim", "description": "Dims a lamp.",
        "inputSchema": {
            "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": { "lamp": { "type": "string", "description": "Its name" } },
            "required": ["lamp"], "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": false }, "execution": { "taskSupport": "forbidden" },
    });
    let tools = [Tool::read(document).unwrap()];
    assert_eq!(
        ollama::tools(&tools),
        [json!({ "type": "function", "function": {
            "name": "dim", "description": "Dims a lamp.",
            "parameters": {
                "type": "object",
                "properties": { "lamp": { "type": "string", "description": "Its name" } },
                "required": ["lamp"],
            },
        } })]
    );
    assert_eq!(openai::tools(&tools), ollama::tools(&tools));
    // Anthropic's API accepts JSON Schema, so the schema is not changed.
    assert_eq!(
        anthropic::tools(&tools),
        [json!({
            "name": "dim", "description": "Dims a lamp.", "input_schema": tools[0].input_schema,
        })]
    );
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    reduced: Vec<(Json, Json)>,
    #[serde(default)]
    whole: Vec<(Json, Json)>,
}

#[test]
fn schemas_are_reduced_as_the_rows_say() {
    for row in read_rows::<Row>("formats/reduced.json") {
        for (schema, expected) in row.reduced {
            assert_eq!(
                reduce(schema.clone()),
                expected,
                "{}: {schema}",
                row.promise
            );
        }
        for (schema, expected) in row.whole {
            assert_eq!(
                reduce_within(schema.clone()),
                expected,
                "{}: {schema}",
                row.promise
            );
        }
    }
}

#[test]
fn a_recursive_reference_is_inlined_up_to_a_maximum_depth() {
    let node = json!({ "$ref": "#/definitions/Node" });
    let properties = json!({
        "name": { "type": "string" }, "children": { "type": "array", "items": node },
    });
    let reduced = reduce_within(json!({
        "type": "object", "properties": { "p": node },
        "definitions": { "Node": { "type": "object", "properties": properties } },
    }));
    let text = reduced.to_string();
    assert!(text.len() < 3000 && text.contains("\"Node\""), "{text}");
}

#[test]
fn calls_are_read_with_arguments_as_an_object_or_as_a_json_string() {
    let call = |id: Option<&str>, arguments: Json| ToolCall {
        id: id.map(str::to_owned),
        name: "dim".to_owned(),
        arguments,
    };
    let function =
        |arguments: Json| json!({ "function": { "name": "dim", "arguments": arguments } });
    let answer = json!({ "message": { "tool_calls": [
        function(json!({ "level": 4 })), function(json!("{\"level\": 4}")), function(json!("")),
        function(json!(null)), { "function": {} }, "nonsense",
    ] } });
    assert_eq!(
        ollama::tool_calls(&answer),
        [
            call(None, json!({ "level": 4 })),
            call(None, json!({ "level": 4 })),
            call(None, json!({})),
            call(None, json!({})),
        ]
    );
    assert_eq!(ollama::tool_calls(&answer["message"]).len(), 4);
    assert!(ollama::tool_calls(&json!({ "message": { "content": "hello" } })).is_empty());
    let answer = json!({ "choices": [{ "index": 0, "message": { "role": "assistant",
        "content": null, "tool_calls": [{
            "id": "t1", "type": "function",
            "function": { "name": "dim", "arguments": "{\"level\":4}" },
        }] }, "finish_reason": "tool_calls" }] });
    for answer in [
        &answer,
        &answer["choices"][0],
        &answer["choices"][0]["message"],
    ] {
        assert_eq!(
            openai::tool_calls(answer),
            [call(Some("t1"), json!({ "level": 4 }))]
        );
    }
    assert!(openai::tool_calls(&json!({ "choices": [] })).is_empty());
    let answer = json!({ "content": [
        { "type": "text", "text": "I dim." },
        { "type": "tool_use", "id": "t1", "name": "dim", "input": { "level": 4 } },
    ] });
    assert_eq!(
        anthropic::tool_calls(&answer),
        [call(Some("t1"), json!({ "level": 4 }))]
    );
}

#[test]
fn results_are_converted_to_messages() {
    let call = ToolCall {
        id: Some("t1".to_owned()),
        name: "dim".to_owned(),
        arguments: json!({}),
    };
    assert_eq!(
        openai::tool_result(&call, &ToolResult::text("It is on.")),
        json!({ "role": "tool", "tool_call_id": "t1", "content": "It is on." })
    );
    assert_eq!(
        ollama::tool_result(&call, &ToolResult::text("It is on.")),
        json!({ "role": "tool", "tool_name": "dim", "content": "It is on." })
    );
    assert_eq!(
        anthropic::tool_result(&call, &ToolResult::failure("No such lamp.")),
        json!({
            "type": "tool_result", "tool_use_id": "t1", "is_error": true,
            "content": [{ "type": "text", "text": "No such lamp." }],
        })
    );
    let mixed = ToolResult {
        content: vec![
            json!({ "type": "text", "text": "" }),
            json!({ "type": "image", "mimeType": "image/png", "data": "AAAA" }),
            json!({ "type": "image", "mimeType": "image/tiff", "data": "AAAA" }),
            json!({ "type": "resource", "resource": { "uri": "a:b", "text": "inside" } }),
            json!({ "type": "resource_link", "uri": "a:c", "name": "c" }),
            json!({ "type": "hologram" }),
        ],
        ..ToolResult::text("")
    };
    assert_eq!(
        anthropic::tool_result(&call, &mixed)["content"],
        json!([
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } },
            { "type": "text", "text": "[image: image/tiff]" },
            { "type": "text", "text": "inside" },
            { "type": "text", "text": "[c: a:c]" },
            { "type": "text", "text": "[hologram]" },
        ])
    );
    let empty = ToolResult {
        content: Vec::new(),
        is_error: true,
        ..ToolResult::text("")
    };
    let said = &anthropic::tool_result(&call, &empty)["content"][0]["text"];
    assert_eq!(said, "The tool failed and did not say why.");
    // Only text is accepted in a failure, and an image must be valid base64.
    let failed = ToolResult {
        is_error: true,
        ..mixed
    };
    for block in anthropic::tool_result(&call, &failed)["content"].as_array().unwrap() {
        assert_eq!(block["type"], "text", "{block}");
    }
    let broken = ToolResult {
        content: vec![json!({ "type": "image", "mimeType": "image/png", "data": "a picture" })],
        ..ToolResult::text("")
    };
    assert_eq!(
        anthropic::tool_result(&call, &broken)["content"],
        json!([{ "type": "text", "text": "[image: image/png]" }])
    );
    let silent = anthropic::tool_result(&call, &ToolResult::text(" "));
    assert!(silent.get("content").is_none(), "{silent}");
    let structured = ToolResult {
        content: Vec::new(),
        structured: Some(json!({ "on": true })),
        ..ToolResult::text("")
    };
    assert_eq!(
        ollama::tool_result(&call, &structured)["content"],
        "{\"on\":true}"
    );
}
