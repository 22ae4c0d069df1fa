//! Tools, calls and results in the shapes that models' interfaces want.
//!
//! Pure functions from values to values: what is handed in is never changed, and an empty list
//! stays empty. Each interface has the same three: `tools` for a request, `tool_calls` out of an
//! answer, and `tool_result` for the next request.
//!
//! What comes out is accepted by the interface, whatever a server offers. Tools whose names are not
//! accepted get [others](offered_name), of two tools of one name the later one stands, and keys of
//! properties are led back by [`own_arguments`].

pub mod anthropic;
mod function;
pub(super) mod names;
mod notes;
pub mod ollama;
pub mod openai;
mod reduce;
mod refs;
mod valid;

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value as Json;

pub use self::names::{offered_name, own_arguments};

use super::tool::Tool;
use crate::json::object;

/// What a tool says that failed without a word: an empty text is refused by some interfaces.
const SILENT: &str = "The tool failed and did not say why.";

/// How long a tool's description may be, in bytes.
const MAX_DESCRIPTION: usize = 16 * 1024;

/// A call that a model wants.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolCall {
    /// The call's id, where the interface has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name, as it was [offered](offered_name).
    pub name: String,
    /// The arguments: an object, or whatever came instead, for the
    /// [executor](super::ToolExecutor) to judge.
    pub arguments: Json,
}

/// What is to be offered, by the names under which it is: of two tools of one name the later one, in
/// the place of the earlier.
fn distinct(tools: &[Tool]) -> impl Iterator<Item = (Cow<'_, str>, &Tool)> {
    let mut latest = HashMap::new();
    for tool in tools {
        latest.insert(offered_name(&tool.name), tool);
    }
    let firsts = tools.iter();
    firsts.filter_map(move |tool| latest.remove_entry(&offered_name(&tool.name)))
}

/// Arguments as an object, where they are one.
fn arguments(json: Option<&Json>) -> Json {
    let sent = json.cloned().unwrap_or_default();
    object(sent.clone()).map_or(sent, Json::Object)
}
