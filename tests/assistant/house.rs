//! Runs the `zwave-assistant` program, and starts the demo house at a real broker.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::process::Command;
use zwave_mcp_server::simulator::demo_house;

use crate::fixture::{Ended, House, Mosquitto, end, setup};

/// Longer than any step of these tests takes.
pub const LONG: Duration = Duration::from_secs(60);

pub const BINARY: &str = env!("CARGO_BIN_EXE_zwave-assistant");

/// A sentence that only a model understands.
pub const SENTENCE: &str = "I could do with something hot to drink now";

/// Starts a broker, and connects the demo house to it.
pub async fn demo_at_broker() -> House<Mosquitto> {
    House::<Mosquitto>::of(setup(), demo_house()).await
}

/// Returns a command that runs the program with only these variables and a `PATH` in the environment.
pub fn assistant(arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    assistant_at(Path::new(BINARY), arguments, environment)
}

/// Like [`assistant`], for a copy of the program at another path.
pub fn assistant_at(program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    // The program at `BINARY` starts the server program in the same folder.
    assert!(Path::new(env!("CARGO_BIN_EXE_zwave-mcp-server")).exists());
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

pub async fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
    end(assistant(arguments, environment)).await
}

/// Checks how a program ended: its exit code, its stdout, and a part of its stderr. If `err` is empty, stderr
/// must be empty, too.
#[track_caller]
pub fn check_end(ended: &Ended, code: i32, out: &str, err: &str) {
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(code), out),
        "{ended:?}"
    );
    assert_eq!(ended.err.is_empty(), err.is_empty(), "{ended:?}");
    assert!(ended.err.contains(err), "{ended:?}");
}

/// Writes a configuration file with one server, named `a`, and returns the file's path.
pub fn write_config(folder: &Path, server: &Json) -> String {
    let file = folder.join("servers.json");
    std::fs::write(&file, json!({ "mcpServers": { "a": server } }).to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}
