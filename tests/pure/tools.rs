//! The tools as hosts see them.

use serde_json::Value as Json;
use zwave_mcp_server::mcp::tools::list_tools;

fn walk(json: &Json, path: &str, visit: &mut impl FnMut(&str, &Json)) {
    visit(path, json);
    match json {
        Json::Object(fields) => {
            for (name, value) in fields {
                walk(value, &format!("{path}/{name}"), visit);
            }
        }
        Json::Array(items) => {
            for item in items {
                walk(item, &format!("{path}[]"), visit);
            }
        }
        _ => {}
    }
}

#[test]
fn the_two_tools_fit_into_1900_bytes() {
    let text = serde_json::to_string(&list_tools(false, false)).unwrap();
    assert!(text.len() <= 1900, "{} bytes: {text}", text.len());
}

#[test]
fn the_schemas_use_nothing_that_some_hosts_reject() {
    for structured in [false, true] {
        let tools = serde_json::to_value(list_tools(false, structured)).unwrap();
        walk(&tools, "", &mut |path, json| {
            for word in [
                "$ref", "anyOf", "oneOf", "allOf", "format", "default", "$defs",
            ] {
                assert!(!path.ends_with(&format!("/{word}")), "{path}");
            }
            if path.ends_with("/type") {
                assert!(json.is_string(), "{path}: {json}");
            }
            assert!(!path.ends_with("/additionalProperties"), "{path}");
            // The schema of an argument or a field, such as `[]/inputSchema/properties/level`.
            let is_schema = path.contains("/properties/") && path.matches('/').count() % 2 == 1;
            let is_empty = json.as_object().is_some_and(serde_json::Map::is_empty);
            assert!(!is_schema || !is_empty, "{path} is empty");
        });
    }
}

#[test]
fn the_tools_are_as_they_were_reviewed() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&list_tools(false, false)).unwrap());
}
