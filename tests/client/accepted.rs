//! Each API accepts the converted tools of any server, and calls get their original names and keys back.

use std::collections::HashSet;
use std::panic::catch_unwind;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::client::formats::{anthropic, offered_name, ollama, openai, own_arguments};
use zwave_mcp_server::client::{LocalTool, Tool, ToolManager};

use crate::fixture::{Log, Schema, read_rows};
use crate::formats::Api;
use crate::support::{assert_logged_once, tool};

static OLLAMA: LazyLock<Schema> =
    LazyLock::new(|| schema(include_str!("../../fixtures/formats/ollama.schema.json")));

static ANTHROPIC: LazyLock<Schema> =
    LazyLock::new(|| schema(include_str!("../../fixtures/formats/anthropic.schema.json")));

fn schema(text: &str) -> Schema {
    Schema::read(&serde_json::from_str(text).unwrap()).unwrap()
}

#[track_caller]
fn assert_valid(tool: &Json, accepted: &Schema, schema: &Json) {
    accepted.assert_fits(tool);
    Schema::read(schema).unwrap();
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(
            schema["properties"].get(name.as_str().unwrap()).is_some(),
            "{schema}"
        );
    }
}

/// Panics if Ollama would refuse a tool, or silently drop a part of it.
#[track_caller]
pub fn assert_accepted_by_ollama(tool: &Json) {
    assert_valid(tool, &OLLAMA, &tool["function"]["parameters"]);
}

/// Panics if OpenAI would refuse these tools, according to OpenAI's documentation and error messages.
pub fn assert_accepted_by_openai(tools: &[Json]) {
    assert!(tools.len() <= 128, "{}", tools.len());
    // OpenAI also refuses some unions, and arrays without `items`. The check for Ollama allows neither.
    tools.iter().for_each(assert_accepted_by_ollama);
    for tool in tools {
        let description = tool["function"]["description"].as_str().unwrap();
        assert!(description.chars().count() <= 1024, "{description}");
    }
}

/// Panics if Anthropic's Messages API would refuse a tool.
#[track_caller]
pub fn assert_accepted_by_anthropic(tool: &Json) {
    assert_valid(tool, &ANTHROPIC, &tool["input_schema"]);
}

/// A change that makes a good tool unacceptable.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    api: Api,
    /// The JSON pointer to the changed value.
    place: String,
    value: Json,
}

#[test]
fn the_checks_detect_tools_that_an_api_would_refuse() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let tools = [tool("t", schema)];
    for Fault { api, place, value } in read_rows("formats/faults.json") {
        let (good, check): (Json, fn(&Json)) = match api {
            Api::Anthropic => (
                anthropic::tools(&tools).remove(0),
                assert_accepted_by_anthropic,
            ),
            _ => (ollama::tools(&tools).remove(0), assert_accepted_by_ollama),
        };
        check(&good);
        let mut bad = good;
        *bad.pointer_mut(&place).unwrap() = value;
        assert!(catch_unwind(|| check(&bad)).is_err(), "{bad}");
    }
}

#[test]
fn a_union_of_objects_becomes_one_object() {
    let union = json!({ "oneOf": [
        { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
        { "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"] },
    ] });
    let tools = [tool("t", union)];
    assert_accepted_by_anthropic(&anthropic::tools(&tools)[0]);
    let converted = &ollama::tools(&tools)[0]["function"];
    assert_eq!(converted["description"], "A tool. Give a, or b.");
    let properties = converted["parameters"]["properties"].as_object().unwrap();
    assert!(properties.keys().eq(["a", "b"]), "{converted}");
}

/// Generates schemas of every kind, including invalid ones.
fn any_schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Json::from),
        Just(json!({})),
        Just(json!({ "type": "string", "enum": ["a", "b"], "default": "a" })),
        Just(json!({ "type": ["integer", "null"], "minimum": 1 })),
        Just(json!({ "$ref": "#/properties/a" })),
        Just(json!({ "$ref": "#" })),
        Just(json!({ "$ref": "#/$defs/none" })),
        Just(json!({ "type": 7, "enum": "x", "required": {}, "properties": [] })),
        Just(json!({ "const": null })),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let many = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (
                prop::sample::select(vec!["anyOf", "oneOf", "allOf", "prefixItems", "items"]),
                many
            )
                .prop_map(|(keyword, schemas)| json!({ keyword: schemas })),
            prop::collection::hash_map("[a-c]|type|\\$ref", inner.clone(), 0..4).prop_map(
                |properties| {
                    let required: Vec<_> = properties.keys().cloned().collect();
                    json!({ "type": "object", "properties": properties, "required": required })
                }
            ),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            inner.prop_map(|schema| json!({ "not": schema, "additionalProperties": schema })),
        ]
    })
}

/// Generates tools with any name and schema. Some have the same name, and some have a name under which another tool
/// is offered.
fn any_tools() -> impl Strategy<Value = Vec<Tool>> {
    let name = prop_oneof!["[a-b]?[./_ ä][a-b]?", ".{0,80}", "[a-z_]{60,70}"];
    let offer_repeatedly = |name: String, times: u8| {
        (0..times % 3).fold(name, |name, _| offered_name(&name).into_owned())
    };
    let name = (name, any::<u8>()).prop_map(move |(name, times)| offer_repeatedly(name, times));
    prop::collection::vec((name, any_schema(), ".{0,1200}"), 0..6).prop_map(|tools| {
        let tools = tools.into_iter().map(|(name, schema, description)| {
            let schema = match schema {
                Json::Object(schema) => Json::Object(schema),
                schema => json!({ "anyOf": [schema] }),
            };
            let mut tool = tool(&name, schema);
            tool.description = description;
            tool
        });
        tools.collect()
    })
}

