//! Tools, calls and results in the shapes that models' interfaces want.
//!
//! Pure functions from values to values: what is handed in is never changed, and an empty list
//! stays empty. Each interface has the same three: `tools` for a request, `tool_calls` out of an
//! answer, and `tool_result` for the next request.

pub mod anthropic;
mod function;
pub(super) mod names;
mod notes;
pub mod ollama;
pub mod openai;
mod reduce;
mod refs;

use serde_json::Value as Json;

pub use self::names::offered_name;

use crate::json::object;

/// What a tool says that failed without a word: an empty text is refused by some interfaces.
const SILENT: &str = "The tool failed and did not say why.";

/// A call that a model wants.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The call's id, where the interface has one.
    pub id: Option<String>,
    /// The tool's name, as it was [offered](offered_name).
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
