//! Reduces a JSON Schema to the keywords that every API accepts: types, descriptions, enums, properties and
//! items. Other keywords become sentences in the descriptions ([`Notes`]). [`Refs`] limits the bytes that are
//! read and written.

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use super::names::offered_key;
use super::notes::{MAX_TEXT, Notes, plain_text};
use super::refs::{Refs, Spent};
use crate::client::cut::{longest_prefix, shorten};
use crate::client::tool::{Tool, required_properties, text};
use crate::json::length;

/// The maximum length of a tool's description, in bytes.
pub(super) const MAX_DESCRIPTION: usize = 16 * 1024;

/// The maximum depth to which a schema is reduced.
const MAX_DEPTH: usize = 24;

/// Describes a part of a schema that is left out because the limit on bytes is reached.
const TOO_LARGE: &str = "Any fields: the tool's schema is too large to be written out here.";

/// The number of bytes that count as written for a property, in addition to its key, enum and description.
const WRAPPING_BYTES: usize = 32;

/// Reduces the schema of a tool's arguments to an object's `type`, `properties` and `required`. Also returns
/// the tool's description, followed by what the reduced schema can't express.
pub(super) fn reduce(tool: &Tool) -> (Map<String, Json>, String) {
    let mut notes = Notes::default();
    let spent = Spent::default();
    let schema = shorten_texts(&tool.input_schema);
    let (refs, merged) = merge(Refs::new(&schema, &spent), &schema, &mut notes, 0);
    let (properties, required) = reduce_object(refs, &merged, &mut notes, 0);
    let mut reduced = Map::new();
    reduced.insert("type".to_owned(), "object".into());
    reduced.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        reduced.insert("required".to_owned(), required.into());
    }
    notes.add_keywords(&merged);
    let description = notes.append_to(&tool.description);
    (reduced, shorten(description, MAX_DESCRIPTION))
}

/// Cuts every text in a schema to `MAX_TEXT`, so that later functions do not copy long texts.
fn shorten_texts(schema: &Map<String, Json>) -> Map<String, Json> {
    schema.iter().map(|(name, value)| (name.clone(), shorten_text(value))).collect()
}

fn shorten_text(value: &Json) -> Json {
    match value {
        Json::String(text) if text.len() > MAX_TEXT => {
            format!("{}…", longest_prefix(text, MAX_TEXT)).into()
        }
        Json::Array(items) => items.iter().map(shorten_text).collect(),
        Json::Object(fields) => shorten_texts(fields).into(),
        value => value.clone(),
    }
}

/// Reduces a property or an item; returns `None` if its schema allows no value.
fn reduce_property(refs: Refs<'_>, schema: &Json, depth: usize) -> Option<Json> {
    let schema = match schema {
        Json::Bool(false) => return None,
        Json::Object(schema) if !schema.is_empty() && depth < MAX_DEPTH => schema,
        _ => return Some(json!({ "type": "string", "description": "Any value." })),
    };
    if refs.is_exhausted() {
        refs.count_written(TOO_LARGE.len());
        return Some(json!({ "type": "object", "description": TOO_LARGE }));
    }
    refs.count_written(WRAPPING_BYTES);
    let mut notes = Notes::default();
    let (refs, schema) = merge(refs, schema, &mut notes, depth);
    let kind = choose_type(&schema, &mut notes);
    let mut reduced = Map::from_iter([("type".to_owned(), kind.into())]);
    let parts = match kind {
        "object" => {
            let (properties, required) = reduce_object(refs, &schema, &mut notes, depth);
            if !required.is_empty() {
                notes.add(format!("Required: {}", plain_text(&required.into())));
            }
            (!properties.is_empty()).then(|| ("properties", properties.into()))
        }
        "array" => Some(("items", reduce_items(refs, &schema, &mut notes, depth))),
        _ => None,
    };
    if let Some(values) = allowed_values(&schema).filter(|values| !values.is_empty()) {
        note_meanings(&schema, &values, &mut notes);
        let bytes = length(&values);
        if bytes <= refs.remaining() {
            refs.count_written(bytes);
            reduced.insert("enum".to_owned(), values.into());
        } else {
            let count = values.len();
            notes.add(format!("One of {count} values, too many to be listed here"));
        }
    }
    notes.add_keywords(&schema);
    let description = notes.append_to(description(&schema).unwrap_or_default());
    let description = shorten(description, 2 * MAX_TEXT);
    refs.count_written(description.len());
    if !description.is_empty() {
        reduced.insert("description".to_owned(), description.into());
    }
    reduced.extend(parts.map(|(keyword, parts)| (keyword.to_owned(), parts)));
    Some(reduced.into())
}

