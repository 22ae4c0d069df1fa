//! Redaction: takes secrets out of lines.

use std::io::{self, Write};
use std::sync::Arc;

/// Passes lines on without secrets, each as one line.
pub struct Redacting<W> {
    /// The writer behind it.
    pub to: W,
    /// The texts that must never be shown.
    pub secrets: Arc<[String]>,
    /// True if a line stays one line, whatever is in it.
    pub single: bool,
}

impl<W: Write> Write for Redacting<W> {
    /// Takes one whole event, as the layers of tracing write it.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let mut clean = redacted(&String::from_utf8_lossy(event), &self.secrets);
        if self.single {
            let line = clean.trim_end_matches('\n');
            clean = line.replace("\r\n", "\\n").replace(['\n', '\r'], "\\n");
            clean.push('\n');
        }
        self.to.write_all(clean.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Returns a text without secrets, and without user info and queries in addresses.
pub fn redacted(text: &str, secrets: &[String]) -> String {
    let mut clean = without_user_info(text);
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        clean = clean.replace(secret.as_str(), "***");
    }
    clean
}

/// Blanks out `user:password@` and `query` in every `scheme://user:password@host/path?query`.
fn without_user_info(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut parts = text.split("://");
    clean.push_str(parts.next().unwrap_or_default());
    for part in parts {
        clean.push_str("://");
        let end = part
            .find(|letter| ends_address(letter) || matches!(letter, '/' | '?'))
            .unwrap_or(part.len());
        let (authority, tail) = part.split_at(end);
        match authority.rsplit_once('@') {
            Some((_, host)) => {
                clean.push_str("***@");
                clean.push_str(host);
            }
            None => clean.push_str(authority),
        }
        match tail
            .split_once('?')
            .filter(|(path, _)| !path.contains(ends_address))
        {
            Some((path, query)) => {
                clean.push_str(path);
                clean.push_str("?***");
                let end = query.find(ends_address).unwrap_or(query.len());
                clean.push_str(query.get(end..).unwrap_or_default());
            }
            None => clean.push_str(tail),
        }
    }
    clean
}

/// Returns true for a character that no address has.
fn ends_address(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'')
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
        assert_eq!(
            redacted("\"mqtt://host/?password=pw\" or mqtt://a@host?x=pw,y", &[]),
            "\"mqtt://host/?***\" or mqtt://***@host?***"
        );
        assert_eq!(
            redacted("mqtt://me:pw@a,mqtt://me:pw@b", &[]),
            "mqtt://***@a,mqtt://***@b"
        );
    }

    #[test]
    fn an_event_stays_one_line() {
        let mut written = Vec::new();
        let mut redacting = Redacting {
            to: &mut written,
            secrets: Arc::from(["s3cret".to_owned()]),
            single: true,
        };
        redacting.write_all(b"a\nb\r\ns3cret\n").unwrap();
        assert_eq!(written, b"a\\nb\\n***\n");
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
