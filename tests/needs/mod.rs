//! Programs that a few tests need besides Rust. Where one is missing, a plain `cargo test` leaves these
//! tests out, and `tests/untested.rs` says so. `scripts/test.sh` brings the programs and sets
//! `ZWAVE_TEST_ALL`, with which nothing is left out.

#![allow(dead_code)] // Every test binary uses a part of it.

use std::path::PathBuf;

/// Whether everything must be tested: then a missing program fails its test.
pub fn all() -> bool {
    std::env::var_os("ZWAVE_TEST_ALL").is_some()
}

/// Mosquitto, a real broker.
pub fn mosquitto() -> Option<PathBuf> {
    let known = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"];
    let known = known.map(PathBuf::from).into_iter();
    let named = std::env::var_os("ZWAVE_TEST_MOSQUITTO").map(PathBuf::from);
    let mut known = known.filter(|path| path.exists());
    named
        .or_else(|| known.next())
        .or_else(|| in_path("mosquitto"))
}

/// MCP's reference server, from npm.
pub fn everything() -> Option<PathBuf> {
    std::env::var_os("ZWAVE_TEST_EVERYTHING").map(PathBuf::from)
}

/// Python, which reads the program for `LangChain`.
pub fn python() -> Option<PathBuf> {
    in_path("python3")
}

/// Whether a test is left out for want of a program.
pub fn left_out(program: Option<PathBuf>) -> bool {
    program.is_none() && !all()
}

/// Ends the run of a suite that needs a program nearly everywhere: the rest of it would prove little.
/// A failure where everything must be tested.
#[allow(clippy::exit)]
pub fn end_without(program: &str) -> ! {
    assert!(
        !all(),
        "{program} must be installed; scripts/test.sh brings it"
    );
    std::process::exit(0)
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}