/// Returns the single type to which a schema is reduced; adds other types to the notes. A schema without a
/// known type gets the type of its `const` or `enum`, or the type that its keywords suggest, or else `string`.
fn choose_type(schema: &Map<String, Json>, notes: &mut Notes) -> &'static str {
    let known_type = |name: &Json| {
        let kinds = ["string", "number", "integer", "boolean", "array", "object"];
        kinds.into_iter().find(|kind| name == kind)
    };
    let named = match schema.get("type") {
        Some(Json::Array(kinds)) => {
            if kinds.iter().any(|kind| kind == "null") {
                notes.add("May be null");
            }
            let kinds: Vec<&str> = kinds.iter().filter_map(known_type).collect();
            if kinds.len() > 1 {
                notes.add(format!("Also {}", kinds.split_at(1).1.join(" or ")));
            }
            kinds.first().copied()
        }
        Some(kind) => known_type(kind),
        None => None,
    };
    named.unwrap_or_else(|| {
        let has = |keyword: &str| schema.contains_key(keyword);
        let value = schema.get("const").or_else(|| schema.get("enum")?.get(0));
        match value {
            Some(Json::Number(number)) if number.is_f64() => "number",
            Some(Json::Number(_)) => "integer",
            Some(Json::Bool(_)) => "boolean",
            None if has("properties") || has("additionalProperties") => "object",
            None if has("items") || has("prefixItems") => "array",
            None if has("minimum") || has("maximum") || has("multipleOf") => "number",
            _ => "string",
        }
    })
}

/// Reduces the properties of an object. Also returns the keys of the required properties.
fn reduce_object(
    refs: Refs<'_>,
    schema: &Map<String, Json>,
    notes: &mut Notes,
    depth: usize,
) -> (Map<String, Json>, Vec<Json>) {
    let declared = schema.get("properties").and_then(Json::as_object);
    let mut remaining = declared.map_or(0, Map::len);
    let mut properties = Map::new();
    for (name, property) in declared.into_iter().flatten() {
        if refs.is_exhausted() {
            notes.add_first(format!("{TOO_LARGE} {remaining} more fields are left out"));
            break;
        }
        let part = refs.share(remaining);
        remaining -= 1;
        let Some(reduced) = reduce_property(part, property, depth + 1) else {
            continue;
        };
        let offered = offered_key(name);
        if offered != *name {
            notes.add(format!("{offered} is \"{name}\""));
        }
        refs.count_written(offered.len());
        properties.insert(offered.into_owned(), reduced);
    }
    let mut seen = HashSet::new();
    let required = required_properties(schema)
        .map(offered_key)
        .filter(|name| properties.contains_key(&**name) && seen.insert(name.clone()));
    let required = required.map(Json::from).collect();
    for (keyword, words) in [("minProperties", "At least"), ("maxProperties", "At most")] {
        if let Some(count) = schema.get(keyword) {
            notes.add(format!("{words} {count} of these names"));
        }
    }
    (properties, required)
}

