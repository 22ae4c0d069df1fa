//! How the program ends otherwise than well, and what it says on stderr.

use std::io::Write;

use zwave_mcp_server::terminal::printable;

/// A tool, a model or a connection failed.
pub const FAILED: u8 = 1;
/// Bad usage or settings.
const BAD_USAGE: u8 = 2;

/// Why the program ends: its exit code, and a line on stderr.
#[derive(Debug)]
pub struct Failure(pub u8, pub String);

pub fn failed(why: impl ToString) -> Failure {
    Failure(FAILED, why.to_string())
}

pub fn bad_usage(why: impl ToString) -> Failure {
    Failure(BAD_USAGE, why.to_string())
}

/// Says one line on stderr.
pub fn complain(text: &str) {
    // Where stderr is gone too, the exit code has to do.
    let _ = writeln!(std::io::stderr(), "zwave-assistant: {}", printable(text));
}
