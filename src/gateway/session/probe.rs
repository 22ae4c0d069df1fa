//! Asks a gateway whether it is there. Whatever it says answers that.

use std::time::Duration;

use tokio::time::Instant;
use tracing::info;

use super::{Moment, Session};

/// A silent gateway has this long to show that it is there.
pub const PROBE: Duration = Duration::from_secs(1);

/// A gateway whose network answers under another name has this long: less than a call waits for a
/// second gateway.
pub const PROBE_FOR_DOUBLE: Duration = Duration::from_millis(500);

/// A question whether the gateway is there. Whatever it says answers that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The gateway is silent if it has said nothing since.
    since: Instant,
    /// When its time is up.
    pub until: Instant,
    reason: ProbeReason,
}

/// The reason for asking a gateway whether it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeReason {
    /// A request was not answered, or a call needs a gateway that was silent.
    Doubt,
    /// It was silent, and its nodes are due. No call waits.
    Background,
    /// Another gateway has the same network: this one may have been renamed.
    Double,
}

impl Session {
    /// Asks whether the gateway is there, after a request that was sent at `sent` in `life` was not
    /// answered in time. A device may have held it up. Nothing is asked while nodes are on their way:
    /// then they may have.
    pub fn probe_after_timeout(&mut self, sent: Instant, life: u64, now: Moment) {
        if self.life == life && self.nodes_request.is_none() {
            self.probe(sent, PROBE, ProbeReason::Doubt, now);
        }
    }

    /// Asks whether it is there, unless it is being asked.
    pub fn probe(&mut self, since: Instant, limit: Duration, reason: ProbeReason, now: Moment) {
        if !self.is_linked {
            return;
        }
        if let Some(probe) = &mut self.probe {
            if probe.reason == ProbeReason::Background {
                probe.reason = reason;
            }
            return;
        }
        self.ask("getInfo");
        self.probe = Some(Probe {
            since,
            until: now.at + limit,
            reason,
        });
    }

    /// Ends a question whose time is up.
    pub(super) fn end_probe(&mut self, now: Moment) {
        let Some(mut probe) = self.probe.take_if(|probe| probe.until <= now.at) else {
            return;
        };
        let is_first_reading = self.nodes_request.is_some() && self.freshness.last.is_none();
        if probe.reason == ProbeReason::Double && is_first_reading {
            // Its answer waits until its nodes have come, and nothing of it is known yet that could be
            // outdated.
            probe.until = now.at + PROBE_FOR_DOUBLE;
            self.probe = Some(probe);
            return;
        }
        let was_silent = self.liveness.silent;
        if self.liveness.note_missed_answer(probe.since) && !was_silent {
            info!(gateway = %self.name, "it left a request unanswered");
        }
        self.is_gone = probe.reason == ProbeReason::Double && self.liveness.silent;
    }

    /// Returns true while it is asked whether it is there, and calls wait for that.
    pub fn is_probed(&self) -> bool {
        self.probe.is_some_and(|probe| probe.reason != ProbeReason::Background)
    }
}
