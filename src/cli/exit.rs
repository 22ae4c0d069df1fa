//! The exit codes of this crate's programs, and the message if something failed.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use crate::client::Redactor;
use crate::terminal::Screen;

/// The exit code if a tool, a model or a connection failed.
pub const FAILED: u8 = 1;

/// The exit code for bad usage or settings.
pub const BAD_USAGE: u8 = 2;

/// The exit code if `list problems` found problems.
const PROBLEMS: u8 = 3;

/// The exit codes and their meanings, for the manual page.
pub(super) const MEANINGS: [(&str, &str); 4] = [
    (
        "0",
        "Done; also when the host closes stdin, and when a signal ends \"list --follow\".",
    ),
    (
        "1",
        "A tool or a connection failed, or \"list\" found no such device.",
    ),
    ("2", "Bad usage or settings."),
    ("3", "\"list problems\" found problems."),
];

/// The way in which a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// The command succeeded.
    Success,
    /// The tool or a check failed.
    Failed,
    /// `list problems` found problems.
    Problems,
}

impl ExitStatus {
    /// Returns `Success` or `Failed`.
    pub fn success_if(succeeded: bool) -> Self {
        if succeeded {
            Self::Success
        } else {
            Self::Failed
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        match status {
            ExitStatus::Success => Self::SUCCESS,
            ExitStatus::Failed => Self::from(FAILED),
            ExitStatus::Problems => Self::from(PROBLEMS),
        }
    }
}

/// A failure of a program: the exit code, and a message for stderr.
#[derive(Debug)]
pub struct Failure(pub u8, pub String);

/// Returns the failure of a tool, a model or a connection.
pub fn failed(error: impl ToString) -> Failure {
    Failure(FAILED, error.to_string())
}

/// Returns the failure for a wrong command line or setting.
pub fn bad_usage(error: impl ToString) -> Failure {
    Failure(BAD_USAGE, error.to_string())
}

/// Runs `work` to its end. Doesn't wait for threads, because a thread may still be looking up a name or waiting for a
/// line from a terminal.
///
/// # Errors
/// The system has no means to wait for anything.
pub fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().map_err(failed)?;
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    Ok(done)
}

/// Prints clap's help or version text on stdout, or clap's usage error on stderr. Passwords in a usage error
/// are hidden.
///
/// # Errors
/// See [`exit_after_printing`].
pub fn explain(error: &clap::Error) -> Result<ExitCode, Failure> {
    let text = error.render();
    let shown = |screen: Screen| {
        if screen.colors {
            text.ansi().to_string()
        } else {
            text.to_string()
        }
    };
    if !error.use_stderr() {
        return print(shown(Screen::of(&io::stdout())).as_bytes());
    }
    let mut err = io::stderr();
    let screen = Screen::of(&err);
    let clean = Redactor::default().redact_line(&screen.wrap(&shown(screen)));
    // If stderr is closed, only the exit code reports the error.
    let _ = write!(err, "{clean}");
    Ok(ExitCode::from(BAD_USAGE))
}

/// Prints a text on stdout.
///
/// # Errors
/// See [`exit_after_printing`].
pub fn print(text: &[u8]) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    exit_after_printing(out.write_all(text).and_then(|()| out.flush()))
}

/// Converts the result of printing to an exit code. If the pipe is closed, its reader has read enough, so this
/// is a success.
///
/// # Errors
/// Fails if printing failed for another reason.
pub fn exit_after_printing(printed: io::Result<()>) -> Result<ExitCode, Failure> {
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(failed(format!("can't print: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
