//! One gateway: its name, whether it lives, what it told last and how current that is, the requests
//! that it has not answered, and the commands that wait for it.
//!
//! What arrives is handed in by one task, in the order in which it came (`receive`); calls hold a
//! handle, send, and are woken by what concerns them.

pub mod currency;
mod events;
mod listeners;
mod liveness;
pub mod queue;
mod readings;
mod refetch;
mod replies;
pub mod requests;
pub mod scenes;
mod unproven;
pub mod writes;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::{Instant, timeout, timeout_at};

use super::connection::Connection;
use super::trouble::Trouble;
use crate::home::expected_state::ExpectedState;
use crate::home::model::ids::{GatewayName, NodeId, ValueId};
use crate::home::model::node::Node;
use crate::home::model::snapshot::Snapshot;
use crate::home::model::value::Reading;
use crate::home::outcome::CommandFailure;
use crate::home::plan::Step;
use currency::{Currency, Need};
use listeners::Listeners;
use liveness::Liveness;
pub use liveness::Status;
use queue::CommandQueue;
use refetch::Refetch;
use requests::{Purpose, Reply, Requests};
use scenes::{NEW_SCENES, ScenesRead};
use unproven::Unproven;
use writes::Writes;

/// One gateway.
pub struct Session {
    name: GatewayName,
    connection: Arc<Connection>,
    requests: Requests,
    /// The commands that wait to be sent.
    pub queue: CommandQueue,
    /// Which write to a value is the latest.
    pub writes: Writes,
    listeners: Listeners,
    /// Sent on when it comes, goes or falls silent.
    life: watch::Sender<()>,
    /// Wakes the task that reads when it is due.
    due: Arc<Notify>,
    state: Mutex<State>,
}

/// What is known of the gateway.
#[derive(Debug)]
struct State {
    liveness: Liveness,
    snapshot: Arc<Snapshot>,
    /// Another number when nodes, names or anything else that makes a device are others.
    shape: u64,
    /// How many of its nodes could not be read.
    unreadable: usize,
    /// When a value of it was last told.
    told: Option<Instant>,
    currency: Currency,
    refetch: Refetch,
    /// The number of the reading that is under way.
    reading: Option<u64>,
    /// How many readings were begun.
    readings: u64,
    scenes: ScenesRead,
    unproven: Unproven,
    /// The nodes that were written to since they were read, and when.
    written: HashMap<NodeId, Instant>,
    /// What devices told themselves lately, and when: a reading that was asked for before shows less.
    answers: HashMap<(NodeId, ValueId), Instant>,
    /// The nodes and values that events told of and that were not read: a reading is asked for once for
    /// each.
    unlisted: HashSet<(NodeId, Option<ValueId>)>,
    /// Somebody asks whether it is there.
    probing: bool,
}

