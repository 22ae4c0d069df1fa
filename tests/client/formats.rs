//! Tools, calls and results in the formats of the models' APIs.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use zwave_mcp_server::client::formats::{ToolCall, anthropic, ollama, openai};
use zwave_mcp_server::client::{Tool, ToolResult};

use crate::accepted::assert_accepted_by_ollama;
use crate::fixture::{Log, read_rows};
use crate::support::{assert_logged_once, tool};

/// Reduces a tool's schema for Ollama. Returns the reduced schema of the property "p".
fn reduce(schema: Json) -> Json {
    let tools = [tool("t", schema)];
    let before = tools.clone();
    let converted = ollama::tools(&tools);
    assert_eq!(tools, before, "the conversion must not change its input");
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
    let line = assert_logged_once(&log, "🔧 Converted 2 tools from LangChain to Qwen format");
    assert!(line.contains("DEBUG"));
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
struct SchemaRow {
    row: String,
    /// Schemas of the property "p", each with the reduced schema.
    reduced: Vec<(Json, Json)>,
    /// Schemas of a whole tool, each with the reduced schema of the property "p".
    #[serde(default)]
    whole: Vec<(Json, Json)>,
}

#[test]
fn schemas_are_reduced_as_the_rows_say() {
    for row in read_rows::<SchemaRow>("formats/reduced.json") {
        let of_properties = row.reduced.into_iter().map(|(property, expected)| {
            (
                json!({ "type": "object", "properties": { "p": property } }),
                expected,
            )
        });
        for (schema, expected) in of_properties.chain(row.whole) {
            assert_eq!(reduce(schema.clone()), expected, "{}: {schema}", row.row);
        }
    }
}

#[test]
fn a_recursive_reference_is_inlined_up_to_a_maximum_depth() {
    let node = json!({ "$ref": "#/definitions/Node" });
    let properties = json!({
        "name": { "type": "string" }, "children": { "type": "array", "items": node },
    });
    let reduced = reduce(json!({
        "type": "object", "properties": { "p": node },
        "definitions": { "Node": { "type": "object", "properties": properties } },
    }));
    let text = reduced.to_string();
    assert!(text.len() < 3000 && text.contains("\"Node\""), "{text}");
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    Anthropic,
    Ollama,
    #[serde(rename = "openai")]
    OpenAi,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallsRow {
    row: String,
    api: Api,
    answer: Json,
    calls: Json,
}

#[test]
fn calls_are_read_as_the_rows_say() {
    for row in read_rows::<CallsRow>("formats/calls.json") {
        let read = match row.api {
            Api::Anthropic => anthropic::tool_calls,
            Api::Ollama => ollama::tool_calls,
            Api::OpenAi => openai::tool_calls,
        };
        assert_eq!(json!(read(&row.answer)), row.calls, "{}", row.row);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageRow {
    row: String,
    api: Api,
    #[serde(default)]
    content: Vec<Json>,
    #[serde(default)]
    is_error: bool,
    structured: Option<Json>,
    message: Json,
}

#[test]
fn results_are_converted_to_messages_as_the_rows_say() {
    let call = ToolCall {
        id: Some("t1".to_owned()),
        name: "dim".to_owned(),
        arguments: json!({}),
    };
    for row in read_rows::<MessageRow>("formats/messages.json") {
        let result = ToolResult {
            content: row.content,
            structured: row.structured,
            is_error: row.is_error,
            meta: None,
        };
        let convert = match row.api {
            Api::Anthropic => anthropic::tool_result,
            Api::Ollama => ollama::tool_result,
            Api::OpenAi => openai::tool_result,
        };
        assert_eq!(convert(&call, &result), row.message, "{}", row.row);
    }
}
