//! Diagnostics: a line each, on stderr and, if that is wanted, in files; without secrets.
//!
//! Each of the two has its own thread, so that a stderr that nobody reads, a full disk or a folder that
//! hangs stops nothing; lines are dropped then. Every line is redacted, whoever wrote it.

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

/// The settings of a log.
pub struct Logs {
    /// The levels to log.
    pub filter: Targets,
    /// A folder for log files, and the number of days that they are kept.
    pub files: Option<(PathBuf, u16)>,
    /// Takes the secrets out of every line.
    pub redactor: Redactor,
    /// True if stderr is a terminal: lines are short, for a person who is watching.
    pub terminal: bool,
    /// True if that terminal shows colors.
    pub colors: bool,
}

/// Parses levels to log: one ("debug"), or some by module ("info,rmcp=debug"). A bare level up to info
/// keeps the libraries to their warnings.
pub fn filter(text: &str) -> Option<Targets> {
    if let Ok(level) = text.trim().parse::<LevelFilter>() {
        let libraries = match level.into_level() {
            Some(Level::DEBUG | Level::TRACE) => level,
            _ => level.min(LevelFilter::WARN),
        };
        let this_crate = env!("CARGO_CRATE_NAME");
        return Some(Targets::new().with_default(libraries).with_target(this_crate, level));
    }
    // A bare word would be a module at every level: a mistyped level, more likely.
    if !text.contains('=') {
        return None;
    }
    text.parse().ok()
}

/// The log of this process. Without [`end`](Self::end) the last lines may be lost.
#[derive(Debug, Default)]
pub struct Logging(Vec<LineQueue>);

impl Logging {
    /// Starts logging. Does nothing if logging was started before.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(logs: Logs) -> io::Result<Self> {
        let redactor = logs.redactor;
        let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
        let stderr = queue("log", io::stderr(), &redactor, !logs.terminal)?;
        let mut queues = vec![stderr.clone()];
        let lines = fmt::layer().with_ansi(logs.colors).with_writer(move || stderr.clone());
        layers.push(if logs.terminal {
            lines.compact().with_target(false).boxed()
        } else {
            lines.boxed()
        });
        if let Some((folder, days)) = logs.files {
            let files = queue("log-file", DailyFiles::new(folder, days), &redactor, true)?;
            queues.push(files.clone());
            let lines = fmt::layer().with_ansi(false);
            layers.push(lines.with_writer(move || files.clone()).boxed());
        }
        let started = tracing_subscriber::registry().with(layers).with(logs.filter).try_init();
        // Only a second call fails, and then the first one's logging stays.
        drop(started);
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!("{panic}");
        }));
        Ok(Self(queues))
    }

    /// Writes the lines that still wait, unless nobody reads them.
    pub fn end(self) {
        queue::finish(&self.0);
    }
}

/// Starts a writer that never waits, and that redacts.
fn queue(
    name: &str,
    to: impl io::Write + Send + 'static,
    redactor: &Redactor,
    single: bool,
) -> io::Result<LineQueue> {
    let redactor = redactor.clone();
    LineQueue::start(
        name,
        Redacting {
            to,
            redactor,
            single,
        },
    )
}

/// Passes lines on without secrets, each as one line.
struct Redacting<W> {
    to: W,
    redactor: Redactor,
    /// True if an event stays one line, whatever is in it.
    single: bool,
}

impl<W: io::Write> io::Write for Redacting<W> {
    /// Takes one whole event, as the layers of tracing write it.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let mut clean = self.redactor.redact_line(&String::from_utf8_lossy(event));
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
    use std::io::Write;

    use super::*;

    #[test]
    fn a_level_or_levels_by_module_are_a_filter_and_nothing_else_is() {
        assert!(filter("debug").is_some());
        assert!(filter(" INFO ").is_some());
        assert!(filter("info,rmcp=debug").is_some());
        assert!(filter("loud").is_none());
        assert!(filter("a=loud").is_none());
    }

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
