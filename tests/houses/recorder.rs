//! Calls of a gateway's API, written down on their way.

use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use zwave_mcp_server::gateway::bus::{Bus, NotSent, Outgoing};

/// A call of the gateway's API that may change something in the house.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub api: String,
    pub args: Vec<Json>,
}

/// A bus that remembers what is called.
pub struct Recorder {
    bus: Arc<dyn Bus>,
    told: Arc<Mutex<Vec<Told>>>,
}

/// The calls so far; shared with the recorder.
#[derive(Clone, Default)]
pub struct Record(Arc<Mutex<Vec<Told>>>);

/// Calls that only ask.
const QUESTIONS: [&str; 5] = [
    "getInfo",
    "getNodes",
    "_getScenes",
    "_getGroups",
    "pollValue",
];

impl Record {
    /// Puts a recorder before a bus.
    pub fn before(&self, bus: Arc<dyn Bus>) -> Arc<dyn Bus> {
        Arc::new(Recorder {
            bus,
            told: Arc::clone(&self.0),
        })
    }

    /// Takes the calls since it was last asked.
    pub fn take(&self) -> Vec<Told> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Bus for Recorder {
    fn publish(&self, message: Outgoing) -> Result<(), NotSent> {
        let topic = message.topic.strip_suffix("/set");
        let api = topic
            .and_then(|topic| Some(topic.split_once("/api/")?.1.to_owned()))
            .unwrap_or_else(|| panic!("published to {}", message.topic));
        let payload: Json = serde_json::from_slice(&message.payload).unwrap();
        let args = payload["args"].as_array().cloned().unwrap_or_default();
        let asks = QUESTIONS.contains(&api.as_str())
            || api == "sendCommand" && args.get(1).is_some_and(|command| command == "get");
        if !asks {
            self.told.lock().unwrap().push(Told { api, args });
        }
        self.bus.publish(message)
    }

    fn subscribe(&self, filter: &str) -> Result<(), NotSent> {
        self.bus.subscribe(filter)
    }

    fn address(&self) -> String {
        self.bus.address()
    }
}
