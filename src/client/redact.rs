//! Keeps secrets out of the log. A secret is recognized by the name of its field or variable, by its value, or
//! by its place in an address.

use std::ffi::OsString;
use std::fmt;

use serde_json::{Map, Value as Json};

const HIDDEN: &str = "***";

/// Words that occur in the names of secrets: `MQTT_PASSWORD` contains "password". Case and punctuation of the
/// name do not matter.
const NAME_PARTS: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "apikey",
    "authorization",
    "credential",
    "privatekey",
    "cookie",
    "usercode",
    "pincode",
];

/// Whole names of secrets. As parts of names, these words would match too much: "spinning" contains "pin".
const WHOLE_NAMES: [&str; 4] = ["pin", "pwd", "auth", "key"];

/// An environment variable's value is hidden only if it has at least this many bytes. A shorter value may occur
/// in many ordinary words.
const MIN_SECRET_BYTES: usize = 4;

/// A string may be JSON with strings that are JSON again. At most this many levels are read as JSON.
const MAX_DEPTH: usize = 8;

/// Replaces secrets by `***`.
#[derive(Clone, Default)]
pub struct Redactor {
    values: Vec<String>,
}

impl Redactor {
    /// Makes a redactor that hides these values wherever they occur.
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut values: Vec<String> =
            values.into_iter().map(Into::into).filter(|value| !value.is_empty()).collect();
        // The longest value comes first, because it may contain a shorter value.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self { values }
    }

    /// Returns a redactor that also hides the secrets among these environment variables.
    pub(super) fn with_variables(&self, variables: &[(OsString, OsString)]) -> Self {
        let is_secret = |(name, value): &&(OsString, OsString)| {
            value.len() >= MIN_SECRET_BYTES && is_secret_name(&name.to_string_lossy())
        };
        let values = variables.iter().filter(is_secret);
        let values = values.map(|(_, value)| value.to_string_lossy().into_owned());
        Self::new(self.values.iter().cloned().chain(values))
    }

    /// Returns JSON without its secrets, at any depth. Also searches JSON inside strings.
    pub fn redact_json(&self, json: &Json) -> Json {
        self.redact_json_within(json, MAX_DEPTH)
    }

    /// Returns a text without its secrets. A text that is a JSON object or array is redacted as by
    /// [`redact_json`](Self::redact_json), any other text as by [`redact_line`](Self::redact_line).
    pub fn redact_text(&self, text: &str) -> String {
        self.redact_text_within(text, MAX_DEPTH)
    }

    /// Returns a text without the known values, and without the logins and queries of addresses.
    pub fn redact_line(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        // The values are hidden before logins and queries, because a value may itself be an address.
        for value in &self.values {
            clean = clean.replace(value.as_str(), HIDDEN);
        }
        hide_logins_and_queries(&clean)
    }

    fn redact_json_within(&self, json: &Json, depth: usize) -> Json {
        match json {
            Json::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| {
                    let value = if is_secret_name(name) && !value.is_null() {
                        HIDDEN.into()
                    } else {
                        self.redact_json_within(value, depth)
                    };
                    (self.redact_line(name), value)
                });
                Json::Object(fields.collect::<Map<_, _>>())
            }
            Json::Array(items) => {
                items.iter().map(|item| self.redact_json_within(item, depth)).collect()
            }
            Json::String(text) => self.redact_text_within(text, depth).into(),
            Json::Number(number) if self.values.contains(&number.to_string()) => HIDDEN.into(),
            other => other.clone(),
        }
    }

    fn redact_text_within(&self, text: &str, depth: usize) -> String {
        let json = text.trim_start();
        if depth > 0
            && json.starts_with(['{', '['])
            && let Ok(json) = serde_json::from_str::<Json>(json)
        {
            let clean = self.redact_json_within(&json, depth - 1);
            // Keeps the original whitespace if there is nothing to hide.
            return if clean == json {
                text.to_owned()
            } else {
                clean.to_string()
            };
        }
        self.redact_line(text)
    }
}

impl fmt::Debug for Redactor {
    /// Shows only the number of secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secrets = self.values.len();
        f.debug_struct("Redactor").field("secrets", &secrets).finish()
    }
}

fn is_secret_name(name: &str) -> bool {
    let folded: String = name
        .chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    WHOLE_NAMES.contains(&folded.as_str()) || NAME_PARTS.iter().any(|part| folded.contains(part))
}

/// Hides `user:password` and `query` in every `scheme://user:password@host/path?query`.
fn hide_logins_and_queries(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut parts = text.split("://");
    clean.push_str(parts.next().unwrap_or_default());
    for part in parts {
        clean.push_str("://");
        let (authority, tail) = part.split_at(authority_length(part));
        match authority.rsplit_once('@') {
            Some((_, host)) => clean.extend(["***@", host]),
            None => clean.push_str(authority),
        }
        match tail.split_once('?').filter(|(path, _)| !path.contains(ends_address)) {
            Some((path, query)) => {
                let end = query.find(ends_address).unwrap_or(query.len());
                clean.extend([path, "?***", query.split_at(end).1]);
            }
            None => clean.push_str(tail),
        }
    }
    clean
}

/// Returns the length of `user:password@host` in `user:password@host/path?query`. A "/" or "?" that was not
/// escaped may be a part of the password: "me:pa/ss@host".
fn authority_length(part: &str) -> usize {
    let (address, _) = part.split_at(part.find(ends_address).unwrap_or(part.len()));
    let host_end = |start: usize| {
        let (_, host) = address.split_at(start);
        start + host.find(['/', '?']).unwrap_or(host.len())
    };
    let end = host_end(0);
    let (authority, path) = address.split_at(end);
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    let may_end_in_password = !authority.contains('@')
        && authority.rsplit_once(':').is_some_and(|(_, text)| !is_port(text));
    match path.rfind('@') {
        Some(at) if may_end_in_password => host_end(end + at),
        _ => end,
    }
}

/// Returns true for whitespace and quotes, where an address in a text ends.
fn ends_address(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '\'')
}
