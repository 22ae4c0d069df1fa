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
    /// When the last ones that came were asked for.
    pub last: Option<Instant>,
    /// When they came.
    pub came: Option<Instant>,
    /// When the last ones that came or failed to come were asked for.
    pub tried: Option<Instant>,
}

impl ScenesKnown {
    /// Returns true if a list that came at `asked` need not wait for them: they are new, or were asked
    /// for since and did not come.
    fn are_settled(&self, asked: Instant) -> bool {
        self.are_new(asked, NEW_SCENES) || self.tried.is_some_and(|tried| tried >= asked)
    }

    /// Returns true if their age at `asked` was less than `new`, or if they were asked for since.
    fn are_new(&self, asked: Instant, new: Duration) -> bool {
        self.last.is_some_and(|last| is_new(last, asked, new))
    }
}

/// Returns true if the age of a request at `asked` was less than `new`, or if it was sent since.
fn is_new(sent: Instant, asked: Instant, new: Duration) -> bool {
    asked.saturating_duration_since(sent) < new || sent >= asked
}

impl Session {
    /// Asks for what a call that came at `asked` needs.
    pub fn want(&mut self, need: Need, asked: Instant, now: Moment) {
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
        let is_enough = self.freshness.is_enough(need, asked);
        if !is_enough || self.freshness.is_old(asked) {
            // A list is content with nodes that are on their way.
            if is_urgent || self.nodes_request.is_none() {
                self.nodes.want(asked);
            }
        } else if need == Need::List && !self.scenes_known.are_settled(asked) {
            self.want_scenes(asked, NEW_SCENES);
        }
    }

    /// Asks for the nodes, because one was written to since it was read last.
    pub fn want_written(&mut self, now: Moment) {
        if self.is_reachable() {
            self.nodes.want(now.at);
        }
    }

    /// Asks for the scenes and groups, unless they are newer than `new` at `asked` or on their way.
    pub fn want_scenes(&mut self, asked: Instant, new: Duration) {
        let sent = self.scenes_request.as_ref().map(|request| request.sent);
        let is_coming = sent.is_some_and(|sent| is_new(sent, asked, new));
        if !self.are_scenes_new(asked, new) && !is_coming {
            self.scenes.want(asked);
        }
    }

    /// Returns true if the scenes' and groups' age at `asked` was less than `new`, or if they were asked for
    /// since.
    pub fn are_scenes_new(&self, asked: Instant, new: Duration) -> bool {
        self.scenes_known.are_new(asked, new)
    }

    /// Returns true if scenes and groups are on their way.
    pub fn are_scenes_coming(&self) -> bool {
        self.scenes_request.is_some() || self.scenes.due().is_some()
    }

    /// Returns true if what is known is enough for a call that came at `asked`.
    pub fn is_ready(&self, need: Need, asked: Instant) -> bool {
        self.is_reachable()
            && !self.is_probed()
            && self.freshness.is_enough(need, asked)
            && (need != Need::List || self.scenes_known.are_settled(asked))
    }

    /// Returns true if it is worth waiting until it [is ready](Self::is_ready): an answer can be
    /// expected.
    pub fn is_coming(&self, need: Need, now: Moment) -> bool {
        if self.is_probed() {
            return true;
        }
        let is_read = matches!(need, Need::Control | Need::Miss) && self.nodes_request.is_some();
        self.is_reachable() && (is_read || self.trouble(now).is_none())
    }

    /// Explains why its nodes did not come for a call that came at `asked`.
    pub fn explain_unread(&self, asked: Instant) -> Trouble {
        let gateway = self.name.to_string();
        if self.liveness.is_heard_since(asked) {
            return Trouble::NodesUnread { gateway };
        }
        let others = Vec::new();
        Trouble::GatewaySilent { gateway, others }
    }
}
