//! The beginning of a session, in both eras of the protocol.
//!
//! 2026-07-28 has no handshake: `server/discover` tells what the server speaks, and every request
//! carries the version in its `_meta`. A server of an older revision answers `server/discover` with
//! an error, or not at all, and gets `initialize`. Servers start slowly, so an answer to the first
//! question is still welcome after the second was asked.

use serde_json::{Map, Value as Json, json};
use tokio::time::timeout;
use tracing::{debug, warn};

use super::error::ClientError;
use super::exchange::Exchange;
use super::host::{Era, Host};
use super::lines::shorten;
use super::message::{DISCOVER, INITIALIZE};

/// The revisions that begin with `initialize`, newest last.
const OLDER: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The newest of them, which is offered.
const NEWEST_OLDER: &str = "2025-11-25";
/// The maximum length of the name of a revision, in characters.
const LONGEST_REVISION: usize = 200;
/// The revision without a handshake.
const STATELESS: &str = "2026-07-28";

/// A server's words about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// Its name; empty if it gives none.
    pub name: String,
    /// The protocol revision that is spoken.
    pub revision: String,
    /// Its instructions for a model.
    pub instructions: Option<String>,
    /// The `_meta` of every request.
    meta: Option<Json>,
}

impl ServerInfo {
    /// Returns true for the revision without a handshake.
    pub(super) fn is_stateless(&self) -> bool {
        self.meta.is_some()
    }

    /// Adds the `_meta` that the revision wants in every request.
    pub(super) fn with_meta(&self, mut params: Map<String, Json>) -> Map<String, Json> {
        if let Some(meta) = &self.meta {
            params.insert("_meta".to_owned(), meta.clone());
        }
        params
    }
}

/// Finds out which revision the server speaks.
pub(super) async fn begin(exchange: &Exchange) -> Result<ServerInfo, ClientError> {
    let host = &exchange.host;
    match host.era {
        Era::Initialize => initialize(exchange).await,
        Era::Discover => discover(exchange).await,
        Era::Auto => {
            let mut discovering = Box::pin(discover(exchange));
            match timeout(host.limits.probe, &mut discovering).await {
                Ok(Ok(server)) => return Ok(server),
                Ok(Err(error @ (ClientError::Unreachable { .. } | ClientError::Ended { .. }))) => {
                    return Err(error);
                }
                Ok(Err(error)) => {
                    debug!(%error, "no 2026-07-28; an older revision is tried");
                    return initialize(exchange).await;
                }
                Err(_) => {}
            }
            let initializing = initialize(exchange);
            tokio::pin!(initializing);
            tokio::select! {
                initialized = &mut initializing => match initialized {
                    // It may be slow, and know nothing but discovery.
                    Err(ClientError::Refused { .. }) => discovering.await,
                    initialized => initialized,
                },
                discovered = &mut discovering => match discovered {
                    Ok(server) => Ok(server),
                    Err(_) => initializing.await,
                },
            }
        }
    }
}

fn client_info(host: &Host) -> Json {
    json!({ "name": host.name, "version": host.version })
}

fn request_meta(host: &Host) -> Json {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": client_info(host),
        "io.modelcontextprotocol/clientCapabilities": host.capabilities,
    })
}

async fn discover(exchange: &Exchange) -> Result<ServerInfo, ClientError> {
    let host = &exchange.host;
    let meta = request_meta(host);
    let params = Map::from_iter([("_meta".to_owned(), meta.clone())]);
    let answer = exchange.request(DISCOVER, params, host.limits.attempt).await?;
    let versions = answer.get("supportedVersions").and_then(Json::as_array).ok_or_else(|| {
        exchange.wrong_shape(DISCOVER, &answer, "it has no list of supportedVersions")
    })?;
    if !versions.iter().any(|version| version == STATELESS) {
        return Err(exchange.wrong_shape(DISCOVER, &answer, "2026-07-28 is not among them"));
    }
    let info = answer
        .get("_meta")
        .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    Ok(read_server_info(
        exchange,
        &answer,
        info,
        STATELESS,
        Some(meta),
    ))
}

async fn initialize(exchange: &Exchange) -> Result<ServerInfo, ClientError> {
    let host = &exchange.host;
    let params = Map::from_iter([
        ("protocolVersion".to_owned(), NEWEST_OLDER.into()),
        ("capabilities".to_owned(), host.capabilities.clone().into()),
        ("clientInfo".to_owned(), client_info(host)),
    ]);
    let answer = exchange.request(INITIALIZE, params, host.limits.attempt).await?;
    let revision = answer.get("protocolVersion").and_then(Json::as_str);
    let revision = revision
        .ok_or_else(|| exchange.wrong_shape(INITIALIZE, &answer, "it has no protocolVersion"))?;
    if revision.chars().count() > LONGEST_REVISION {
        return Err(exchange.wrong_shape(INITIALIZE, &answer, "its protocolVersion is too long"));
    }
    // Tools are listed and called alike in all of them, so an unknown one is worth a try.
    if !OLDER.contains(&revision) && revision != STATELESS {
        warn!(
            revision,
            "the server speaks a revision that is not known here"
        );
    }
    exchange.notify("notifications/initialized", Map::new());
    let meta = (revision == STATELESS).then(|| request_meta(host));
    let info = answer.get("serverInfo");
    Ok(read_server_info(exchange, &answer, info, revision, meta))
}

/// Reads a server's words about itself in its answer.
fn read_server_info(
    exchange: &Exchange,
    answer: &Json,
    info: Option<&Json>,
    revision: &str,
    meta: Option<Json>,
) -> ServerInfo {
    let text = |json: Option<&Json>| {
        let text = json.and_then(Json::as_str)?;
        Some(shorten(text.to_owned(), exchange.host.limits.text))
    };
    ServerInfo {
        name: text(info.and_then(|info| info.get("name"))).unwrap_or_default(),
        revision: revision.to_owned(),
        instructions: text(answer.get("instructions")),
        meta,
    }
}
