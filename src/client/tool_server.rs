//! What lists tools and runs them, and how a session with a server does it.

use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tracing::warn;

use super::error::ClientError;
use super::session::McpSession;
use super::tool::{Tool, ToolResult};

/// A future answer, in a box, so that servers of any kind can be held together.
pub type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send + 'a>>;

/// What lists tools and runs them: a [`Connection`](super::Connection), or a [`McpSession`] over
/// pipes of the host's own.
pub trait ToolServer: Send + Sync {
    /// The tools there are, within the time a call may take.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    fn tools(&self) -> Answering<'_, Vec<Tool>>;

    /// Runs a tool, within a time of its own. Dropping the future cancels it.
    ///
    /// # Errors
    /// As [`ClientError`] says. A tool that failed is no error here but a result that says so.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Answering<'a, ToolResult>;
}

const LIST: &str = "tools/list";
const CALL: &str = "tools/call";

/// More pages than any server has; one that never ends is not followed.
const PAGES: usize = 1000;

impl ToolServer for McpSession {
    /// Every page of the server's tools. A tool that can't be read is skipped, with a warning.
    fn tools(&self) -> Answering<'_, Vec<Tool>> {
        Box::pin(async {
            let mut tools = Vec::new();
            let mut params = Map::new();
            for _ in 0..PAGES {
                let page = self.request(LIST, params, self.limits().call).await?;
                let Some(listed) = page.get("tools").and_then(Json::as_array) else {
                    return Err(self.wrong_shape(LIST, &page, "it has no list of tools"));
                };
                for document in listed {
                    match Tool::read(document.clone()) {
                        Ok(tool) => tools.push(tool),
                        Err(why) => warn!(%document, why, "a tool that can't be used is left out"),
                    }
                }
                let cursor = page.get("nextCursor").filter(|cursor| cursor.is_string());
                let Some(cursor) = cursor.cloned() else {
                    return Ok(tools);
                };
                params = Map::from_iter([("cursor".to_owned(), cursor)]);
            }
            warn!("the server's list of tools does not end; the rest is left out");
            Ok(tools)
        })
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Answering<'a, ToolResult> {
        let params = Map::from_iter([
            ("name".to_owned(), tool.into()),
            ("arguments".to_owned(), arguments.into()),
        ]);
        Box::pin(async move {
            let answer = self.request(CALL, params, limit).await?;
            ToolResult::read(&answer).map_err(|why| self.wrong_shape(CALL, &answer, why))
        })
    }
}
