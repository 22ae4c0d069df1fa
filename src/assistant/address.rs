//! Derives the addresses of the providers' APIs from the settings.

use std::net::Ipv6Addr;

use url::{Host, Url};

/// Returns the address of the Messages API. `base` is an `ANTHROPIC_BASE_URL`. By Anthropic's own convention,
/// it does not contain `/v1`. If `base` is blank, Anthropic's own address is used.
pub(super) fn messages(base: &str) -> Result<Url, String> {
    let url = parse_web_address(base, "https://api.anthropic.com")?;
    Ok(append_path(url, &["/v1/messages", "/v1"], "/v1/messages"))
}

/// Returns the address of the chat completions. `base` is an `OPENAI_BASE_URL`. By `OpenAI`'s own convention,
/// it contains the API version, such as `/v1`, or `/v1beta/openai` at Google. If it has no version, `/v1` is
/// added. If `base` is blank, `OpenAI`'s own address is used.
pub(super) fn chat_completions(base: &str) -> Result<Url, String> {
    let url = parse_web_address(base, "https://api.openai.com/v1")?;
    let is_version = |part: &str| {
        let version = part.strip_prefix('v');
        version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    let path = if url.path().split('/').any(is_version) {
        "/chat/completions"
    } else {
        "/v1/chat/completions"
    };
    Ok(append_path(url, &["/chat/completions"], path))
}

/// Returns the address of Ollama's chat API. `host` is an `OLLAMA_HOST` in any valid form (see `envconfig` in
/// Ollama's source). If it has no port, the scheme decides: `1.2.3.4` stands for port 11434, Ollama's own,
/// and `http://1.2.3.4` for port 80. An address for listening on all interfaces, such as 0.0.0.0, stands for
/// this machine.
pub(super) fn ollama_chat(host: &str) -> Result<Url, String> {
    let text = host.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (login, host) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    let (host, port) = match host.rsplit_once(':') {
        _ if host.parse::<Ipv6Addr>().is_ok() => (format!("[{host}]"), None),
        // The colons of `[::1]` do not begin a port.
        Some((host, port)) if !port.ends_with(']') => (host.to_owned(), Some(port)),
        _ => (host.to_owned(), None),
    };
    let host = match host.as_str() {
        "" | "0.0.0.0" => "127.0.0.1",
        "[::]" => "[::1]",
        host => host,
    };
    let port = port.or(scheme.is_empty().then_some("11434")).unwrap_or("");
    let scheme = if scheme.is_empty() { "http" } else { scheme };
    let url = parse_web_address(&format!("{scheme}://{login}{host}:{port}{path}"), "")?;
    Ok(append_path(url, &["/api/chat", "/api", "/v1"], "/api/chat"))
}

/// Removes user name, password and query from an address, so that the address can be shown.
pub(super) fn without_login(url: &Url) -> String {
    let mut url = url.clone();
    // These two calls fail only for addresses that can't have a user name or password.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.into()
}

/// Returns true for a loopback address, which must be contacted without a proxy.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

fn parse_web_address(base: &str, default: &str) -> Result<Url, String> {
    let base = match base.trim() {
        "" => default,
        base => base,
    };
    let url = Url::parse(base).map_err(|error| format!("it is not an address: {error}"))?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err("it must begin with http:// or https://".to_owned())
    }
}

/// Removes the first of `suffixes` that the address ends with, if any, and then appends `path`.
pub(super) fn append_path(mut url: Url, suffixes: &[&str], path: &str) -> Url {
    let base = url.path().trim_end_matches('/');
    let base = suffixes
        .iter()
        .find_map(|suffix| base.strip_suffix(suffix))
        .unwrap_or(base)
        .trim_end_matches('/');
    let path = format!("{base}{path}");
    url.set_path(&path);
    url
}

#[cfg(test)]
#[path = "../../tests/unit/assistant/address.rs"]
mod tests;
