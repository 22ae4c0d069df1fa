//! Whether a gateway lives: its two statuses, and whether it answers.

use std::time::Duration;

use tokio::time::Instant;

use crate::gateway::trouble::Trouble;
use crate::home::model::ids::{GatewayName, Timestamp};

/// What is known of whether a gateway lives.
#[derive(Debug, Default)]
pub struct Liveness {
    /// `_CLIENTS/…/status`: it is connected to the broker. Stays true after a clean stop.
    connected: Option<bool>,
    /// `driver/status`: its Z-Wave driver runs. Stays true after a crash.
    driver: Option<bool>,
    /// When it was last seen to go offline.
    offline_since: Option<Timestamp>,
    /// It left a request unanswered, and was not heard since.
    silent: bool,
    /// It answers, but did not tell its nodes in time.
    unread: bool,
    /// When it was last heard, whatever it said.
    heard: Option<Instant>,
    /// How often it came or went: what was sent to an earlier life may be lost with it.
    life: u64,
}

/// The two statuses that must both be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `_CLIENTS/…/status`.
    Connected,
    /// `driver/status`.
    Driver,
}

impl Liveness {
    /// What is wrong with it, if anything.
    pub fn trouble(&self, name: &GatewayName, now: Timestamp) -> Option<Trouble> {
        let gateway = || name.to_string();
        let since = self
            .offline_since
            .map(|since| Duration::from_secs(now.seconds_since(since)));
        if self.connected == Some(false) {
            return Some(Trouble::GatewayOffline {
                gateway: gateway(),
                since,
            });
        }
        if self.driver == Some(false) {
            return Some(Trouble::DriverNotReady {
                gateway: gateway(),
                since,
            });
        }
        if self.silent {
            return Some(Trouble::GatewaySilent {
                gateway: gateway(),
                others: Vec::new(),
            });
        }
        self.unread
            .then(|| Trouble::NodesUnread { gateway: gateway() })
    }

    /// Whether nothing may be sent to it: it may have sent its nodes too late, but it is there.
    pub fn is_unreachable(&self) -> bool {
        self.is_offline() || self.silent
    }

    /// Its driver runs: a new life.
    pub fn driver_ready(&mut self) {
        self.driver = Some(true);
        self.life += 1;
    }

    /// Whether it is known not to be connected to the broker: then it is not asked.
    pub fn is_away(&self) -> bool {
        self.connected == Some(false)
    }

    /// Whether its driver is known not to run.
    pub fn has_no_driver(&self) -> bool {
        self.driver == Some(false)
    }

    /// Whether it left a request unanswered, and was not heard since.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// Which life of the gateway this is.
    pub fn life(&self) -> u64 {
        self.life
    }

    /// It said something. True where it had been silent.
    pub fn heard(&mut self, at: Instant) -> bool {
        self.heard = Some(at);
        std::mem::take(&mut self.silent)
    }

    /// Returns true if it said something since the connection came up.
    pub fn was_heard(&self) -> bool {
        self.heard.is_some()
    }

    /// Returns true if it said something since then.
    pub fn is_heard_since(&self, since: Instant) -> bool {
        self.heard.is_some_and(|heard| heard >= since)
    }

    /// A request that was sent at this time was not answered. True where it is silent: it has said
    /// nothing since.
    pub fn unanswered(&mut self, sent: Instant) -> bool {
        self.silent |= self.heard.is_none_or(|heard| heard <= sent);
        self.silent
    }

    /// Whether it sent its nodes when it was asked for them.
    pub fn answered_nodes(&mut self, came: bool) {
        self.unread = !came;
        if came {
            // It answered from its driver's nodes: whatever was heard before, the driver runs.
            self.driver = self.driver.and(Some(true));
        }
    }

    /// Nobody can tell whether the driver runs; it may be another one.
    pub fn forget_driver(&mut self) {
        self.driver = None;
    }

    /// It began anew, by a sign other than its status.
    pub fn new_life(&mut self) {
        self.life += 1;
    }

    /// The connection to the broker is new: whatever was known of the gateway may have changed.
    pub fn forget(&mut self) {
        self.connected = None;
        self.driver = None;
        self.silent = false;
        self.unread = false;
        self.heard = None;
    }

    /// Takes in one of the two statuses; true where the gateway is there by what both say.
    pub fn set_status(
        &mut self,
        which: Status,
        alive: bool,
        now: Timestamp,
        retained: bool,
    ) -> bool {
        let was_offline = self.is_offline();
        match which {
            Status::Connected => self.connected = Some(alive),
            Status::Driver => self.driver = Some(alive),
        }
        let offline = self.is_offline();
        // A retained status does not say when it was published: it may be one that was heard before
        // the connection was lost.
        if offline && !was_offline && !retained {
            self.offline_since = Some(now);
        }
        if !offline && self.connected.is_some() {
            self.offline_since = None;
        }
        if !retained {
            self.life += 1;
        }
        alive && !offline
    }

    fn is_offline(&self) -> bool {
        self.is_away() || self.has_no_driver()
    }
}
