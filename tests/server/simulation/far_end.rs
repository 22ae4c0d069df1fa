//! A simulated gateway, and a bare client at the other end of its bus.

use serde_json::{Value as Json, json};
use simulator_testing::{Setup, Simulation};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};
use zwave_mcp_server::gateway::bus::{End, Incoming, Outgoing};
use zwave_mcp_server::gateway::memory;
use zwave_mcp_server::simulator::SimNode;

use crate::fixture::{captured_nodes, setup};

/// A recorded or received message.
#[derive(Debug)]
pub struct Message {
    /// The milliseconds since the beginning of the case.
    pub ms: f64,
    /// The topic below the prefix.
    pub topic: String,
    pub payload: Json,
}

/// Reads the messages of a recorded case.
pub fn messages_of(case: &Json) -> Vec<Message> {
    let then = case["then"].as_array().unwrap().iter();
    then.map(|message| Message {
        ms: message[0].as_f64().unwrap(),
        topic: message[1].as_str().unwrap().to_owned(),
        payload: message[2].clone(),
    })
    .collect()
}

/// Reads the lines of a recording.
pub fn read_lines(text: &str) -> impl Iterator<Item = Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// Returns the topic below the prefix, and the payload. Returns `None` for a request, and for
/// anything but a message.
fn read_message(incoming: Incoming) -> Option<(String, Json)> {
    let Incoming::Message(message) = incoming else {
        return None;
    };
    let topic = message.topic.strip_prefix("zwave/").unwrap();
    let payload = || serde_json::from_slice(&message.payload).unwrap();
    (!topic.ends_with("/set")).then(|| (topic.to_owned(), payload()))
}

fn without_time(mut payload: Json) -> Json {
    if let Some(fields) = payload.as_object_mut() {
        fields.remove("time");
    }
    payload
}

/// The simulated gateway, and the client's end of its bus.
pub struct FarEnd {
    pub house: Simulation,
    end: End,
    api_prefix: String,
}

impl FarEnd {
    /// Starts the captured house.
    pub async fn start() -> Self {
        Self::of(setup(), captured_nodes()).await
    }

    /// Starts the captured house with a radio that takes `radio` milliseconds for a command.
    pub async fn with_radio(radio: u64) -> Self {
        let setup = Setup {
            radio: Duration::from_millis(radio),
            ..setup()
        };
        Self::of(setup, captured_nodes()).await
    }

    pub async fn of(setup: Setup, nodes: Vec<SimNode>) -> Self {
        let api_prefix = format!("zwave/_CLIENTS/ZWAVE_GATEWAY-{}/api/", setup.name);
        let (near, far) = memory::pair();
        let house = Simulation::start(far, setup, nodes);
        while !house.is_connected() {
            sleep(Duration::from_millis(1)).await;
        }
        near.bus.subscribe("zwave/#").unwrap();
        let mut far_end = Self {
            house,
            end: near,
            api_prefix,
        };
        far_end.take_messages();
        far_end
    }

    /// Subscribes again. Returns the retained messages, without their `time` fields.
    pub fn request_retained(&mut self) -> Vec<(String, Json)> {
        self.take_messages();
        self.end.bus.subscribe("zwave/#").unwrap();
        let retained = self.take_messages().into_iter();
        retained.map(|(topic, payload)| (topic, without_time(payload))).collect()
    }

    pub fn call(&self, api: &str, args: Json) {
        let topic = format!("{}{api}/set", self.api_prefix);
        self.publish(&topic, json!({ "args": args }).to_string());
    }

    pub fn publish(&self, topic: &str, payload: String) {
        let request = Outgoing {
            topic: topic.to_owned(),
            payload: payload.into_bytes(),
            retain: false,
            acknowledged: false,
        };
        self.end.bus.publish(request).unwrap();
    }

    /// Takes the messages that arrived since messages were last taken, and drops the requests among them.
    /// For each other message, returns the topic below the prefix, and the payload.
    pub fn take_messages(&mut self) -> Vec<(String, Json)> {
        let arrived = std::iter::from_fn(|| self.end.incoming.try_recv().ok());
        arrived.filter_map(read_message).collect()
    }

    /// Records the messages that arrive before `until`, except requests. Counts the milliseconds from `start`, and
    /// removes `time` fields.
    pub async fn record_until(&mut self, start: Instant, until: Instant) -> Vec<Message> {
        let mut received = Vec::new();
        while let Ok(Some(incoming)) = timeout_at(until, self.end.incoming.recv()).await {
            if let Some((topic, payload)) = read_message(incoming) {
                received.push(Message {
                    ms: start.elapsed().as_secs_f64() * 1000.0,
                    topic,
                    payload: without_time(payload),
                });
            }
        }
        received
    }

    /// Takes the messages that arrived since messages were last taken. Returns the API's name and the payload
    /// of each reply.
    pub fn take_replies(&mut self) -> Vec<(String, Json)> {
        let prefix = self.api_prefix.strip_prefix("zwave/").unwrap().to_owned();
        let received = self.take_messages().into_iter();
        received
            .filter_map(|(topic, payload)| Some((topic.strip_prefix(&prefix)?.to_owned(), payload)))
            .collect()
    }

    pub async fn request_nodes(&mut self) -> Vec<Json> {
        self.take_messages();
        self.call("getNodes", json!([]));
        sleep(Duration::from_millis(1)).await;
        let (_, reply) = self.take_replies().remove(0);
        reply["result"].as_array().unwrap().clone()
    }

    /// Takes the messages that arrived since messages were last taken. Returns the topic and the `value` of
    /// each, unless the topic begins with `_`.
    pub fn take_values(&mut self) -> Vec<(String, Json)> {
        let received = self.take_messages().into_iter();
        received
            .filter(|(topic, _)| !topic.starts_with('_'))
            .map(|(topic, payload)| (topic, payload["value"].clone()))
            .collect()
    }
}
