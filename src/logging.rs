//! Diagnostics: one line each, on stderr, without secrets.
//!
//! Written by a thread of its own, so that a stderr that nobody reads stops nothing; lines are
//! dropped then. Every line, whoever wrote it, passes the redaction.

use std::io::{self, Write};
use std::sync::Arc;

use tracing::Level;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Lines that may wait for a slow reader.
const WAITING_LINES: usize = 1024;

/// What to log: a level ("debug") or levels by module ("info,rumqttc=debug"). A bare level up to
/// info keeps the libraries to their warnings.
pub fn filter(text: &str) -> Option<Targets> {
    if let Ok(level) = text.trim().parse::<LevelFilter>() {
        let libraries = match level.into_level() {
            Some(Level::DEBUG | Level::TRACE) => level,
            _ => level.min(LevelFilter::WARN),
        };
        let own = env!("CARGO_CRATE_NAME");
        return Some(
            Targets::new()
                .with_default(libraries)
                .with_target(own, level),
        );
    }
    // A bare word would be a module at every level: a mistyped level, more likely.
    if !text.contains('=') {
        return None;
    }
    text.parse().ok()
}

/// Starts logging. Dropping the guard writes what still waits. Does nothing where logging was
/// started before.
pub fn start(filter: Targets, secrets: Vec<String>, colours: bool) -> WorkerGuard {
    let redacting = Redacting {
        secrets: secrets.into(),
    };
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING_LINES)
        .thread_name("log")
        .finish(redacting);
    let lines = tracing_subscriber::fmt::layer()
        .compact()
        .with_ansi(colours)
        .with_writer(writer);
    let started = tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .try_init();
    // Only a second call fails, and then the first one's logging stands.
    drop(started);
    std::panic::set_hook(Box::new(|panic| {
        tracing::error!("{panic}");
    }));
    guard
}

/// Writes to stderr what is no secret.
struct Redacting {
    secrets: Arc<[String]>,
}

impl Write for Redacting {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let clean = redacted(&String::from_utf8_lossy(line), &self.secrets);
        io::stderr().lock().write_all(clean.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// A text without secrets, and without user info in addresses.
pub fn redacted(text: &str, secrets: &[String]) -> String {
    let mut clean = without_user_info(text);
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        clean = clean.replace(secret.as_str(), "***");
    }
    clean
}

/// Blanks out `user:password@` in every `scheme://user:password@host`.
fn without_user_info(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        clean.push_str(before);
        clean.push_str("://");
        let end = after
            .find(|letter: char| letter.is_whitespace() || matches!(letter, '/' | '"' | '\''))
            .unwrap_or(after.len());
        let (authority, tail) = after.split_at(end);
        match authority.rsplit_once('@') {
            Some((_, host)) => {
                clean.push_str("***@");
                clean.push_str(host);
            }
            None => clean.push_str(authority),
        }
        rest = tail;
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_user_info_never_pass() {
        let secrets = ["s3cret".to_owned()];
        assert_eq!(
            redacted("mqtt://me:s3cret@host:1883/x and s3cret, ok://a", &secrets),
            "mqtt://***@host:1883/x and ***, ok://a"
        );
        assert_eq!(redacted("mqtt://a@b:c@host", &[]), "mqtt://***@host");
    }

    #[test]
    fn a_level_or_levels_by_module_are_a_filter_and_nothing_else_is() {
        assert!(filter("debug").is_some());
        assert!(filter(" INFO ").is_some());
        assert!(filter("info,rumqttc=debug").is_some());
        assert!(filter("loud").is_none());
        assert!(filter("a=loud").is_none());
    }

    proptest::proptest! {
        #[test]
        fn no_secret_survives_in_any_text(
            before in "\\PC{0,20}", secret in "[a-z0-9]{4,12}", after in "\\PC{0,20}"
        ) {
            let text = format!("{before}{secret}{after}");
            let clean = redacted(&text, std::slice::from_ref(&secret));
            proptest::prop_assert!(!clean.contains(&secret));
        }
    }
}
