//! One zwave-js-ui as it is seen over the bus: whether it lives, and how fresh its house is.

use std::time::Duration;

use super::refetch::Refetch;
use super::topics::Spellings;
use super::trouble::Trouble;
use crate::home::ids::Timestamp;

/// What is known of one gateway. Its nodes are in the house.
#[derive(Debug, Default)]
pub struct Link {
    /// Its name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// `_CLIENTS/…/status`: it is connected to the broker. Stays true after a clean stop.
    pub connected: Option<bool>,
    /// `driver/status`: its Z-Wave driver runs. Stays true after a crash.
    pub driver: Option<bool>,
    /// When it was last seen to go offline.
    pub offline_since: Option<Timestamp>,
    /// When its nodes were last fetched; none before the first time.
    pub fetched: Option<Timestamp>,
    /// How many of its nodes could not be read.
    pub unreadable: usize,
    /// The last fetch got no answer, or none that could be read.
    pub unanswered: bool,
    /// Its nodes may be out of date: the connection was away, or the gateway was.
    pub stale: bool,
    /// How often nodes came, went or changed their names.
    pub changes: u64,
    /// How many of those changes the nodes show that were fetched last.
    pub shown: u64,
    /// It was heard since the connection came up: it is no leftover of a gateway that was.
    pub alive: bool,
    /// How often it came or went: what was sent to an earlier life may be lost with it.
    pub life: u64,
    /// The number of the fetch that is under way.
    pub fetching: Option<u64>,
    /// How many fetches were begun.
    pub fetches: u64,
    /// When to fetch again.
    pub refetch: Refetch,
    /// How its topics spell its nodes.
    pub spellings: Spellings,
    /// It sends events for values.
    pub events: bool,
    /// It publishes values on topics that can be told apart.
    pub topics: bool,
    /// It publishes values on a topic that several nodes could mean.
    pub blurred: bool,
    /// A command was sent to it since its nodes were fetched.
    pub commanded: bool,
    /// When a node or a value of it was last heard of.
    pub heard: Option<Timestamp>,
}

impl Link {
    /// A gateway that was named or seen.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            stale: true,
            ..Self::default()
        }
    }

    /// What is wrong with it, if anything.
    pub fn trouble(&self, now: Timestamp) -> Option<Trouble> {
        let since = self
            .offline_since
            .map(|since| Duration::from_secs(now.seconds_since(since)));
        if self.connected == Some(false) {
            return Some(Trouble::GatewayOffline {
                gateway: self.name.clone(),
                since,
            });
        }
        if self.driver == Some(false) {
            return Some(Trouble::DriverNotReady {
                gateway: self.name.clone(),
                since,
            });
        }
        // Where no status is known, an answer is the only sign of life.
        self.unanswered.then(|| Trouble::GatewaySilent {
            gateway: self.name.clone(),
            others: Vec::new(),
        })
    }

    /// Whether its nodes are not what they will be in a moment.
    pub fn awaits_nodes(&self) -> bool {
        self.stale || self.changes > self.shown
    }

    /// Whether it tells when a value changes, whichever value that is.
    pub fn tells_changes(&self) -> bool {
        self.events || (self.topics && !self.blurred)
    }

    /// How it publishes is learnt anew: its settings may have changed.
    fn forget_habits(&mut self) {
        self.events = false;
        self.topics = false;
        self.blurred = false;
    }

    /// The connection to the broker is new: whatever was known of the gateway may have changed.
    pub fn forget_liveness(&mut self) {
        self.connected = None;
        self.driver = None;
        self.unanswered = false;
        self.alive = false;
        self.stale = true;
        self.fetching = None;
        self.forget_habits();
    }

    /// Hands in one of the two statuses; true where the gateway just came back.
    pub fn set_status(
        &mut self,
        which: Status,
        alive: bool,
        now: Timestamp,
        retained: bool,
    ) -> bool {
        let was_offline = self.connected == Some(false) || self.driver == Some(false);
        match which {
            Status::Connected => self.connected = Some(alive),
            Status::Driver => self.driver = Some(alive),
        }
        let offline = self.connected == Some(false) || self.driver == Some(false);
        if offline && !was_offline {
            // A retained status does not say when it was published: it may be one that was heard
            // before the connection was lost.
            if !retained {
                self.offline_since = Some(now);
            }
            self.stale = true;
        }
        if !offline && self.connected.is_some() {
            self.offline_since = None;
        }
        if !retained {
            self.alive = true;
            self.life += 1;
            self.forget_habits();
        }
        alive && !offline
    }
}

/// The two statuses that must both be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `_CLIENTS/…/status`.
    Connected,
    /// `driver/status`.
    Driver,
}
