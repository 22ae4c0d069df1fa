//! Listens in on the connection that the server would use.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, Instant, sleep, timeout_at};

use crate::gateway::Settings;
use crate::gateway::bus::{Bus, End, Incoming, Message, Outage};
use crate::gateway::protocol::payloads;
use crate::gateway::protocol::topics::{Route, route};

/// Retained messages come within 30 ms of a subscription (measured on a real zwave-js-ui); brokers
/// far away take longer.
const RETAINED: Duration = Duration::from_millis(500);

/// How many messages may wait between the connection and who looks at the house.
const QUEUE: usize = 1024;

/// What can pass unasked and tell that the house lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// A value's topic.
    Value,
    /// A topic of a node itself: its status, when it was last active.
    Status,
    /// An event.
    Event,
}

/// What was heard so far.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// What the last attempt to connect, or the connection, came to.
    pub connection: Option<Result<(), Outage>>,
    /// Something passed that only a zwave-js-ui publishes.
    pub gateway: bool,
    /// The broker kept something from before.
    pub retained: bool,
    /// What passed first without being asked for.
    pub live: Option<Live>,
    /// An event passed.
    pub event: bool,
    /// Other prefixes with a gateway that is online.
    pub elsewhere: BTreeSet<String>,
}

/// What is listened for.
struct Wanted {
    prefix: String,
    gateways: Vec<String>,
}

/// The ear at the connection.
pub struct Tap {
    bus: Arc<dyn Bus>,
    heard: watch::Receiver<Heard>,
}

impl Tap {
    /// Listens to all that arrives at an end, which is handed on.
    pub fn on(end: End, settings: &Settings) -> (Self, End) {
        let End { bus, mut incoming } = end;
        let wanted = Wanted {
            prefix: settings.prefix.clone(),
            gateways: settings.gateways.clone(),
        };
        let (told, heard) = watch::channel(Heard::default());
        let (sender, handed_on) = mpsc::channel(QUEUE);
        tokio::spawn(async move {
            // When nobody looks at the house any more, the connection ends with this task.
            while let Some(arrived) = tokio::select! {
                arrived = incoming.recv() => arrived,
                () = sender.closed() => None,
            } {
                told.send_modify(|heard| heard.take(&wanted, &arrived));
                // Whether anybody still looks is seen above.
                let _ = sender.send(arrived).await;
            }
        });
        let tap = Self {
            bus: Arc::clone(&bus),
            heard,
        };
        let end = End {
            bus,
            incoming: handed_on,
        };
        (tap, end)
    }

    /// What was heard so far.
    pub fn heard(&self) -> Heard {
        self.heard.borrow().clone()
    }

    /// Waits until something was heard; false where it was not in time.
    pub async fn until(&self, limit: Instant, holds: impl FnMut(&Heard) -> bool) -> bool {
        let mut heard = self.heard.clone();
        let waited = timeout_at(limit, heard.wait_for(holds)).await;
        matches!(waited, Ok(Ok(_)))
    }

    /// Looks for gateways that are online under other prefixes, of up to three levels.
    pub async fn elsewhere(&self) -> Vec<String> {
        let levels = ["+", "+/+", "+/+/+"];
        let filters = levels.map(|prefix| format!("{prefix}/_CLIENTS/+/status"));
        let subscribed = filters
            .iter()
            .try_for_each(|filter| self.bus.subscribe(filter));
        if subscribed.is_err() {
            return Vec::new();
        }
        sleep(RETAINED).await;
        self.heard().elsewhere.into_iter().collect()
    }
}

impl Heard {
    fn take(&mut self, wanted: &Wanted, arrived: &Incoming) {
        match arrived {
            Incoming::Up => self.connection = Some(Ok(())),
            Incoming::Down(outage) => self.connection = Some(Err(outage.clone())),
            Incoming::Message(message) => self.message(wanted, message),
        }
    }

    fn message(&mut self, wanted: &Wanted, message: &Message) {
        let served = |name: &str| {
            wanted.gateways.is_empty() || wanted.gateways.iter().any(|own| own == name)
        };
        let live = match route(&wanted.prefix, &message.topic) {
            Route::GatewayStatus(_)
            | Route::GatewayVersion(_)
            | Route::Gateway(_)
            | Route::Reply(..)
            | Route::DriverStatus => {
                self.gateway = true;
                None
            }
            Route::Event(name, _) => {
                self.gateway = true;
                served(name).then_some(Live::Event)
            }
            Route::House(path) if of_a_node(path) => Some(Live::Status),
            Route::House(_) => Some(Live::Value),
            // Ours among them.
            Route::Request(..) => return,
            Route::Other => return self.stranger(message),
        };
        if message.retained {
            self.retained = true;
            return;
        }
        self.event |= live == Some(Live::Event);
        self.live = self.live.or(live);
    }

    fn stranger(&mut self, message: &Message) {
        let split = message.topic.split_once("/_CLIENTS/ZWAVE_GATEWAY-");
        if let Some((prefix, rest)) = split
            && rest.ends_with("/status")
            && payloads::alive(&message.payload) == Some(true)
        {
            self.elsewhere.insert(prefix.to_owned());
        }
    }
}

/// Whether a topic is a node's own, and not one of its values'.
fn of_a_node(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    matches!(last, "status" | "lastActive" | "nodeinfo")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(gateways: &[&str], messages: &[(&str, bool)]) -> Heard {
        let wanted = Wanted {
            prefix: "zwave".to_owned(),
            gateways: gateways.iter().map(|name| (*name).to_owned()).collect(),
        };
        let mut heard = Heard::default();
        for (topic, retained) in messages {
            let message = Message {
                topic: (*topic).to_owned(),
                payload: b"{\"value\":true}".as_slice().into(),
                retained: *retained,
            };
            heard.take(&wanted, &Incoming::Message(message));
        }
        heard
    }

    #[test]
    fn own_requests_and_other_programs_topics_are_no_gateway() {
        let request = "zwave/_CLIENTS/ZWAVE_GATEWAY-zwave-js-ui/api/getInfo/set";
        let heard = after(
            &[],
            &[(request, false), ("zwave/lamp", true), ("x/y", true)],
        );
        assert!(!heard.gateway && heard.live.is_none(), "{heard:?}");
        assert!(after(&[], &[("zwave/driver/status", true)]).gateway);
    }

    #[test]
    fn what_the_broker_kept_is_not_live() {
        let value = "zwave/Kitchen/Lamp/switch_binary/endpoint_0/currentValue";
        let heard = after(&[], &[(value, true)]);
        assert!(heard.retained && heard.live.is_none());
        let heard = after(&[], &[("zwave/Kitchen/Lamp/status", false), (value, false)]);
        assert_eq!(heard.live, Some(Live::Status));
        assert!(!heard.retained && !heard.event);
    }

    #[test]
    fn events_count_for_the_gateways_that_are_served() {
        let event = "zwave/_EVENTS/ZWAVE_GATEWAY-Up/node/node_value_updated";
        assert_eq!(after(&["Down"], &[(event, false)]).live, None);
        let heard = after(&["Up"], &[(event, false)]);
        assert!(heard.event && heard.live == Some(Live::Event));
    }

    #[test]
    fn a_gateway_under_another_prefix_is_remembered_by_it() {
        let topic = "home/zwave/_CLIENTS/ZWAVE_GATEWAY-Up/status";
        let heard = after(&[], &[(topic, true)]);
        assert!(heard.elsewhere.contains("home/zwave"), "{heard:?}");
        assert!(!heard.gateway);
    }
}
