//! Reads sentence files, and says their sentences. Each file has a house and what people say in it. The files
//! are in `fixtures/sentences`, or in the folder that `scripts/eval.sh DIR` is told to read.
//!
//! As in `zwave-assistant`, a sentence goes through the router, the client and the real server. The router
//! has no model, the gateway is simulated, and everything runs in one process. A command is judged by
//! what the gateway is told to write, and a question by the answer.

pub mod documents;
pub mod judge;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;
use simulator_testing::Simulation;
use zwave_mcp_server::assistant::{AiRouter, Conversation};
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::gateway::{Gateways, memory};
use zwave_mcp_server::mcp::Policy;
use zwave_mcp_server::simulator::SimNode;

use super::captured::{gateway_settings, setup};
use super::recorder::Record;
use super::routed::RoutedHouse;
use judge::Outcome;

/// A house, and what people say in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentences {
    pub about: String,
    pub language: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub licence: String,
    pub devices: Vec<Entry>,
    /// Five sentences of one conversation. The first two switch a lamp on and set it to 50 percent. The next
    /// two make it brighter and switch it off, but do not name it. The last one undoes the switching off.
    #[serde(default)]
    pub follow_ups: Vec<String>,
    pub cases: Vec<Case>,
}

/// A device or a scene.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub id: u16,
    pub kind: String,
    pub name: String,
    #[serde(default)]
    pub room: String,
    #[serde(default)]
    pub members: Vec<Json>,
    #[serde(default)]
    pub state: Json,
    #[serde(default)]
    pub unit: String,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub temperature: Option<f64>,
    /// The temperature that a thermostat is set to.
    pub setpoint: Option<f64>,
    /// The brightness in percent of a light that is on.
    pub level: Option<f64>,
    pub measures: Option<String>,
}

/// A sentence, and its accepted outcomes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub say: String,
    #[serde(default)]
    pub why: String,
    /// The origin of the sentence. Each origin has the same weight in a file's share of right sentences.
    #[serde(default)]
    pub from: String,
    /// The ids of the devices and scenes that must be written to. Nothing else may be written to.
    pub moves: Option<Vec<Json>>,
    /// Replaces `moves`: it is enough that one of these lists matches.
    pub either: Option<Vec<Vec<Json>>>,
    /// True if nothing may be written. Then `moves` and `either` are absent.
    #[serde(default)]
    pub nothing: bool,
    /// The question, if the sentence is one.
    pub asks: Option<Asks>,
    /// The orders, such as "on" or "level 50". Each key is the id of a device or scene.
    #[serde(default)]
    pub wants: BTreeMap<String, String>,
}

/// The parts of a question, and the true answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Asks {
    pub name: Option<String>,
    pub room: Option<String>,
    pub floor: Option<String>,
    pub kind: String,
    /// The asked state or property, such as "locked" or "temperature".
    pub what: String,
    /// The kind of question: "yes", "any", "all", "which", "how many" or "what". "yes" asks whether one
    /// device has a state, and the answer is yes or no.
    pub ask: String,
    pub answer: Json,
    /// The right values, if several are right. Then these replace `answer`. Used for questions about a value.
    pub any_of: Vec<Json>,
    pub unit: String,
    /// True if the speaker asks about "here". Then any number is right, because the speaker's room is unknown.
    pub here: bool,
}

impl Sentences {
    /// Reads the JSON files of a folder. Returns the name of each file, without the extension, and its content.
    pub fn read_folder(folder: &Path) -> Vec<(String, Self)> {
        let files = std::fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
        paths.sort();
        let read = |path: std::path::PathBuf| {
            let text = std::fs::read_to_string(&path).unwrap();
            let house = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, house)
        };
        paths.into_iter().map(read).collect()
    }
}

/// A house to which sentences are said, and a record of what its gateway is told.
pub struct SentenceHouse {
    pub house: RoutedHouse,
    record: Record,
}

impl SentenceHouse {
    /// Starts a house for a case. A device that must get an order such as "on" starts in the opposite state. Every
    /// other device starts in the state of its entry.
    pub async fn start(devices: &[Entry], case: &Case) -> Self {
        let (near, far) = memory::pair();
        let nodes = documents::nodes(devices, &case.wants)
            .into_iter()
            .filter_map(SimNode::from_document);
        let simulation = Simulation::start(far, setup(), nodes.collect());
        simulation.set_scenes(documents::scenes(devices));
        while !simulation.is_connected() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        let record = Record::default();
        let near = End {
            bus: record.wrap(near.bus),
            incoming: near.incoming,
        };
        let gateways = Gateways::start(near, gateway_settings());
        let policy = Policy::default();
        let house = RoutedHouse::of(gateways, simulation, policy, Vec::new()).await;
        Self { house, record }
    }

    /// Makes the assistant expect this language.
    pub fn in_language(self, language: &str) -> Self {
        Self {
            house: self.house.with(|parts| parts.language = Some(language.to_owned())),
            ..self
        }
    }

    /// Says a sentence in a new conversation, and returns the writes and the answer.
    pub async fn say(&mut self, sentence: &str) -> Outcome {
        self.say_in(&mut AiRouter::conversation_in(None), sentence).await
    }

    pub async fn say_in(&mut self, conversation: &mut Conversation, sentence: &str) -> Outcome {
        let (_, answer) = self.house.say_in(conversation, sentence).await;
        Outcome {
            writes: self.record.take(),
            answer,
        }
    }
}
