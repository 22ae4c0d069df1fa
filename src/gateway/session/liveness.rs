//! The liveness of a gateway: its two statuses, whether it answers, and the probes that check whether it
//! answers. Any message from the gateway counts as an answer.

use std::time::Duration;

use tokio::time::Instant;
use tracing::info;

use super::{Moment, Session};
use crate::gateway::trouble::Trouble;
use crate::home::model::ids::{GatewayName, Timestamp};

/// How long a probed gateway may take to answer.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a probed gateway may take to answer if another gateway has the same home id. This is shorter than
/// the time that a call waits for further gateways.
const DUPLICATE_PROBE_TIMEOUT: Duration = Duration::from_millis(500);

/// What is known of a gateway's liveness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Liveness {
    /// True if connected to the broker, according to `_CLIENTS/…/status`. This status stays true when the
    /// gateway is stopped, and becomes false when the gateway is killed.
    pub is_connected: Option<bool>,
    /// True if the Z-Wave driver runs, according to `driver/status`, an event, an error or a fetch.
    pub is_driver_ready: Option<bool>,
    /// When the gateway was last seen to go offline.
    offline_since: Option<Timestamp>,
    /// True if the gateway left a request unanswered, and has not been heard from since.
    pub is_silent: bool,
    /// True if the gateway answers, but the last fetch of its nodes failed.
    pub is_unread: bool,
    /// When the last message from the gateway arrived.
    pub heard: Option<Instant>,
}

/// One of the two statuses. A gateway is online if both are true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `_CLIENTS/…/status`.
    Connected,
    /// `driver/status`.
    Driver,
}

/// A probe under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The gateway is silent if it has not been heard from since this time.
    since: Instant,
    /// When to stop waiting.
    pub deadline: Instant,
    reason: ProbeReason,
}

/// The reason for a probe, from the weakest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProbeReason {
    /// The gateway is silent, and its nodes are due. No call waits for the probe.
    Background,
    /// A request was not answered, or a call needs a gateway that is silent.
    Doubt,
    /// The same home id was seen under another name, so the gateway may have been renamed.
    Duplicate,
}

impl Liveness {
    /// Returns the trouble with the gateway, if any.
    pub fn trouble(&self, name: &GatewayName, now: Timestamp) -> Option<Trouble> {
        let gateway = name.to_string();
        let since = self.offline_since.map(|since| Duration::from_secs(now.seconds_since(since)));
        if self.is_away() {
            Some(Trouble::GatewayOffline { gateway, since })
        } else if self.is_driver_ready == Some(false) {
            Some(Trouble::DriverNotReady { gateway, since })
        } else if self.is_silent {
            Some(Trouble::silent(gateway))
        } else {
            self.is_unread.then_some(Trouble::NodesUnread { gateway })
        }
    }

    /// Returns true if something may be sent to the gateway, even if its nodes could not be fetched.
    pub fn is_reachable(&self) -> bool {
        !self.is_offline() && !self.is_silent
    }

    /// Returns true if the gateway is known not to be connected to the broker.
    pub fn is_away(&self) -> bool {
        self.is_connected == Some(false)
    }

    /// Returns true if the gateway or its driver is known to be down.
    pub fn is_offline(&self) -> bool {
        self.is_away() || self.is_driver_ready == Some(false)
    }

    /// Notes that a message from the gateway arrived. Returns true if the gateway had been silent.
    pub fn note_sign_of_life(&mut self, at: Instant) -> bool {
        self.heard = Some(at);
        std::mem::take(&mut self.is_silent)
    }

    /// Returns true if a message from the gateway has arrived since this time.
    pub fn was_heard_since(&self, since: Instant) -> bool {
        self.heard.is_some_and(|heard| heard >= since)
    }

    /// Notes that a request sent at `sent` was not answered. Unless a message from the gateway has arrived
    /// since, the gateway is silent. Returns true if the gateway is silent.
    pub fn note_missed_answer(&mut self, sent: Instant) -> bool {
        self.is_silent |= self.heard.is_none_or(|heard| heard <= sent);
        self.is_silent
    }

    /// Forgets everything but the time at which the gateway went offline, because the connection to the broker
    /// is new.
    pub fn forget(&mut self) {
        *self = Self {
            offline_since: self.offline_since,
            ..Self::default()
        };
    }

    /// Processes one of the two statuses.
    pub fn set_status(&mut self, which: Status, alive: bool, now: Timestamp, retained: bool) {
        let was_offline = self.is_offline();
        match which {
            Status::Connected => self.is_connected = Some(alive),
            Status::Driver => self.is_driver_ready = Some(alive),
        }
        // A retained status does not say when it was published, so the start of the outage is unknown.
        if self.is_offline() && !was_offline && !retained {
            self.offline_since = Some(now);
        }
        if !self.is_offline() && self.is_connected.is_some() {
            self.offline_since = None;
        }
    }
}

impl Session {
    /// Probes the gateway, because a request sent at `sent` in `life` timed out. If the gateway only waited for a
    /// device, the gateway answers the probe. Does nothing if a new life has begun. Also does nothing during a
    /// fetch of the nodes, because the nodes may have held up the reply.
    pub fn probe_after_timeout(&mut self, sent: Instant, life: u64, now: Moment) {
        if self.life == life && self.nodes_request.is_none() {
            self.probe(sent, ProbeReason::Doubt, now);
        }
    }

    /// Probes the gateway. At the end of the probe, the gateway is silent if it has not been heard from after
    /// `since`. If a probe is already under way, it continues, for the stronger of the two reasons.
    pub fn probe(&mut self, since: Instant, reason: ProbeReason, now: Moment) {
        if !self.is_linked {
            return;
        }
        if let Some(probe) = &mut self.probe {
            probe.reason = probe.reason.max(reason);
            return;
        }
        self.add_request("getInfo");
        let timeout = match reason {
            ProbeReason::Doubt | ProbeReason::Background => PROBE_TIMEOUT,
            ProbeReason::Duplicate => DUPLICATE_PROBE_TIMEOUT,
        };
        self.probe = Some(Probe {
            since,
            deadline: now.at + timeout,
            reason,
        });
    }

    /// Ends the probe if its deadline has passed.
    pub(super) fn end_probe(&mut self, now: Moment) {
        let Some(mut probe) = self.probe.take_if(|probe| probe.deadline <= now.at) else {
            return;
        };
        let is_first_fetch = self.nodes_request.is_some() && self.freshness.last_fetch.is_none();
        if probe.reason == ProbeReason::Duplicate && is_first_fetch {
            // The answer may have to wait behind the gateway's nodes. Waiting longer does no harm: nothing was
            // read from this gateway yet, so nothing can be out of date.
            probe.deadline = now.at + DUPLICATE_PROBE_TIMEOUT;
            self.probe = Some(probe);
            return;
        }
        let was_silent = self.liveness.is_silent;
        if self.liveness.note_missed_answer(probe.since) && !was_silent {
            info!(gateway = %self.name, "it left a request unanswered");
        }
        self.is_renamed = probe.reason == ProbeReason::Duplicate && self.liveness.is_silent;
    }

    /// Returns true while a probe is under way, unless it is a background probe.
    pub fn is_probed(&self) -> bool {
        self.probe.is_some_and(|probe| probe.reason != ProbeReason::Background)
    }
}
