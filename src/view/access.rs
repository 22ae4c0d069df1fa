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

use std::sync::{Mutex, PoisonError};

use hyper::HeaderMap;
use hyper::header::{COOKIE, HOST, HeaderName, HeaderValue, ORIGIN};

use crate::random::{NoRandomness, secret};

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
        read_single(headers, &HOST).is_some_and(|host| self.host_names().any(|name| name == host))
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
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        token.take_if(|token| is_same(candidate, token))?;
        let Self { key, folder, .. } = self;
        let cookie = format!("{COOKIE_NAME}={key}; Path={folder}; HttpOnly; SameSite=Lax");
        HeaderValue::try_from(cookie).ok()
    }

    fn host_names(&self) -> impl Iterator<Item = String> {
        ["127.0.0.1", "localhost"]
            .into_iter()
            .map(|name| format!("{name}:{}", self.port))
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
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pairs = pairs.iter();
        let pairs =
            pairs.map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()));
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn only_local_host_names_with_our_port_are_accepted() {
        let access = Access::new(4711).unwrap();
        for (hosts, is_accepted) in [
            (vec!["127.0.0.1:4711"], true),
            (vec!["localhost:4711"], true),
            (vec!["127.0.0.1"], false),
            (vec!["127.0.0.1:80"], false),
            (vec!["127.0.0.1.evil.example:4711"], false),
            (vec!["evil.example:4711"], false),
            (vec!["[::1]:4711"], false),
            (vec!["127.0.0.1:4711", "evil.example"], false),
            (vec![], false),
        ] {
            let named: Vec<_> = hosts.iter().map(|host| (HOST, *host)).collect();
            assert_eq!(
                access.names_this_host(&headers(&named)),
                is_accepted,
                "{hosts:?}"
            );
        }
    }

    #[test]
    fn token_works_once_and_its_cookie_stays_valid() {
        let access = Access::new(4711).unwrap();
        let query = access.address.split_once('?').unwrap().1;
        assert!(query.len() > 60, "{query}");
        for wrong in ["", "token=", "token=0", &query[..query.len() - 1]] {
            assert_eq!(access.exchange_token(wrong), None, "{wrong}");
        }
        let cookie = access.exchange_token(query).unwrap();
        assert_eq!(access.exchange_token(query), None);
        let cookie = cookie.to_str().unwrap();
        let (pair, rules) = cookie.split_once(';').unwrap();
        let folder = &access.folder;
        assert_eq!(rules, format!(" Path={folder}; HttpOnly; SameSite=Lax"));
        for (sent, is_logged_in) in [
            (pair.to_owned(), true),
            (format!("other=1; {pair}"), true),
            (pair.replace("view", "other"), false),
            (format!("{pair}0"), false),
            (pair[..pair.len() - 1].to_owned(), false),
            (query.replace("token", "zwave-view"), false),
        ] {
            let sent_headers = headers(&[(COOKIE, &sent)]);
            assert_eq!(access.is_logged_in(&sent_headers), is_logged_in, "{sent}");
        }
        let other = Access::new(4711).unwrap();
        assert!(
            !other.is_logged_in(&headers(&[(COOKIE, pair)])),
            "the cookie of another view is accepted"
        );
    }
}
