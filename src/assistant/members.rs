//! Reads and sets members of JSON objects.

use serde_json::Value as Json;

/// Returns a member that is a text, or an empty text if there is none.
pub(super) fn member<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Sets a member, if the JSON is an object.
pub(super) fn set(json: &mut Json, name: &str, value: impl Into<Json>) {
    if let Some(fields) = json.as_object_mut() {
        fields.insert(name.to_owned(), value.into());
    }
}

/// Sets a member to a list. An empty list is left out, because it is not allowed.
pub(super) fn set_list(json: &mut Json, name: &str, list: Vec<Json>) {
    if !list.is_empty() {
        set(json, name, list);
    }
}
