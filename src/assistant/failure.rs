//! Classifies a provider's failures: status codes, error objects and broken streams.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value as Json;

use super::model::ModelFailure;

const MAX_MESSAGE_CHARS: usize = 300;

/// The maximum `retry-after`, in seconds. A longer wait is shortened to this.
const MAX_RETRY_AFTER_SECONDS: u64 = 24 * 60 * 60;

impl ModelFailure {
    /// Classifies an error response by its HTTP status and body. The codes are those of
    /// <https://docs.claude.com/en/api/errors>, <https://platform.openai.com/docs/guides/error-codes>
    /// and <https://docs.ollama.com/api/errors>.
    pub(super) fn from_status(status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let text = read_message(body);
        let why = match &text {
            Some(text) => format!("HTTP {status}: {text}"),
            None => format!("HTTP {status}"),
        };
        match status {
            300..=399 => Self::Unreachable(format!("{why}; the address redirects elsewhere")),
            401 => Self::NoKey,
            404 => match text {
                Some(text) if text.to_lowercase().contains("model") => Self::NoSuchModel(text),
                _ => Self::Unreachable(format!("{why}; something else answers there")),
            },
            408 | 425 | 429 | 500.. => Self::Overloaded { why, retry_after },
            _ => Self::Refused(why),
        }
    }

    /// Classifies an error in a stream. The error is an object, or plain text from Ollama. An object from
    /// Anthropic or `OpenAI` has a `type`; an object from llama.cpp or vLLM has an HTTP status as its `code`.
    pub(super) fn from_error(error: &Json) -> Self {
        let text = |name: &str| error.get(name).and_then(Json::as_str).unwrap_or_default();
        let status = error
            .get("code")
            .and_then(Json::as_u64)
            .and_then(|code| u16::try_from(code).ok())
            .unwrap_or_else(|| match (text("type"), text("code")) {
                ("invalid_request_error" | "BadRequestError", _) => 400,
                ("authentication_error", _) | (_, "invalid_api_key") => 401,
                ("billing_error", _) => 402,
                ("permission_error", _) => 403,
                ("not_found_error", _) | (_, "model_not_found") => 404,
                ("request_too_large", _) => 413,
                ("rate_limit_error", _) | (_, "rate_limit_exceeded") => 429,
                ("overloaded_error", _) => 529,
                _ => 500,
            });
        let body = error.to_string();
        match Self::from_status(status, body.as_bytes(), None) {
            // The status may be our guess (500 for an unknown error), so the message does not show the status.
            Self::Overloaded { .. } => Self::Overloaded {
                why: read_message(body.as_bytes()).unwrap_or_else(|| "it broke off".to_owned()),
                retry_after: None,
            },
            failure => failure,
        }
    }

    /// Returns the failure for a reply that ends before it is complete.
    pub(super) fn early_end() -> Self {
        Self::Garbled("it ended too early".to_owned())
    }
}

/// Returns the message in an error body, on one line. In a JSON object, the message is the string at
/// `error.message`, `error`, `message` or `detail`. A JSON string or plain text is itself the message. A web
/// page has no message.
fn read_message(body: &[u8]) -> Option<String> {
    let text = match serde_json::from_slice::<Json>(body) {
        Ok(json) => {
            let named = ["/error/message", "/error", "/message", "/detail"]
                .into_iter()
                .filter_map(|path| json.pointer(path))
                .find_map(Json::as_str)
                .or(json.as_str());
            named?.to_owned()
        }
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_page = text.starts_with('<');
    (!text.is_empty() && !is_page).then(|| text.chars().take(MAX_MESSAGE_CHARS).collect())
}

/// Parses a `retry-after` header, which holds seconds or a date (RFC 9110, section 10.2.3).
pub(super) fn parse_retry_after(header: &str, now: DateTime<Utc>) -> Option<Duration> {
    let seconds = if let Ok(seconds) = header.trim().parse::<u64>() {
        seconds
    } else {
        let date = DateTime::parse_from_rfc2822(header.trim()).ok()?;
        let left = date.signed_duration_since(now).num_seconds();
        u64::try_from(left).unwrap_or_default()
    };
    Some(Duration::from_secs(seconds.min(MAX_RETRY_AFTER_SECONDS)))
}
