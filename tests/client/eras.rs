//! Both eras of the protocol: the handshake of the older revisions, and discovery.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;
use zwave_mcp_server::client::{ClientError, Era, Host, McpSession, ToolServer};

use crate::support::{Peer, begin_session, initialized};

fn discovered(versions: &[&str]) -> Json {
    let info = json!({ "io.modelcontextprotocol/serverInfo": { "name": "new", "version": "0" } });
    json!({
        "resultType": "complete", "supportedVersions": versions, "capabilities": {},
        "ttlMs": 0, "cacheScope": "private", "instructions": "Be kind.", "_meta": info,
    })
}

/// Lists tools, and gives the request.
async fn listing(session: McpSession, peer: &mut Peer) -> Json {
    let listing = tokio::spawn(async move { session.tools().await });
    let request = peer.expect("tools/list").await;
    peer.answer(&request, json!({ "tools": [] })).await;
    listing.await.unwrap().unwrap();
    request
}

#[tokio::test(start_paused = true)]
async fn a_server_of_2026_07_28_is_discovered_and_every_request_carries_the_revision() {
    let (session, mut peer, ()) = begin_session(&Host::new("me", "1"), async |peer| {
        let discover = peer.expect("server/discover").await;
        peer.answer(&discover, discovered(&["2026-07-28", "2025-11-25"]))
            .await;
    })
    .await;
    let session = session.unwrap();
    assert_eq!(session.info().revision, "2026-07-28");
    assert_eq!(session.info().name, "new");
    assert_eq!(session.info().instructions.as_deref(), Some("Be kind."));
    let request = listing(session, &mut peer).await;
    let meta = &request["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "me");
}

#[tokio::test(start_paused = true)]
async fn every_older_revision_is_spoken_after_initialize() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (session, mut peer, ()) = begin_session(&Host::new("me", "1"), async |peer| {
            let discover = peer.expect("server/discover").await;
            peer.refuse(&discover, -32601, "Method not found").await;
            let initialize = peer.expect("initialize").await;
            assert_eq!(initialize["params"]["protocolVersion"], "2025-11-25");
            peer.answer(&initialize, initialized(revision)).await;
            peer.expect("notifications/initialized").await;
        })
        .await;
        let session = session.unwrap();
        assert_eq!(session.info().revision, revision);
        let request = listing(session, &mut peer).await;
        assert!(request["params"].get("_meta").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_offers_only_older_revisions_in_discovery_is_initialized() {
    let (session, ..) = begin_session(&Host::new("me", "1"), async |peer| {
        let discover = peer.expect("server/discover").await;
        peer.answer(&discover, discovered(&["2025-11-25"])).await;
        let initialize = peer.expect("initialize").await;
        peer.answer(&initialize, initialized("2025-11-25")).await;
    })
    .await;
    assert_eq!(session.unwrap().info().revision, "2025-11-25");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_discovery_is_initialized_two_seconds_later() {
    let begin = Instant::now();
    let (session, ..) = begin_session(&Host::new("me", "1"), async |peer| {
        peer.expect("server/discover").await;
        let initialize = peer.expect("initialize").await;
        peer.answer(&initialize, initialized("2024-11-05")).await;
    })
    .await;
    assert_eq!(session.unwrap().info().revision, "2024-11-05");
    assert_eq!(begin.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_that_knows_nothing_but_discovery_is_still_discovered() {
    for refused_first in [false, true] {
        let (session, ..) = begin_session(&Host::new("me", "1"), async |peer| {
            let discover = peer.expect("server/discover").await;
            let initialize = peer.expect("initialize").await;
            tokio::time::sleep(Duration::from_secs(3)).await;
            if refused_first {
                peer.refuse(&initialize, -32601, "Method not found").await;
            }
            peer.answer(&discover, discovered(&["2026-07-28"])).await;
        })
        .await;
        assert_eq!(session.unwrap().info().revision, "2026-07-28");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_neither_is_given_up_after_ten_seconds_with_what_it_printed() {
    let begin = Instant::now();
    let (session, ..) = begin_session(&Host::new("me", "1"), async |peer| {
        peer.say("Welcome to my server!").await;
    })
    .await;
    let error = session.err().unwrap();
    assert_eq!(begin.elapsed().as_secs(), 10);
    assert_eq!(
        error.to_string(),
        "the server did not answer within 10 s; meanwhile it printed a line that is no message: \
         \"Welcome to my server!\" (expected value at line 1 column 1)"
    );
}

#[tokio::test(start_paused = true)]
async fn one_era_alone_can_be_wanted() {
    let mut host = Host::new("me", "1");
    host.era = Era::Initialize;
    let (session, ..) = begin_session(&host, async |peer| {
        let initialize = peer.expect("initialize").await;
        peer.answer(&initialize, initialized("2025-06-18")).await;
    })
    .await;
    assert!(session.is_ok());
    host.era = Era::Discover;
    let (session, ..) = begin_session(&host, async |peer| {
        let discover = peer.expect("server/discover").await;
        peer.refuse(&discover, -32601, "Method not found").await;
    })
    .await;
    assert!(matches!(session, Err(ClientError::Refused { .. })));
}

#[tokio::test(start_paused = true)]
async fn garbage_and_stray_answers_before_the_handshake_are_passed_over() {
    let (session, ..) = begin_session(&Host::new("me", "1"), async |peer| {
        peer.say("INFO starting").await;
        peer.send(json!({ "jsonrpc": "2.0", "id": 77, "result": {} }))
            .await;
        peer.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
            .await;
        peer.shake_hands().await;
    })
    .await;
    assert_eq!(session.unwrap().bad_lines(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handshake_of_the_wrong_shape_is_an_error_that_shows_it() {
    let (session, ..) = begin_session(&Host::new("me", "1"), async |peer| {
        let discover = peer.expect("server/discover").await;
        peer.answer(&discover, json!({ "hello": "world" })).await;
        let initialize = peer.expect("initialize").await;
        peer.answer(&initialize, json!({ "hello": "world" })).await;
    })
    .await;
    assert_eq!(
        session.err().unwrap().to_string(),
        "the server's answer to initialize can't be used (it has no protocolVersion): \
         {\"hello\":\"world\"}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_host_offers_is_declared_in_both_eras_and_nothing_where_it_offers_nothing() {
    let page = json!({ "ui": { "mimeTypes": ["text/html"] } });
    let offered = json!({ "elicitation": {}, "extensions": page });
    for capabilities in [json!({}), offered] {
        let mut host = Host::new("me", "1");
        host.capabilities = capabilities.as_object().unwrap().clone();
        let (session, mut peer, ()) = begin_session(&host, async |peer| {
            let discover = peer.expect("server/discover").await;
            peer.answer(&discover, discovered(&["2026-07-28"])).await;
        })
        .await;
        let request = listing(session.unwrap(), &mut peer).await;
        let declared = &request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(declared, &capabilities);
        host.era = Era::Initialize;
        let (session, ..) = begin_session(&host, async |peer| {
            let initialize = peer.expect("initialize").await;
            assert_eq!(initialize["params"]["capabilities"], capabilities);
            peer.answer(&initialize, initialized("2025-11-25")).await;
        })
        .await;
        session.unwrap();
    }
}
