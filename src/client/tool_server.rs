//! Whoever lists tools and runs them, and how a server does it.

use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tracing::warn;

use super::error::ClientError;
use super::session::McpSession;
use super::tool::{Tool, ToolResult};

/// An answer that is waited for.
pub type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send + 'a>>;

/// Whoever lists tools and runs them: a [`Connection`](super::Connection), or a [`McpSession`] over
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

impl ToolServer for McpSession {
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
    session: &McpSession,
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
    session: &McpSession,
    tool: &str,
    arguments: Map<String, Json>,
    limit: Duration,
) -> Result<ToolResult, ClientError> {
    let params = Map::from_iter([
        ("name".to_owned(), tool.into()),
        ("arguments".to_owned(), arguments.into()),
    ]);
    let answer = session.request(CALL, params, limit).await?;
    ToolResult::read(&answer).map_err(|why| session.wrong_shape(CALL, &answer, why))
}
