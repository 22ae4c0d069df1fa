//! Failures of the program: its lines on stderr, and its exit codes.

use zwave_mcp_server::terminal::note;

pub use zwave_mcp_server::cli::exit::{
    FAILED, Failure, bad_usage, exit_after_printing, failed, print,
};

/// Prints one line on stderr.
pub fn complain(text: &str) {
    note(&format!("zwave-assistant: {text}"));
}
