//! The parts of the simulated gateway that only tests use: layouts other than the default, faults, restarts,
//! scenes, groups, and the changes that people make in zwave-js-ui's web page.

mod hands;
mod layouts;
mod link;
mod lives;
mod scenes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value as Json, json};

use super::id::Id;
use super::{Setup, Sim, SimNode};
use crate::gateway::bus::End;
use layouts::Layouts;
use link::Link;

pub use layouts::{Configured, GatewayKind, Layout, Payload};
pub use link::{Fault, Faults};

/// The part of a simulation's state that only tests use.
pub(super) struct Testing {
    pub(super) link: Arc<Link>,
    pub(super) layouts: Arc<Layouts>,
    extras: Mutex<Extras>,
}

/// A write that reached the gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The node.
    pub node: u16,
    /// The value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub key: String,
    /// The written value.
    pub value: Json,
}

#[derive(Default)]
struct Extras {
    received: Vec<Received>,
    calls: BTreeMap<String, usize>,
    scenes: Vec<Json>,
    groups: Vec<Json>,
    /// The nodes in the gateway's cache file, with their values.
    cache_file: BTreeMap<u16, SimNode>,
}

impl Testing {
    /// Puts a link between a gateway and its end of the bus. Returns the gateway's new end.
    pub(super) fn new(end: End, setup: &Setup) -> (Self, End) {
        let (link, end) = link::insert(end, setup.api_topic_prefix());
        let testing = Self {
            link,
            layouts: Arc::new(Layouts::new(setup.layout.clone())),
            extras: Mutex::default(),
        };
        (testing, end)
    }

    /// Counts an API call that reached the gateway.
    pub(super) fn count(&self, api: &str) {
        *self.extras().calls.entry(api.to_owned()).or_default() += 1;
    }

    pub(super) fn note_write(&self, id: &Id, value: &Json) {
        self.extras().received.push(Received {
            node: id.node,
            key: id.key(),
            value: value.clone(),
        });
    }

    fn extras(&self) -> MutexGuard<'_, Extras> {
        self.extras.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SimNode {
    fn set(&mut self, field: &str, value: Json) {
        self.document.insert(field.to_owned(), value);
    }
}

impl Sim {
    /// Subscribes to the topics through which zwave-js-ui accepts writes: for each writable value, all topics
    /// that have as many levels as the value's topic. The simulator ignores such writes, but an API request
    /// may match one of these subscriptions too. Some brokers then deliver the request once for each matching
    /// subscription (`docs/GATEWAY.md#other-ways-to-write`).
    pub(super) fn subscribe_to_writes(&self) -> bool {
        let is_writable = |fields: &Map<String, Json>| {
            fields.get("writeable") == Some(&json!(true)) || fields.contains_key("targetValue")
        };
        let levels: BTreeSet<usize> = {
            let state = self.state();
            let paths = state.nodes.values().flat_map(|node| {
                node.values
                    .iter()
                    .filter(|(_, fields)| is_writable(fields))
                    .filter_map(|(key, _)| self.topics.value_path(node, key))
            });
            paths.map(|path| path.split('/').count()).collect()
        };
        levels.into_iter().all(|levels| {
            let filter = format!("{}/{}set", self.setup.prefix, "+/".repeat(levels));
            self.bus.subscribe(&filter).is_ok()
        })
    }

    fn extras(&self) -> MutexGuard<'_, Extras> {
        self.testing.extras()
    }
}
