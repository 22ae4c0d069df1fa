//! Programs that tests need besides Rust. If a program is missing, a plain `cargo test` skips the tests that
//! need it, and prints their names. `tests/without_programs.rs` says how to get the program.
//! `scripts/test.sh` gets the programs and sets `ZWAVE_TEST_ALL`, with which no test may be skipped.

#![allow(dead_code, unused_macros)] // Each test binary uses only a part of this module.

use std::io::Write;
use std::path::PathBuf;

/// Returns true if no test may be skipped. A missing program then fails the tests that need it.
pub fn must_run_all() -> bool {
    std::env::var_os("ZWAVE_TEST_ALL").is_some()
}

/// Skips the test if this program is missing.
macro_rules! needs {
    ($program:ident) => {
        if $crate::needs::skip_without(stringify!($program), $crate::needs::$program()) {
            return;
        }
    };
}

/// Returns the path of Mosquitto, a real broker. If the variable `ZWAVE_TEST_MOSQUITTO` is set, returns its
/// content, or `None` if it is empty.
pub fn mosquitto() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("ZWAVE_TEST_MOSQUITTO") {
        return (!path.is_empty()).then(|| path.into());
    }
    ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"]
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists())
        .or_else(|| find_in_path("mosquitto"))
}

/// Returns the path of Mosquitto's dynamic security plugin, which can refuse subscriptions.
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

/// Returns the path of MCP's reference server from npm.
pub fn everything() -> Option<PathBuf> {
    std::env::var_os("ZWAVE_TEST_EVERYTHING").map(PathBuf::from)
}

/// Returns the path of Python, which some tests in `tests/documentation` run.
pub fn python() -> Option<PathBuf> {
    find_in_path("python3")
}

/// Returns the page with the licences of Rust's standard library, which rustup installs.
pub fn rust_licences() -> Option<PathBuf> {
    let rustc = std::process::Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(rustc.stdout).ok()?.trim());
    let page = folder.join("share/doc/rust/COPYRIGHT-library.html");
    page.is_file().then_some(page)
}

/// Returns true if the running test must be skipped because a program is missing. Reports the skip on the
/// real stderr, because the test harness captures what a passing test prints. Panics if no test may be
/// skipped.
pub fn skip_without(name: &str, program: Option<PathBuf>) -> bool {
    if program.is_some() {
        return false;
    }
    assert!(
        !must_run_all(),
        "`{name}` is missing; scripts/test.sh brings it"
    );
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    let _ = writeln!(
        std::io::stderr(),
        "{test} is left out, because `{name}` is missing"
    );
    true
}

fn find_in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
