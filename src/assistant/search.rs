//! The tool that searches the web, with a self-hosted `SearXNG` or with Brave.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Map, Value as Json, json};
use url::Url;

use super::address::append_path;
use super::http::build_client;
use super::settings::ApiKey;
use super::turns::member;
use crate::client::{LocalTool, LocalToolError, items};

const MAX_RESULTS: usize = 5;

const MAX_TITLE_CHARS: usize = 120;

/// The maximum length of a description or an address, in characters.
const MAX_DESCRIPTION_CHARS: usize = 300;

/// The maximum size of the engine's answer, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

/// The address of Brave's API.
pub const BRAVE: &str = "https://api.search.brave.com/";

/// A search engine.
#[derive(Clone)]
pub struct SearchEngine {
    name: &'static str,
    /// The environment variable that selects the engine.
    setting: &'static str,
    url: Url,
    /// The name and the value of a second query parameter. The first, `q`, has the text to search for.
    option: (&'static str, String),
    key: Option<ApiKey>,
    /// The error if the engine answers with status 403, forbidden.
    forbidden: &'static str,
    /// The JSON pointer to the results in an answer.
    results: &'static str,
    /// The name of the field that has a result's description.
    description: &'static str,
}

impl SearchEngine {
    /// Returns the `SearXNG` instance at this address. The instance's settings must allow the format `json`.
    pub fn searxng(address: Url) -> Self {
        Self {
            name: "SearXNG",
            setting: "SEARXNG_URL",
            url: append_path(address, &[], "/search"),
            option: ("format", "json".to_owned()),
            key: None,
            forbidden: "it refused; allow the format json in its settings",
            results: "/results",
            description: "content",
        }
    }

    /// Returns Brave's engine. The address is [`BRAVE`], except in tests.
    pub fn brave(address: Url, key: ApiKey) -> Self {
        Self {
            name: "Brave",
            setting: "BRAVE_API_KEY",
            url: append_path(address, &[], "/res/v1/web/search"),
            option: ("count", MAX_RESULTS.to_string()),
            key: Some(key),
            forbidden: "it refused",
            results: "/web/results",
            description: "description",
        }
    }

    /// Searches, and returns the results as text. The error says why the search failed.
    async fn search(&self, query: &str) -> Result<String, String> {
        let http = build_client(&self.url, SEARCH_TIMEOUT)
            .await
            .map_err(|_| "the HTTP client can't be set up")?;
        let mut url = self.url.clone();
        let (option, value) = &self.option;
        url.query_pairs_mut().append_pair("q", query).append_pair(option, value);
        let mut request = http.get(url).header("accept", "application/json");
        if let Some(key) = &self.key {
            request = request.header("x-subscription-token", key.secret());
        }
        // Don't use the error's own text, because it may contain the whole address.
        let mut response = request.send().await.map_err(|error| {
            if error.is_connect() {
                "it can't be reached"
            } else {
                "no answer came"
            }
        })?;
        match response.status() {
            status if status.is_success() => {}
            StatusCode::UNAUTHORIZED => return Err("its key is missing or wrong".to_owned()),
            StatusCode::FORBIDDEN => return Err(self.forbidden.to_owned()),
            StatusCode::TOO_MANY_REQUESTS => return Err("it was asked too often".to_owned()),
            status => return Err(format!("it answered with status {status}")),
        }
        let mut page = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|_| "its answer broke off")? {
            page.extend_from_slice(&part);
            if page.len() > MAX_ANSWER_BYTES {
                return Err("its answer is too long".to_owned());
            }
        }
        let page: Json = serde_json::from_slice(&page).map_err(|_| "its answer is not JSON")?;
        let results = items(page.pointer(self.results)).take(MAX_RESULTS).map(|result| {
            let text = |name: &str, max_chars| plain_text(member(result, name), max_chars);
            let title = text("title", MAX_TITLE_CHARS);
            let url = text("url", MAX_DESCRIPTION_CHARS);
            let description = text(self.description, MAX_DESCRIPTION_CHARS);
            format!("{title} ({url}): {description}")
        });
        let results: Vec<String> = results.collect();
        if results.is_empty() {
            return Ok(format!("Nothing was found for \"{query}\"."));
        }
        Ok(results.join("\n"))
    }
}

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
                let searching = engine.search(query.unwrap_or_default());
                let result = tokio::time::timeout(SEARCH_TIMEOUT, searching).await;
                let result = result.unwrap_or_else(|_| Err("it did not answer in time".to_owned()));
                result.map_err(|why| {
                    let (name, setting) = (engine.name, engine.setting);
                    let host = engine.url.host_str().unwrap_or_default();
                    format!("The search with {name} at {host} failed: {why} ({setting}).")
                })
            }
        },
    )
}

/// Converts HTML to plain text on one line, cut to `max_chars` characters.
fn plain_text(html: &str, max_chars: usize) -> String {
    let mut is_in_tag = false;
    let characters = html.chars().filter(|character| {
        match character {
            '<' => is_in_tag = true,
            '>' if is_in_tag => {
                is_in_tag = false;
                return false;
            }
            _ => {}
        }
        !is_in_tag
    });
    let text: String = characters.collect();
    let text = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        // Decoded last, so that "&amp;lt;" becomes "&lt;" and not "<".
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
