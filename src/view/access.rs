//! Access control: only the browser that opens the one-time address is let in, and no other program, page or
//! machine.
//!
//! - Only this machine can reach the port. If another site makes its own name resolve to this machine (DNS
//!   rebinding), the Host header contains that name, and the request is refused.
//! - The printed address contains a token, which is valid once. The browser gets a cookie in exchange, and is
//!   redirected to the address without the token.
//! - Cookies ignore ports: a browser sends them to any server on this machine, if the path matches. So each
//!   run has an unguessable path, and its cookie is limited to that path.
//! - A page of another site can send a form here. But the browser does not add our cookie to such a request,
//!   because the cookie is `SameSite`. The request's Origin header does not name this server, either. The cookie is
//!   `Lax`, because the browser comes from a file that leads to the address, which is another site.

use std::sync::Mutex;

use hyper::HeaderMap;
use hyper::header::{COOKIE, HOST, HeaderName, HeaderValue, ORIGIN};

use crate::crypto::{NoRandomness, secret};
use crate::lock::lock;

const COOKIE_NAME: &str = "zwave-view";

/// The secrets that control access, and the checks of requests.
#[derive(Debug)]
pub struct Access {
    port: u16,
    /// The unguessable beginning of every path, with a slash at both ends.
    pub folder: String,
    /// The cookie's value.
    key: String,
    /// The token in the address; `None` after it was used.
    token: Mutex<Option<String>>,
    /// The address with the token, to be printed.
    pub address: String,
}

impl Access {
    /// Creates new secrets for a server at a port.
    pub fn new(port: u16) -> Result<Self, NoRandomness> {
        let token = secret()?;
        let folder = format!("/{}/", secret()?);
        Ok(Self {
            port,
            key: secret()?,
            address: format!("http://127.0.0.1:{port}{folder}?token={token}"),
            folder,
            token: Mutex::new(Some(token)),
        })
    }

    /// Returns true if the request has exactly one Host header, and it names this machine and our port.
    pub fn names_this_host(&self, headers: &HeaderMap) -> bool {
        let is_ours = |host: &str| {
            let name = host.strip_suffix(&format!(":{}", self.port));
            matches!(name, Some("127.0.0.1" | "localhost"))
        };
        read_single(headers, &HOST).is_some_and(is_ours)
    }

    /// Returns true if the request's Origin header shows that one of our pages sent it.
    pub fn has_our_origin(&self, headers: &HeaderMap) -> bool {
        let (host, origin) = (read_single(headers, &HOST), read_single(headers, &ORIGIN));
        let origin = origin.and_then(|origin| origin.strip_prefix("http://"));
        origin.is_some() && origin == host && self.names_this_host(headers)
    }

    /// Returns true if the request has our cookie.
    pub fn is_logged_in(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).iter();
        let mut cookies = cookies
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='));
        cookies.any(|(name, value)| name == COOKIE_NAME && is_same(value, &self.key))
    }

    /// Returns a cookie if the query has the token. The token is then used up.
    pub fn exchange_token(&self, query: &str) -> Option<HeaderValue> {
        let candidate = query.strip_prefix("token=")?;
        let mut token = lock(&self.token);
        token.take_if(|token| is_same(candidate, token))?;
        let Self { key, folder, .. } = self;
        let cookie = format!("{COOKIE_NAME}={key}; Path={folder}; HttpOnly; SameSite=Lax");
        HeaderValue::try_from(cookie).ok()
    }
}

/// Returns a header's value, if the header occurs exactly once.
fn read_single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then(|| first.to_str().ok()).flatten()
}

/// Compares two secrets. The time that this takes does not depend on where they differ.
fn is_same(left: &str, right: &str) -> bool {
    let differing_bits = left
        .bytes()
        .zip(right.bytes())
        .fold(0, |bits, (left, right)| bits | (left ^ right));
    left.len() == right.len() && differing_bits == 0
}

#[cfg(test)]
#[path = "../../tests/unit/view/access.rs"]
mod tests;
