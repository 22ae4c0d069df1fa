//! Checks that Anthropic's API accepts a schema unchanged.
//!
//! The API rejects the whole request if one of these is true for a single schema:
//! - The schema is not valid JSON Schema 2020-12.
//! - The schema has a keyword such as `anyOf` or `$ref` at the top level.
//! - A property's key is too long, or contains a forbidden character.
//!
//! The caller reduces a schema that does not pass this check.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::names::offered_key;
use super::refs::{MAX_WRITTEN, find_target};
use crate::client::tool::{TYPES, items, members, properties};
use crate::json::length;

/// Returns true if the API certainly accepts the schema of a tool's arguments.
pub(super) fn is_accepted(schema: &Map<String, Json>) -> bool {
    let rejected = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"];
    let is_property = |required: &Json| properties(schema).any(|(name, _)| required == name);
    length(schema) <= MAX_WRITTEN
        && !rejected.iter().any(|keyword| schema.contains_key(*keyword))
        && schema.get("type").is_none_or(|kind| kind == "object")
        && items(schema.get("required")).all(is_property)
        && are_keywords_valid(schema, schema)
}

/// Returns true if all keywords of `schema`, which is `root` or a part of it, are certainly valid.
fn are_keywords_valid(root: &Map<String, Json>, schema: &Map<String, Json>) -> bool {
    schema.iter().all(|(keyword, value)| is_keyword_valid(root, keyword, value))
}

/// Returns true if a keyword's value is certainly valid. An unknown keyword may have any value.
fn is_keyword_valid(root: &Map<String, Json>, keyword: &str, value: &Json) -> bool {
    let is_schema = |value: &Json| match value {
        Json::Bool(_) => true,
        Json::Object(schema) => are_keywords_valid(root, schema),
        _ => false,
    };
    let is_list = |is_item: &dyn Fn(&Json) -> bool| {
        let list = value.as_array().filter(|list| !list.is_empty());
        list.is_some_and(|list| list.iter().all(is_item))
    };
    let is_map = |is_value: &dyn Fn(&Json) -> bool| {
        value.as_object().is_some_and(|map| map.values().all(is_value))
    };
    match keyword {
        "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => is_schema(value),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => is_list(&is_schema),
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" => is_map(&is_schema),
        // `offered_key` returns a borrowed key if the key needs no change.
        "properties" => {
            let is_kept = |key: &String| matches!(offered_key(key), Cow::Borrowed(_));
            is_map(&is_schema) && members(Some(value)).all(|(key, _)| is_kept(key))
        }
        "required" => is_set_of_names(value),
        "dependentRequired" => is_map(&is_set_of_names),
        "type" => {
            let is_type = |kind: &Json| TYPES.iter().any(|known| kind == known);
            is_type(value) || is_set_of_names(value) && is_list(&is_type)
        }
        "enum" => is_list(&|_| true),
        "examples" => value.is_array(),
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => value.is_u64(),
        "deprecated" | "readOnly" | "uniqueItems" | "writeOnly" => value.is_boolean(),
        "$comment" | "$schema" | "contentEncoding" | "contentMediaType" | "description"
        | "format" | "pattern" | "title" => value.is_string(),
        "$ref" => value.as_str().is_some_and(|path| find_target(root, path).is_some()),
        // This check does not interpret these keywords, so their values may be invalid.
        "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$recursiveAnchor"
        | "$recursiveRef" | "$vocabulary" | "dependencies" => false,
        _ => true,
    }
}

fn is_set_of_names(value: &Json) -> bool {
    let mut seen = HashSet::new();
    let is_new_name = |name: &Json| name.as_str().is_some_and(|name| seen.insert(name.to_owned()));
    value.as_array().is_some_and(|names| names.iter().all(is_new_name))
}
