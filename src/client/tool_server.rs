//! The trait [`ToolServer`], and its implementation for a session.

use std::collections::HashSet;
use std::pin::Pin;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::Instant;
use tracing::warn;

use super::cut::first_chars;
use super::elicitation::InputRequired;
use super::error::ClientError;
use super::exchange::Exchange;
use super::host::ServerEvent;
use super::limits::Limits;
use super::session::McpSession;
use super::tool::{Tool, ToolResult};
use crate::json::length;

/// The future of an answer, boxed so that [`ToolServer`] can be a trait object.
pub type AnswerFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send + 'a>>;

/// A server that lists tools and runs them: a [`Connection`](super::Connection), a [`McpSession`], or a type
/// that the host defines.
pub trait ToolServer: Send + Sync {
    /// Lists the tools, within the time limit of a call.
    fn tools(&self) -> AnswerFuture<'_, Vec<Tool>>;

    /// Runs a tool, within a time limit. Dropping the future cancels the call.
    ///
    /// # Errors
    /// See [`ClientError`]. If the tool itself fails, the result has `is_error` set instead.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> AnswerFuture<'a, ToolResult> {
        self.call_with_meta(tool, arguments, Map::new(), limit)
    }

    /// Calls a tool, with `_meta` for the server. A server that takes none ignores it.
    ///
    /// # Errors
    /// See [`call`](Self::call).
    fn call_with_meta<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        meta: Map<String, Json>,
        limit: Duration,
    ) -> AnswerFuture<'a, ToolResult>;

    /// Reads the text of a resource, within a time limit.
    ///
    /// # Errors
    /// See [`ClientError`]. Also fails if the server has no resources.
    fn read<'a>(&'a self, uri: &'a str, _limit: Duration) -> AnswerFuture<'a, String> {
        Box::pin(async move { Err(no_resource(uri)) })
    }

    /// Subscribes the host's [`Listener`](super::Listener) to the changes of a resource, and returns when the
    /// session ends. Dropping the future ends the subscription.
    ///
    /// # Errors
    /// See [`ClientError`].
    fn follow<'a>(&'a self, uri: &'a str) -> AnswerFuture<'a, ()> {
        Box::pin(async move { Err(no_resource(uri)) })
    }
}

fn no_resource(uri: &str) -> ClientError {
    ClientError::Unreachable {
        why: format!("it has no resource {uri}"),
    }
}

const LIST: &str = "tools/list";
const CALL: &str = "tools/call";
const READ: &str = "resources/read";
const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";
const LISTEN: &str = "subscriptions/listen";

/// The time limit of a subscription: in practice, none.
const SUBSCRIPTION_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The maximum number of times that one call is sent. If the result contains questions for the person, the
/// call is sent again with the answers. The time limit then begins anew.
const MAX_QUESTION_ROUNDS: usize = 8;

