//! Records what arrives from the broker, and passes it on to [`Gateways`](crate::gateway::Gateways).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, Instant, sleep, timeout_at};
use tokio_util::bytes::Bytes;

use crate::gateway::Rules;
use crate::gateway::bus::{Bus, End, Incoming, Message, Outage, Outgoing};
use crate::gateway::protocol::payloads;
use crate::gateway::protocol::topics::{self, Route, route};

/// How long to wait for retained statuses. A broker nearby delivers them within 30 ms
/// (`docs/dev/GATEWAY.md#retained-messages`). A distant one takes longer.
const RETAINED_DELAY: Duration = Duration::from_millis(500);

/// How long to wait for our own requests. A broker nearby returns them at once. A distant one takes longer.
const ROUND_TRIP_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum number of messages that wait to be passed on to the gateways.
const MAX_QUEUED: usize = 1024;

/// An event, as a live message.
const EVENT: &str = "an event";

/// The facts learned from the traffic so far.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// The state of the connection; `None` until the first attempt ends.
    pub connection: Option<Result<(), Outage>>,
    /// True if a message arrived that only zwave-js-ui publishes.
    pub has_gateway: bool,
    /// True if a retained message arrived under the prefix.
    pub has_retained: bool,
    /// True if a retained message arrived for a filter with wildcards.
    pub has_retained_by_wildcard: bool,
    /// The topic and the id of each request of this program that the broker delivered to us.
    requests: BTreeSet<(String, String)>,
    /// True if any message under the prefix arrived. Then we may read at least some topics.
    pub has_message: bool,
    /// True if the broker refused a subscription.
    pub has_refusal: bool,
    /// The first live message, in words. It is neither retained nor a reply, and therefore a sign of activity in the
    /// house.
    pub live: Option<&'static str>,
    /// True if an event arrived live.
    pub has_event: bool,
    /// Other prefixes with a gateway that is online.
    pub other_prefixes: BTreeSet<String>,
}

/// Records the traffic of a connection, and sends requests over it.
pub struct TrafficListener {
    bus: Arc<dyn Bus>,
    seen: watch::Receiver<Traffic>,
    prefix: String,
    /// The request id. All our requests have the same id.
    id: String,
}

