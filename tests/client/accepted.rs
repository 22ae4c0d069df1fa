//! Each interface accepts what the formats make of any server's tools, and calls are led back.

use std::collections::HashSet;
use std::panic::catch_unwind;
use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::client::formats::{anthropic, offered_name, ollama, openai, own_arguments};
use zwave_mcp_server::client::{LocalTool, Tool, ToolManager};

use crate::fixture::Log;
use crate::support::tool;

static OLLAMA: LazyLock<Validator> =
    LazyLock::new(|| validator(include_str!("../../fixtures/formats/ollama.schema.json")));

static ANTHROPIC: LazyLock<Validator> =
    LazyLock::new(|| validator(include_str!("../../fixtures/formats/anthropic.schema.json")));

fn validator(schema: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
}

#[track_caller]
fn is_valid(tool: &Json, validator: &Validator, schema: &Json) {
    let errors: Vec<String> = validator.iter_errors(tool).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}: {tool}");
    assert!(jsonschema::draft202012::meta::is_valid(schema), "{schema}");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(
            schema["properties"].get(name.as_str().unwrap()).is_some(),
            "{schema}"
        );
    }
}

/// Panics where Ollama would refuse a tool, or drop a part of it without a word.
#[track_caller]
pub fn is_accepted_by_ollama(tool: &Json) {
    is_valid(tool, &OLLAMA, &tool["function"]["parameters"]);
}

/// Checks the rules that OpenAI documents, or says in its refusals.
pub fn is_accepted_by_openai(tools: &[Json]) {
    assert!(tools.len() <= 128, "{}", tools.len());
    // Schemas as plain as Ollama's have no union, and no list without items.
    tools.iter().for_each(is_accepted_by_ollama);
    for tool in tools {
        let description = tool["function"]["description"].as_str().unwrap();
        assert!(description.chars().count() <= 1024, "{description}");
    }
}

/// Panics where Anthropic's Messages API would refuse a tool.
#[track_caller]
pub fn is_accepted_by_anthropic(tool: &Json) {
    is_valid(tool, &ANTHROPIC, &tool["input_schema"]);
}

#[test]
fn a_tool_that_an_interface_would_refuse_is_known() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let [claude, qwen] = [
        anthropic::tools(&[tool("t", schema.clone())]).remove(0),
        ollama::tools(&[tool("t", schema)]).remove(0),
    ];
    let fault = |good: &Json, place: &str, value: Json, check: fn(&Json)| {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap() = value;
        check(good);
        assert!(catch_unwind(|| check(&bad)).is_err(), "{bad}");
    };
    for (place, value) in [
        ("/name", json!("a/b")),
        ("/input_schema/type", json!("string")),
        ("/input_schema", json!({ "type": "object", "anyOf": [] })),
        (
            "/input_schema",
            json!({ "type": "object", "required": ["b"] }),
        ),
        ("/input_schema/properties", json!({ "a[b]": {} })),
        (
            "/input_schema/properties/a",
            json!({ "properties": { "ä": {} } }),
        ),
        ("/input_schema/properties/a/type", json!("text")),
    ] {
        fault(&claude, place, value, is_accepted_by_anthropic);
    }
    let property = "/function/parameters/properties/a";
    for (place, value) in [
        ("/function/name", json!("")),
        (property, json!({ "type": "string", "minimum": 1 })),
        (property, json!({ "type": "array" })),
        (property, json!({ "type": ["string", "null"] })),
        (
            property,
            json!({ "type": "array", "items": { "type": "text" } }),
        ),
        (
            "/function/parameters",
            json!({ "type": "object", "properties": {}, "required": ["b"] }),
        ),
    ] {
        fault(&qwen, place, value, is_accepted_by_ollama);
    }
}

#[test]
fn a_schema_that_is_none_of_an_object_becomes_one() {
    for schema in [
        json!({}),
        json!({ "type": "string" }),
        json!({ "$ref": "#/$defs/x" }),
    ] {
        is_accepted_by_ollama(&ollama::tools(&[tool("t", schema.clone())])[0]);
        is_accepted_by_anthropic(&anthropic::tools(&[tool("t", schema)])[0]);
    }
    let union = json!({ "oneOf": [
        { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
        { "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"] },
    ] });
    let tools = [tool("t", union)];
    is_accepted_by_anthropic(&anthropic::tools(&tools)[0]);
    let converted = &ollama::tools(&tools)[0]["function"];
    assert_eq!(converted["description"], "A tool. Give a, or b.");
    let properties = converted["parameters"]["properties"].as_object().unwrap();
    assert!(properties.keys().eq(["a", "b"]), "{converted}");
}

