//! Peculiarities of Windows: scripts that are found by a bare name, and how words reach them.

use std::path::Path;
use std::time::Duration;

use zwave_mcp_server::client::{Connection, Host, Program};

/// The stderr of a program that is no server, and ends.
async fn said(program: Program) -> Vec<String> {
    let mut host = Host::new("test", "0");
    host.limits.delays = vec![Duration::ZERO];
    let failed = Connection::new(program, host).connect().await.unwrap_err();
    failed.stderr.iter().map(|line| line.trim().to_owned()).collect()
}

/// A script as npm installs one beside each program.
fn script(folder: &Path, name: &str, lines: &str) {
    std::fs::write(folder.join(name), lines.replace('\n', "\r\n")).unwrap();
}

fn in_path(folder: &Path, name: &str, arguments: &[&str]) -> Program {
    let mut program = Program::new(name, arguments);
    let system = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&system));
    let path = std::env::join_paths(folders).unwrap();
    program.environment = vec![("Path".into(), path)];
    program
}

#[tokio::test]
async fn a_script_is_found_by_its_bare_name_in_the_path_that_the_server_gets() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("a folder");
    std::fs::create_dir(&folder).unwrap();
    script(&folder, "npx-like.cmd", "@echo found %1 1>&2\n@exit /b 1\n");
    // For other shells; npm leaves one there, too.
    script(&folder, "npx-like", "#!/bin/sh\n");
    let program = in_path(&folder, "npx-like", &["-y"]);
    assert_eq!(said(program).await, ["found -y"]);
    let whole = folder.join("npx-like");
    let program = Program::new(whole, ["whole"]);
    assert_eq!(said(program).await, ["found whole"]);
}

#[tokio::test]
async fn a_word_with_blanks_and_marks_reaches_a_script_as_one() {
    let dir = tempfile::tempdir().unwrap();
    script(dir.path(), "words.cmd", "@echo %~1/%~2 1>&2\n@exit /b 1\n");
    let program = in_path(dir.path(), "words", &["two words", "a,b;c=d"]);
    assert_eq!(said(program).await, ["two words/a,b;c=d"]);
}

#[tokio::test]
async fn arguments_environment_and_directory_reach_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let told = "echo %WORD% %CD% 1>&2";
    let mut program = Program::new("cmd", ["/D", "/C"]);
    program.arguments.extend(told.split(' ').map(std::convert::Into::into));
    program.environment = vec![("WORD".into(), "environment".into())];
    program.directory = Some(dir.path().to_owned());
    assert_eq!(
        said(program).await,
        [format!("environment {}", dir.path().display())]
    );
}
