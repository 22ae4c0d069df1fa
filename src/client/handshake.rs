//! The beginning of a session, in both eras of the protocol.
//!
//! Revision 2026-07-28 has no `initialize`. Instead, `server/discover` returns the revisions that the server
//! supports, and every request has the revision in its `_meta`. An older server answers `server/discover` with
//! an error, or not at all, and then the client sends `initialize`. But a server may just be slow to start, so
//! its answer to `server/discover` is accepted even after `initialize` was sent.

use std::pin::pin;

use serde_json::{Map, Value as Json, json};
use tokio::time::timeout;
use tracing::{debug, warn};

use super::cut::shorten;
use super::error::ClientError;
use super::exchange::Exchange;
use super::host::{Era, Host};
use super::message::{DISCOVER, INITIALIZE};

/// The revisions whose sessions begin with `initialize`, newest last.
const OLDER: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The newest revision in [`OLDER`], which is offered to the server.
const NEWEST_OLDER: &str = "2025-11-25";
const MAX_REVISION_CHARS: usize = 200;
/// The revision without `initialize`.
const STATELESS: &str = "2026-07-28";

/// A server's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// The server's name; empty if it gives none.
    pub name: String,
    /// The protocol revision in use.
    pub revision: String,
    /// The server's instructions for a model.
    pub instructions: Option<String>,
}

impl ServerInfo {
    /// Returns true if the revision in use is the one without `initialize`.
    pub(super) fn is_stateless(&self) -> bool {
        self.revision == STATELESS
    }
}

/// Begins the session with one of the revisions that the host's [`Era`] allows.
pub(super) async fn begin(exchange: &Exchange) -> Result<ServerInfo, ClientError> {
    match exchange.host.era {
        Era::Initialize => initialize(exchange).await,
        Era::Discover => discover(exchange).await,
        Era::Auto => discover_or_initialize(exchange).await,
    }
}

/// Sends `server/discover`. If it fails or is not answered in time, also sends `initialize`.
async fn discover_or_initialize(exchange: &Exchange) -> Result<ServerInfo, ClientError> {
    let mut discovering = Box::pin(discover(exchange));
    match timeout(exchange.host.limits.probe, &mut discovering).await {
        // The server is gone, so `initialize` would fail too.
        Ok(Err(error @ (ClientError::Unreachable { .. } | ClientError::Ended { .. }))) => {
            return Err(error);
        }
        Ok(Err(error)) => {
            debug!(%error, "server/discover failed; an older revision is tried");
            return initialize(exchange).await;
        }
        Ok(discovered) => return discovered,
        // No answer yet.
        Err(_) => {}
    }
    // Both requests are in flight now. The first that succeeds counts.
    let mut initializing = pin!(initialize(exchange));
    tokio::select! {
        initialized = &mut initializing => match initialized {
            // The server may know only `server/discover`, and be slow to answer it.
            Err(ClientError::Refused { .. }) => discovering.await,
            initialized => initialized,
        },
        discovered = &mut discovering => match discovered {
            Ok(server) => Ok(server),
            Err(_) => initializing.await,
        },
    }
}

fn client_info(host: &Host) -> Json {
    json!({ "name": host.name, "version": host.version })
}

/// Adds to a request's parameters the `_meta` that the revision without `initialize` requires.
pub(super) fn add_meta(host: &Host, params: &mut Map<String, Json>) {
    let required = [
        ("protocolVersion", STATELESS.into()),
        ("clientInfo", client_info(host)),
        ("clientCapabilities", host.capabilities.clone().into()),
    ];
    let required = required.map(|(name, value)| (format!("io.modelcontextprotocol/{name}"), value));
    let meta = params.entry("_meta").or_insert_with(|| Map::new().into());
    if let Some(meta) = meta.as_object_mut() {
        meta.extend(required);
    }
}

async fn discover(exchange: &Exchange) -> Result<ServerInfo, ClientError> {
    let host = &exchange.host;
    let mut params = Map::new();
    add_meta(host, &mut params);
    let answer = exchange.request(DISCOVER, params, host.limits.attempt).await?;
    let wrong = |why: &str| exchange.wrong_shape(DISCOVER, &answer, why);
    let versions = answer.get("supportedVersions").and_then(Json::as_array);
    let versions = versions.ok_or_else(|| wrong("it has no list of supportedVersions"))?;
    if !versions.iter().any(|version| version == STATELESS) {
        return Err(wrong("its supportedVersions lack 2026-07-28"));
    }
    let name = answer.pointer("/_meta/io.modelcontextprotocol~1serverInfo/name");
    Ok(read_server_info(host, &answer, name, STATELESS))
}

async fn initialize(exchange: &Exchange) -> Result<ServerInfo, ClientError> {
    let host = &exchange.host;
    let params = Map::from_iter([
        ("protocolVersion".to_owned(), NEWEST_OLDER.into()),
        ("capabilities".to_owned(), host.capabilities.clone().into()),
        ("clientInfo".to_owned(), client_info(host)),
    ]);
    let answer = exchange.request(INITIALIZE, params, host.limits.attempt).await?;
    let wrong = |why: &str| exchange.wrong_shape(INITIALIZE, &answer, why);
    let revision = answer.get("protocolVersion").and_then(Json::as_str);
    let revision = revision.ok_or_else(|| wrong("it has no protocolVersion"))?;
    if revision.chars().count() > MAX_REVISION_CHARS {
        return Err(wrong("its protocolVersion is too long"));
    }
    // All known revisions list and call tools in the same way, so an unknown revision is worth a try.
    if !OLDER.contains(&revision) && revision != STATELESS {
        warn!(
            revision,
            "the server speaks a revision that is not known here"
        );
    }
    exchange.send_now(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let name = answer.pointer("/serverInfo/name");
    Ok(read_server_info(host, &answer, name, revision))
}

/// Reads a server's description of itself from an answer.
fn read_server_info(host: &Host, answer: &Json, name: Option<&Json>, revision: &str) -> ServerInfo {
    let text = |json: &Json| Some(shorten(json.as_str()?.to_owned(), host.limits.text));
    ServerInfo {
        name: name.and_then(text).unwrap_or_default(),
        revision: revision.to_owned(),
        instructions: answer.get("instructions").and_then(text),
    }
}
