//! Listens in on the connection that the server would use.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, Instant, sleep, timeout_at};
use tokio_util::bytes::Bytes;

use crate::gateway::GatewaySettings;
use crate::gateway::bus::{Bus, End, Incoming, Message, Outage, Outgoing};
use crate::gateway::protocol::payloads::{self, ReplyDocument};
use crate::gateway::protocol::topics::{self, Route, route};

/// Retained messages come within 30 ms of a subscription (measured on a real zwave-js-ui); brokers
/// far away take longer.
const RETAINED: Duration = Duration::from_millis(500);

/// A request comes back to us at once; brokers far away take longer.
const RETURNED: Duration = Duration::from_secs(2);

/// The maximum number of messages that wait between the connection and the gateways.
const QUEUE: usize = 1024;

/// A message that nobody asked for, as a sign that the house lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveTraffic {
    /// A value's topic.
    Value,
    /// A topic of a node itself: its status, when it was last active.
    Status,
    /// An event.
    Event,
}

/// The traffic so far.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// The outcome of the last attempt to connect, or of the connection.
    pub connection: Option<Result<(), Outage>>,
    /// Something arrived that only a zwave-js-ui publishes.
    pub gateway: bool,
    /// A retained message arrived.
    pub retained: bool,
    /// A retained message arrived for a filter with wildcards.
    pub retained_by_wildcard: bool,
    /// The replies that came, by their topics and by the ids of the requests, which are unique.
    replies: BTreeSet<(String, String)>,
    /// Requests like ours that came back to us, by their topics and ids.
    requests: BTreeSet<(String, String)>,
    /// Something under the prefix arrived, so some of it may be read.
    pub any: bool,
    /// The broker refused a subscription.
    pub refused: bool,
    /// A request was answered twice.
    pub answered_twice: bool,
    /// The first message that nobody asked for.
    pub live: Option<LiveTraffic>,
    /// An event arrived.
    pub event: bool,
    /// Other prefixes with a gateway that is online.
    pub elsewhere: BTreeSet<String>,
}

/// Listens at the connection.
pub struct TrafficListener {
    bus: Arc<dyn Bus>,
    seen: watch::Receiver<Traffic>,
    prefix: String,
    /// The id of our own requests.
    id: String,
}

impl TrafficListener {
    /// Listens to everything that arrives at an end, and hands it on.
    pub fn new(end: End, settings: &GatewaySettings) -> (Self, End) {
        let End { bus, mut incoming } = end;
        let settings = settings.clone();
        let prefix = settings.prefix.clone();
        let id = format!("zwave-mcp-{:016x}-doctor", settings.process);
        let (progress, seen) = watch::channel(Traffic::default());
        let (sender, forwarded) = mpsc::channel(QUEUE);
        tokio::spawn(async move {
            // When the returned end is dropped, the connection ends with this task.
            while let Some(arrived) = tokio::select! {
                arrived = incoming.recv() => arrived,
                () = sender.closed() => None,
            } {
                progress
                    .send_modify(|seen| seen.take(&settings.prefix, &settings.gateways, &arrived));
                // A closed channel is noticed above.
                let _ = sender.send(arrived).await;
            }
        });
        let listener = Self {
            bus: Arc::clone(&bus),
            seen,
            prefix,
            id,
        };
        let end = End {
            bus,
            incoming: forwarded,
        };
        (listener, end)
    }

    /// Returns the traffic so far.
    pub fn traffic(&self) -> Traffic {
        self.seen.borrow().clone()
    }

    /// Waits until the predicate holds; returns false if it does not in time.
    pub async fn wait_until(
        &self,
        limit: Instant,
        predicate: impl FnMut(&Traffic) -> bool,
    ) -> bool {
        let mut seen = self.seen.clone();
        let waited = timeout_at(limit, seen.wait_for(predicate)).await;
        matches!(waited, Ok(Ok(_)))
    }

