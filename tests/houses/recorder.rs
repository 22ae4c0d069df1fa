//! Records the calls of a gateway's API when they are published.

use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use zwave_mcp_server::gateway::bus::{Bus, NotSent, Outgoing};

/// A call of the gateway's API that may change something in the house.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiCall {
    pub api: String,
    pub args: Vec<Json>,
}

/// A bus that records each [`ApiCall`] that is published on it.
pub struct Recorder {
    bus: Arc<dyn Bus>,
    calls: Arc<Mutex<Vec<ApiCall>>>,
}

/// The recorded calls, shared with the recorder.
#[derive(Clone, Default)]
pub struct Record(Arc<Mutex<Vec<ApiCall>>>);

/// Calls that change nothing in the house.
const READ_ONLY: [&str; 5] = [
    "getInfo",
    "getNodes",
    "_getScenes",
    "_getGroups",
    "pollValue",
];

impl Record {
    /// Wraps a bus, so that the API calls that are published on it are recorded.
    pub fn wrap(&self, bus: Arc<dyn Bus>) -> Arc<dyn Bus> {
        Arc::new(Recorder {
            bus,
            calls: Arc::clone(&self.0),
        })
    }

    /// Takes the calls that were recorded since the last `take`.
    pub fn take(&self) -> Vec<ApiCall> {
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
        let is_read_only = READ_ONLY.contains(&api.as_str())
            || api == "sendCommand" && args.get(1).is_some_and(|command| command == "get");
        if !is_read_only {
            self.calls.lock().unwrap().push(ApiCall { api, args });
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
