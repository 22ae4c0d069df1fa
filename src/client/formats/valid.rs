//! Checks that Anthropic's API accepts a schema unchanged.
//!
//! The API rejects the whole request if one schema is not valid JSON Schema 2020-12, has a keyword such as `anyOf` or `$ref` at the
//! top level, or has a property key with characters that are not allowed. A schema that it may reject is reduced.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::names::offered_key;
use super::refs::{MAX_WRITTEN, Refs, Spent};
use crate::client::tool::TYPES;
use crate::json::length;

/// Returns true if the API certainly accepts a schema of arguments.
pub(super) fn is_accepted(schema: &Map<String, Json>) -> bool {
    let rejected = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"];
    let none = Map::new();
    let properties = schema.get("properties").and_then(Json::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Json::as_array);
    let is_property = |name: &Json| name.as_str().is_some_and(|name| properties.contains_key(name));
    !rejected.iter().any(|keyword| schema.contains_key(*keyword))
        && schema.get("type").is_none_or(|kind| kind == "object")
        && required.is_none_or(|required| required.iter().all(is_property))
        && length(schema) <= MAX_WRITTEN
        && are_keywords_valid(Refs::new(schema, &Spent::default()), schema)
}

fn is_schema(refs: Refs<'_>, schema: &Json) -> bool {
    match schema {
        Json::Bool(_) => true,
        Json::Object(schema) => are_keywords_valid(refs, schema),
        _ => false,
    }
}

fn are_keywords_valid(refs: Refs<'_>, schema: &Map<String, Json>) -> bool {
    schema.iter().all(|(keyword, value)| is_keyword_valid(refs, keyword, value))
}

/// Returns true if a keyword's value is certainly valid. An unknown keyword may have any value.
fn is_keyword_valid(refs: Refs<'_>, keyword: &str, value: &Json) -> bool {
    let is_map_of_schemas = |value: &Json| {
        let schemas = value.as_object();
        schemas.is_some_and(|schemas| schemas.values().all(|value| is_schema(refs, value)))
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
        | "unevaluatedProperties" => is_schema(refs, value),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
            let list = value.as_array().filter(|list| !list.is_empty());
            list.is_some_and(|list| list.iter().all(|item| is_schema(refs, item)))
        }
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" => {
            is_map_of_schemas(value)
        }
        "properties" => {
            is_map_of_schemas(value) && value.as_object().is_some_and(has_accepted_keys)
        }
        "required" => is_set_of_names(value),
        "dependentRequired" => {
            let lists = value.as_object();
            lists.is_some_and(|lists| lists.values().all(is_set_of_names))
        }
        "type" => {
            let is_type = |kind: &Json| TYPES.iter().any(|known| kind == known);
            let kinds = value.as_array().filter(|kinds| !kinds.is_empty());
            is_type(value)
                || is_set_of_names(value) && kinds.is_some_and(|kinds| kinds.iter().all(is_type))
        }
        "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
        "examples" => value.is_array(),
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => value.is_u64(),
        "deprecated" | "readOnly" | "uniqueItems" | "writeOnly" => value.is_boolean(),
        "$comment" | "$schema" | "contentEncoding" | "contentMediaType" | "description"
        | "format" | "pattern" | "title" => value.is_string(),
        "$ref" => value.as_str().is_some_and(|path| refs.find_target(path).is_some()),
        // Keywords that this check does not follow.
        "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$recursiveAnchor"
        | "$recursiveRef" | "$vocabulary" | "dependencies" => false,
        _ => true,
    }
}

/// Returns true if the API accepts these keys. `offered_key` borrows a key that needs no change.
fn has_accepted_keys(properties: &Map<String, Json>) -> bool {
    properties.keys().all(|key| matches!(offered_key(key), Cow::Borrowed(_)))
}

fn is_set_of_names(value: &Json) -> bool {
    value.as_array().is_some_and(|names| {
        let mut seen = std::collections::HashSet::new();
        names
            .iter()
            .map(Json::as_str)
            .all(|name| name.is_some_and(|name| seen.insert(name)))
    })
}