proptest! {
    #[test]
    fn any_tools_are_converted_to_accepted_ones_and_found_by_their_offered_names(tools in any_tools()) {
        let (qwen, gpt) = (ollama::tools(&tools), openai::tools(&tools));
        let claude = anthropic::tools(&tools);
        qwen.iter().for_each(assert_accepted_by_ollama);
        assert_accepted_by_openai(&gpt);
        claude.iter().for_each(assert_accepted_by_anthropic);
        let offered = |tools: &[Json], pointer| -> Vec<String> {
            tools.iter().map(|tool| tool.pointer(pointer).unwrap()).map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        let names = offered(&claude, "/name");
        prop_assert_eq!(&names, &offered(&qwen, "/function/name"));
        prop_assert_eq!(&names, &offered(&gpt, "/function/name"));
        let originals: HashSet<&str> = tools.iter().map(|tool| &*tool.name).collect();
        prop_assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        prop_assert_eq!(names.len(), originals.len());
        let manager = ToolManager::default();
        for name in &originals {
            // A local tool without a name is refused.
            let name = if name.is_empty() { "-" } else { name };
            let schema = json!({ "type": "object" });
            let tool = LocalTool::new(name, "A tool.", schema, |_| async { Ok(String::new()) });
            manager.add_local(tool.unwrap());
        }
        for name in originals.iter().filter(|name| !name.is_empty()) {
            prop_assert_eq!(&*manager.find(&offered_name(name)).unwrap().name, *name);
        }
    }

    #[test]
    fn arguments_get_their_original_keys_back_at_any_depth(
        keys in prop::collection::hash_set("[a-b]?[./_ \\[ä][a-b]?|.{0,80}", 1..6)
    ) {
        let properties = |inner: Json| -> Json {
            keys.iter().map(|key| (key.clone(), inner.clone())).collect::<Map<_, _>>().into()
        };
        let leaf = json!({ "type": "string" });
        let inner = json!({ "type": "array", "items": {
            "type": "object", "properties": properties(leaf.clone()),
        } });
        let schema = json!({ "type": "object", "properties": properties(inner), "required": keys });
        let tools = [tool("t", schema)];
        let claude = &anthropic::tools(&tools)[0];
        assert_accepted_by_anthropic(claude);
        let offered = claude["input_schema"]["properties"].as_object().unwrap();
        prop_assert_eq!(offered.len(), keys.len());
        prop_assert_eq!(claude["input_schema"]["required"].as_array().unwrap().len(), keys.len());
        let arguments: Map<String, Json> = offered
            .iter()
            .map(|(key, inner)| {
                let inner: Map<_, _> = inner["items"]["properties"].as_object().unwrap().keys().map(|key| (key.clone(), json!(1))).collect();
                (key.clone(), json!([inner]))
            })
            .collect();
        let original = properties(json!([properties(json!(1))]));
        prop_assert_eq!(Json::from(own_arguments(&tools[0], arguments)), original);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    row: String,
    schema: Json,
}

#[test]
fn real_schemas_that_an_api_has_refused_are_reduced_to_accepted_ones() {
    for Refused { row, schema } in read_rows("formats/refused.json") {
        eprintln!("{row}");
        let tools = [tool("t", schema)];
        assert_accepted_by_anthropic(&anthropic::tools(&tools)[0]);
        assert_accepted_by_openai(&openai::tools(&tools));
    }
}

#[test]
fn an_unacceptable_key_is_replaced_and_the_description_names_the_original() {
    let properties = json!({ "filter[name]": { "type": "string" }, "limit": { "type": "number" } });
    let schema = json!({
        "type": "object", "properties": properties, "required": ["filter[name]"],
    });
    let tool = tool("list/all", schema);
    let key = "filter_name__d9e2c486";
    let claude = &anthropic::tools(std::slice::from_ref(&tool))[0];
    assert_eq!(
        *claude,
        json!({
            "name": offered_name("list/all"),
            "description": format!("A tool. {key} is \"filter[name]\"."),
            "input_schema": {
                "type": "object", "required": [key],
                "properties": { key: { "type": "string" }, "limit": { "type": "number" } },
            },
        })
    );
    let arguments = Map::from_iter([(key.to_owned(), json!("x"))]);
    assert_eq!(
        Json::from(own_arguments(&tool, arguments)),
        json!({ "filter[name]": "x" })
    );
}

#[test]
fn the_later_of_two_tools_with_the_same_name_is_offered() {
    let mut tools = ["a", "b", "a"].map(|name| tool(name, json!({ "type": "object" })));
    tools[2].description = "The later one.".to_owned();
    let claude = anthropic::tools(&tools);
    assert_eq!(claude.len(), 2);
    assert_eq!(claude[0]["description"], "The later one.");
    assert_eq!(ollama::tools(&tools).len(), 2);
}

#[test]
fn openai_gets_at_most_128_tools_and_1024_characters_per_description() {
    let (log, _guard) = Log::start();
    let tools: Vec<Tool> = (0..130)
        .map(|number| {
            let mut tool = tool(&format!("t{number}"), json!({ "type": "object" }));
            tool.description = "ä".repeat(1025);
            tool
        })
        .collect();
    let converted = openai::tools(&tools);
    assert_accepted_by_openai(&converted);
    assert_eq!(converted.len(), 128);
    assert_logged_once(&log, "the rest are left out");
}