/// Schemas of every kind, also senseless ones.
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

/// Tools of any name and schema, some of one name and some with names that others are offered under.
fn any_tools() -> impl Strategy<Value = Vec<Tool>> {
    let name = prop_oneof!["[a-b]?[./_ ä][a-b]?", ".{0,80}", "[a-z_]{60,70}"];
    let made = |name: String, again: u8| {
        (0..again % 3).fold(name, |name, _| offered_name(&name).into_owned())
    };
    let name = (name, any::<u8>()).prop_map(move |(name, again)| made(name, again));
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
    fn any_tools_at_all_come_out_accepted_and_each_is_led_back_to(tools in any_tools()) {
        let (qwen, gpt) = (ollama::tools(&tools), openai::tools(&tools));
        let claude = anthropic::tools(&tools);
        qwen.iter().for_each(is_accepted_by_ollama);
        is_accepted_by_openai(&gpt);
        claude.iter().for_each(is_accepted_by_anthropic);
        let offered = |tools: &[Json], pointer| -> Vec<String> {
            tools.iter().map(|tool| tool.pointer(pointer).unwrap()).map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        let names = offered(&claude, "/name");
        prop_assert_eq!(&names, &offered(&qwen, "/function/name"));
        prop_assert_eq!(&names, &offered(&gpt, "/function/name"));
        let distinct: HashSet<&str> = tools.iter().map(|tool| &*tool.name).collect();
        prop_assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        prop_assert_eq!(names.len(), distinct.len());
        let manager = ToolManager::default();
        for tool in &distinct {
            let schema = json!({ "type": "object" });
            manager.add_local(LocalTool::new(
                if tool.is_empty() { "-" } else { tool }, "A tool.", schema,
                |_| async { Ok(String::new()) },
            ).unwrap());
        }
        for name in distinct.iter().filter(|name| !name.is_empty()) {
            prop_assert_eq!(&*manager.find(&offered_name(name)).unwrap().name, *name);
        }
    }

    #[test]
    fn arguments_under_offered_keys_are_led_back_at_any_depth(
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
        is_accepted_by_anthropic(claude);
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
        let own = json!([properties(json!(1))]);
        prop_assert_eq!(Json::from(own_arguments(&tools[0], arguments)), properties(own));
    }
}

/// Schemas that were seen to have a whole request refused.
#[test]
fn what_real_servers_send_and_interfaces_refuse_is_reduced_to_what_they_accept() {
    for schema in [
        // A list that is none, of a server in Go.
        json!({ "type": "object", "properties": null, "required": null }),
        json!({ "type": "object", "required": ["a", "a"], "properties": { "a": {} } }),
        json!({ "type": "object", "required": ["gone"], "properties": {} }),
        json!({ "type": "object", "required": "a", "properties": { "a": { "type": "string" } } }),
        // The words of older drafts.
        json!({ "type": "object", "properties": {
            "a": { "type": "number", "minimum": 0, "exclusiveMinimum": true },
            "b": { "type": "array", "items": [{ "type": "number" }, { "type": "string" }] },
        } }),
        json!({ "type": "object", "properties": { "filter[name]": { "type": "string" } } }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/none" } } }),
        json!({ "type": "object", "properties": { "a": { "type": "float", "description": null } } }),
        json!({ "type": ["object", "null"], "enum": [] }),
    ] {
        let tools = [tool("t", schema)];
        is_accepted_by_anthropic(&anthropic::tools(&tools)[0]);
        is_accepted_by_openai(&openai::tools(&tools));
    }
}

#[test]
fn a_key_that_is_not_accepted_gets_another_and_the_own_one_is_said() {
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
fn of_two_tools_of_one_name_the_later_one_is_offered() {
    let mut tools = ["a", "b", "a"].map(|name| tool(name, json!({ "type": "object" })));
    tools[2].description = "The later one.".to_owned();
    let claude = anthropic::tools(&tools);
    assert_eq!(claude.len(), 2);
    assert_eq!(claude[0]["description"], "The later one.");
    assert_eq!(ollama::tools(&tools).len(), 2);
}

#[test]
fn openai_gets_128_tools_and_1024_characters_of_a_description_at_the_most() {
    let (log, _guard) = Log::start();
    let tools: Vec<Tool> = (0..130)
        .map(|number| {
            let mut tool = tool(&format!("t{number}"), json!({ "type": "object" }));
            tool.description = "ä".repeat(1025);
            tool
        })
        .collect();
    let converted = openai::tools(&tools);
    is_accepted_by_openai(&converted);
    assert_eq!(converted.len(), 128);
    assert_eq!(log.with("the rest is left out").len(), 1);
}
