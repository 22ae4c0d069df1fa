//! The program itself, under a second name: built with a feature by which a call can be made to
//! panic, it does not take the place of the one that the other tests drive.

#![allow(missing_docs, unreachable_pub)]

#[path = "../../src/main.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::main()
}
