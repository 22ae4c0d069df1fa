//! The tool that searches the web, against engines that stand in.

use std::sync::Arc;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use zwave_mcp_server::assistant::search;
use zwave_mcp_server::assistant::{ApiKey, SearchEngine};
use zwave_mcp_server::client::{Limits, Redactor, ToolExecutor, ToolManager, ToolResult};

/// Searches where each page is this one; what was asked, and what the tool says.
async fn found(
    engine: impl Fn(url::Url) -> SearchEngine,
    status: &str,
    page: String,
) -> (String, ToolResult) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let manager = Arc::new(ToolManager::default());
    let engine = engine(url::Url::parse(&address).unwrap());
    manager.add_local(search::tool(engine).unwrap());
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut asked = String::new();
        while !asked.ends_with("\r\n\r\n") {
            stream.read_line(&mut asked).await.unwrap();
        }
        let length = page.len();
        let head = format!("HTTP/1.1 {status} -\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        // Whoever has read enough closes.
        let _ = stream.write_all(page.as_bytes()).await;
        asked
    };
    let query = json!({ "query": "Z-Wave & co" });
    let (asked, result) = tokio::join!(serving, executor.call("search", query));
    (asked, result.unwrap())
}

fn searxng(address: url::Url) -> SearchEngine {
    SearchEngine::SearXng { address }
}

fn brave(address: url::Url) -> SearchEngine {
    let key = ApiKey::new("b-secret").unwrap();
    SearchEngine::Brave { address, key }
}

#[tokio::test]
async fn searxng_s_results_are_told_as_text_and_not_more_than_five() {
    let long = "word ".repeat(1000);
    let result = json!({ "title": "A <b>lamp</b> &amp; more", "url": "http://a", "content": long });
    let page = json!({ "results": vec![result; 30] }).to_string();
    let (asked, result) = found(searxng, "200", page).await;
    assert!(
        asked.starts_with("GET /search?q=Z-Wave+%26+co&format=json "),
        "{asked}"
    );
    let text = result.as_text();
    assert!(
        text.starts_with("A lamp & more (http://a): word word"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 5);
    assert!(!result.is_error && text.len() < 3000, "{}", text.len());
}

#[tokio::test]
async fn brave_is_asked_with_its_key_in_a_header_only() {
    let result = json!({ "title": "T", "url": "http://b", "description": "D\nE" });
    let page = json!({ "web": { "results": [result] } }).to_string();
    let (asked, result) = found(brave, "200", page).await;
    let (line, headers) = asked.split_once("\r\n").unwrap();
    assert!(
        line.starts_with("GET /res/v1/web/search?q=Z-Wave+%26+co&count=5 "),
        "{line}"
    );
    assert!(
        headers.contains("x-subscription-token: b-secret\r\n"),
        "{headers}"
    );
    assert_eq!(result.as_text(), "T (http://b): D E");
}

#[tokio::test]
async fn what_goes_wrong_is_a_failure_in_a_sentence_without_the_key() {
    for (status, page, said) in [
        ("401", String::new(), "its key is missing or wrong"),
        ("403", String::new(), "it refused (BRAVE_API_KEY)"),
        ("429", String::new(), "asked too often"),
        ("500", String::new(), "status 500"),
        ("200", "<html>".to_owned(), "not JSON"),
        ("200", "x".repeat(2 * 1024 * 1024), "too long"),
    ] {
        let (_, result) = found(brave, status, page).await;
        let text = result.as_text();
        assert!(result.is_error && text.contains(said), "{text}");
        assert!(
            !text.contains("secret") && text.contains("BRAVE_API_KEY"),
            "{text}"
        );
    }
    let (_, result) = found(searxng, "403", String::new()).await;
    assert!(
        result.as_text().contains("allow the format json"),
        "{result:?}"
    );
    let (_, result) = found(searxng, "200", "{}".to_owned()).await;
    assert_eq!(result.as_text(), "Nothing was found for \"Z-Wave & co\".");
}
