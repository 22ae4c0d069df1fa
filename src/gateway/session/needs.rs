//! What calls need: how current a gateway's nodes and scenes must be, and whether it is there.

use std::time::Duration;

use tokio::time::Instant;

use super::freshness::Need;
use super::probe::{PROBE_TIMEOUT, ProbeReason};
use super::{Moment, Session};
use crate::gateway::trouble::Trouble;

/// The maximum age of scenes and groups for a list, and for a command to one of them.
pub const SCENES_MAX_AGE: Duration = Duration::from_secs(2);

/// When the scenes and groups were requested and received.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenesKnown {
    /// When the last answered request was sent.
    pub sent: Option<Instant>,
    /// When its replies arrived.
    pub received: Option<Instant>,
    /// When the last request was sent that was answered or failed.
    pub tried: Option<Instant>,
}

impl ScenesKnown {
    /// Returns true if a list requested at `called_at` need not wait for them: they are fresh, or a later
    /// request for them has failed.
    fn are_settled(&self, called_at: Instant) -> bool {
        self.are_fresh(called_at, SCENES_MAX_AGE)
            || self.tried.is_some_and(|tried| tried >= called_at)
    }

    /// Returns true if their age at `called_at` was less than `max_age`, or if they were requested since.
    fn are_fresh(&self, called_at: Instant, max_age: Duration) -> bool {
        self.sent.is_some_and(|sent| is_fresh(sent, called_at, max_age))
    }
}

/// Returns true if the age of a request at `called_at` was less than `max_age`, or if it was sent since.
fn is_fresh(sent: Instant, called_at: Instant, max_age: Duration) -> bool {
    called_at.saturating_duration_since(sent) < max_age || sent >= called_at
}

impl Session {
    /// Requests what a call made at `called_at` needs, unless it is known or under way.
    pub fn want(&mut self, need: Need, called_at: Instant, now: Moment) {
        if !self.is_linked || self.liveness.is_away() {
            return;
        }
        if self.liveness.silent {
            return self.probe(now.at, PROBE_TIMEOUT, ProbeReason::Doubt, now);
        }
        let is_urgent = matches!(need, Need::Control | Need::Miss);
        match self.trouble(now) {
            None => {}
            // A command needs the nodes now, even if the last fetch failed.
            Some(Trouble::NodesUnread { .. }) if is_urgent => {}
            // The trouble may be over, so have the nodes fetched soon.
            Some(_) => return self.nodes_refresh.note_change(now.at),
        }
        let is_enough = self.freshness.is_enough(need, called_at);
        if !is_enough || self.freshness.is_old(called_at) {
            // A list is content with a fetch that is under way.
            if is_urgent || self.nodes_request.is_none() {
                self.nodes_refresh.want(called_at);
            }
        } else if need == Need::List && !self.scenes_known.are_settled(called_at) {
            self.want_scenes(called_at, SCENES_MAX_AGE);
        }
    }

    /// Requests the nodes, because one was written to since it was last read.
    pub fn want_written(&mut self, now: Moment) {
        if self.is_reachable() {
            self.nodes_refresh.want(now.at);
        }
    }

    /// Requests the scenes and groups, unless [they are fresh](Self::are_scenes_fresh), or will be after a
    /// request that is under way.
    pub fn want_scenes(&mut self, called_at: Instant, max_age: Duration) {
        let sent = self.scenes_request.as_ref().map(|request| request.sent);
        let is_under_way = sent.is_some_and(|sent| is_fresh(sent, called_at, max_age));
        if !self.are_scenes_fresh(called_at, max_age) && !is_under_way {
            self.scenes_refresh.want(called_at);
        }
    }

    /// Returns true if the scenes and groups were less than `max_age` old at `called_at`, or were requested
    /// since.
    pub fn are_scenes_fresh(&self, called_at: Instant, max_age: Duration) -> bool {
        self.scenes_known.are_fresh(called_at, max_age)
    }

    /// Returns true if a request for the scenes and groups is under way or scheduled.
    pub fn are_scenes_coming(&self) -> bool {
        self.scenes_request.is_some() || self.scenes_refresh.due().is_some()
    }

    /// Returns true if the gateway is reachable, and current enough for a call made at `called_at`.
    pub fn is_ready(&self, need: Need, called_at: Instant) -> bool {
        self.is_reachable()
            && !self.is_probed()
            && self.freshness.is_enough(need, called_at)
            && (need != Need::List || self.scenes_known.are_settled(called_at))
    }

    /// Returns true if it is worth waiting until the gateway [is ready](Self::is_ready), because a reply can
    /// be expected.
    pub fn may_become_ready(&self, need: Need, now: Moment) -> bool {
        if self.is_probed() {
            return true;
        }
        let is_being_read =
            matches!(need, Need::Control | Need::Miss) && self.nodes_request.is_some();
        self.is_reachable() && (is_being_read || self.trouble(now).is_none())
    }

    /// Explains why its nodes did not arrive for a call made at `called_at`.
    pub fn explain_unread(&self, called_at: Instant) -> Trouble {
        let gateway = self.name.to_string();
        if self.liveness.was_heard_since(called_at) {
            return Trouble::NodesUnread { gateway };
        }
        let others = Vec::new();
        Trouble::GatewaySilent { gateway, others }
    }
}
