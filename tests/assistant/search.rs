//! The web search tool, against stand-ins for the search engines.

use std::sync::Arc;

use serde_json::json;
use zwave_mcp_server::assistant::search as web;
use zwave_mcp_server::assistant::{ApiKey, SearchEngine};
use zwave_mcp_server::client::{Limits, Redactor, ToolExecutor, ToolManager, ToolResult};

use crate::stand_in::{Answer, End, Request, StandIn};

/// Searches with an engine that gives this answer. Returns the request to the engine, and the tool's result.
async fn search(
    engine: impl Fn(url::Url) -> SearchEngine,
    answer: Answer,
) -> (Request, ToolResult) {
    let stand_in = StandIn::new([answer]).await;
    let manager = Arc::new(ToolManager::default());
    let engine = engine(url::Url::parse(&stand_in.address).unwrap());
    manager.add_local(web::tool(engine).unwrap());
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    let result = executor.call("search", json!({ "query": "Z-Wave & co" }));
    let result = result.await.unwrap();
    (stand_in.requests().remove(0), result)
}

fn brave(address: url::Url) -> SearchEngine {
    SearchEngine::brave(address, ApiKey::new("b-secret").unwrap())
}

#[tokio::test]
async fn at_most_five_searxng_results_are_returned_as_text() {
    let long = "word ".repeat(1000);
    let result = json!({ "title": "A <b>lamp</b> &amp; more", "url": "http://a", "content": long });
    let page = json!({ "results": vec![result; 30] }).to_string();
    let (asked, result) = search(SearchEngine::searxng, Answer::with_status(200, &page)).await;
    let start = "GET /search?q=Z-Wave+%26+co&format=json ";
    assert!(asked.line.starts_with(start), "{asked:?}");
    let text = result.as_text();
    assert!(
        text.starts_with("A lamp & more (http://a): word word"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 5);
    assert!(!result.is_error && text.len() < 3000, "{}", text.len());
}

#[tokio::test]
async fn the_key_for_brave_search_is_sent_only_in_a_header() {
    let result = json!({ "title": "T", "url": "http://b", "description": "D\nE" });
    let page = json!({ "web": { "results": [result] } }).to_string();
    let (asked, result) = search(brave, Answer::with_status(200, &page)).await;
    let start = "GET /res/v1/web/search?q=Z-Wave+%26+co&count=5 ";
    assert!(asked.line.starts_with(start), "{asked:?}");
    let key = "x-subscription-token: b-secret".to_owned();
    assert!(asked.headers.contains(&key), "{asked:?}");
    assert_eq!(result.as_text(), "T (http://b): D E");
}

#[tokio::test]
async fn a_failed_search_is_explained_without_the_key() {
    let long = "x".repeat(2 * 1024 * 1024);
    let broken = Answer {
        end: End::Broken,
        ..Answer::with_status(200, "{")
    };
    for (answer, part) in [
        (Answer::with_status(401, ""), "its key is missing or wrong"),
        (Answer::with_status(403, ""), "it refused (BRAVE_API_KEY)"),
        (Answer::with_status(429, ""), "asked too often"),
        (Answer::with_status(500, ""), "status 500"),
        (Answer::with_status(200, "<html>"), "not JSON"),
        (Answer::with_status(200, &long), "too long"),
        (broken, "broke off"),
    ] {
        let (_, result) = search(brave, answer).await;
        let text = result.as_text();
        assert!(result.is_error && text.contains(part), "{text}");
        assert!(
            !text.contains("secret") && text.contains("BRAVE_API_KEY"),
            "{text}"
        );
    }
    let (_, result) = search(SearchEngine::searxng, Answer::with_status(403, "")).await;
    assert!(
        result.as_text().contains("allow the format json"),
        "{result:?}"
    );
    let (_, result) = search(SearchEngine::searxng, Answer::with_status(200, "{}")).await;
    assert_eq!(result.as_text(), "Nothing was found for \"Z-Wave & co\".");
}
