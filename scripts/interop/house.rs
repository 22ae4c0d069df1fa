//! Plays zwave-js-ui on a broker, and answers questions about its devices: for scripts that want to
//! see what a house really did.
//!
//! `house PORT [FILE] [NAME=VALUE]...` attaches a house to the broker on that port of this machine,
//! and prints `ready`. The file has a `getNodes` reply, or is one of `fixtures/houses`; without one it
//! is the demo house. What may be set is the topics' `prefix` and the gateway's `name`, a `user` and a
//! `password`, and, with `no`, whether it `retain`s and sends `events`. Then it reads commands from
//! stdin, and prints one line for each:
//!
//! - `truth NODE KEY`: what a device's value really is, as JSON;
//! - `put NODE KEY JSON`: somebody operates the device by hand; prints what was put;
//! - `rename NODE ROOM NAME`: somebody renames the device;
//! - `kill`, `restart`: the gateway's process dies, and its driver is ready a second after its return;
//! - `connected`: whether the gateway has a connection to the broker;
//! - `writes`: how many writes reached the gateway so far;
//! - `received`: which ones they were, as JSON: `[node, key, value]` each.
//!
//! It ends with its stdin.

// What the houses' own tests use of them besides is not used here.
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
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, stdin, stdout};
use zwave_mcp_server::gateway::mqtt;
use zwave_mcp_server::simulator::{Setup, SimNode, Simulation, demo_house, nodes_of_reply};

const USAGE: &str =
    "usage: house PORT [FILE WITH A getNodes REPLY, OR OF fixtures/houses] [NAME=VALUE]...";

/// How long a gateway that was started again takes for its driver.
const DRIVER: Duration = Duration::from_secs(1);

/// What a gateway tells of its house.
#[derive(Default)]
struct Told {
    nodes: Vec<SimNode>,
    scenes: Vec<Json>,
    groups: Vec<Json>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let port = arguments.next().ok_or(USAGE)?.parse()?;
    let told = match arguments.next_if(|word| !word.contains('=')) {
        Some(file) => read(&std::fs::read_to_string(file)?)?,
        None => Told {
            nodes: demo_house(),
            ..Told::default()
        },
    };
    let (setup, login) = settings(arguments)?;
    let end = mqtt::connect(vec![mqtt::Broker {
        host: "127.0.0.1".to_owned(),
        port,
        login,
        tls: None,
        client_id: format!("{}-{}-{}", setup.prefix, setup.name, std::process::id()),
        seed: u64::from(std::process::id()),
    }]);
    let house = Simulation::start(end, setup, told.nodes);
    house.set_scenes(told.scenes);
    house.set_groups(told.groups);
    while !house.is_connected() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut out = stdout();
    out.write_all(b"ready\n").await?;
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let told = answer(&house, &line).unwrap_or_else(|| format!("can't read \"{line}\""));
        out.write_all(format!("{told}\n").as_bytes()).await?;
    }
    house.stop();
    Ok(())
}

/// A house for tests has devices; a reply has none.
fn read(text: &str) -> Result<Told, Box<dyn Error>> {
    if serde_json::from_str::<Json>(text)?.get("devices").is_none() {
        return Ok(Told {
            nodes: nodes_of_reply(text)?,
            ..Told::default()
        });
    }
    let house = model::House::read(text)?;
    let nodes = documents::nodes(&house).into_iter();
    Ok(Told {
        nodes: nodes.filter_map(SimNode::from_document).collect(),
        scenes: documents::scenes(&house),
        groups: documents::groups(&house),
    })
}

/// What there is to say to a command; nothing where it is none.
fn answer(house: &Simulation, line: &str) -> Option<String> {
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
            house.restart(DRIVER);
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

/// A user and a password.
type Login = Option<(String, String)>;

/// What was set: how the gateway is, and its login at the broker.
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
