//! How a simulated gateway is set up, and how it publishes values.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::gateway::Clock;
use crate::home::model::ids::Timestamp;

/// How a simulated gateway is set up.
#[derive(Clone)]
pub struct Setup {
    /// The prefix of every topic.
    pub prefix: String,
    /// Its name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// Whether values and statuses are retained.
    pub retain: bool,
    /// Whether events are sent; zwave-js-ui's default is that they are not.
    pub events: bool,
    /// How values are published.
    pub layout: Layout,
    /// How long the radio takes for one command to a device that answers.
    pub radio: Duration,
    /// The clock for the times in payloads.
    pub clock: Clock,
}

impl Default for Setup {
    /// A gateway by zwave-js-ui's default name, with the system's clock and without events.
    fn default() -> Self {
        Self {
            prefix: "zwave".to_owned(),
            name: "zwave-js-ui".to_owned(),
            retain: true,
            events: false,
            layout: Layout::default(),
            radio: Duration::from_millis(45),
            clock: Arc::new(|| {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let millis = now.map_or(0, |now| now.as_millis());
                Timestamp(u64::try_from(millis).unwrap_or(u64::MAX))
            }),
        }
    }
}

/// How a gateway publishes values: its settings of that name in zwave-js-ui.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The gateway type.
    pub kind: GatewayKind,
    /// The payload type.
    pub payload: Payload,
    /// Nodes by their names, or by their numbers.
    pub names: bool,
    /// The location is left out of topics.
    pub ignore_location: bool,
    /// Whether nodes' statuses, and when they were last active, are published.
    pub status: bool,
    /// Whether each node is published too, without its values (`publishNodeDetails`).
    pub details: bool,
    /// Whether payloads tell the node's name and location (`includeNodeInfo`).
    pub node_info: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            kind: GatewayKind::Named,
            payload: Payload::TimeValue,
            names: true,
            ignore_location: false,
            status: true,
            details: false,
            node_info: false,
        }
    }
}

/// The type of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatewayKind {
    /// Topics of value ids (type 0).
    ValueId,
    /// Named topics (type 1).
    Named,
    /// Only these values, under these names (type 2).
    Manual(Vec<Configured>),
}

/// A value that a gateway of the manual type publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// The product, as zwave-js-ui numbers it ("134-96-3").
    pub product: String,
    /// The value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub key: String,
    /// The last level of its topic.
    pub topic: String,
}

/// What a gateway's settings say of one value of a product: its "values" table in zwave-js-ui.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ValueOption {
    /// The product ("134-96-3"); the node alone where it has none.
    pub(super) product: String,
    pub(super) node: u16,
    pub(super) key: String,
    /// The topic below the node's own, in any type of gateway.
    pub(super) topic: Option<String>,
    /// What is done to the value before it is published: an operator and a number, as in `/10`.
    pub(super) post_operation: Option<String>,
}

/// The type of payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// `{"time", "value"}` (type 0).
    TimeValue,
    /// The whole value object (type 1).
    Whole,
    /// The bare value (type 2).
    Bare,
}
