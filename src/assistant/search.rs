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

/// The maximum lengths of a title and a description, in characters.
const MAX_TITLE: usize = 120;
const MAX_DESCRIPTION: usize = 300;

/// The maximum size of an answer, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// The maximum time of a search.
const LIMIT: Duration = Duration::from_secs(10);

/// A search engine.
#[derive(Clone)]
pub enum SearchEngine {
    /// A `SearXNG`, which must have the format `json` allowed in its settings.
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
    /// Without the address, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The address of Brave's API.
pub const BRAVE: &str = "https://api.search.brave.com/";

/// Makes a tool that searches with this engine and returns titles, addresses and descriptions.
///
/// # Errors
/// No error that a caller could cause.
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
                let found = tokio::time::timeout(LIMIT, searching).await;
                found.unwrap_or_else(|_| Err(engine.word_failure("it did not answer in time")))
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

    /// Returns the URL to request, the JSON pointer to the results in the answer, and the name of a result's
    /// description.
    fn request_url(&self, query: &str) -> Result<(Url, &'static str, &'static str), String> {
        let (address, path, list, description) = match self {
            Self::SearXng { address } => (address, "search", "/results", "content"),
            Self::Brave { address, .. } => {
                (address, "res/v1/web/search", "/web/results", "description")
            }
        };
        // `Url::join` drops the last part of a path that does not end in a slash.
        let base = format!("{}/{path}", address.as_str().trim_end_matches('/'));
        let mut url = Url::parse(&base).map_err(|_| self.word_failure("its address is wrong"))?;
        let (option, value) = match self {
            Self::SearXng { .. } => ("format", "json".to_owned()),
            Self::Brave { .. } => ("count", MAX_RESULTS.to_string()),
        };
        url.query_pairs_mut().append_pair("q", query).append_pair(option, &value);
        Ok((url, list, description))
    }

    fn word_failure(&self, why: &str) -> String {
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
    let (url, list, description) = engine.request_url(query)?;
    let http = build_client(&url, LIMIT)
        .await
        .map_err(|_| engine.word_failure("the HTTP client can't be set up"))?;
    let mut request = http.get(url).header("accept", "application/json");
    if let SearchEngine::Brave { key, .. } = engine {
        request = request.header("x-subscription-token", key.secret());
    }
    // The library's error text may contain the whole address.
    let sent = request.send().await;
    let mut response = sent.map_err(|error| {
        engine.word_failure(if error.is_connect() {
            "it can't be reached"
        } else {
            "no answer came"
        })
    })?;
    match response.status() {
        status if status.is_success() => {}
        StatusCode::UNAUTHORIZED => return Err(engine.word_failure("its key is missing or wrong")),
        StatusCode::FORBIDDEN => {
            return Err(engine.word_failure(match engine {
                SearchEngine::SearXng { .. } => "it refused; allow the format json in its settings",
                SearchEngine::Brave { .. } => "it refused",
            }));
        }
        StatusCode::TOO_MANY_REQUESTS => return Err(engine.word_failure("it was asked too often")),
        status => return Err(engine.word_failure(&format!("it answered with status {status}"))),
    }
    let mut page = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        page.extend_from_slice(&part);
        if page.len() > MAX_ANSWER {
            return Err(engine.word_failure("its answer is too long"));
        }
    }
    let page: Json =
        serde_json::from_slice(&page).map_err(|_| engine.word_failure("its answer is not JSON"))?;
    let results = page
        .pointer(list)
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
            let (title, url) = (text("title", MAX_TITLE), text("url", MAX_DESCRIPTION));
            format!("{title} ({url}): {}", text(description, MAX_DESCRIPTION))
        });
    let results: Vec<String> = results.collect();
    if results.is_empty() {
        return Ok(format!("Nothing was found for \"{query}\"."));
    }
    Ok(results.join("\n"))
}

/// Returns a text without tags and line breaks, cut to `max_chars` characters.
fn plain_text(html: &str, max_chars: usize) -> String {
    let mut inside = false;
    let characters = html.chars().filter(|character| {
        match character {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                return false;
            }
            _ => {}
        }
        !inside
    });
    let text: String = characters.collect();
    let text = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
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