    /// Sends each of these gateways a request, once in a run, and waits until all of them came back to us.
    pub async fn send_requests(&self, gateways: &[String]) {
        let payload = json!({ "args": [], "requestId": self.id }).to_string();
        for gateway in gateways {
            let sent = self.bus.publish(Outgoing {
                topic: self.request_to(gateway),
                payload: payload.clone().into_bytes(),
                retain: false,
                acknowledged: false,
            });
            if sent.is_err() {
                return;
            }
        }
        let limit = Instant::now() + RETURNED;
        self.wait_until(limit, |seen| {
            gateways.iter().all(|gateway| self.has_returned(seen, gateway))
        })
        .await;
    }

    /// Returns true if the request to this gateway came back: we may publish it, and read it.
    pub fn request_returned(&self, gateway: &str) -> bool {
        self.has_returned(&self.seen.borrow(), gateway)
    }

    fn has_returned(&self, seen: &Traffic, gateway: &str) -> bool {
        let request = (self.request_to(gateway), self.id.clone());
        seen.requests.contains(&request)
    }

    /// Returns the topic of our request to a gateway.
    pub fn request_to(&self, gateway: &str) -> String {
        topics::request_topic(&self.prefix, gateway, "getInfo")
    }

    /// Looks for gateways that are online under other prefixes, of up to three levels.
    pub async fn find_other_prefixes(&self) -> Vec<String> {
        let levels = ["+", "+/+", "+/+/+"];
        let subscribed = levels
            .map(|prefix| format!("{prefix}/_CLIENTS/+/status"))
            .iter()
            .try_for_each(|filter| self.bus.subscribe(filter));
        if subscribed.is_err() {
            return Vec::new();
        }
        sleep(RETAINED).await;
        self.traffic().elsewhere.into_iter().collect()
    }
}

impl Traffic {
    fn take(&mut self, prefix: &str, gateways: &[String], arrived: &Incoming) {
        match arrived {
            Incoming::Up => self.connection = Some(Ok(())),
            Incoming::Down(outage) => self.connection = Some(Err(outage.clone())),
            Incoming::Message(message) => self.take_message(prefix, gateways, message),
            // It may be the nodes of a large house; its arrival is enough.
            Incoming::Large(large) => {
                let message = Message {
                    topic: large.topic.clone(),
                    payload: Bytes::new(),
                    retained: large.retained,
                };
                self.take_message(prefix, gateways, &message);
            }
            Incoming::Refused => self.refused = true,
        }
    }

    fn take_message(&mut self, prefix: &str, gateways: &[String], message: &Message) {
        let served =
            |name: &str| gateways.is_empty() || gateways.iter().any(|gateway| gateway == name);
        let route = route(prefix, &message.topic);
        if let Route::Reply(..) = route
            && let Some(id) = request_id(&message.payload)
        {
            self.answered_twice |= !self.replies.insert((message.topic.clone(), id));
        }
        self.any |= route != Route::Other;
        let live = match route {
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
                served(name).then_some(LiveTraffic::Event)
            }
            Route::House(path) if is_node_topic(path) => Some(LiveTraffic::Status),
            Route::House(_) => Some(LiveTraffic::Value),
            // It may be ours.
            Route::Request(..) => {
                if let Ok(Request { id }) = serde_json::from_slice(&message.payload)
                    && is_ours(&id)
                {
                    self.requests.insert((message.topic.clone(), id));
                }
                return;
            }
            Route::Other => return self.note_elsewhere(message),
        };
        if message.retained {
            self.retained = true;
            // The driver's status is the only topic that is subscribed to by its whole name.
            self.retained_by_wildcard |= route != Route::DriverStatus;
            return;
        }
        self.event |= live == Some(LiveTraffic::Event);
        self.live = self.live.or(live);
    }

    fn note_elsewhere(&mut self, message: &Message) {
        let split = message.topic.split_once("/_CLIENTS/ZWAVE_GATEWAY-");
        if let Some((prefix, rest)) = split
            && rest.ends_with("/status")
            && payloads::parse_status(&message.payload) == Some(true)
        {
            self.elsewhere.insert(prefix.to_owned());
        }
    }
}

/// Reads the id of a request from the reply to it, if the request was ours or that of a server like this
/// one.
fn request_id(payload: &[u8]) -> Option<String> {
    let document: ReplyDocument<'_, IgnoredAny> = serde_json::from_slice(payload).ok()?;
    let id = document.request_id()?;
    is_ours(id).then(|| id.to_owned())
}