impl ToolServer for McpSession {
    /// Reads all pages of the server's tools, within one time limit. Skips invalid tools, with a warning. If
    /// there are too many tools, leaves out the rest and [reports](ServerEvent::ToolsLeftOut) that.
    fn tools(&self) -> AnswerFuture<'_, Vec<Tool>> {
        Box::pin(async {
            let exchange = &self.exchange.0;
            let limit = exchange.host.limits.call;
            let deadline = Instant::now() + limit;
            let mut listing = Listing::default();
            let mut params = Map::new();
            let why = loop {
                let remaining = deadline.saturating_duration_since(Instant::now());
                let mut page = self
                    .request(LIST, params, remaining)
                    .await
                    .map_err(|error| error.with_limit(limit))?;
                let Some(Json::Array(listed)) = page.get_mut("tools").map(Json::take) else {
                    return Err(exchange.wrong_shape(LIST, &page, "it has no list of tools"));
                };
                let cursor = page.get("nextCursor").and_then(Json::as_str);
                if let Err(why) = listing.add(listed, cursor, &exchange.host.limits) {
                    break why;
                }
                let Some(cursor) = cursor else {
                    return Ok(listing.tools);
                };
                params = Map::from_iter([("cursor".to_owned(), cursor.into())]);
            };
            warn!(why, "the rest of the server's tools is left out");
            exchange.emit(&ServerEvent::ToolsLeftOut { why });
            Ok(listing.tools)
        })
    }

    fn call_with_meta<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        meta: Map<String, Json>,
        limit: Duration,
    ) -> AnswerFuture<'a, ToolResult> {
        let mut params = Map::from_iter([
            ("name".to_owned(), tool.into()),
            ("arguments".to_owned(), arguments.into()),
        ]);
        if !meta.is_empty() {
            params.insert("_meta".to_owned(), meta.into());
        }
        Box::pin(async move {
            let exchange = &self.exchange.0;
            for _ in 0..MAX_QUESTION_ROUNDS {
                let answer = self.request(CALL, params.clone(), limit).await?;
                let asker = exchange.host.asker.as_ref();
                let added = match InputRequired::read(&answer, exchange.host.limits.text) {
                    Some(required) => required.ask(asker).await,
                    None => None,
                };
                let Some(added) = added else {
                    let result = ToolResult::read(&answer);
                    return result.map_err(|why| exchange.wrong_shape(CALL, &answer, why));
                };
                params.remove("inputResponses");
                params.extend(added);
            }
            Err(exchange.wrong_shape(CALL, &Json::Null, "it asks again and again"))
        })
    }

    fn read<'a>(&'a self, uri: &'a str, limit: Duration) -> AnswerFuture<'a, String> {
        let params = Map::from_iter([("uri".to_owned(), uri.into())]);
        Box::pin(async move {
            let answer = self.request(READ, params, limit).await?;
            let text = answer.pointer("/contents/0/text").and_then(Json::as_str);
            text.map(str::to_owned)
                .ok_or_else(|| self.exchange.0.wrong_shape(READ, &answer, "it has no text"))
        })
    }

    fn follow<'a>(&'a self, uri: &'a str) -> AnswerFuture<'a, ()> {
        Box::pin(async move {
            if self.info().is_stateless() {
                let filter = json!({ "resourceSubscriptions": [uri] });
                let params = Map::from_iter([("notifications".to_owned(), filter)]);
                return self.request(LISTEN, params, SUBSCRIPTION_TIMEOUT).await.map(drop);
            }
            let params = Map::from_iter([("uri".to_owned(), uri.into())]);
            let limit = self.exchange.0.host.limits.call;
            self.request(SUBSCRIBE, params.clone(), limit).await?;
            let _subscription = Subscription(&self.exchange.0, params);
            self.wait_for_end().await;
            Ok(())
        })
    }
}

/// A subscription by `resources/subscribe`. Dropping it sends `resources/unsubscribe` with these parameters.
struct Subscription<'a>(&'a Exchange, Map<String, Json>);

impl Drop for Subscription<'_> {
    fn drop(&mut self) {
        self.0.request_without_answer(UNSUBSCRIBE, std::mem::take(&mut self.1));
    }
}

/// The tools that were listed so far, and the counts that must stay within [`Limits`].
#[derive(Default)]
struct Listing {
    tools: Vec<Tool>,
    /// The number of documents, including those that are not valid tools.
    documents: usize,
    /// The total length of all cursors and of all documents as JSON, in bytes.
    size: usize,
    /// The cursors so far, one for each page but the first, to notice pages that lead in a circle.
    cursors: HashSet<String>,
}

impl Listing {
    /// Adds a page. `next` is the next page's cursor, if any. The error says why the listing ends early.
    fn add(
        &mut self,
        listed: Vec<Json>,
        next: Option<&str>,
        limits: &Limits,
    ) -> Result<(), String> {
        for document in listed {
            self.documents += 1;
            if self.documents > limits.tools {
                return Err(format!("there are more than {}", limits.tools));
            }
            self.grow(length(&document), limits)?;
            let name = document.get("name").cloned().unwrap_or_default();
            match Tool::read(document) {
                Ok(tool) => self.tools.push(tool),
                Err(why) => {
                    let name = first_chars(name.to_string().as_bytes(), limits.bad_line);
                    warn!(name, why, "a tool that can't be used is left out");
                }
            }
        }
        let Some(next) = next else { return Ok(()) };
        if self.cursors.len() + 1 >= limits.tools {
            return Err(format!("they fill more than {} pages", limits.tools));
        }
        self.grow(next.len(), limits)?;
        if !self.cursors.insert(next.to_owned()) {
            return Err("the server's pages never end".to_owned());
        }
        Ok(())
    }

    /// Adds to the size. Fails if the size is then too large.
    fn grow(&mut self, bytes: usize, limits: &Limits) -> Result<(), String> {
        self.size = self.size.saturating_add(bytes);
        if self.size > limits.tools_size {
            return Err(format!("they are longer than {} bytes", limits.tools_size));
        }
        Ok(())
    }
}
