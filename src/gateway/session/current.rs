//! Whether what is known of a gateway is current enough for a call, and waiting until it is.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::currency::Need;
use super::readings::TIMES_THE_LAST;
use super::scenes::NEW_SCENES;
use super::{Session, SessionState};
use crate::gateway::trouble::Trouble;
use crate::home::model::ids::NodeId;
use crate::home::model::node::Node;
use crate::home::model::snapshot::Snapshot;
use crate::home::outcome::CommandFailure;

/// Whether it is worth waiting for a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It is as current as it has to be.
    Ready,
    /// It will be.
    Waiting,
    /// It will not, for now.
    Away,
}

impl Session {
    /// Whether it is worth waiting for it, for a call that came at `asked`.
    pub fn readiness(&self, need: Need, asked: Instant) -> Readiness {
        if self.connection.up_since().is_none() {
            return Readiness::Away;
        }
        let now = self.connection.now();
        let state = self.state();
        if state.probing {
            return Readiness::Waiting;
        }
        if state.liveness.is_unreachable() {
            return Readiness::Away;
        }
        let scenes = need != Need::List || state.scenes.are_settled(asked);
        if state.currency.will_do(need, asked) && scenes {
            Readiness::Ready
        } else if matches!(need, Need::Control | Need::Miss) && state.reading.is_some() {
            Readiness::Waiting
        } else if state.liveness.trouble(&self.name, now).is_some() {
            Readiness::Away
        } else {
            Readiness::Waiting
        }
    }

    /// Whether a scene or a group is still what was seen when a command was understood, which may
    /// have waited since.
    ///
    /// # Errors
    /// It is another one now, or nobody can say.
    pub async fn still<T: PartialEq + ?Sized>(
        self: &Arc<Self>,
        seen: &T,
        look: impl Fn(&Snapshot) -> Option<&T>,
    ) -> Result<(), CommandFailure> {
        let came = self.state().scenes.came;
        let new = came.is_some_and(|came| came.elapsed() < NEW_SCENES);
        let current = new || self.scenes_current(Instant::now(), NEW_SCENES).await;
        let state = self.state();
        if current && look(&state.snapshot) == Some(seen) {
            Ok(())
        } else {
            Err(CommandFailure::Changed)
        }
    }

    /// Whether a node still has the name and the room that it had when a command to it was understood.
    ///
    /// # Errors
    /// It has others, or nobody can say.
    pub async fn still_called(self: &Arc<Self>, seen: &Node) -> Result<(), CommandFailure> {
        let asked = Instant::now();
        let limit = asked + self.reply_timeout();
        let settled = self.settle(None, asked, limit).await;
        let same = |now: Arc<Node>| now.name == seen.name && now.room == seen.room;
        if settled.is_ok() && self.reachable().is_ok() && self.node(seen.id).is_some_and(same) {
            Ok(())
        } else {
            Err(CommandFailure::Changed)
        }
    }

    /// Waits until its nodes are as current as a command needs them, this node too where it was
    /// written to lately. True where it had to wait: then the command has to be understood once more.
    /// A gateway that can't be reached is not waited for: sending the command says why.
    ///
    /// # Errors
    /// The nodes did not come in time.
    pub async fn settle(
        self: &Arc<Self>,
        node: Option<NodeId>,
        asked: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        self.settle_as(Need::Control, node, asked, limit).await
    }

    /// Waits until its nodes, scenes and groups were all read after `asked`, as before a name is
    /// missed.
    ///
    /// # Errors
    /// The nodes did not come in time.
    pub async fn settle_for_a_miss(
        self: &Arc<Self>,
        asked: Instant,
        limit: Instant,
    ) -> Result<(), Trouble> {
        self.settle_as(Need::Miss, None, asked, limit).await?;
        // Those that do not come are named by nobody.
        let _ = timeout_at(limit, self.scenes_current(asked, Duration::ZERO)).await;
        Ok(())
    }

    async fn settle_as(
        self: &Arc<Self>,
        need: Need,
        node: Option<NodeId>,
        asked: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let mut progress = self.connection.progress();
        let mut waited = false;
        let is_written = |node: &NodeId| !self.is_read(*node) || self.queue.is_busy(*node);
        if let Some(node) = node.filter(is_written) {
            // What is on its way to the node has to arrive before the node is read.
            let queue = self.queue.queue(node);
            waited = timeout_at(limit, queue.wait()).await.is_ok();
        }
        loop {
            let written = node.is_some_and(|node| !self.is_read(node));
            match self.readiness(need, asked) {
                Readiness::Ready if !written => return Ok(waited),
                Readiness::Away if self.reachable().is_err() => return Ok(waited),
                Readiness::Away => return Err(self.unread(asked)),
                Readiness::Ready => self.read(),
                Readiness::Waiting => self.prepare(need, asked),
            }
            waited = true;
            if timeout_at(limit, progress.changed()).await.is_err() {
                return Err(self.unread(asked));
            }
        }
    }

    /// The same, and its scenes and groups are asked for: what is run or written may unlock
    /// something, and the guard judges what it is now.
    ///
    /// # Errors
    /// The nodes, the scenes or the groups did not come in time.
    pub async fn settle_with_scenes(
        self: &Arc<Self>,
        asked: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let waited = self.settle(None, asked, limit).await?;
        let before = self.state().shape;
        let known = self.scenes_current(asked, Duration::ZERO);
        if timeout_at(limit, known).await != Ok(true) && self.reachable().is_ok() {
            return Err(self.unread(asked));
        }
        Ok(waited || self.state().shape != before)
    }

    /// How long a reading of its nodes may take: the time for a reply, or three times what the last one
    /// took.
    pub fn reading_time(&self) -> Duration {
        let last = self.state().currency.last();
        let usual = last.map_or(Duration::ZERO, |last| last.took() * TIMES_THE_LAST);
        usual.max(self.reply_timeout())
    }

    /// Why its nodes did not come for a call that came at `asked`.
    fn unread(&self, asked: Instant) -> Trouble {
        let gateway = self.name.to_string();
        if self.state().liveness.is_heard_since(asked) {
            return Trouble::NodesUnread { gateway };
        }
        Trouble::GatewaySilent {
            gateway,
            others: Vec::new(),
        }
    }
}

impl SessionState {
    /// How old the values are; none where they are kept current, or came just now.
    pub(super) fn age(&self, away: bool) -> Option<Duration> {
        let last = self.currency.last()?;
        let since = match self.updated.filter(|_| away) {
            Some(updated) => updated.max(last.sent),
            None => last.sent,
        };
        let age = since.elapsed();
        let kept = self.currency.is_kept_by_events() && !away;
        (away || (!kept && age.as_secs() > 0)).then_some(age)
    }
}
