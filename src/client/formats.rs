//! Tools, calls and results in the forms that models' APIs expect.
//!
//! Pure functions from values to values: an empty list stays empty. Each interface has the same three:
//! `tools` for a request, `tool_calls` out of an answer, and `tool_result` for the next request.
//!
//! The interfaces accept the tools, whatever a server offers. A tool whose name they would refuse gets
//! [another](offered_name), the later of two tools with one name wins, and the
//! [executor](super::ToolExecutor) turns offered keys of properties back into the tool's own.

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

/// The text of a tool that failed without a word: some interfaces refuse an empty text.
const SILENT: &str = "The tool failed and did not say why.";

/// The maximum length of a tool's description, in bytes.
const MAX_DESCRIPTION: usize = 16 * 1024;

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolCall {
    /// The call's id, if the interface has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name, as it was [offered](offered_name).
    pub name: String,
    /// The arguments: an object, or whatever came instead, for the
    /// [executor](super::ToolExecutor) to judge.
    pub arguments: Json,
}

/// Lists the tools with the names under which they are offered. Of two tools with one name, the later
/// takes the place of the earlier.
fn distinct_tools(tools: &[Tool]) -> impl Iterator<Item = (Cow<'_, str>, &Tool)> {
    let mut latest = HashMap::new();
    for tool in tools {
        latest.insert(offered_name(&tool.name), tool);
    }
    tools
        .iter()
        .filter_map(move |tool| latest.remove_entry(&offered_name(&tool.name)))
}

/// Reads arguments as an object, if they are one.
fn read_arguments(json: Option<&Json>) -> Json {
    let sent = json.cloned().unwrap_or_default();
    object(sent.clone()).map_or(sent, Json::Object)
}
