//! The web server's responses, by path.

use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue,
    LOCATION, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};
use tokio::time::timeout;

use super::access::Access;
use super::bridge::Bridge;

pub type PageReply = Response<Full<Bytes>>;

/// The maximum size of a request's body, and the timeout for receiving the body.
const MAX_BODY_BYTES: usize = 64 * 1024;
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The outer page with its script and style. It shows the house's page in a frame.
const HOST: &str = include_str!("host.html");
const HOST_SCRIPT: &str = include_str!("host.js");
const HOST_STYLE: &str = include_str!("host.css");

/// The policy for the outer page. The page may load its own files, show the house's page in a frame, and send
/// requests.
const HOST_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                           frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
                           frame-ancestors 'none'; require-trusted-types-for 'script'; \
                           trusted-types 'none'";

/// The policy for the house's page: a sandbox that allows scripts, but no network access. The policy also
/// applies if the page is opened directly.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                           img-src data:; base-uri 'none'; form-action 'none'; \
                           frame-ancestors 'self'; sandbox allow-scripts";

const DENY_ALL_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

const WRONG_HOST: &str =
    "The house is not at this address. Open the address that zwave-mcp-server printed.";
const NOT_IN: &str = "Open the address that zwave-mcp-server printed: it lets this browser in.";
const USED: &str = "This address is wrong or has already been used. To get a new address, run \
                    `zwave-mcp-server view` again.";
const NOT_OURS: &str = "Only the house's own page may ask for that.";
const NOT_THERE: &str = "There is nothing at this address.";
const TOO_LONG: &str = "The request is too long or took too long to arrive.";
const UNREADABLE: &str = "That is not a request that the page makes.";

/// The state of the web server: the secrets of its access control, and the bridge to the MCP server.
#[derive(Debug)]
pub struct Site {
    pub access: Access,
    pub bridge: Bridge,
}

impl Site {
    pub async fn reply(&self, request: Request<Incoming>) -> PageReply {
        let (access, headers) = (&self.access, request.headers());
        // A request with a host in its request line is meant for a proxy, which we are not.
        if request.uri().authority().is_some() || !access.names_this_host(headers) {
            return refusal(StatusCode::FORBIDDEN, WRONG_HOST);
        }
        // The cookie's path is this folder, so browsers send the cookie nowhere else.
        let path = request.uri().path().strip_prefix(access.folder.as_str());
        if let (&Method::GET, Some(""), Some(query)) =
            (request.method(), path, request.uri().query())
        {
            return self.enter(&request, query);
        }
        let Some(path) = path.filter(|_| access.is_logged_in(headers)) else {
            return refusal(StatusCode::FORBIDDEN, NOT_IN);
        };
        match (request.method(), path) {
            (&Method::GET, "") => content(HTML, HOST_POLICY, HOST),
            (&Method::GET, "host.js") => content(
                "text/javascript; charset=utf-8",
                DENY_ALL_POLICY,
                HOST_SCRIPT,
            ),
            (&Method::GET, "host.css") => {
                content("text/css; charset=utf-8", DENY_ALL_POLICY, HOST_STYLE)
            }
            (&Method::GET, "page") => match self.bridge.page().await {
                Ok(page) => content(HTML, PAGE_POLICY, page),
                Err(sentence) => refusal(StatusCode::BAD_GATEWAY, sentence),
            },
            (&Method::GET, "changes") => {
                let seen = request.uri().query().and_then(|query| query.strip_prefix("seen="));
                match seen.map(str::parse) {
                    Some(Ok(seen)) => {
                        let count = self.bridge.changes(seen).await;
                        content("application/json", DENY_ALL_POLICY, count.to_string())
                    }
                    _ => refusal(StatusCode::BAD_REQUEST, UNREADABLE),
                }
            }
            (&Method::POST, "request") if access.has_our_origin(headers) => {
                self.forward(request).await
            }
            (&Method::POST, _) => refusal(StatusCode::FORBIDDEN, NOT_OURS),
            _ => refusal(StatusCode::NOT_FOUND, NOT_THERE),
        }
    }

    /// Lets in a browser that sends the token, or that was let in before. Redirects the browser to the address
    /// without the token, so that no token stays in the browser's history.
    fn enter(&self, request: &Request<Incoming>, query: &str) -> PageReply {
        let cookie = self.access.exchange_token(query);
        if cookie.is_none() && !self.access.is_logged_in(request.headers()) {
            return refusal(StatusCode::FORBIDDEN, USED);
        }
        let mut reply = content(TEXT, DENY_ALL_POLICY, "");
        *reply.status_mut() = StatusCode::SEE_OTHER;
        let headers = reply.headers_mut();
        let folder = HeaderValue::from_str(&self.access.folder).ok();
        headers.extend(folder.map(|folder| (LOCATION, folder)));
        headers.extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
        reply
    }

    /// Forwards a request from the page to the server.
    async fn forward(&self, request: Request<Incoming>) -> PageReply {
        let body = Limited::new(request.into_body(), MAX_BODY_BYTES).collect();
        let Ok(Ok(body)) = timeout(BODY_TIMEOUT, body).await else {
            return refusal(StatusCode::PAYLOAD_TOO_LARGE, TOO_LONG);
        };
        match serde_json::from_slice(&body.to_bytes()) {
            Ok(page_request) => {
                let answer = self.bridge.forward(page_request).await;
                content("application/json", DENY_ALL_POLICY, answer.to_string())
            }
            Err(_) => refusal(StatusCode::BAD_REQUEST, UNREADABLE),
        }
    }
}

/// Creates a refusal that says why. The connection is closed after the refusal.
fn refusal(status: StatusCode, sentence: impl Into<String>) -> PageReply {
    let mut reply = content(TEXT, DENY_ALL_POLICY, format!("{}\n", sentence.into()));
    *reply.status_mut() = status;
    let close = HeaderValue::from_static("close");
    reply.headers_mut().insert(CONNECTION, close);
    reply
}

/// Creates a response that browsers must not cache, interpret as another type, or embed elsewhere.
fn content(content_type: &'static str, policy: &'static str, body: impl Into<Bytes>) -> PageReply {
    let mut reply = Response::new(Full::new(body.into()));
    let headers = reply.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, content_type),
        (CONTENT_SECURITY_POLICY, policy),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (OPENER_POLICY, "same-origin"),
        (RESOURCE_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}