/// A request like ours.
#[derive(Deserialize)]
struct Request {
    #[serde(rename = "requestId")]
    id: String,
}

/// Returns true if an id may be ours, or another server's like this one.
fn is_ours(id: &str) -> bool {
    id.starts_with("zwave-mcp-")
}

/// Returns true for a topic of a node itself, not of one of its values.
fn is_node_topic(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    matches!(last, "status" | "lastActive" | "nodeinfo")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(gateways: &[&str], messages: &[(&str, bool)]) -> Traffic {
        let gateways: Vec<String> = gateways.iter().map(|name| (*name).to_owned()).collect();
        let mut seen = Traffic::default();
        for (topic, retained) in messages {
            let message = Message {
                topic: (*topic).to_owned(),
                payload: b"{\"value\":true}".as_slice().into(),
                retained: *retained,
            };
            seen.take("zwave", &gateways, &Incoming::Message(message));
        }
        seen
    }

    #[test]
    fn own_requests_and_other_programs_topics_are_no_gateway() {
        let request = "zwave/_CLIENTS/ZWAVE_GATEWAY-zwave-js-ui/api/getInfo/set";
        let seen = after(
            &[],
            &[(request, false), ("zwave/lamp", true), ("x/y", true)],
        );
        assert!(!seen.gateway && seen.live.is_none(), "{seen:?}");
        assert!(after(&[], &[("zwave/driver/status", true)]).gateway);
    }

    #[test]
    fn what_the_broker_kept_is_not_live() {
        let value = "zwave/Kitchen/Lamp/switch_binary/endpoint_0/currentValue";
        let seen = after(&[], &[(value, true)]);
        assert!(seen.retained && seen.live.is_none());
        let seen = after(&[], &[("zwave/Kitchen/Lamp/status", false), (value, false)]);
        assert_eq!(seen.live, Some(LiveTraffic::Status));
        assert!(!seen.retained && !seen.event);
    }

    #[test]
    fn a_reply_that_comes_twice_is_known_by_the_requests_id_and_no_other_is() {
        let mut seen = Traffic::default();
        let mut reply = |origin: &str| {
            let payload = format!(r#"{{"success":true,"result":{{}},"origin":{origin}}}"#);
            let message = Message {
                topic: "zwave/_CLIENTS/ZWAVE_GATEWAY-Up/api/getInfo".to_owned(),
                payload: payload.into_bytes().into(),
                retained: false,
            };
            seen.take("zwave", &[], &Incoming::Message(message));
            seen.answered_twice
        };
        assert!(!reply(r#"{"args":[]}"#) && !reply(r#"{"args":[]}"#));
        let ours = |number: u32| format!(r#"{{"args":[],"requestId":"zwave-mcp-1-{number}"}}"#);
        assert!(!reply(&ours(1)) && !reply(&ours(2)) && reply(&ours(1)));
    }

    #[test]
    fn what_was_kept_for_a_whole_name_is_told_from_what_was_kept_for_any() {
        let seen = after(&[], &[("zwave/driver/status", true)]);
        assert!(seen.retained && !seen.retained_by_wildcard);
        let status = "zwave/_CLIENTS/ZWAVE_GATEWAY-Up/status";
        assert!(after(&[], &[(status, true)]).retained_by_wildcard);
    }

    #[test]
    fn events_count_for_the_gateways_that_are_served() {
        let event = "zwave/_EVENTS/ZWAVE_GATEWAY-Up/node/node_value_updated";
        assert_eq!(after(&["Down"], &[(event, false)]).live, None);
        let seen = after(&["Up"], &[(event, false)]);
        assert!(seen.event && seen.live == Some(LiveTraffic::Event));
    }

    #[test]
    fn a_gateway_under_another_prefix_is_remembered_by_it() {
        let topic = "home/zwave/_CLIENTS/ZWAVE_GATEWAY-Up/status";
        let seen = after(&[], &[(topic, true)]);
        assert!(seen.elsewhere.contains("home/zwave"), "{seen:?}");
        assert!(!seen.gateway);
    }
}
