//! A house on a real broker, and the programs beside it.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value as Json;
use tokio::process::Command;
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::gateway::mqtt::{self, Broker};
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::simulator::{Layout, Setup, Simulation, demo_house};

pub use crate::broker::Mosquitto;

/// Longer than anything here takes.
pub const LONG: Duration = Duration::from_secs(60);

/// A client of a broker.
pub fn connect(broker: &Mosquitto, client_id: &str) -> End {
    mqtt::connect(vec![Broker {
        host: "127.0.0.1".to_owned(),
        port: broker.port(),
        login: None,
        tls: None,
        client_id: client_id.to_owned(),
        seed: 1,
    }])
}

/// A port that nobody listens at.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// The demo house at a broker, which tells what was written.
pub async fn house(broker: &Mosquitto) -> Simulation {
    let setup = Setup {
        prefix: "zwave".to_owned(),
        name: "house".to_owned(),
        home: 2_119_630_849,
        retain: true,
        events: true,
        layout: Layout::default(),
        radio: Duration::from_millis(20),
        clock: Arc::new(|| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            Timestamp(now.unwrap().as_millis() as u64)
        }),
    };
    let house = Simulation::start(connect(broker, "house"), setup, demo_house());
    eventually("the house is connected", || house.is_connected()).await;
    house
}

/// Waits until something is so.
pub async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + LONG;
    while !is_so() {
        assert!(tokio::time::Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The program, which sees of the environment only what a test gives it.
pub fn assistant(arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    at(PathBuf::from(BINARY), arguments, environment)
}

/// Where the program is.
pub const BINARY: &str = env!("CARGO_BIN_EXE_zwave-assistant");

/// Runs the program at another place.
pub fn at(program: PathBuf, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    // It is the only other program that the assistant needs.
    assert!(PathBuf::from(env!("CARGO_BIN_EXE_zwave-mcp-server")).exists());
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

/// The end of a run of the program.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs the program to its end.
pub async fn ran(arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    ended(assistant(arguments, environment)).await
}

/// Runs a command to its end.
pub async fn ended(mut command: Command) -> Ran {
    let output = tokio::time::timeout(LONG, command.output()).await;
    output.expect("it does not end").unwrap().into()
}
