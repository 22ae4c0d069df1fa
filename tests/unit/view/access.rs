//! Unit tests of `src/view/access.rs`.

use super::*;

fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
    let pairs = pairs.iter();
    let pairs = pairs.map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()));
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
