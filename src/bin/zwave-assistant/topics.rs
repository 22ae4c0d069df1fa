//! Receives transcripts and publishes answers over MQTT, through a broker in the server's settings.

use zwave_mcp_server::cli::settings::{self, random};
use zwave_mcp_server::gateway::Trouble;
use zwave_mcp_server::gateway::bus::{End, Incoming, Outgoing};
use zwave_mcp_server::gateway::mqtt::Broker;
use zwave_mcp_server::mcp::wording;
use zwave_mcp_server::terminal::printable;

use crate::complain;
use crate::options::{ListenOptions, ROOM_LEVEL};

/// A function that publishes an answer for a room, and returns false if the answer can't be sent.
pub type ReplySender = Box<dyn Fn(&str, Option<&str>) -> bool>;

/// A transcript or its answer.
pub struct RoomText {
    /// The room from which the transcript came, as the topic says it.
    pub room: Option<String>,
    pub text: String,
}

/// A connection to the broker, on which transcripts arrive.
pub struct Topics {
    end: End,
    topic: String,
    /// True if the current outage of the broker has been reported.
    has_complained: bool,
}

/// Connects to the broker if transcripts come from a topic; returns `None` otherwise. Must be called in a tokio
/// runtime.
pub fn connect(options: &ListenOptions, brokers: Vec<Broker>) -> Option<Topics> {
    let topic = options.topic.clone()?;
    Some(Topics {
        end: settings::connect(brokers, &format!("zwave-assistant-{:016x}", random())),
        topic,
        has_complained: false,
    })
}

/// Returns the topic whose messages a subscription receives. A shared subscription has it behind `$share/` and the
/// name of a group.
pub fn without_share(topic: &str) -> &str {
    let shared = topic.strip_prefix("$share/").and_then(|shared| shared.split_once('/'));
    shared.map_or(topic, |(_, topic)| topic)
}

/// Returns the level of a topic that stands where the pattern says the room. Returns `None` if the pattern does not
/// say it.
fn room_in(topic: &str, pattern: &str) -> Option<String> {
    let at = without_share(pattern).split('/').position(|level| level == ROOM_LEVEL)?;
    topic.split('/').nth(at).map(str::to_owned)
}

/// Returns true if one of two topics, each of which may say a room, can be the other.
pub fn may_be_same(one: &str, other: &str) -> bool {
    let is_room = |level: &str| level == ROOM_LEVEL;
    let levels = |topic: &str| topic.split('/').count();
    let mut pairs = one.split('/').zip(other.split('/'));
    levels(one) == levels(other)
        && pairs.all(|(one, other)| one == other || is_room(one) || is_room(other))
}

impl Topics {
    /// Waits for the next transcript. Returns `None` once the bus has stopped. Ignores retained messages,
    /// because they may be old.
    pub async fn next(&mut self) -> Option<RoomText> {
        loop {
            match self.end.incoming.recv().await? {
                Incoming::Up => {
                    self.has_complained = false;
                    if self.end.bus.subscribe(&self.topic.replace(ROOM_LEVEL, "+")).is_err() {
                        tracing::debug!("the connection broke before it could be used");
                    }
                }
                Incoming::Down(outage) if !self.has_complained => {
                    self.has_complained = true;
                    complain(&wording::describe_trouble(&Trouble::Broker(outage)));
                }
                Incoming::Down(_) => {}
                Incoming::Refused => complain(&format!(
                    "The MQTT broker refuses the subscription to {}. Allow the assistant's MQTT user to read this topic.",
                    self.topic
                )),
                Incoming::Large(_) => complain("A transcript was too long and was not read."),
                Incoming::Message(message) if message.retained => {}
                Incoming::Message(message) => {
                    return Some(RoomText {
                        room: room_in(&message.topic, &self.topic),
                        text: String::from_utf8_lossy(&message.payload).into_owned(),
                    });
                }
            }
        }
    }

    /// Returns a function that publishes answers on `topic`, with the room of each in its place.
    pub fn reply_sender(&self, topic: String) -> ReplySender {
        let bus = self.end.bus.clone();
        Box::new(move |answer, room| {
            let sent = bus.publish(Outgoing {
                topic: topic.replace(ROOM_LEVEL, room.unwrap_or_default()),
                payload: printable(answer).into_bytes(),
                retain: false,
                acknowledged: true,
            });
            if let Err(shut) = &sent {
                complain(&format!("An answer was lost: {shut}"));
            }
            sent.is_ok()
        })
    }
}