/// Reduces the items of an array to one schema. A tuple, whose items have different schemas, is reduced to the
/// first item's schema, and a note describes all items in order.
fn reduce_items(
    refs: Refs<'_>,
    schema: &Map<String, Json>,
    notes: &mut Notes,
    depth: usize,
) -> Json {
    let items = schema.get("items");
    let tuple = schema.get("prefixItems").or(items).and_then(Json::as_array);
    let item = match tuple {
        Some(tuple) => {
            let reduced = tuple.iter().enumerate().take_while(|_| !refs.is_exhausted()).filter_map(
                |(index, item)| reduce_property(refs.share(tuple.len() - index), item, depth + 1),
            );
            let reduced: Vec<Json> = reduced.collect();
            let words: Vec<String> = reduced.iter().map(describe_schema).collect();
            notes.add(format!("In this order: {}", words.join("; ")));
            reduced.into_iter().next()
        }
        None => items.and_then(|item| reduce_property(refs, item, depth + 1)),
    };
    item.unwrap_or_else(|| json!({ "type": "string" }))
}

/// Describes a reduced schema in a few words, such as `string (on, off), The state of the lamp`.
fn describe_schema(schema: &Json) -> String {
    let mut words = text(schema, "type").unwrap_or_default().to_owned();
    if let Some(values) = schema.get("enum") {
        words.push_str(&format!(" ({})", plain_text(values)));
    }
    match text(schema, "description").unwrap_or_default().trim_end_matches('.') {
        "" => words,
        description => format!("{words}, {description}"),
    }
}

/// Notes the meanings of an enum's values, if the schema states the meanings.
fn note_meanings(schema: &Map<String, Json>, values: &[Json], notes: &mut Notes) {
    let keywords = [
        "enumDescriptions",
        "x-enum-descriptions",
        "enumNames",
        "x-enumNames",
    ];
    let Some(meanings) = keywords.iter().find_map(|keyword| schema.get(*keyword)?.as_array())
    else {
        return;
    };
    for (value, meaning) in values.iter().zip(meanings) {
        if plain_text(value) != plain_text(meaning) {
            notes.add(format!("{}: {}", plain_text(value), plain_text(meaning)));
        }
    }
}

/// Merges a schema's `$ref`, `allOf`, `anyOf` and `oneOf` into the schema. Also returns the `Refs` to use for
/// the parts of the merged schema.
fn merge<'a>(
    refs: Refs<'a>,
    schema: &Map<String, Json>,
    notes: &mut Notes,
    depth: usize,
) -> (Refs<'a>, Map<String, Json>) {
    if depth > 0 {
        if refs.is_exhausted() {
            let too_large = [("type", "object"), ("description", TOO_LARGE)];
            let too_large = too_large.map(|(name, value)| (name.to_owned(), value.into()));
            return (refs, Map::from_iter(too_large));
        }
        refs.count_read(schema);
    }
    let (mut refs, mut schema) = refs.resolve(schema);
    if depth >= MAX_DEPTH {
        return (refs, schema);
    }
    if let Some(Json::Array(all)) = schema.remove("allOf") {
        for part in all.iter().filter_map(Json::as_object) {
            let (deeper, part) = merge(refs, part, notes, depth + 1);
            refs = deeper;
            join(&mut schema, part);
        }
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(Json::Array(variants)) = schema.remove(union) {
            let variants = variants.iter().filter_map(Json::as_object);
            let variants: Vec<_> =
                variants.map(|variant| merge(refs, variant, notes, depth + 1)).collect();
            if let Some((deeper, _)) = variants.first() {
                refs = *deeper;
            }
            let variants = variants.into_iter().map(|(_, variant)| variant).collect();
            unite(&mut schema, variants, notes);
        }
    }
    (refs, schema)
}

/// Adds the keywords of `added` that `schema` lacks, and combines the properties and the required names of
/// both.
fn join(schema: &mut Map<String, Json>, added: Map<String, Json>) {
    for (keyword, value) in added {
        match (keyword.as_str(), schema.get_mut(&keyword), value) {
            ("properties", Some(Json::Object(properties)), Json::Object(more)) => {
                for (name, property) in more {
                    properties.entry(name).or_insert(property);
                }
            }
            ("required", Some(Json::Array(names)), Json::Array(more)) => {
                let present: HashSet<Json> = names.iter().cloned().collect();
                names.extend(more.into_iter().filter(|name| !present.contains(name)));
            }
            (_, None, value) => {
                schema.insert(keyword, value);
            }
            _ => {}
        }
    }
}

