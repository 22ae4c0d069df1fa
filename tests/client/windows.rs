//! On Windows, scripts are found by a bare name, and programs get their arguments, environment and directory.

use std::path::Path;
use std::time::Duration;

use zwave_mcp_server::client::{Connection, Host, Program};

/// Runs a program that only prints on stderr and exits. Returns the printed lines.
async fn read_stderr(program: Program) -> Vec<String> {
    let mut host = Host::new("test", "0");
    host.limits.delays = vec![Duration::ZERO];
    let error = Connection::new(program, host).connect().await.unwrap_err();
    error.stderr.iter().map(|line| line.trim().to_owned()).collect()
}

/// Writes a script, with the line ends of Windows.
fn write_script(folder: &Path, name: &str, lines: &str) {
    std::fs::write(folder.join(name), lines.replace('\n', "\r\n")).unwrap();
}

/// Returns a program that is looked up in this folder first.
fn program_in_path(folder: &Path, name: &str, arguments: &[&str]) -> Program {
    let mut program = Program::new(name, arguments);
    let system = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&system));
    let path = std::env::join_paths(folders).unwrap();
    program.environment = vec![("Path".into(), path)];
    program
}

#[tokio::test]
async fn a_script_is_found_by_its_bare_name_in_the_path_variable_that_the_server_gets() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("a folder");
    std::fs::create_dir(&folder).unwrap();
    write_script(&folder, "npx-like.cmd", "@echo found %1 1>&2\n@exit /b 1\n");
    // npm also installs a script for Unix shells, which Windows can't run.
    write_script(&folder, "npx-like", "#!/bin/sh\n");
    let program = program_in_path(&folder, "npx-like", &["-y"]);
    assert_eq!(read_stderr(program).await, ["found -y"]);
    let full_path = folder.join("npx-like");
    let program = Program::new(full_path, ["whole"]);
    assert_eq!(read_stderr(program).await, ["found whole"]);
}

#[tokio::test]
async fn an_argument_with_spaces_and_punctuation_reaches_a_script_as_one_argument() {
    let dir = tempfile::tempdir().unwrap();
    write_script(dir.path(), "words.cmd", "@echo %~1/%~2 1>&2\n@exit /b 1\n");
    let program = program_in_path(dir.path(), "words", &["two words", "a,b;c=d"]);
    assert_eq!(read_stderr(program).await, ["two words/a,b;c=d"]);
}

#[tokio::test]
async fn arguments_environment_and_directory_reach_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let line = "echo %WORD% %CD% 1>&2";
    let mut program = Program::new("cmd", ["/D", "/C"]);
    program.arguments.extend(line.split(' ').map(std::convert::Into::into));
    program.environment = vec![("WORD".into(), "environment".into())];
    program.directory = Some(dir.path().to_owned());
    assert_eq!(
        read_stderr(program).await,
        [format!("environment {}", dir.path().display())]
    );
}
