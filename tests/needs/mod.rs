//! Programs that tests need besides Rust. Where one is missing, a plain `cargo test` leaves these tests
//! out, each by its name, and `tests/without_programs.rs` says how to get the program.
//! `scripts/test.sh` brings the programs and sets `ZWAVE_TEST_ALL`, with which such a test fails.

#![allow(dead_code, unused_macros)] // Every test binary uses a part of it.

use std::io::Write;
use std::path::PathBuf;

/// Returns true if everything must be tested: then a missing program fails its test.
pub fn all() -> bool {
    std::env::var_os("ZWAVE_TEST_ALL").is_some()
}

/// Ends a test where a program is missing that it needs.
macro_rules! needs {
    ($program:ident) => {
        if $crate::needs::left_out(stringify!($program), $crate::needs::$program()) {
            return;
        }
    };
}

/// Mosquitto, a real broker; an empty path is none.
pub fn mosquitto() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("ZWAVE_TEST_MOSQUITTO") {
        return (!path.is_empty()).then(|| path.into());
    }
    ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"]
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists())
        .or_else(|| in_path("mosquitto"))
}

/// Mosquitto's own plugin for rights, which comes with it: the one that refuses subscriptions.
pub fn mosquitto_plugin() -> Option<PathBuf> {
    let program = mosquitto()?;
    let library = program.parent()?.parent()?.join("lib");
    let mut folders: Vec<PathBuf> = vec![library.clone()];
    folders.extend(std::fs::read_dir(library).ok()?.flatten().map(|entry| entry.path()));
    folders
        .into_iter()
        .map(|folder| folder.join("mosquitto_dynamic_security.so"))
        .find(|file| file.is_file())
}

/// MCP's reference server, from npm.
pub fn everything() -> Option<PathBuf> {
    std::env::var_os("ZWAVE_TEST_EVERYTHING").map(PathBuf::from)
}

/// Python, which reads the program for `LangChain`.
pub fn python() -> Option<PathBuf> {
    in_path("python3")
}

/// Returns true if the running test is left out for want of a program. This is said past the harness, that
/// keeps what a passing test prints. A failure where everything must be tested.
pub fn left_out(name: &str, program: Option<PathBuf>) -> bool {
    if program.is_some() {
        return false;
    }
    assert!(!all(), "{name} is missing; scripts/test.sh brings it");
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "left out without {name}: {test}");
    true
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
