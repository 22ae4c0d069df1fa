//! A house of one node and one plain lamp.

use std::time::Duration;

use serde_json::{Value as Json, json};
use simulator_testing::{Setup, Simulation};
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::gateway::{Gateways, memory};
use zwave_mcp_server::simulator::SimNode;

use crate::fixture::served::{delay, gateway_settings, serve_in_process, settings};
use crate::fixture::{Answer, Session, clock, eventually};
use crate::recorder::Record;
use crate::values::{Values, document, kind, level_words};

/// The lamp's node. Its name and room have no word of any document.
const LAMP: u16 = 231;

/// A house with a server.
pub struct House {
    record: Record,
    session: Session,
    /// Runs until the house is dropped.
    _simulation: Simulation,
}

/// What an order did.
pub struct Effect {
    /// What was written to the node: the values' keys, and what was written.
    pub writes: Vec<(String, Json)>,
    /// True if anything was written to the lamp.
    pub moves_lamp: bool,
    pub answer: Answer,
}

impl House {
    /// Starts a house with these nodes. Call this on a paused clock.
    pub async fn start(nodes: &[Json]) -> Self {
        let settings = settings(&[], &[]).unwrap();
        let (near, far) = memory::pair();
        let words = level_words("Up", "Down");
        let values = Values::new(LAMP).add(kind("dimmer"), 0, &words);
        let lamp = document(LAMP, "Reading Lamp", "Attic", (17, 1), values);
        let nodes = nodes.iter().cloned().chain([lamp]).filter_map(SimNode::from_document);
        let nodes = nodes.map(|mut node| {
            node.habits.travel = Duration::ZERO;
            node
        });
        let setup = Setup {
            name: "Qx7".to_owned(),
            events: true,
            radio: Duration::from_millis(1),
            clock: clock(),
            ..Setup::default()
        };
        let simulation = Simulation::start(far, setup, nodes.collect());
        eventually("the house is connected", async || simulation.is_connected()).await;
        let record = Record::default();
        let near = delay(End {
            bus: record.wrap(near.bus),
            incoming: near.incoming,
        });
        let gateways = Gateways::start(near, gateway_settings(&settings));
        let mut session = serve_in_process(gateways, settings.policy);
        session.initialize().await;
        Self {
            record,
            session,
            _simulation: simulation,
        }
    }

    /// Returns the lines of the list that belong to the node, each without its dash.
    pub async fn lines(&mut self) -> Vec<String> {
        let text = self.session.list_with(json!({ "includeInactive": true })).await.text;
        let (mut lines, mut is_lamps_room) = (Vec::new(), false);
        for line in text.lines().skip(1) {
            match line.strip_prefix("- ") {
                Some(line) if !is_lamps_room => lines.push(line.to_owned()),
                Some(_) => {}
                None => is_lamps_room = line == "Attic:",
            }
        }
        lines
    }

    /// Returns the list of problems.
    pub async fn problems(&mut self) -> String {
        self.session.list("problems").await
    }

    /// Returns what a device measures, as programs read it.
    pub async fn measured(&mut self, name: &str, room: &str) -> Vec<Json> {
        let read = self.session.read("zwave://devices").await;
        let devices = read["devices"].as_array().cloned().unwrap_or_default();
        let device = devices.iter().find(|device| device["name"] == name && device["room"] == room);
        let measured = device.and_then(|device| device["measured"].as_array());
        measured.cloned().unwrap_or_default()
    }

    /// Gives an order.
    pub async fn control(&mut self, arguments: Json) -> Effect {
        let answer = self.session.control_with(arguments).await;
        // Anything that is written late is written by now.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (mut writes, mut moves_lamp) = (Vec::new(), false);
        for call in self.record.take() {
            let id = &call.args[0];
            if id["nodeId"] == LAMP {
                moves_lamp = true;
                continue;
            }
            let key = match call.api.as_str() {
                "writeValue" => key_of(id),
                other => other.to_owned(),
            };
            writes.push((key, call.args.get(1).cloned().unwrap_or_default()));
        }
        Effect {
            writes,
            moves_lamp,
            answer,
        }
    }
}

/// Returns a value's key, `<class>-<endpoint>-<property>[-<key>]`.
fn key_of(id: &Json) -> String {
    let text = |part: &Json| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
    let endpoint = id["endpoint"].as_u64().unwrap_or_default();
    let key = format!(
        "{}-{endpoint}-{}",
        id["commandClass"],
        text(&id["property"])
    );
    match id.get("propertyKey") {
        None | Some(Json::Null) => key,
        Some(part) => format!("{key}-{}", text(part)),
    }
}

/// Reads the nodes of a document. Each device gets the entry's name and room, and was heard of so many hours
/// before the house's clock.
pub fn nodes_of(document: &Json, name: &str, room: &str, quiet_hours: Option<f64>) -> Vec<Json> {
    let quiet = Duration::from_secs_f64(quiet_hours.map_or(60.0, |hours| hours * 3600.0));
    let mut nodes = document["result"].as_array().unwrap_or_else(|| panic!("no nodes")).clone();
    for node in &mut nodes {
        if node["isControllerNode"] == true {
            continue;
        }
        node["name"] = name.into();
        node["loc"] = room.into();
        if node.get("lastActive").is_some() {
            let now = clock()().0;
            node["lastActive"] = (now - quiet.as_millis() as u64).into();
        }
    }
    nodes
}
