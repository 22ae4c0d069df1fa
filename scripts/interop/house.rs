//! Plays zwave-js-ui on a broker, and answers questions about its devices: for scripts that want to
//! see what a house really did.
//!
//! `house PORT [FILE]` attaches the nodes of a `getNodes` reply, or else the demo house, to the
//! broker on that port of this machine, and prints `ready`. Then it reads commands from stdin, and
//! prints one line for each:
//!
//! - `truth NODE KEY`: what a device's value really is, as JSON;
//! - `put NODE KEY JSON`: somebody operates the device by hand; prints what was put;
//! - `writes`: how many writes reached the gateway so far.
//!
//! It ends with its stdin.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value as Json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, stdin, stdout};
use zwave_mcp_server::demo::{Layout, Setup, Simulation, demo_house, house_of_reply};
use zwave_mcp_server::gateway::mqtt;
use zwave_mcp_server::home::ids::Timestamp;

const USAGE: &str = "usage: house PORT [FILE WITH A getNodes REPLY]";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().ok_or(USAGE)?.parse()?;
    let nodes = match arguments.next() {
        Some(file) => house_of_reply(&std::fs::read_to_string(file)?)?,
        None => demo_house(),
    };
    let end = mqtt::connect(mqtt::Broker {
        host: "127.0.0.1".to_owned(),
        port,
        login: None,
        tls: None,
        client_id: "house".to_owned(),
        seed: u64::from(std::process::id()),
    });
    let house = Simulation::start(end, setup(), nodes);
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

/// What there is to say to a command; nothing where it is none.
fn answer(house: &Simulation, line: &str) -> Option<String> {
    let mut words = line.splitn(4, ' ');
    let command = words.next()?;
    if command == "writes" {
        return Some(house.received().len().to_string());
    }
    let node = words.next()?.parse().ok()?;
    let key = words.next()?;
    match (command, words.next()) {
        ("truth", None) => {}
        ("put", Some(value)) => house.by_hand(node, key, serde_json::from_str::<Json>(value).ok()?),
        _ => return None,
    }
    Some(house.truth(node, key).to_string())
}

fn setup() -> Setup {
    Setup {
        prefix: "zwave".to_owned(),
        name: "House".to_owned(),
        retain: true,
        events: true,
        layout: Layout::default(),
        radio: Duration::from_millis(45),
        clock: Arc::new(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            Timestamp(now.map_or(0, |now| now.as_millis() as u64))
        }),
    }
}
