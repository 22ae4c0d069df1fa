//! Tools, calls and results in the shapes that models' interfaces want.
//!
//! Pure functions from values to values: what is handed in is never changed, and an empty list
//! stays empty.

pub mod anthropic;
mod notes;
pub mod ollama;
mod reduce;
mod refs;

use serde_json::{Map, Value as Json};

/// A call that a model wants.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The call's id, where the interface has one.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments: an object, or whatever came instead, for the
    /// [executor](super::ToolExecutor) to judge.
    pub arguments: Json,
}

/// Arguments as an object, where they are one; some models write it as a JSON string.
fn arguments(json: Option<&Json>) -> Json {
    match json {
        None | Some(Json::Null) => Json::Object(Map::new()),
        Some(Json::String(text)) => match serde_json::from_str::<Json>(text) {
            Ok(object @ Json::Object(_)) => object,
            _ => Json::String(text.clone()),
        },
        Some(json) => json.clone(),
    }
}
