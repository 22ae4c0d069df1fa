//! Simulates zwave-js-ui with a house on a broker, for scripts that check what a house really did.
//!
//! `house PORT [FILE] [NAME=VALUE]...` connects to the broker at this port of this machine, and prints `ready`.
//! FILE is a `getNodes` reply or one of `fixtures/houses`. Without FILE, the house is the demo house. NAME is
//! `prefix` (of the topics), `name` (of the gateway), `user` or `password`. With `retain=no`, no value is
//! retained. With `events=no`, there are no events. Then the program reads commands from stdin until stdin is
//! closed, and prints one line for each. KEY names a value, such as `38-0-currentValue`.
//!
//! - `truth NODE KEY`: prints the true value at the device, as JSON
//! - `put NODE KEY JSON`: operates the device by hand, and prints the new value
//! - `rename NODE ROOM NAME`: renames the device
//! - `kill`: kills the gateway
//! - `restart`: starts the gateway again; its driver is ready a second later
//! - `cut-off`: cuts the gateway off from the broker; it keeps what it would publish
//! - `reconnect`: lets the gateway reach the broker again
//! - `connected`: prints whether the gateway is connected to the broker
//! - `writes`: prints the number of writes that the gateway has received
//! - `received`: prints all writes that the gateway has received, as JSON, each as `[node, key, value]`

// Some parts of these modules are used only by the tests of the houses.
#[allow(
    dead_code,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]
#[path = "../../tests/houses/documents.rs"]
mod documents;
#[allow(dead_code)]
#[path = "../../tests/houses/model.rs"]
mod model;
#[allow(dead_code)]
#[path = "../../tests/houses/moves.rs"]
mod moves;
#[allow(
    dead_code,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]
#[path = "../../tests/houses/values.rs"]
mod values;

use std::error::Error;
use std::time::Duration;

use serde_json::{Value as Json, json};
use simulator_testing::{Setup, Simulation};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, stdin, stdout};
use zwave_mcp_server::gateway::mqtt;
use zwave_mcp_server::simulator::{SimNode, demo_house, nodes_of_reply};

const USAGE: &str =
    "usage: house PORT [FILE] [NAME=VALUE]... (FILE: a getNodes reply, or one of fixtures/houses)";

/// How long the driver takes to be ready after a restart.
const DRIVER_START_TIME: Duration = Duration::from_secs(1);

/// The nodes, scenes and groups of a house, as a gateway reports them.
#[derive(Default)]
struct HouseDocuments {
    nodes: Vec<SimNode>,
    scenes: Vec<Json>,
    groups: Vec<Json>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let port = arguments.next().ok_or(USAGE)?.parse()?;
    let documents = match arguments.next_if(|word| !word.contains('=')) {
        Some(file) => read(&std::fs::read_to_string(file)?)?,
        None => HouseDocuments {
            nodes: demo_house(),
            ..HouseDocuments::default()
        },
    };
    let (setup, login) = settings(arguments)?;
    let end = mqtt::connect(vec![mqtt::Broker {
        host: "127.0.0.1".to_owned(),
        port,
        login,
        tls: None,
        client_id: format!("{}-{}-{}", setup.prefix, setup.name, std::process::id()),
    }]);
    let house = Simulation::start(end, setup, documents.nodes);
    house.set_scenes(documents.scenes);
    house.set_groups(documents.groups);
    while !house.is_connected() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut out = stdout();
    out.write_all(b"ready\n").await?;
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = execute(&house, &line).unwrap_or_else(|| format!("can't read \"{line}\""));
        out.write_all(format!("{answer}\n").as_bytes()).await?;
    }
    house.stop();
    Ok(())
}

/// Reads a `getNodes` reply, or a house of `fixtures/houses`. Only the latter has the key `devices`.
fn read(text: &str) -> Result<HouseDocuments, Box<dyn Error>> {
    if serde_json::from_str::<Json>(text)?.get("devices").is_none() {
        return Ok(HouseDocuments {
            nodes: nodes_of_reply(text)?,
            ..HouseDocuments::default()
        });
    }
    let house = model::House::read(text)?;
    let nodes = documents::nodes(&house).into_iter();
    Ok(HouseDocuments {
        nodes: nodes.filter_map(SimNode::from_document).collect(),
        scenes: documents::scenes(&house),
        groups: documents::groups(&house),
    })
}

/// Executes a command, and returns the line to print. Returns `None` if the command can't be read.
fn execute(house: &Simulation, line: &str) -> Option<String> {
    let mut words = line.splitn(4, ' ');
    let command = words.next()?;
    match command {
        "writes" => return Some(house.received_writes().len().to_string()),
        "received" => {
            let writes = house.received_writes().into_iter();
            let writes = writes.map(|write| json!([write.node, write.key, write.value]));
            return Some(Json::Array(writes.collect()).to_string());
        }
        "connected" => return Some(house.is_connected().to_string()),
        "kill" => {
            house.kill();
            return Some("true".to_owned());
        }
        "restart" => {
            house.restart(DRIVER_START_TIME);
            return Some("true".to_owned());
        }
        "cut-off" => {
            house.cut_off();
            return Some("true".to_owned());
        }
        "reconnect" => {
            house.reconnect();
            return Some("true".to_owned());
        }
        _ => {}
    }
    let node = words.next()?.parse().ok()?;
    let key = words.next()?;
    match (command, words.next()) {
        ("rename", Some(name)) => {
            house.rename(node, name, key);
            return Some("true".to_owned());
        }
        ("truth", None) => {}
        ("put", Some(value)) => house.by_hand(node, key, serde_json::from_str::<Json>(value).ok()?),
        _ => return None,
    }
    Some(house.true_state(node, key).to_string())
}

/// A user and a password, if the broker requires them.
type Login = Option<(String, String)>;

/// Reads the gateway's settings, and the gateway's login at the broker.
fn settings(words: impl Iterator<Item = String>) -> Result<(Setup, Login), Box<dyn Error>> {
    let mut setup = Setup {
        name: "House".to_owned(),
        events: true,
        ..Setup::default()
    };
    let (mut user, mut password) = (None, None);
    for word in words {
        match word.split_once('=') {
            Some(("prefix", value)) => value.clone_into(&mut setup.prefix),
            Some(("name", value)) => value.clone_into(&mut setup.name),
            Some(("user", value)) => user = Some(value.to_owned()),
            Some(("password", value)) => password = Some(value.to_owned()),
            Some(("retain", "no")) => setup.retain = false,
            Some(("events", "no")) => setup.events = false,
            _ => return Err(format!("can't read \"{word}\"; {USAGE}").into()),
        }
    }
    Ok((setup, user.zip(password)))
}
