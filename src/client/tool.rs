//! Tools as servers offer them, and the results of calls.
//!
//! Tools and content blocks are kept as JSON, so their unknown fields are passed on.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

/// A tool. Serializes to its `document`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Tool {
    /// The tool's name.
    #[serde(skip)]
    pub name: String,
    /// The description, or else the title; empty if the server gives neither.
    #[serde(skip)]
    pub description: String,
    /// The JSON Schema of the arguments.
    #[serde(skip)]
    pub input_schema: Map<String, Json>,
    /// The whole tool, as the server sent it.
    pub document: Json,
}

impl Tool {
    /// Reads a tool from the answer to `tools/list`; the error names the fault.
    pub fn read(document: Json) -> Result<Self, String> {
        let name = text(&document, "name").ok_or("it has no name")?.to_owned();
        let description = text(&document, "description").or_else(|| text(&document, "title"));
        let description = description.unwrap_or_default().to_owned();
        let input_schema = match document.get("inputSchema") {
            Some(Json::Object(schema)) => schema.clone(),
            None => Map::new(),
            Some(_) => return Err("its inputSchema is not an object".to_owned()),
        };
        Ok(Self {
            name,
            description,
            input_schema,
            document,
        })
    }

    /// Lists the names of the arguments.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        properties(&self.input_schema).map(|(name, _)| name.as_str())
    }
}

/// Lists the properties of an object's schema.
pub(super) fn properties(schema: &Map<String, Json>) -> impl Iterator<Item = (&String, &Json)> {
    members(schema.get("properties"))
}

/// Lists the names of the properties that an object's schema requires.
pub(super) fn required_properties(schema: &Map<String, Json>) -> impl Iterator<Item = &str> {
    items(schema.get("required")).filter_map(Json::as_str)
}

/// Returns the text in a field, if there is one.
pub(super) fn text<'a>(json: &'a Json, field: &str) -> Option<&'a str> {
    json.get(field)?.as_str()
}

/// Lists the members of an object; nothing if `json` is not an object.
pub(super) fn members(json: Option<&Json>) -> impl Iterator<Item = (&String, &Json)> {
    json.and_then(Json::as_object).into_iter().flatten()
}

/// Lists the items of an array; nothing if `json` is not an array.
pub(crate) fn items(json: Option<&Json>) -> impl Iterator<Item = &Json> {
    json.and_then(Json::as_array).into_iter().flatten()
}

/// The types that JSON Schema knows.
pub(super) const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "array", "object", "null",
];

/// The result of a call, successful or not. Serializes to an MCP `CallToolResult`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The content blocks, as the server sent them.
    pub content: Vec<Json>,
    /// The structured content, if there is any.
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    pub structured: Option<Json>,
    /// True if the tool failed.
    pub is_error: bool,
    /// The result's `_meta`, if there is any.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Json>,
}

impl ToolResult {
    /// Makes a successful result with one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![json!({ "type": "text", "text": text.into() })],
            structured: None,
            is_error: false,
            meta: None,
        }
    }

    /// Makes a failed result with one text, which should be a sentence.
    pub fn failure(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Returns all content as one text. An image becomes `[image: image/png]`, for example. If the text is
    /// empty, returns the structured content as JSON.
    pub fn as_text(&self) -> String {
        let texts: Vec<String> =
            self.content.iter().map(block_text).filter(|text| !text.is_empty()).collect();
        match &self.structured {
            Some(structured) if texts.is_empty() => structured.to_string(),
            _ => texts.join("\n"),
        }
    }

    /// Reads the answer to a `tools/call`; the error names the fault.
    pub(super) fn read(json: &Json) -> Result<Self, &'static str> {
        if json.get("resultType").is_some_and(|kind| kind != "complete") {
            return Err("it asks for input that can't be given");
        }
        let content = match json.get("content") {
            Some(Json::Array(content)) if content.iter().all(Json::is_object) => {
                let lacks_text = |block: &Json| {
                    text(block, "type") == Some("text") && text(block, "text").is_none()
                };
                if content.iter().any(lacks_text) {
                    return Err("the text of a content block is missing");
                }
                content.clone()
            }
            Some(_) => return Err("its content is not a list of blocks"),
            None if json.get("structuredContent").is_some() => Vec::new(),
            None => return Err("it has no content"),
        };
        let is_error = match json.get("isError") {
            None | Some(Json::Null) => false,
            Some(Json::Bool(is_error)) => *is_error,
            Some(_) => return Err("its isError is neither true nor false"),
        };
        Ok(Self {
            content,
            structured: json.get("structuredContent").cloned(),
            is_error,
            meta: json.get("_meta").cloned(),
        })
    }
}

/// Returns a content block as text. A block without text is described, for example as `[image: image/png]`.
pub(super) fn block_text(block: &Json) -> String {
    let resource = block.get("resource").unwrap_or(&Json::Null);
    let kind = text(block, "type").unwrap_or("unknown content");
    let content = match kind {
        "text" => Some(text(block, "text").unwrap_or_default()),
        "resource" => text(resource, "text"),
        _ => None,
    };
    if let Some(content) = content {
        return content.to_owned();
    }
    if kind == "resource_link" {
        let name = text(block, "name").unwrap_or_default();
        return format!("[{name}: {}]", text(block, "uri").unwrap_or_default());
    }
    let mime_type = text(block, "mimeType").or_else(|| text(resource, "mimeType"));
    match text(resource, "uri").or(mime_type) {
        Some(detail) => format!("[{kind}: {detail}]"),
        None => format!("[{kind}]"),
    }
}
