//! Tools as servers offer them, and what calling one gives.
//!
//! Both keep the JSON as it came: a field that is not known here is handed on, not lost.

use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tracing::warn;

use super::error::ClientError;
use super::session::Session;

/// A tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, in words for a model; empty where the server says nothing.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Json>,
    /// The whole of it, as the server sent it.
    pub document: Json,
}

impl Tool {
    /// Reads a tool of a `tools/list` answer; the error says what is missing.
    pub fn read(document: Json) -> Result<Self, String> {
        let text = |name: &str| document.get(name).and_then(Json::as_str).map(str::to_owned);
        let name = text("name").ok_or("it has no name")?;
        let input_schema = match document.get("inputSchema") {
            Some(Json::Object(schema)) => schema.clone(),
            None => Map::new(),
            Some(_) => return Err("its inputSchema is no object".to_owned()),
        };
        Ok(Self {
            name,
            description: text("description")
                .or_else(|| text("title"))
                .unwrap_or_default(),
            input_schema,
            document,
        })
    }

    /// The names of its arguments.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let properties = self
            .input_schema
            .get("properties")
            .and_then(Json::as_object);
        properties
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    }
}

/// What a call gave. A tool that failed gives a result, too.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The content blocks, as the server sent them.
    pub content: Vec<Json>,
    /// The structured content, if there is any.
    pub structured: Option<Json>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The result's `_meta`, if there is any.
    pub meta: Option<Json>,
}

impl ToolResult {
    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![json!({ "type": "text", "text": text.into() })],
            structured: None,
            is_error: false,
            meta: None,
        }
    }

    /// A failure, in a sentence.
    pub fn failure(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Everything in it as one text; what is no text is named, with its type.
    pub fn as_text(&self) -> String {
        let blocks = self.content.iter().map(block_text);
        let texts: Vec<String> = blocks.filter(|text| !text.is_empty()).collect();
        match &self.structured {
            Some(structured) if texts.is_empty() => structured.to_string(),
            _ => texts.join("\n"),
        }
    }

    fn read(json: Json) -> Result<Self, (Json, &'static str)> {
        if json
            .get("resultType")
            .is_some_and(|kind| kind != "complete")
        {
            return Err((json, "it asks for input that can't be given"));
        }
        let content = match json.get("content") {
            Some(Json::Array(content)) if content.iter().all(Json::is_object) => content.clone(),
            Some(_) => return Err((json, "its content is no list of blocks")),
            None if json.get("structuredContent").is_some() => Vec::new(),
            None => return Err((json, "it has no content")),
        };
        let is_error = match json.get("isError") {
            None | Some(Json::Null) => false,
            Some(Json::Bool(is_error)) => *is_error,
            Some(_) => return Err((json, "its isError is neither true nor false")),
        };
        Ok(Self {
            content,
            structured: json.get("structuredContent").cloned(),
            is_error,
            meta: json.get("_meta").cloned(),
        })
    }
}

/// A content block as text.
pub(super) fn block_text(block: &Json) -> String {
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let resource = block.get("resource");
    let of_resource = |name: &str| resource.and_then(|resource| text(resource, name));
    match text(block, "type").as_deref() {
        Some("text") => text(block, "text").unwrap_or_default(),
        Some("resource") if of_resource("text").is_some() => {
            of_resource("text").unwrap_or_default()
        }
        Some("resource_link") => {
            let name = text(block, "name").unwrap_or_default();
            format!("[{name}: {}]", text(block, "uri").unwrap_or_default())
        }
        kind => {
            let kind = kind.unwrap_or("unknown content");
            let mime = text(block, "mimeType").or_else(|| of_resource("mimeType"));
            let what = of_resource("uri").or(mime);
            what.map_or_else(|| format!("[{kind}]"), |what| format!("[{kind}: {what}]"))
        }
    }
}

/// An answer that is waited for.
pub type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send + 'a>>;

/// Whoever lists tools and runs them: a [`Connection`](super::Connection), or a [`Session`] over
/// pipes of the host's own.
pub trait ToolServer: Send + Sync {
    /// The tools there are.
    fn tools(&self) -> Answering<'_, Vec<Tool>>;

    /// Runs a tool. Dropping the future cancels it.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Answering<'a, ToolResult>;
}

impl ToolServer for Session {
    fn tools(&self) -> Answering<'_, Vec<Tool>> {
        Box::pin(list_tools(self, self.limits().call))
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Answering<'a, ToolResult> {
        Box::pin(call_tool(self, tool, arguments, limit))
    }
}

const LIST: &str = "tools/list";
const CALL: &str = "tools/call";

/// More pages than any server has; one that never ends is not followed.
const PAGES: usize = 1000;

/// Every page of a server's tools. A tool that can't be read is left out, with a warning.
pub(super) async fn list_tools(
    session: &Session,
    limit: Duration,
) -> Result<Vec<Tool>, ClientError> {
    let mut tools = Vec::new();
    let mut cursor: Option<Json> = None;
    for _ in 0..PAGES {
        let params = cursor.take().map(|cursor| ("cursor".to_owned(), cursor));
        let page = session
            .request(LIST, params.into_iter().collect(), limit)
            .await?;
        let Some(listed) = page.get("tools").and_then(Json::as_array) else {
            return Err(session.wrong_shape(LIST, &page, "it has no list of tools"));
        };
        for document in listed {
            match Tool::read(document.clone()) {
                Ok(tool) => tools.push(tool),
                Err(why) => warn!(%document, why, "a tool that can't be used is left out"),
            }
        }
        cursor = page
            .get("nextCursor")
            .filter(|cursor| cursor.is_string())
            .cloned();
        if cursor.is_none() {
            return Ok(tools);
        }
    }
    warn!("the server's list of tools does not end; the rest is left out");
    Ok(tools)
}

pub(super) async fn call_tool(
    session: &Session,
    tool: &str,
    arguments: Map<String, Json>,
    limit: Duration,
) -> Result<ToolResult, ClientError> {
    let params = Map::from_iter([
        ("name".to_owned(), tool.into()),
        ("arguments".to_owned(), arguments.into()),
    ]);
    let answer = session.request(CALL, params, limit).await?;
    ToolResult::read(answer).map_err(|(answer, why)| session.wrong_shape(CALL, &answer, why))
}
