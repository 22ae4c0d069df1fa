//! Redaction: takes secrets out of lines.

use std::io::{self, Write};

use crate::client::Redactor;

/// Passes lines on without secrets, each as one line.
pub struct Redacting<W> {
    /// The writer behind it.
    pub to: W,
    /// Takes the secrets out.
    pub redactor: Redactor,
    /// True if a line stays one line, whatever is in it.
    pub single: bool,
}

impl<W: Write> Write for Redacting<W> {
    /// Takes one whole event, as the layers of tracing write it.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let mut clean = self.redactor.line(&String::from_utf8_lossy(event));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_stays_one_line() {
        let mut written = Vec::new();
        let mut redacting = Redacting {
            to: &mut written,
            redactor: Redactor::new(["s3cret"]),
            single: true,
        };
        redacting.write_all(b"a\nb\r\ns3cret\n").unwrap();
        assert_eq!(written, b"a\\nb\\n***\n");
    }
}
