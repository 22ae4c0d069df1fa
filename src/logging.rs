//! Logging: writes redacted events to stderr and optionally to files.
//!
//! Stderr and the files are written by separate threads. The program goes on even if nobody reads stderr, the
//! disk is full, or the folder does not respond; lines are dropped then. The events of other crates are
//! redacted, too.

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
use crate::home::text;
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
    /// True if a person reads stderr at a terminal. Then the lines omit the module, and an event may take
    /// several lines.
    pub is_for_terminal: bool,
    /// True if the lines on stderr are colored.
    pub has_colors: bool,
}

/// Parses the levels to log: one ("debug"), or several by module ("info,rmcp=debug"). If only "info" is given,
/// other crates log only warnings and errors. "debug" or "trace" applies to all crates.
pub fn parse_filter(text: &str) -> Option<Targets> {
    if let Ok(level) = text.trim().parse::<LevelFilter>() {
        let libraries = match level.into_level() {
            Some(Level::DEBUG | Level::TRACE) => level,
            _ => level.min(LevelFilter::WARN),
        };
        let this_crate = env!("CARGO_CRATE_NAME");
        return Some(Targets::new().with_default(libraries).with_target(this_crate, level));
    }
    // `Targets` would read a bare word as a module name. The word is rejected, as it is more likely a mistyped level.
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
    /// Fails if a thread can't be started.
    pub fn start(logs: Logs) -> io::Result<Self> {
        let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
        let stderr = Redacting {
            output: io::stderr(),
            redactor: logs.redactor.clone(),
            is_single_line: !logs.is_for_terminal,
        };
        let stderr = LineQueue::start("log", stderr)?;
        let mut queues = vec![stderr.clone()];
        let lines = fmt::layer().with_ansi(logs.has_colors).with_writer(move || stderr.clone());
        layers.push(if logs.is_for_terminal {
            lines.compact().with_target(false).boxed()
        } else {
            lines.boxed()
        });
        if let Some((folder, days)) = logs.files {
            let files = Redacting {
                output: DailyFiles::new(folder, days),
                redactor: logs.redactor,
                is_single_line: true,
            };
            let files = LineQueue::start("log-file", files)?;
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

    /// Waits until the queued lines are written, but only for a few milliseconds.
    pub fn end(self) {
        queue::finish(&self.0);
    }
}

/// Redacts each event, and writes it to `output`.
struct Redacting<W> {
    output: W,
    redactor: Redactor,
    /// True if each event is written as one line, with `\n` for its line breaks.
    is_single_line: bool,
}

impl<W: io::Write> io::Write for Redacting<W> {
    /// Writes one whole event. The layers of tracing write each event with a single call.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let mut clean = self.redactor.redact_line(&String::from_utf8_lossy(event));
        // A name from the wire must not turn the rest of the line around.
        clean.retain(|letter| !text::is_invisible(letter));
        if self.is_single_line {
            let line = clean.trim_end_matches('\n');
            clean = line.replace("\r\n", "\\n").replace(['\n', '\r'], "\\n");
            clean.push('\n');
        }
        self.output.write_all(clean.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
#[path = "../tests/unit/logging.rs"]
mod tests;
