//! The assistant's program, and the demo house at a real broker.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use zwave_mcp_server::simulator::demo_house;

use crate::fixture::{Ended, House, Mosquitto, end, setup};

/// Longer than anything here takes.
pub const LONG: Duration = Duration::from_secs(60);

/// The path of the program.
pub const BINARY: &str = env!("CARGO_BIN_EXE_zwave-assistant");

/// Starts the demo house at a broker of its own.
pub async fn demo_at_broker() -> House<Mosquitto> {
    House::<Mosquitto>::of(setup(), demo_house()).await
}

/// The program, which sees of the environment only what a test gives it.
pub fn assistant(arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    assistant_at(Path::new(BINARY), arguments, environment)
}

/// The program at another place.
pub fn assistant_at(program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    // It is the only other program that the assistant needs.
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

/// Runs the program to its end.
pub async fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
    end(assistant(arguments, environment)).await
}
