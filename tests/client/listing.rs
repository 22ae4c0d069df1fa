//! Listing the tools ends in time and within bounds, however many pages and tools a server has.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use zwave_mcp_server::client::{ClientError, Host, McpSession, ServerEvent, Tool, ToolServer};

use crate::fixture::Log;
use crate::support::{Heard, Peer, listening_host, start_session};

fn list(session: &Arc<McpSession>) -> JoinHandle<Result<Vec<Tool>, ClientError>> {
    let session = Arc::clone(session);
    tokio::spawn(async move { session.tools().await })
}

/// Answers each request for a page until none comes for a second. Returns the number of requests.
async fn serve(peer: &mut Peer, page: impl Fn(usize) -> Json) -> usize {
    let mut pages = 0;
    let quiet = Duration::from_secs(1);
    while let Ok(request) = tokio::time::timeout(quiet, peer.expect("tools/list")).await {
        peer.answer(&request, page(pages)).await;
        pages += 1;
    }
    pages
}

fn left_out(heard: &Heard) -> Vec<String> {
    let heard = heard.lock().unwrap();
    let why = heard.iter().filter_map(|event| match event {
        ServerEvent::ToolsLeftOut { why } => Some(why.clone()),
        _ => None,
    });
    why.collect()
}

#[tokio::test(start_paused = true)]
async fn pages_that_form_a_cycle_are_followed_once() {
    let (log, _guard) = Log::start();
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    let listing = list(&session);
    // "1" leads to "0", and "0" to "1".
    let pages = serve(&mut peer, |page| {
        let name = format!("tool{page}");
        json!({ "tools": [{ "name": name }], "nextCursor": (page % 2).to_string() })
    })
    .await;
    assert_eq!(pages, 3);
    let tools = listing.await.unwrap().unwrap();
    assert_eq!(tools.len(), 3);
    assert_eq!(left_out(&heard), ["the server's pages never end"]);
    assert_eq!(
        log.lines_with("the rest of the server's tools is left out").len(),
        1
    );
}

#[tokio::test(start_paused = true)]
async fn all_pages_together_must_arrive_within_the_timeout_of_one_call() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let start = Instant::now();
    let listing = list(&session);
    let slow = tokio::spawn(async move {
        for page in 0.. {
            let Ok(request) = tokio::time::timeout(Duration::from_secs(20), peer.next()).await
            else {
                return page;
            };
            if request["method"] == "tools/list" {
                tokio::time::sleep(Duration::from_secs(7)).await;
                let page = json!({ "tools": [], "nextCursor": page.to_string() });
                peer.answer(&request, page).await;
            }
        }
        0
    });
    let error = listing.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(error.to_string(), "the server did not answer within 30 s");
    assert!(session.is_alive());
    slow.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn at_most_a_thousand_tools_are_listed_from_one_page_or_many() {
    for size in [1, 300, 5000] {
        let (host, heard) = listening_host();
        let (session, mut peer) = start_session(&host).await;
        let listing = list(&session);
        let pages = serve(&mut peer, |page| {
            let tools: Vec<Json> =
                (0..size).map(|number| json!({ "name": format!("t{page}_{number}") })).collect();
            json!({ "tools": tools, "nextCursor": page.to_string() })
        })
        .await;
        assert_eq!(pages, 1000_usize.div_ceil(size));
        assert_eq!(listing.await.unwrap().unwrap().len(), 1000);
        assert_eq!(left_out(&heard).len(), 1, "{size}");
    }
    // Pages without tools count, too.
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    let listing = list(&session);
    let pages = serve(
        &mut peer,
        |page| json!({ "tools": [], "nextCursor": page.to_string() }),
    );
    assert_eq!(pages.await, 1000);
    assert!(listing.await.unwrap().unwrap().is_empty());
    assert_eq!(left_out(&heard), ["they fill more than 1000 pages"]);
}

#[tokio::test(start_paused = true)]
async fn at_most_sixteen_mebibytes_of_tools_are_listed() {
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    let listing = list(&session);
    let text = "x".repeat(1024 * 1024);
    let pages = serve(&mut peer, |page| {
        let tool = json!({ "name": format!("t{page}"), "description": text });
        json!({ "tools": [tool], "nextCursor": page.to_string() })
    })
    .await;
    // Fifteen tools fit; the sixteenth exceeds the limit because of the names.
    assert_eq!(pages, 16);
    assert_eq!(listing.await.unwrap().unwrap().len(), 15);
    assert_eq!(left_out(&heard), ["they are longer than 16777216 bytes"]);
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    let listing = list(&session);
    let cursor = "c".repeat(10 * 1024 * 1024);
    let long = |page| json!({ "tools": [], "nextCursor": format!("{cursor}{page}") });
    assert_eq!(serve(&mut peer, long).await, 2, "a cursor counts as well");
    assert!(listing.await.unwrap().unwrap().is_empty());
    assert_eq!(left_out(&heard).len(), 1);
}
