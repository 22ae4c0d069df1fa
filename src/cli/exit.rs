//! The end of a program of this crate: its exit code, and a sentence if something failed.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use crate::client::Redactor;
use crate::terminal::Screen;

/// A tool, a model or a connection failed.
pub const FAILED: u8 = 1;
/// Bad usage or settings.
pub const BAD_USAGE: u8 = 2;

/// `list problems` found some.
const PROBLEMS: u8 = 3;

/// The exit codes, as the manual page lists them.
pub(super) const MEANINGS: [(&str, &str); 4] = [
    (
        "0",
        "Done; also when the host closes stdin, and when a signal ends \"list --follow\".",
    ),
    ("1", "A tool or a connection failed."),
    ("2", "Bad usage or settings."),
    ("3", "\"list problems\" found some."),
];

/// The end of a command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// All is well.
    Well,
    /// The tool failed, or a check did.
    Failed,
    /// The house has problems, and the command asked for them.
    Problems,
}

impl Done {
    /// Returns `Well` or `Failed`.
    pub fn well_or_failed(well: bool) -> Self {
        if well { Self::Well } else { Self::Failed }
    }
}

impl From<Done> for ExitCode {
    fn from(done: Done) -> Self {
        match done {
            Done::Well => Self::SUCCESS,
            Done::Failed => Self::from(FAILED),
            Done::Problems => Self::from(PROBLEMS),
        }
    }
}

/// The reason why a program fails: its exit code, and a line for stderr.
#[derive(Debug)]
pub struct Failure(pub u8, pub String);

/// A tool, a model or a connection failed.
pub fn failed(error: impl ToString) -> Failure {
    Failure(FAILED, error.to_string())
}

/// The command line or a setting is wrong.
pub fn bad_usage(error: impl ToString) -> Failure {
    Failure(BAD_USAGE, error.to_string())
}

/// Prints help and the version on stdout, and a usage error, without any password, on stderr.
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
    // If stderr is gone too, the exit code has to do.
    let clean = Redactor::default().redact_line(&shown(Screen::of(&err)));
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

/// Returns success after printing. A reader that closed the pipe has read enough.
///
/// # Errors
/// Printing failed for another reason.
pub fn exit_after_printing(done: io::Result<()>) -> Result<ExitCode, Failure> {
    match done {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(failed(format!("can't print: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
