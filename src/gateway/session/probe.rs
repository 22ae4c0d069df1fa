//! Probes whether a gateway is there. Any message from it counts as an answer.

use std::time::Duration;

use tokio::time::Instant;
use tracing::info;

use super::{Moment, Session};

/// How long a gateway has to show that it is there.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The same if another gateway has the same home id: less than a call waits for a second gateway.
pub const DUPLICATE_PROBE_TIMEOUT: Duration = Duration::from_millis(500);

/// A probe under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The gateway is silent if it has not been heard from since then.
    since: Instant,
    /// When to give up.
    pub deadline: Instant,
    reason: ProbeReason,
}

/// The reason for a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeReason {
    /// A request was not answered, or a call needs a gateway that was silent.
    Doubt,
    /// The gateway is silent, and its nodes are due. No call waits for the result.
    Background,
    /// Another gateway has the same home id: this one may have been renamed.
    Duplicate,
}

impl Session {
    /// Probes the gateway after a request sent at `sent` in `life` timed out. It may be there, and only have
    /// waited for a device. Does nothing while nodes are being fetched, which may have held up the reply too.
    pub fn probe_after_timeout(&mut self, sent: Instant, life: u64, now: Moment) {
        if self.life == life && self.nodes_request.is_none() {
            self.probe(sent, PROBE_TIMEOUT, ProbeReason::Doubt, now);
        }
    }

    /// Probes the gateway, unless a probe is under way: a background probe then gets the new reason.
    pub fn probe(&mut self, since: Instant, timeout: Duration, reason: ProbeReason, now: Moment) {
        if !self.is_linked {
            return;
        }
        if let Some(probe) = &mut self.probe {
            if probe.reason == ProbeReason::Background {
                probe.reason = reason;
            }
            return;
        }
        self.request("getInfo");
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
        let is_first_reading = self.nodes_request.is_some() && self.freshness.last.is_none();
        if probe.reason == ProbeReason::Duplicate && is_first_reading {
            // Its answer waits behind its nodes. Nothing is known of it yet that could be out of date.
            probe.deadline = now.at + DUPLICATE_PROBE_TIMEOUT;
            self.probe = Some(probe);
            return;
        }
        let was_silent = self.liveness.silent;
        if self.liveness.note_missed_answer(probe.since) && !was_silent {
            info!(gateway = %self.name, "it left a request unanswered");
        }
        self.is_renamed = probe.reason == ProbeReason::Duplicate && self.liveness.silent;
    }

    /// Returns true while a probe is under way that calls wait for.
    pub fn is_probed(&self) -> bool {
        self.probe.is_some_and(|probe| probe.reason != ProbeReason::Background)
    }
}
