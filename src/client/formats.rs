//! Tools, calls and results in the shapes that models' interfaces want.
//!
//! Pure functions from values to values: what is handed in is never changed, and an empty list
//! stays empty.

pub mod anthropic;
mod notes;
pub mod ollama;
mod reduce;
mod refs;

use serde_json::Value as Json;

use crate::json::object;

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

/// Arguments as an object, where they are one.
fn arguments(json: Option<&Json>) -> Json {
    let sent = json.cloned().unwrap_or_default();
    object(sent.clone()).map_or(sent, Json::Object)
}
