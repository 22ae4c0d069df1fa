//! Diagnostics: a line each, on stderr and, where that is wanted, in files; without secrets.
//!
//! Each of the two is written by a thread of its own, so that a stderr that nobody reads, a full
//! disk or a folder that hangs stops nothing; lines are dropped then. Every line, whoever wrote it,
//! passes the redaction.

mod files;
mod redact;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tracing::Level;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use files::DailyFiles;
use redact::Redacting;
pub use redact::redacted;

/// Lines that may wait for a slow reader.
const WAITING_LINES: usize = 1024;

/// How, and where, to log.
pub struct Logs {
    /// What to log.
    pub filter: Targets,
    /// A folder for log files, and for how many days they are kept.
    pub files: Option<(PathBuf, u16)>,
    /// What must never be shown.
    pub secrets: Vec<String>,
    /// Whether stderr is a terminal: short lines for a person who is watching.
    pub terminal: bool,
    /// Whether that terminal shows colours.
    pub colours: bool,
}

/// What to log: a level ("debug") or levels by module ("info,rmcp=debug"). A bare level up to
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

/// Starts logging. Dropping the guards writes what still waits. Does nothing where logging was
/// started before.
pub fn start(logs: Logs) -> Vec<WorkerGuard> {
    let secrets: Arc<[String]> = logs.secrets.into();
    let mut guards = Vec::new();
    let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
    let stderr = writer("log", &mut guards, io::stderr(), &secrets, !logs.terminal);
    let lines = fmt::layer().with_ansi(logs.colours).with_writer(stderr);
    layers.push(if logs.terminal {
        lines.compact().with_target(false).boxed()
    } else {
        lines.boxed()
    });
    if let Some((folder, days)) = logs.files {
        // The library that makes the files asks for no mode: they are to be their owner's alone.
        #[cfg(unix)]
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
        let files = DailyFiles::new(folder, days);
        let files = writer("log-file", &mut guards, files, &secrets, true);
        layers.push(fmt::layer().with_ansi(false).with_writer(files).boxed());
    }
    let started = tracing_subscriber::registry()
        .with(layers)
        .with(logs.filter)
        .try_init();
    // Only a second call fails, and then the first one's logging stands.
    drop(started);
    std::panic::set_hook(Box::new(|panic| {
        tracing::error!("{panic}");
    }));
    guards
}

/// How long the last lines of the log may keep the process.
const LAST_LINES: Duration = Duration::from_millis(10);

/// Writes what still waits, unless nobody reads it.
pub fn end(guards: Vec<WorkerGuard>) {
    let (done, written) = mpsc::channel();
    for guard in guards {
        let done = done.clone();
        std::thread::spawn(move || {
            drop(guard);
            // Nobody waits any more where it took too long.
            let _ = done.send(());
        });
    }
    drop(done);
    let limit = Instant::now() + LAST_LINES;
    while written
        .recv_timeout(limit.saturating_duration_since(Instant::now()))
        .is_ok()
    {}
}

/// A writer that never waits: a thread of its own writes.
fn writer(
    name: &str,
    guards: &mut Vec<WorkerGuard>,
    to: impl io::Write + Send + 'static,
    secrets: &Arc<[String]>,
    single: bool,
) -> NonBlocking {
    let redacting = Redacting {
        to,
        secrets: Arc::clone(secrets),
        single,
    };
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING_LINES)
        .thread_name(name)
        .finish(redacting);
    guards.push(guard);
    writer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_or_levels_by_module_are_a_filter_and_nothing_else_is() {
        assert!(filter("debug").is_some());
        assert!(filter(" INFO ").is_some());
        assert!(filter("info,rmcp=debug").is_some());
        assert!(filter("loud").is_none());
        assert!(filter("a=loud").is_none());
    }
}
