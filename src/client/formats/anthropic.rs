//! Anthropic's Messages API: `tools`, `tool_use` and `tool_result`.

use serde_json::{Value as Json, json};

use super::reduce::{MAX_DESCRIPTION, reduce};
use super::valid::is_accepted;
use super::{ToolCall, distinct_tools, result_text};
use crate::client::cut::shorten;
use crate::client::tool::{Tool, ToolResult, block_text, items, text};

/// The media types of images that the API accepts.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Converts tools for the field `tools` of a request. A schema that the API might reject is reduced.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let converted = distinct_tools(tools).map(|(name, tool)| {
        let (schema, description) = if is_accepted(&tool.input_schema) {
            let mut schema = tool.input_schema.clone();
            schema.insert("type".to_owned(), "object".into());
            let description = shorten(tool.description.clone(), MAX_DESCRIPTION);
            (schema, description)
        } else {
            reduce(tool)
        };
        json!({ "name": name, "description": description, "input_schema": schema })
    });
    converted.collect()
}

/// Reads the calls in the model's answer.
pub fn tool_calls(message: &Json) -> Vec<ToolCall> {
    items(message.get("content"))
        .filter(|block| text(block, "type") == Some("tool_use"))
        .filter_map(|block| ToolCall::read(block, block, "input"))
        .collect()
}

/// Converts a result to a content block of the next message. Leaves out empty texts, because the API rejects
/// them. An image that the API would reject becomes a text, such as `[image: image/png]`. The API rejects
/// every image in a failed result.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    let mut content: Vec<Json> = result
        .content
        .iter()
        .filter_map(|block| image_block(block, result).or_else(|| text_block(&block_text(block))))
        .collect();
    if content.is_empty() {
        content.extend(text_block(&result_text(result)));
    }
    let mut answer = json!({
        "type": "tool_result",
        "tool_use_id": call.id.as_deref().unwrap_or_default(),
        "is_error": result.is_error,
    });
    if !content.is_empty()
        && let Some(fields) = answer.as_object_mut()
    {
        fields.insert("content".to_owned(), content.into());
    }
    answer
}

/// Converts an image. Returns `None` for any other block, and for an image that the API would reject in this
/// result.
fn image_block(block: &Json, result: &ToolResult) -> Option<Json> {
    let (kind, data) = (text(block, "mimeType")?, text(block, "data")?);
    let is_usable = !result.is_error
        && text(block, "type") == Some("image")
        && IMAGE_TYPES.contains(&kind)
        && is_base64(data);
    is_usable.then(|| {
        let source = json!({ "type": "base64", "media_type": kind, "data": data });
        json!({ "type": "image", "source": source })
    })
}

fn text_block(text: &str) -> Option<Json> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && data.len().is_multiple_of(4) && digits.bytes().all(is_digit)
}
