//! Anthropic's Messages API: `tools`, `tool_use` and `tool_result`.

use serde_json::{Map, Value as Json, json};

use super::names::offered_name;
use super::{ToolCall, arguments, reduce};
use crate::client::tool::{Tool, ToolResult, block_text};

/// The types of images that are accepted.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The tools, for the field `tools`.
///
/// A schema stays as it is, but for a union at its top, which the interface refuses: it becomes one
/// object with the properties of all.
pub fn tools(tools: &[Tool]) -> Vec<Json> {
    let converted = tools.iter().map(|tool| {
        json!({
            "name": offered_name(&tool.name),
            "description": tool.description,
            "input_schema": input_schema(&tool.input_schema),
        })
    });
    converted.collect()
}

fn input_schema(schema: &Map<String, Json>) -> Map<String, Json> {
    let united = ["anyOf", "oneOf", "allOf", "$ref"]
        .iter()
        .any(|union| schema.contains_key(*union));
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    if united || (!is_object && schema.contains_key("type")) {
        return reduce::parameters(schema).schema;
    }
    let mut schema = schema.clone();
    schema.insert("type".to_owned(), "object".into());
    schema
}

/// The calls in an answer of the model.
pub fn tool_calls(message: &Json) -> Vec<ToolCall> {
    let blocks = message.get("content").and_then(Json::as_array);
    let calls = blocks.into_iter().flatten().filter_map(|block| {
        let text = |name: &str| block.get(name).and_then(Json::as_str).map(str::to_owned);
        (text("type").as_deref() == Some("tool_use")).then_some(())?;
        Some(ToolCall {
            id: text("id"),
            name: text("name")?,
            arguments: arguments(block.get("input")),
        })
    });
    calls.collect()
}

/// A result, as a content block of the next message. Empty texts are left out: the interface
/// refuses them.
pub fn tool_result(call: &ToolCall, result: &ToolResult) -> Json {
    let mut content: Vec<Json> = result.content.iter().filter_map(content_block).collect();
    if content.is_empty() {
        let text = match &result.structured {
            Some(structured) => structured.to_string(),
            // An error without a text is refused, too.
            None if result.is_error => super::SILENT.to_owned(),
            None => String::new(),
        };
        content.extend((!text.is_empty()).then(|| json!({ "type": "text", "text": text })));
    }
    json!({
        "type": "tool_result",
        "tool_use_id": call.id.as_deref().unwrap_or_default(),
        "content": content,
        "is_error": result.is_error,
    })
}

fn content_block(block: &Json) -> Option<Json> {
    let text = |name: &str| block.get(name).and_then(Json::as_str);
    if let (Some("image"), Some(kind), Some(data)) = (text("type"), text("mimeType"), text("data"))
        && IMAGES.contains(&kind)
    {
        let source = json!({ "type": "base64", "media_type": kind, "data": data });
        return Some(json!({ "type": "image", "source": source }));
    }
    let text = block_text(block);
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}
