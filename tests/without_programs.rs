//! Not a test: at the end of a plain `cargo test`, prints which tests were left out and how to run them.

#![allow(clippy::print_stdout, missing_docs)]

#[path = "needs/mod.rs"]
mod needs;

fn main() {
    if needs::must_run_all() {
        return;
    }
    let mut left_out = Vec::new();
    if needs::mosquitto().is_none() {
        left_out.push("the suite `wire` and a test of `stdout_purity`, which need Mosquitto");
    }
    if needs::everything().is_none() {
        left_out.push("a test of `client`, which needs MCP's reference server from npm");
    }
    if needs::python().is_none() {
        left_out.push("tests of `documentation`, which need Python 3");
    }
    if needs::rust_licences().is_none() {
        left_out.push("a test of `documentation`, which needs a toolchain from rustup");
    }
    if left_out.is_empty() {
        return;
    }
    println!("\nLeft out:");
    for part in left_out {
        println!("- {part}");
    }
    println!("./scripts/test.sh installs Mosquitto and the npm server, and runs everything.\n");
}
