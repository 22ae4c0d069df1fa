//! A tool that searches the web, with a self-hosted `SearXNG` or with Brave.

use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Map, Value as Json, json};
use url::Url;

use super::http::build_client;
use super::settings::ApiKey;
use crate::client::{LocalTool, LocalToolError};

/// The maximum number of results that are returned.
const MAX_RESULTS: usize = 5;

/// The maximum lengths of a title, and of a description or an address, in characters.
const MAX_TITLE_CHARS: usize = 120;
const MAX_DESCRIPTION_CHARS: usize = 300;

/// The maximum size of the engine's answer, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// The time limit of a search.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

/// A search engine.
#[derive(Clone)]
pub enum SearchEngine {
    /// A `SearXNG` instance whose settings allow the format `json`.
    SearXng {
        /// Its address.
        address: Url,
    },
    /// Brave's API.
    Brave {
        /// Its address: [`BRAVE`], except in tests.
        address: Url,
        /// The key.
        key: ApiKey,
    },
}

impl fmt::Debug for SearchEngine {
    /// Omits the address, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The address of Brave's API.
pub const BRAVE: &str = "https://api.search.brave.com/";

/// Creates a tool that searches with this engine and returns titles, addresses and descriptions.
///
/// # Errors
/// Fails only if the tool's schema is invalid, which would be a bug here.
pub fn tool(engine: SearchEngine) -> Result<LocalTool, LocalToolError> {
    LocalTool::new(
        "search",
        "Searches the web. Not for anything about the house.",
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What to search for, in a few words" },
            },
            "required": ["query"],
        }),
        move |arguments: Map<String, Json>| {
            let engine = engine.clone();
            async move {
                let query = arguments.get("query").and_then(Json::as_str);
                let searching = search(&engine, query.unwrap_or_default());
                let found = tokio::time::timeout(SEARCH_TIMEOUT, searching).await;
                found.unwrap_or_else(|_| Err(engine.describe_failure("it did not answer in time")))
            }
        },
    )
}

impl SearchEngine {
    fn name(&self) -> &'static str {
        match self {
            Self::SearXng { .. } => "SearXNG",
            Self::Brave { .. } => "Brave",
        }
    }

    /// Returns the URL to request, the JSON pointer to the results in the answer, and the name of the field
    /// with a result's description.
    fn request_url(&self, query: &str) -> Result<(Url, &'static str, &'static str), String> {
        let (address, path, pointer, description) = match self {
            Self::SearXng { address } => (address, "search", "/results", "content"),
            Self::Brave { address, .. } => {
                (address, "res/v1/web/search", "/web/results", "description")
            }
        };
        // `Url::join` drops the last part of a path that does not end in a slash.
        let base = format!("{}/{path}", address.as_str().trim_end_matches('/'));
        let mut url =
            Url::parse(&base).map_err(|_| self.describe_failure("its address is wrong"))?;
        let (option, value) = match self {
            Self::SearXng { .. } => ("format", "json".to_owned()),
            Self::Brave { .. } => ("count", MAX_RESULTS.to_string()),
        };
        url.query_pairs_mut().append_pair("q", query).append_pair(option, &value);
        Ok((url, pointer, description))
    }

    fn describe_failure(&self, why: &str) -> String {
        let (address, setting) = match self {
            Self::SearXng { address } => (address, "SEARXNG_URL"),
            Self::Brave { address, .. } => (address, "BRAVE_API_KEY"),
        };
        let name = self.name();
        let host = address.host_str().unwrap_or_default();
        format!("The search with {name} at {host} failed: {why} ({setting}).")
    }
}

async fn search(engine: &SearchEngine, query: &str) -> Result<String, String> {
    let (url, pointer, description) = engine.request_url(query)?;
    let http = build_client(&url, SEARCH_TIMEOUT)
        .await
        .map_err(|_| engine.describe_failure("the HTTP client can't be set up"))?;
    let mut request = http.get(url).header("accept", "application/json");
    if let SearchEngine::Brave { key, .. } = engine {
        request = request.header("x-subscription-token", key.secret());
    }
    // The error's own text is not used, because it may contain the whole address.
    let sent = request.send().await;
    let mut response = sent.map_err(|error| {
        engine.describe_failure(if error.is_connect() {
            "it can't be reached"
        } else {
            "no answer came"
        })
    })?;
    match response.status() {
        status if status.is_success() => {}
        StatusCode::UNAUTHORIZED => {
            return Err(engine.describe_failure("its key is missing or wrong"));
        }
        StatusCode::FORBIDDEN => {
            return Err(engine.describe_failure(match engine {
                SearchEngine::SearXng { .. } => "it refused; allow the format json in its settings",
                SearchEngine::Brave { .. } => "it refused",
            }));
        }
        StatusCode::TOO_MANY_REQUESTS => {
            return Err(engine.describe_failure("it was asked too often"));
        }
        status => return Err(engine.describe_failure(&format!("it answered with status {status}"))),
    }
    let mut page = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        page.extend_from_slice(&part);
        if page.len() > MAX_ANSWER_BYTES {
            return Err(engine.describe_failure("its answer is too long"));
        }
    }
    let page: Json = serde_json::from_slice(&page)
        .map_err(|_| engine.describe_failure("its answer is not JSON"))?;
    let results = page
        .pointer(pointer)
        .and_then(Json::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .take(MAX_RESULTS)
        .map(|result| {
            let text = |name: &str, max_chars| {
                let text = result.get(name).and_then(Json::as_str);
                plain_text(text.unwrap_or_default(), max_chars)
            };
            let (title, url) = (
                text("title", MAX_TITLE_CHARS),
                text("url", MAX_DESCRIPTION_CHARS),
            );
            format!(
                "{title} ({url}): {}",
                text(description, MAX_DESCRIPTION_CHARS)
            )
        });
    let results: Vec<String> = results.collect();
    if results.is_empty() {
        return Ok(format!("Nothing was found for \"{query}\"."));
    }
    Ok(results.join("\n"))
}

/// Converts HTML to plain text on one line, cut to `max_chars` characters.
fn plain_text(html: &str, max_chars: usize) -> String {
    let mut in_tag = false;
    let characters = html.chars().filter(|character| {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                return false;
            }
            _ => {}
        }
        !in_tag
    });
    let text: String = characters.collect();
    let text = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        // The last one, so that nothing is decoded twice.
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text, |text, (code, character)| {
        text.replace(code, character)
    });
    let words: Vec<&str> = text
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().take(max_chars).collect()
}
