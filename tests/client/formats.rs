//! Tools, calls and results as models' interfaces want them.

use serde_json::{Value as Json, json};
use zwave_mcp_server::client::formats::{ToolCall, anthropic, ollama, openai};
use zwave_mcp_server::client::{Tool, ToolResult};

use crate::accepted::is_accepted_by_ollama;
use crate::fixture::Log;
use crate::support::tool;

/// One property, reduced.
fn reduce(property: Json) -> Json {
    reduce_in(json!({ "type": "object", "properties": { "p": property } }))
}

fn reduce_in(schema: Json) -> Json {
    let tools = [tool("t", schema)];
    let before = tools.clone();
    let converted = ollama::tools(&tools);
    assert_eq!(tools, before, "the input is not changed");
    is_accepted_by_ollama(&converted[0]);
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
    let lines = log.with("🔧 Converted 2 tools from LangChain to Qwen format");
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
    // Anthropic's interface knows JSON Schema: it stays as it is.
    assert_eq!(
        anthropic::tools(&tools),
        [json!({
            "name": "dim", "description": "Dims a lamp.", "input_schema": tools[0].input_schema,
        })]
    );
}

#[test]
fn ranges_defaults_and_other_rules_are_said_in_the_description() {
    for (property, description) in [
        (
            json!({ "type": "number", "description": "Level", "minimum": 0, "maximum": 100 }),
            "Level. From 0 to 100.",
        ),
        (
            json!({ "type": "integer", "minimum": 1, "default": 3 }),
            "At least 1. Default 3.",
        ),
        (
            json!({ "type": "number", "exclusiveMinimum": 0, "multipleOf": 5 }),
            "More than 0. A multiple of 5.",
        ),
        (
            json!({ "type": "string", "description": "When?", "format": "date" }),
            "When? Format date.",
        ),
        (
            json!({ "type": "string", "pattern": "^a+$", "maxLength": 5 }),
            "Pattern ^a+$. Characters at most 5.",
        ),
        (
            json!({ "type": "string", "examples": ["a", "b"] }),
            "Examples a, b.",
        ),
        (json!({ "type": ["string", "null"] }), "May be null."),
        (
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "uniqueItems": true }),
            "Items at least 2. No item twice.",
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            "Other names are allowed, each with a value of {\"type\":\"number\"}.",
        ),
    ] {
        assert_eq!(
            reduce(property.clone())["description"],
            description,
            "{property}"
        );
    }
}

#[test]
fn what_an_enums_values_mean_is_said() {
    assert_eq!(
        reduce(json!({ "oneOf": [
            { "const": "heat", "description": "Warms." }, { "const": "cool", "title": "Cools" },
        ] })),
        json!({
            "type": "string", "enum": ["heat", "cool"], "description": "heat: Warms. cool: Cools.",
        })
    );
    assert_eq!(
        reduce(json!({ "type": "integer", "enum": [0, 1], "enumNames": ["off", "on"] })),
        json!({ "type": "integer", "enum": [0, 1], "description": "0: off. 1: on." })
    );
    assert_eq!(
        reduce(json!({ "const": 5 })),
        json!({ "type": "integer", "enum": [5] })
    );
}

#[test]
fn unions_are_reduced_to_one_type_and_the_others_are_said() {
    assert_eq!(
        reduce(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null })),
        json!({ "type": "string", "description": "May be null." })
    );
    assert_eq!(
        reduce(json!({ "type": ["number", "string"], "description": "Level" })),
        json!({ "type": "number", "description": "Level. Also string." })
    );
    assert_eq!(
        reduce(json!({ "anyOf": [
            { "type": "integer", "minimum": 1 }, { "type": "string", "description": "a name" },
        ] })),
        json!({ "type": "integer", "description": "Also string, a name. At least 1." })
    );
    let ways = reduce(json!({ "oneOf": [
        { "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"] },
        { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
    ] }));
    assert_eq!(
        ways,
        json!({
            "type": "object", "description": "Give id, or name.",
            "properties": { "id": { "type": "integer" }, "name": { "type": "string" } },
        })
    );
}

#[test]
fn references_are_inlined_also_those_that_lead_back_to_themselves() {
    let schema = json!({
        "type": "object",
        "properties": { "p": { "$ref": "#/$defs/Color", "description": "Which" } },
        "$defs": { "Color": { "type": "string", "enum": ["red", "green"], "description": "A color" } },
    });
    assert_eq!(
        reduce_in(schema),
        json!({ "type": "string", "enum": ["red", "green"], "description": "Which" })
    );
    let tree = json!({
        "type": "object",
        "properties": { "p": { "$ref": "#/definitions/Node" } },
        "definitions": { "Node": {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "children": { "type": "array", "items": { "$ref": "#/definitions/Node" } },
            },
        } },
    });
    let text = reduce_in(tree).to_string();
    assert!(text.len() < 3000 && text.contains("\"Node\""), "{text}");
    assert_eq!(
        reduce(json!({ "$ref": "https://example.org/thing" })),
        json!({ "type": "object", "description": "thing" })
    );
}

#[test]
fn tuples_and_boolean_schemas_are_reduced() {
    assert_eq!(
        reduce(json!({ "type": "array", "prefixItems": [
            { "type": "number", "description": "Latitude" }, { "type": "string" },
        ] })),
        json!({
            "type": "array", "items": { "type": "number", "description": "Latitude" },
            "description": "In this order: number, Latitude; string.",
        })
    );
    assert_eq!(reduce(json!(true))["type"], "string");
    assert_eq!(
        reduce(json!({})),
        json!({ "type": "string", "description": "Any value." })
    );
    assert_eq!(
        reduce(json!({ "type": "array", "items": true }))["items"]["type"],
        "string"
    );
    assert!(
        reduce(json!(false)).is_null(),
        "what nothing fits is not offered"
    );
}

#[test]
fn what_is_required_inside_an_object_is_said_and_all_of_is_added_up() {
    assert_eq!(
        reduce(json!({ "allOf": [
            { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
            { "properties": { "b": { "type": "number" } }, "required": ["b"] },
        ] })),
        json!({
            "type": "object", "description": "Required: a, b.",
            "properties": { "a": { "type": "string" }, "b": { "type": "number" } },
        })
    );
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
fn results_become_messages() {
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
    // Of a failure only texts are accepted, and an image must be one.
    let failed = ToolResult {
        is_error: true,
        ..mixed
    };
    for block in anthropic::tool_result(&call, &failed)["content"]
        .as_array()
        .unwrap()
    {
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
