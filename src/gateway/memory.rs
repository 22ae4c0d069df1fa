//! A bus in memory: a broker and the ends of its clients, for tests and the demo house.
//!
//! Like a real broker, it retains messages, and delivers messages to all subscribers, including the sender.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::{self, Sender};
use tokio_util::bytes::Bytes;

use super::bus::{Bus, End, Incoming, Message, NotSent, Outgoing};
use crate::lock::lock;

/// The maximum number of messages that wait for a client to read them. Further messages are lost, as with a real
/// broker. Even the largest house retains fewer messages.
const MAX_QUEUED: usize = 1 << 20;

/// Connects two clients to a new broker, and returns their ends.
pub fn pair() -> (End, End) {
    let broker = MemoryBroker::default();
    (broker.connect(), broker.connect())
}

/// A broker in memory. Cheap to clone.
#[derive(Clone, Default)]
pub struct MemoryBroker {
    state: Arc<Mutex<BrokerState>>,
}

impl MemoryBroker {
    /// Connects a client, and returns its end.
    pub fn connect(&self) -> End {
        let (sender, incoming) = mpsc::channel(MAX_QUEUED);
        let mut state = lock(&self.state);
        let client_index = state.clients.len();
        // Can't fail: we hold the receiver, and the channel is empty.
        let _ = sender.try_send(Incoming::Up);
        state.clients.push(MemoryClient {
            sender,
            filters: Vec::new(),
        });
        let bus = MemoryBus {
            broker: self.clone(),
            client_index,
        };
        End {
            bus: Arc::new(bus),
            incoming,
        }
    }
}

#[derive(Default)]
struct BrokerState {
    clients: Vec<MemoryClient>,
    retained: BTreeMap<String, Bytes>,
}

struct MemoryClient {
    sender: Sender<Incoming>,
    filters: Vec<String>,
}

struct MemoryBus {
    broker: MemoryBroker,
    client_index: usize,
}

impl Bus for MemoryBus {
    fn publish(&self, message: Outgoing) -> Result<(), NotSent> {
        let mut broker = lock(&self.broker.state);
        let payload = Bytes::from(message.payload);
        if message.retain {
            if payload.is_empty() {
                broker.retained.remove(&message.topic);
            } else {
                broker.retained.insert(message.topic.clone(), payload.clone());
            }
        }
        for client in &broker.clients {
            if client.filters.iter().any(|filter| matches(filter, &message.topic)) {
                client.deliver(&message.topic, &payload, false);
            }
        }
        Ok(())
    }

    fn subscribe(&self, filter: &str) -> Result<(), NotSent> {
        let mut broker = lock(&self.broker.state);
        let BrokerState { clients, retained } = &mut *broker;
        let client = clients.get_mut(self.client_index).ok_or(NotSent)?;
        client.filters.push(filter.to_owned());
        for (topic, payload) in retained {
            if matches(filter, topic) {
                client.deliver(topic, payload, true);
            }
        }
        Ok(())
    }

    fn address(&self) -> String {
        "the demo house".to_owned()
    }
}

impl MemoryClient {
    fn deliver(&self, topic: &str, payload: &Bytes, retained: bool) {
        // Fails if the end is gone or its queue is full. Then the message is lost.
        let _ = self.sender.try_send(Incoming::Message(Message {
            topic: topic.to_owned(),
            payload: payload.clone(),
            retained,
        }));
    }
}

/// Returns true if a topic filter matches a topic (MQTT 3.1.1, section 4.7.1). rumqttc's own function
/// panics if the topic begins with a multi-byte character, and matches no topic that begins with `$`.
fn matches(filter: &str, topic: &str) -> bool {
    let mut topic = topic.split('/');
    for level in filter.split('/') {
        match (level, topic.next()) {
            ("#", _) => return true,
            ("+", Some(_)) => {}
            (level, Some(part)) if level == part => {}
            _ => return false,
        }
    }
    topic.next().is_none()
}

#[cfg(test)]
#[path = "../../tests/unit/gateway/memory.rs"]
mod tests;
