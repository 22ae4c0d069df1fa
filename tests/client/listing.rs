//! Listing the tools ends in time and within bounds, however many pages and tools a server has.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, timeout};
use zwave_mcp_server::client::{Host, ServerEvent, Tool, ToolServer};

use crate::fixture::Log;
use crate::support::{assert_logged_once, listening_host, start_session};

struct Listing {
    /// The number of pages that were requested.
    pages: usize,
    tools: Vec<Tool>,
    /// The reasons why tools were left out.
    left_out: Vec<String>,
}

/// Lists the tools of a server with these pages. The server stops after a second without a request.
async fn list(page: impl Fn(usize) -> Json) -> Listing {
    let (host, heard) = listening_host();
    let (session, mut peer) = start_session(&host).await;
    let serve = async {
        let mut pages = 0;
        let quiet = Duration::from_secs(1);
        while let Ok(request) = timeout(quiet, peer.expect("tools/list")).await {
            peer.answer(&request, page(pages)).await;
            pages += 1;
        }
        pages
    };
    let (tools, pages) = tokio::join!(session.tools(), serve);
    let heard = heard.lock().unwrap();
    let left_out = heard.iter().filter_map(|event| match event {
        ServerEvent::ToolsLeftOut { why } => Some(why.clone()),
        _ => None,
    });
    Listing {
        pages,
        tools: tools.unwrap(),
        left_out: left_out.collect(),
    }
}

#[tokio::test(start_paused = true)]
async fn pages_that_form_a_cycle_are_followed_once() {
    let (log, _guard) = Log::start();
    // The next cursors are "0", "1" and "0" again, so the third page leads back to the second.
    let listed = list(|page| {
        let name = format!("tool{page}");
        json!({ "tools": [{ "name": name }], "nextCursor": (page % 2).to_string() })
    })
    .await;
    assert_eq!((listed.pages, listed.tools.len()), (3, 3));
    assert_eq!(listed.left_out, ["the server's pages never end"]);
    assert_logged_once(&log, "the rest of the server's tools is left out");
}

#[tokio::test(start_paused = true)]
async fn all_pages_together_must_arrive_within_the_timeout_of_one_call() {
    let (session, mut peer) = start_session(&Host::new("test", "0")).await;
    let start = Instant::now();
    let slow = async {
        for page in 0.. {
            let request = peer.expect("tools/list").await;
            tokio::time::sleep(Duration::from_secs(7)).await;
            let page = json!({ "tools": [], "nextCursor": page.to_string() });
            peer.answer(&request, page).await;
        }
    };
    let error = tokio::select! {
        listed = session.tools() => listed.unwrap_err(),
        () = slow => panic!("the pages ended"),
    };
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(error.to_string(), "the server did not answer within 30 s");
    assert!(session.is_alive());
}

#[tokio::test(start_paused = true)]
async fn at_most_a_thousand_tools_are_listed_from_one_page_or_many() {
    for size in [1, 300, 5000] {
        let listed = list(|page| {
            let tools: Vec<Json> =
                (0..size).map(|number| json!({ "name": format!("t{page}_{number}") })).collect();
            json!({ "tools": tools, "nextCursor": page.to_string() })
        })
        .await;
        assert_eq!(listed.pages, 1000_usize.div_ceil(size));
        assert_eq!(listed.tools.len(), 1000);
        assert_eq!(listed.left_out.len(), 1, "{size}");
    }
    // The number of pages is limited, too.
    let empty = list(|page| json!({ "tools": [], "nextCursor": page.to_string() })).await;
    assert_eq!((empty.pages, empty.tools.len()), (1000, 0));
    assert_eq!(empty.left_out, ["they fill more than 1000 pages"]);
}

#[tokio::test(start_paused = true)]
async fn at_most_sixteen_mebibytes_of_tools_are_listed() {
    let text = "x".repeat(1024 * 1024);
    let listed = list(|page| {
        let tool = json!({ "name": format!("t{page}"), "description": text });
        json!({ "tools": [tool], "nextCursor": page.to_string() })
    })
    .await;
    // Sixteen descriptions fill the limit exactly, so only fifteen whole tools fit.
    assert_eq!((listed.pages, listed.tools.len()), (16, 15));
    assert_eq!(listed.left_out, ["they are longer than 16777216 bytes"]);
    let cursor = "c".repeat(10 * 1024 * 1024);
    let long = list(|page| json!({ "tools": [], "nextCursor": format!("{cursor}{page}") })).await;
    assert_eq!(
        (long.pages, long.tools.len()),
        (2, 0),
        "a cursor's length counts toward the limit, too"
    );
    assert_eq!(long.left_out.len(), 1);
}
