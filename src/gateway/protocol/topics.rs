//! zwave-js-ui's topics and their meanings (`docs/dev/GATEWAY.md#topics`).

use crate::home::bounds;

/// The default name of a gateway (`docs/dev/GATEWAY.md#settings`).
pub const DEFAULT_NAME: &str = "zwave-js-ui";

/// The requests that the server sends, and no others.
pub const REQUESTS: &str =
    "getInfo, getNodes, _getScenes, _getGroups, writeValue, _activateScene, pollValue, sendCommand";

/// The subject of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<'a> {
    /// `_CLIENTS/ZWAVE_GATEWAY-<name>/status`.
    GatewayStatus(&'a str),
    /// `_CLIENTS/ZWAVE_GATEWAY-<name>/api/<api>`: a reply to any client.
    Reply(&'a str, &'a str),
    /// `_CLIENTS/ZWAVE_GATEWAY-<name>/api/<api>/set`: a request by any client.
    Request(&'a str, &'a str),
    /// `_CLIENTS/ZWAVE_GATEWAY-<name>/version`, which a gateway publishes when it starts.
    GatewayVersion(&'a str),
    /// Any other topic of a gateway.
    Gateway(&'a str),
    /// `_EVENTS/ZWAVE_GATEWAY-<name>/<source>/<event>`.
    Event(&'a str, &'a str),
    /// `driver/status`, which does not name the gateway.
    DriverStatus,
    /// The path of some node or some value, without the prefix. The path names no gateway.
    House(&'a str),
    /// A topic that is not used.
    Other,
}

/// Returns the subject of a topic under a prefix.
pub fn route<'a>(prefix: &str, topic: &'a str) -> Route<'a> {
    let Some(path) = topic.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/')) else {
        return Route::Other;
    };
    if path == "driver/status" {
        return Route::DriverStatus;
    }
    if let Some(rest) = path.strip_prefix("_CLIENTS/ZWAVE_GATEWAY-") {
        return route_of_client(rest);
    }
    // The documentation of zwave-js-ui says `_EVENTS_`, the program uses `_EVENTS` (`docs/dev/GATEWAY.md#events`).
    let events = path
        .strip_prefix("_EVENTS/ZWAVE_GATEWAY-")
        .or_else(|| path.strip_prefix("_EVENTS_/ZWAVE_GATEWAY-"));
    if let Some(rest) = events {
        // The event has two levels. Everything before them is the name, which may have slashes.
        let event_at = rest.rmatch_indices('/').nth(1).map(|(at, _)| at);
        return match event_at.and_then(|at| rest.split_at_checked(at)) {
            Some((name, event)) if is_gateway_name(name) => {
                Route::Event(name, event.trim_start_matches('/'))
            }
            _ => Route::Other,
        };
    }
    if path.starts_with('_') || path.ends_with("/set") || path.is_empty() {
        return Route::Other;
    }
    Route::House(path)
}

/// Returns the subject of a topic below `_CLIENTS/ZWAVE_GATEWAY-`. A slash in a gateway's name makes a level.
fn route_of_client(path: &str) -> Route<'_> {
    let (name, rest) = match (path.rsplit_once("/api/"), path.rsplit_once('/')) {
        (Some((name, api)), _) => (name, api),
        (None, Some((name, last))) => (name, last),
        (None, None) => (path, ""),
    };
    let is_call = path.len() > name.len() + rest.len() + 1;
    match (is_call, rest.split_once('/')) {
        _ if !is_gateway_name(name) => Route::Other,
        (true, None) => Route::Reply(name, rest),
        (true, Some((api, "set"))) => Route::Request(name, api),
        (false, _) if rest == "status" => Route::GatewayStatus(name),
        (false, _) if rest == "version" => Route::GatewayVersion(name),
        // A client's request does not prove that the gateway exists.
        _ if path.ends_with("/set") => Route::Other,
        _ => Route::Gateway(name),
    }
}

/// Returns true if a topic is the prefix or under it. Slashes at the beginning don't count, because people confuse
/// `zwave` with `/zwave`.
pub fn is_under(prefix: &str, topic: &str) -> bool {
    let rest = topic.trim_start_matches('/').strip_prefix(prefix.trim_start_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns true unless the name is longer than any name that is used.
fn is_gateway_name(name: &str) -> bool {
    !bounds::is_too_long(name)
}

/// Returns a name or location as it appears in topics: white space becomes `_`. Of all other characters, only
/// ASCII letters and digits, `-`, `_`, `/` and Latin-1 letters are kept.
pub fn sanitize(text: &str) -> String {
    text.chars()
        .filter_map(|character| match character {
            character if character.is_whitespace() => Some('_'),
            'A'..='Z' | 'a'..='z' | '0'..='9' | '-' | '_' | '/' => Some(character),
            'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' => Some(character),
            _ => None,
        })
        .collect()
}

/// Returns the topic of a request for a gateway's API call.
pub fn request_topic(prefix: &str, gateway: &str, api: &str) -> String {
    format!("{prefix}/_CLIENTS/ZWAVE_GATEWAY-{gateway}/api/{api}/set")
}
