//! The needs of calls: how current a gateway's nodes and scenes must be, and whether it is there.

use std::time::Duration;

use tokio::time::Instant;

use super::freshness::Need;
use super::probe::{PROBE, ProbeReason};
use super::{Moment, Session};
use crate::gateway::trouble::Trouble;

/// Scenes and groups that were asked for within this time are new enough for a list, and for a command
/// to one of them.
pub const NEW_SCENES: Duration = Duration::from_secs(2);

/// The age of the scenes and groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenesKnown {
    /// The time of the last request that was answered.
    pub last: Option<Instant>,
    /// When they came.
    pub came: Option<Instant>,
    /// The time of the last request that was answered or failed.
    pub tried: Option<Instant>,
}

impl ScenesKnown {
    /// Returns true if a list that came at `called_at` need not wait for them: they are new, or were asked
    /// for since and did not come.
    fn are_settled(&self, called_at: Instant) -> bool {
        self.are_new(called_at, NEW_SCENES) || self.tried.is_some_and(|tried| tried >= called_at)
    }

    /// Returns true if their age at `called_at` was less than `max_age`, or if they were asked for since.
    fn are_new(&self, called_at: Instant, max_age: Duration) -> bool {
        self.last.is_some_and(|last| is_new(last, called_at, max_age))
    }
}

/// Returns true if the age of a request at `called_at` was less than `max_age`, or if it was sent since.
fn is_new(sent: Instant, called_at: Instant, max_age: Duration) -> bool {
    called_at.saturating_duration_since(sent) < max_age || sent >= called_at
}

impl Session {
    /// Asks for what a call that came at `called_at` needs.
    pub fn want(&mut self, need: Need, called_at: Instant, now: Moment) {
        if !self.is_linked || self.liveness.is_away() {
            return;
        }
        if self.liveness.silent {
            return self.probe(now.at, PROBE, ProbeReason::Doubt, now);
        }
        let is_urgent = matches!(need, Need::Control | Need::Miss);
        match self.trouble(now) {
            None => {}
            // A command needs its nodes now, even if they came too late before.
            Some(Trouble::NodesUnread { .. }) if is_urgent => {}
            // A call needs the gateway: the trouble may be over.
            Some(_) => return self.nodes.note_change(now.at),
        }
        let is_enough = self.freshness.is_enough(need, called_at);
        if !is_enough || self.freshness.is_old(called_at) {
            // A list is content with nodes that are on their way.
            if is_urgent || self.nodes_request.is_none() {
                self.nodes.want(called_at);
            }
        } else if need == Need::List && !self.scenes_known.are_settled(called_at) {
            self.want_scenes(called_at, NEW_SCENES);
        }
    }

    /// Asks for the nodes, because one was written to since it was read last.
    pub fn want_written(&mut self, now: Moment) {
        if self.is_reachable() {
            self.nodes.want(now.at);
        }
    }

    /// Asks for the scenes and groups, unless their age at `called_at` was less than `max_age`, or they are
    /// on their way.
    pub fn want_scenes(&mut self, called_at: Instant, max_age: Duration) {
        let sent = self.scenes_request.as_ref().map(|request| request.sent);
        let is_coming = sent.is_some_and(|sent| is_new(sent, called_at, max_age));
        if !self.are_scenes_new(called_at, max_age) && !is_coming {
            self.scenes.want(called_at);
        }
    }

    /// Returns true if the scenes' and groups' age at `called_at` was less than `max_age`, or if they were
    /// asked for since.
    pub fn are_scenes_new(&self, called_at: Instant, max_age: Duration) -> bool {
        self.scenes_known.are_new(called_at, max_age)
    }

    /// Returns true if scenes and groups are on their way.
    pub fn are_scenes_coming(&self) -> bool {
        self.scenes_request.is_some() || self.scenes.due().is_some()
    }

    /// Returns true if what is known is enough for a call that came at `called_at`.
    pub fn is_ready(&self, need: Need, called_at: Instant) -> bool {
        self.is_reachable()
            && !self.is_probed()
            && self.freshness.is_enough(need, called_at)
            && (need != Need::List || self.scenes_known.are_settled(called_at))
    }

    /// Returns true if it is worth waiting until it [is ready](Self::is_ready): an answer can be
    /// expected.
    pub fn is_coming(&self, need: Need, now: Moment) -> bool {
        if self.is_probed() {
            return true;
        }
        let is_being_read =
            matches!(need, Need::Control | Need::Miss) && self.nodes_request.is_some();
        self.is_reachable() && (is_being_read || self.trouble(now).is_none())
    }

    /// Explains why its nodes did not come for a call that came at `called_at`.
    pub fn explain_unread(&self, called_at: Instant) -> Trouble {
        let gateway = self.name.to_string();
        if self.liveness.was_heard_since(called_at) {
            return Trouble::NodesUnread { gateway };
        }
        let others = Vec::new();
        Trouble::GatewaySilent { gateway, others }
    }
}
