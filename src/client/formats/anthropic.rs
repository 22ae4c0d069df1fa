//! Anthropic's Messages API: `tools`, `tool_use` and `tool_result`.

use serde_json::{Value as Json, json};

use super::function::result_text;
use super::reduce::reduce;
use super::valid::is_accepted;
use super::{MAX_DESCRIPTION, ToolCall, distinct_tools, read_arguments};
use crate::client::lines::shorten;
use crate::client::tool::{Tool, ToolResult, block_text, items};

/// The media types of images that the API accepts.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Converts tools for the field `tools` of a request. A schema that the API would reject is reduced.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let converted = distinct_tools(tools).map(|(name, tool)| {
        let (schema, description) = if is_accepted(&tool.input_schema) {
            let mut schema = tool.input_schema.clone();
            schema.insert("type".to_owned(), "object".into());
            (schema, shorten(tool.description.clone(), MAX_DESCRIPTION))
        } else {
            reduce(tool)
        };
        json!({ "name": name, "description": description, "input_schema": schema })
    });
    converted.collect()
}

/// Reads the calls in the model's answer.
pub fn tool_calls(message: &Json) -> Vec<ToolCall> {
    let is_call = |block: &&Json| block.get("type").is_some_and(|kind| kind == "tool_use");
    let calls = items(message.get("content")).filter(is_call);
    calls
        .filter_map(|block| {
            let text = |name: &str| block.get(name).and_then(Json::as_str).map(str::to_owned);
            Some(ToolCall {
                id: text("id"),
                name: text("name")?,
                arguments: read_arguments(block.get("input")),
            })
        })
        .collect()
}

/// Converts a result to a content block of the next message. Empty texts are left out and images of a failure
/// are described in text, because the API rejects both.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    let blocks = result.content.iter();
    let mut content: Vec<Json> =
        blocks.filter_map(|block| content_block(block, !result.is_error)).collect();
    if content.is_empty() {
        content.extend(text_block(&result_text(result)));
    }
    let mut block = json!({
        "type": "tool_result",
        "tool_use_id": call.id.as_deref().unwrap_or_default(),
        "is_error": result.is_error,
    });
    if let (false, Some(block)) = (content.is_empty(), block.as_object_mut()) {
        block.insert("content".to_owned(), content.into());
    }
    block
}

/// Converts a content block; everything but an accepted image becomes text.
fn content_block(block: &Json, allow_images: bool) -> Option<Json> {
    let text = |name: &str| block.get(name).and_then(Json::as_str);
    if allow_images
        && let (Some("image"), Some(kind), Some(data)) =
            (text("type"), text("mimeType"), text("data"))
        && IMAGE_TYPES.contains(&kind)
        && is_base64(data)
    {
        let source = json!({ "type": "base64", "media_type": kind, "data": data });
        return Some(json!({ "type": "image", "source": source }));
    }
    text_block(&block_text(block))
}

fn text_block(text: &str) -> Option<Json> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && data.len().is_multiple_of(4) && digits.bytes().all(is_digit)
}
