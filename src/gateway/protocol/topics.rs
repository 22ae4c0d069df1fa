//! zwave-js-ui's topics and their meanings (`docs/GATEWAY.md#topics`).

/// The default name of a gateway (`docs/GATEWAY.md#settings`).
pub const DEFAULT_NAME: &str = "zwave-js-ui";

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
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let levels: Vec<&str> = rest.split('/').collect();
        return match levels.as_slice() {
            ["status"] => Route::GatewayStatus(name),
            ["version"] => Route::GatewayVersion(name),
            ["api", api] => Route::Reply(name, api),
            ["api", api, "set"] => Route::Request(name, api),
            // A client's request does not prove that the gateway exists.
            [.., "set"] => Route::Other,
            _ => Route::Gateway(name),
        };
    }
    // The documentation of zwave-js-ui says `_EVENTS_`, the program uses `_EVENTS` (`docs/GATEWAY.md#events`).
    let events = path
        .strip_prefix("_EVENTS/ZWAVE_GATEWAY-")
        .or_else(|| path.strip_prefix("_EVENTS_/ZWAVE_GATEWAY-"));
    if let Some(rest) = events {
        return match rest.split_once('/') {
            Some((name, event)) => Route::Event(name, event),
            None => Route::Other,
        };
    }
    if path.starts_with('_') || path.ends_with("/set") || path.is_empty() {
        return Route::Other;
    }
    Route::House(path)
}

/// Returns the topic of a request for a gateway's API call.
pub fn request_topic(prefix: &str, gateway: &str, api: &str) -> String {
    format!("{prefix}/_CLIENTS/ZWAVE_GATEWAY-{gateway}/api/{api}/set")
}