/// Merges the variants of a union into a schema. If all variants list their values, the result is one enum. If
/// all have properties, it is one object. Otherwise the first variant is kept, and notes describe the others.
fn unite(schema: &mut Map<String, Json>, variants: Vec<Map<String, Json>>, notes: &mut Notes) {
    let is_null = |variant: &Map<String, Json>| {
        variant.get("type").is_some_and(|kind| kind == "null")
            || variant.get("const").is_some_and(Json::is_null)
    };
    if variants.iter().any(is_null) {
        notes.add("May be null");
    }
    let variants: Vec<_> = variants.into_iter().filter(|variant| !is_null(variant)).collect();
    let values: Option<Vec<Vec<Json>>> = variants.iter().map(allowed_values).collect();
    let are_objects = variants.iter().all(|variant| variant.contains_key("properties"));
    match values.filter(|values| !values.is_empty()) {
        Some(values) => unite_values(schema, &variants, values, notes),
        None if are_objects && variants.len() > 1 => unite_objects(schema, variants, notes),
        None => keep_first_variant(schema, variants, notes),
    }
}

/// Adds the values of all variants to a schema, and each variant's description to the notes.
fn unite_values(
    schema: &mut Map<String, Json>,
    variants: &[Map<String, Json>],
    values: Vec<Vec<Json>>,
    notes: &mut Notes,
) {
    for (variant, values) in variants.iter().zip(&values) {
        if let Some(meaning) = description(variant) {
            let values: Vec<String> = values.iter().map(plain_text).collect();
            notes.add(format!(
                "{}: {}",
                values.join(", "),
                meaning.trim_end_matches('.')
            ));
        }
    }
    schema.insert("enum".to_owned(), values.into_iter().flatten().collect());
}

/// Adds the properties of all variants to a schema. Adds a note with the names that each variant requires.
fn unite_objects(
    schema: &mut Map<String, Json>,
    variants: Vec<Map<String, Json>>,
    notes: &mut Notes,
) {
    let required_sets: Vec<String> = variants
        .iter()
        .map(|variant| required_properties(variant).map(offered_key).collect::<Vec<_>>())
        .filter(|names| !names.is_empty())
        .map(|names| names.join(" and "))
        .collect();
    if !required_sets.is_empty() {
        notes.add(format!("Give {}", required_sets.join(", or ")));
    }
    for mut variant in variants {
        // What one variant requires may be missing in another, so the united object does not require it.
        variant.retain(|keyword, _| keyword != "required");
        join(schema, variant);
    }
}

/// Joins the first variant with a schema, and describes the others in the notes.
fn keep_first_variant(
    schema: &mut Map<String, Json>,
    variants: Vec<Map<String, Json>>,
    notes: &mut Notes,
) {
    let mut variants = variants.into_iter();
    if let Some(first) = variants.next() {
        join(schema, first);
    }
    for variant in variants {
        let words = variant.get("type").map_or("another value".to_owned(), plain_text);
        let meaning = variant.get("description").and_then(Json::as_str);
        let meaning = meaning.map(|meaning| format!(", {}", meaning.trim_end_matches('.')));
        notes.add(format!("Also {words}{}", meaning.unwrap_or_default()));
        notes.add_keywords(&variant);
    }
}

/// Returns a schema's description or title, if there is one.
fn description(schema: &Map<String, Json>) -> Option<&str> {
    ["description", "title"].iter().find_map(|name| schema.get(*name)?.as_str())
}

/// Returns the values that `const` or `enum` allows.
fn allowed_values(schema: &Map<String, Json>) -> Option<Vec<Json>> {
    match schema.get("const") {
        Some(only) => Some(vec![only.clone()]),
        None => schema.get("enum")?.as_array().cloned(),
    }
}