impl TrafficListener {
    /// Records everything that arrives at `end`, and passes it on to the returned end.
    pub fn new(end: End, rules: &Rules) -> (Self, End) {
        let End { bus, mut incoming } = end;
        let rules = rules.clone();
        let prefix = rules.prefix.clone();
        let id = format!("{}doctor", rules.id_prefix);
        let (progress, seen) = watch::channel(Traffic::default());
        let (sender, forwarded) = mpsc::channel(MAX_QUEUED);
        tokio::spawn(async move {
            // When the returned end is dropped, this task ends, and so does the connection.
            while let Some(arrived) = tokio::select! {
                arrived = incoming.recv() => arrived,
                () = sender.closed() => None,
            } {
                progress.send_modify(|seen| {
                    seen.record(&rules.prefix, &rules.named, &arrived);
                });
                // If the channel is closed, `select!` ends the loop.
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

    /// Waits until the predicate holds. Returns false if the deadline passes first, or if the bus ends.
    pub async fn wait_until(
        &self,
        deadline: Instant,
        predicate: impl FnMut(&Traffic) -> bool,
    ) -> bool {
        let mut seen = self.seen.clone();
        let waited = timeout_at(deadline, seen.wait_for(predicate)).await;
        matches!(waited, Ok(Ok(_)))
    }

    /// Sends a request to each of these gateways. Waits until all requests have come back to us, but at most for
    /// `ROUND_TRIP_TIMEOUT`.
    pub async fn send_requests(&self, gateways: &[String]) {
        let payload = json!({ "args": [], "requestId": self.id });
        for gateway in gateways {
            let request = Outgoing::once(self.request_to(gateway), &payload);
            if self.bus.publish(request).is_err() {
                return;
            }
        }
        let deadline = Instant::now() + ROUND_TRIP_TIMEOUT;
        self.wait_until(deadline, |seen| {
            gateways.iter().all(|gateway| self.has_returned(seen, gateway))
        })
        .await;
    }

    /// Returns true if our request to this gateway came back. Then we may publish requests, and read them.
    pub fn has_returned(&self, seen: &Traffic, gateway: &str) -> bool {
        let request = (self.request_to(gateway), self.id.clone());
        seen.requests.contains(&request)
    }

    /// Returns the topic of our request to a gateway.
    pub fn request_to(&self, gateway: &str) -> String {
        topics::request_topic(&self.prefix, gateway, "getInfo")
    }

    /// Returns the other prefixes, of up to three levels, under which a gateway is online.
    pub async fn find_other_prefixes(&self) -> Vec<String> {
        let levels = ["+", "+/+", "+/+/+"];
        let subscribed = levels
            .map(|prefix| format!("{prefix}/_CLIENTS/+/status"))
            .iter()
            .try_for_each(|filter| self.bus.subscribe(filter));
        if subscribed.is_err() {
            return Vec::new();
        }
        sleep(RETAINED_DELAY).await;
        self.traffic().other_prefixes.into_iter().collect()
    }
}

impl Traffic {
    fn record(&mut self, prefix: &str, gateways: &[String], arrived: &Incoming) {
        match arrived {
            Incoming::Up => self.connection = Some(Ok(())),
            Incoming::Down(outage) => self.connection = Some(Err(outage.clone())),
            Incoming::Message(message) => self.record_message(prefix, gateways, message),
            // The topic of a large message says enough. We don't need the payload.
            Incoming::Large(large) => {
                let message = Message {
                    topic: large.topic.clone(),
                    payload: Bytes::new(),
                    retained: large.retained,
                };
                self.record_message(prefix, gateways, &message);
            }
            Incoming::Refused => self.has_refusal = true,
        }
    }

    fn record_message(&mut self, prefix: &str, gateways: &[String], message: &Message) {
        let is_served =
            |name: &str| gateways.is_empty() || gateways.iter().any(|gateway| gateway == name);
        let route = route(prefix, &message.topic);
        self.has_message |= route != Route::Other;
        let live = match route {
            Route::Event(name, _) => {
                self.has_gateway = true;
                is_served(name).then_some(EVENT)
            }
            Route::House(path) if is_node_topic(path) => Some("a device's status"),
            Route::House(_) => Some("a value"),
            Route::Request(..) => {
                let request: Json = serde_json::from_slice(&message.payload).unwrap_or_default();
                let id = request.get("requestId").and_then(Json::as_str);
                let id = id.filter(|id| may_be_ours(id)).map(str::to_owned);
                self.requests.extend(id.map(|id| (message.topic.clone(), id)));
                return;
            }
            Route::Other => return self.record_other_prefix(message),
            // Only zwave-js-ui publishes on any other topic.
            _ => {
                self.has_gateway = true;
                None
            }
        };
        if message.retained {
            self.has_retained = true;
            // Only the filter for the driver's status has no wildcards.
            self.has_retained_by_wildcard |= route != Route::DriverStatus;
            return;
        }
        self.has_event |= live == Some(EVENT);
        self.live = self.live.or(live);
    }

    fn record_other_prefix(&mut self, message: &Message) {
        let split = message.topic.split_once("/_CLIENTS/ZWAVE_GATEWAY-");
        if let Some((prefix, rest)) = split
            && rest.ends_with("/status")
            && payloads::parse_status(&message.payload) == Some(true)
        {
            self.other_prefixes.insert(prefix.to_owned());
        }
    }
}

/// Returns true if a request's id has the form of our ids. It may be from another process of this program.
fn may_be_ours(id: &str) -> bool {
    id.starts_with("zwave-mcp-")
}

/// Returns true if a topic is about a node itself, not about one of its values.
fn is_node_topic(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    matches!(last, "status" | "lastActive" | "nodeinfo")
}

#[cfg(test)]
#[path = "../../tests/unit/doctor/traffic.rs"]
mod tests;