/// What a call sees of a gateway besides its snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct GatewayView {
    /// Its name.
    pub name: GatewayName,
    /// What is wrong with it, if anything.
    pub trouble: Option<Trouble>,
    /// How old its values are; none where they are kept current.
    pub age: Option<Duration>,
    /// Whether its nodes were ever read.
    pub known: bool,
    /// Whether events keep its nodes current.
    pub events: bool,
    /// How many of its nodes could not be read.
    pub unreadable: usize,
    /// How long it took to read its nodes.
    pub took: Option<Duration>,
}

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
    /// A gateway that was named or seen; nothing was heard of it yet. Must be called in a tokio
    /// runtime.
    pub fn start(name: GatewayName, connection: Arc<Connection>) -> Arc<Self> {
        let session = Arc::new(Self {
            requests: Requests::new(connection.settings.process),
            queue: CommandQueue::default(),
            writes: Writes::default(),
            listeners: Listeners::default(),
            life: watch::Sender::new(()),
            due: Arc::default(),
            state: Mutex::new(State {
                liveness: Liveness::default(),
                snapshot: Arc::new(Snapshot::of(name.clone())),
                shape: 0,
                unreadable: 0,
                told: None,
                currency: Currency::default(),
                refetch: Refetch::default(),
                reading: None,
                readings: 0,
                scenes: ScenesRead::default(),
                unproven: Unproven::default(),
                written: HashMap::new(),
                unlisted: HashSet::new(),
                answers: HashMap::new(),
                probing: false,
            }),
            name,
            connection,
        });
        let due = Arc::clone(&session.due);
        tokio::spawn(readings::keep(Arc::downgrade(&session), due));
        session
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its name.
    pub fn name(&self) -> &GatewayName {
        &self.name
    }

    /// How long it has to answer.
    pub fn reply_timeout(&self) -> Duration {
        self.connection.settings.reply_timeout
    }

    /// How long to look for proof after its reply.
    pub fn confirm_timeout(&self) -> Duration {
        self.connection.settings.confirm_timeout
    }

    /// What it told last, a number that is another one when its devices may be others, and what
    /// else there is to say of it.
    pub fn look(&self) -> (Arc<Snapshot>, u64, GatewayView) {
        let now = self.connection.now();
        let cut_off = self.connection.trouble().is_some();
        let state = self.state();
        let last = state.currency.last();
        let trouble = state.liveness.trouble(&self.name, now);
        let view = GatewayView {
            name: self.name.clone(),
            age: state.age(cut_off || trouble.is_some()),
            trouble,
            known: last.is_some(),
            events: state.currency.has_events(),
            unreadable: state.unreadable,
            took: last.map(currency::Reading::took),
        };
        (Arc::clone(&state.snapshot), state.shape, view)
    }

    /// What stands in the way to it, if anything.
    pub fn trouble(&self) -> Option<Trouble> {
        let trouble = self.connection.trouble();
        trouble.or_else(|| {
            let now = self.connection.now();
            self.state().liveness.trouble(&self.name, now)
        })
    }

    /// Whether something may be sent to it.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn reachable(&self) -> Result<(), Trouble> {
        // Whether its nodes are current is looked at before a command is understood.
        let nodes_only = |trouble: &Trouble| matches!(trouble, Trouble::NodesUnread { .. });
        let trouble = self.trouble().filter(|trouble| !nodes_only(trouble));
        trouble.map_or(Ok(()), Err)
    }

    /// Whether it was heard since the connection came up: it is no leftover of a gateway that was.
    pub fn was_heard(&self) -> bool {
        self.state().liveness.was_heard()
    }

    /// A node as it was last told.
    pub fn node(&self, node: NodeId) -> Option<Arc<Node>> {
        self.state().snapshot.nodes.get(&node).cloned()
    }

    /// Which connection and which life of the gateway this is: what was sent in another one may have
    /// been lost.
    pub fn life(&self) -> (u64, u64) {
        self.life_of(&self.state())
    }

    fn life_of(&self, state: &State) -> (u64, u64) {
        (self.connection.number(), state.liveness.life())
    }

    /// Changes whenever the status of this node may have.
    pub fn listen(&self, node: NodeId) -> watch::Receiver<()> {
        self.listeners.listen(node)
    }

    /// Changes whenever the gateway or the connection comes, goes or falls silent.
    pub fn lives(&self) -> watch::Receiver<()> {
        self.life.subscribe()
    }

    /// Sends a request. The reply may come at any time, or never.
    ///
    /// # Errors
    /// The connection is shut; nothing was sent.
    pub fn send(
        &self,
        api: &str,
        args: Json,
        purpose: Purpose,
    ) -> Result<oneshot::Receiver<Reply>, Trouble> {
        let prepared = self.requests.prepare(args, purpose);
        let sent = self
            .connection
            .request(self.name.as_str(), api, prepared.payload);
        sent.map_err(|_| self.connection.cut_off())?;
        Ok(prepared.reply)
    }

    /// Sends a request and waits for its reply; none where it does not come in time.
    pub async fn call(
        &self,
        api: &str,
        args: Json,
        purpose: Purpose,
        limit: Duration,
    ) -> Option<Reply> {
        let reply = self.send(api, args, purpose).ok()?;
        timeout(limit, reply).await.ok()?.ok()
    }

    /// It came, went or fell silent.
    fn state_changed(&self) {
        self.life.send_replace(());
        self.due.notify_one();
        self.connection.progressed();
    }

    /// A write went out at this time: until it is proven, what is told of its value may be a guess.
    pub fn writing(&self, step: &Step, sent: Instant) {
        let mut state = self.state();
        state
            .unproven
            .wrote(step.node, &step.state, Some(step.expected), sent);
    }

    /// The device works on what was written: what is told of it is no guess.
    pub fn working(&self, step: &Step, sent: Instant) {
        let mut state = self.state();
        state.unproven.working(step.node, &step.state, sent);
    }

    /// A scene wrote this at this time: whatever is told of that part of the node may be a guess.
    pub fn ran(&self, node: NodeId, target: &ValueId, sent: Instant) {
        let mut state = self.state();
        let Some(known) = state.snapshot.nodes.get(&node).cloned() else {
            return;
        };
        let part = |id: &ValueId| id.class == target.class && id.endpoint == target.endpoint;
        for value in known.values.iter().filter(|value| part(&value.id)) {
            state.unproven.wrote(node, &value.id, None, sent);
        }
    }

    /// A write to a node was queued or delivered: the node has to be read again before something is
    /// decided by its values.
    pub fn wrote(&self, node: NodeId) {
        let mut state = self.state();
        let now = Instant::now();
        state.written.insert(node, now);
        if !state.currency.is_kept_by_events() {
            state.currency.wrote(now);
        }
    }

    /// Whether a node was read after what was written to it.
    pub fn is_read(&self, node: NodeId) -> bool {
        !self.state().written.contains_key(&node)
    }

    /// The gateway proved that a write was done that was sent at this time (status 255): what it leads
    /// to is so from now on, unless it was written to again since.
    pub fn proven(&self, step: &Step, sent: Instant) {
        let mut state = self.state();
        if !state.unproven.proven(step.node, &step.state, sent) {
            return;
        }
        let told = state.currency.is_kept_by_events();
        // A dimmer that is switched on is at the level that it had before: nobody knows which one.
        let some_level = step.expected == ExpectedState::On && step.write.value.number().is_some();
        let exact = step.expected.is_met_by(&step.write.value) && !some_level;
        if exact {
            state.heard_of(step.node, &step.state);
            state.heard_of(step.node, &step.write.target);
        }
        let snapshot = Arc::make_mut(&mut state.snapshot);
        if let Some(node) = snapshot.node_mut(step.node) {
            if let Some(value) = node.value_mut(&step.write.target).filter(|_| !told) {
                value.reading = Some(step.write.value.clone());
            }
            if let Some(value) = node.value_mut(&step.state) {
                value.guessed = false;
                if exact && !told {
                    value.reading = Some(step.write.value.clone());
                }
            }
        }
        drop(state);
        self.connection.changed();
    }

    /// A device's own word on a value that was asked for in several parts.
    pub fn answered(&self, step: &Step, reading: Reading, asked: Instant) {
        let mut state = self.state();
        state.answered(step.node, &step.state, reading, asked);
        drop(state);
        self.connection.changed();
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
        let mut progress = self.connection.progress();
        while self.readiness(Need::Control, asked) == Readiness::Waiting {
            self.prepare(Need::Control, asked);
            if timeout_at(limit, progress.changed()).await.is_err() {
                return Err(CommandFailure::Changed);
            }
        }
        let ready = self.readiness(Need::Control, asked) == Readiness::Ready;
        let same = |now: &Arc<Node>| now.name == seen.name && now.room == seen.room;
        if ready && self.node(seen.id).as_ref().is_some_and(same) {
            Ok(())
        } else {
            Err(CommandFailure::Changed)
        }
    }

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
        let scenes = need != Need::List || state.scenes.tried;
        if state.currency.will_do(need, asked) && scenes {
            Readiness::Ready
        } else if need == Need::Control && state.reading.is_some() {
            Readiness::Waiting
        } else if state.liveness.trouble(&self.name, now).is_some() {
            Readiness::Away
        } else {
            Readiness::Waiting
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The task that reads sees that nobody uses it any more.
        self.due.notify_one();
    }
}

impl State {
    /// How old the values are; none where they are kept current, or came just now.
    fn age(&self, away: bool) -> Option<Duration> {
        let last = self.currency.last()?;
        let since = match self.told.filter(|_| away) {
            Some(told) => told.max(last.sent),
            None => last.sent,
        };
        let age = since.elapsed();
        let kept = self.currency.is_kept_by_events() && !away;
        (away || (!kept && age.as_secs() > 0)).then_some(age)
    }
}
