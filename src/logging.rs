//! Logging: one redacted line per event, on stderr and optionally in files.
//!
//! Stderr and the files are written by separate threads, so an unread stderr, a full disk or a hanging folder
//! blocks nothing; lines are dropped instead. Every line is redacted, including those of other crates.

mod files;
mod queue;

use std::io;
use std::path::PathBuf;

use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::client::Redactor;
use files::DailyFiles;
use queue::LineQueue;

/// The settings of the log.
pub struct Logs {
    /// The levels to log.
    pub filter: Targets,
    /// A folder for log files, and the number of days to keep them.
    pub files: Option<(PathBuf, u16)>,
    /// Removes the secrets from every line.
    pub redactor: Redactor,
    /// True if stderr is a terminal. Its lines are short, and an event may take several.
    pub terminal: bool,
    /// True if the lines on stderr are colored.
    pub colors: bool,
}

/// Parses the levels to log: one ("debug"), or several by module ("info,rmcp=debug"). A bare level of info or
/// less limits other crates to warnings; debug and trace apply to all crates.
pub fn parse_filter(text: &str) -> Option<Targets> {
    if let Ok(level) = text.trim().parse::<LevelFilter>() {
        let libraries = match level.into_level() {
            Some(Level::DEBUG | Level::TRACE) => level,
            _ => level.min(LevelFilter::WARN),
        };
        let this_crate = env!("CARGO_CRATE_NAME");
        return Some(Targets::new().with_default(libraries).with_target(this_crate, level));
    }
    // `Targets` would read a bare word as a module name. It is more likely a mistyped level, so it is
    // rejected.
    if !text.contains('=') {
        return None;
    }
    text.parse().ok()
}

/// The log of this process. Unless [`end`](Self::end) is called, the last lines may be lost.
#[derive(Debug, Default)]
pub struct Logging(Vec<LineQueue>);

impl Logging {
    /// Starts logging, including panics. If the process is already logging, events still go to the first log.
    ///
    /// # Errors
    /// A thread can't be started.
    pub fn start(logs: Logs) -> io::Result<Self> {
        let redactor = logs.redactor;
        let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
        let stderr = start_queue("log", io::stderr(), &redactor, !logs.terminal)?;
        let mut queues = vec![stderr.clone()];
        let lines = fmt::layer().with_ansi(logs.colors).with_writer(move || stderr.clone());
        layers.push(if logs.terminal {
            lines.compact().with_target(false).boxed()
        } else {
            lines.boxed()
        });
        if let Some((folder, days)) = logs.files {
            let files = start_queue("log-file", DailyFiles::new(folder, days), &redactor, true)?;
            queues.push(files.clone());
            let lines = fmt::layer().with_ansi(false);
            layers.push(lines.with_writer(move || files.clone()).boxed());
        }
        // Fails only if the process is already logging.
        let _ = tracing_subscriber::registry().with(layers).with(logs.filter).try_init();
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!("{panic}");
        }));
        Ok(Self(queues))
    }

    /// Waits briefly until the queued lines are written.
    pub fn end(self) {
        queue::finish(&self.0);
    }
}

/// Starts a thread that redacts the events in the returned queue, and writes them to `to`.
fn start_queue(
    name: &str,
    to: impl io::Write + Send + 'static,
    redactor: &Redactor,
    single_line: bool,
) -> io::Result<LineQueue> {
    let redactor = redactor.clone();
    LineQueue::start(
        name,
        Redacting {
            to,
            redactor,
            single_line,
        },
    )
}

/// Redacts each event; keeps it on one line if `single_line` is set.
struct Redacting<W> {
    to: W,
    redactor: Redactor,
    single_line: bool,
}

impl<W: io::Write> io::Write for Redacting<W> {
    /// Writes one whole event. The layers of tracing never write less.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let mut clean = self.redactor.redact_line(&String::from_utf8_lossy(event));
        if self.single_line {
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
    use std::io::Write;

    use super::*;

    #[test]
    fn filter_accepts_a_level_or_module_levels_only() {
        assert!(parse_filter("debug").is_some());
        assert!(parse_filter(" INFO ").is_some());
        assert!(parse_filter("info,rmcp=debug").is_some());
        assert!(parse_filter("loud").is_none());
        assert!(parse_filter("a=loud").is_none());
    }

    #[test]
    fn event_stays_on_one_line() {
        let mut written = Vec::new();
        let mut redacting = Redacting {
            to: &mut written,
            redactor: Redactor::new(["s3cret"]),
            single_line: true,
        };
        redacting.write_all(b"a\nb\r\ns3cret\n").unwrap();
        assert_eq!(written, b"a\\nb\\n***\n");
    }
}
