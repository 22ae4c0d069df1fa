//! One gateway: its name, whether it lives, what it reported last and how current that is, the requests
//! that it has not answered, and the commands that wait for it.
//!
//! What arrives is handed in by one task, in the order in which it came (`receive`); calls hold a
//! handle, send, and are woken by what concerns them.

pub mod currency;
mod current;
mod effects;
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
use tokio::time::{Instant, timeout};

use super::connection::BrokerConnection;
use super::trouble::Trouble;
use crate::home::model::ids::{GatewayName, NodeId, ValueId};
use crate::home::model::node::Node;
use crate::home::model::snapshot::Snapshot;
use crate::home::model::value::Reading;
use currency::Currency;
pub use current::Readiness;
use listeners::Listeners;
use liveness::Liveness;
pub use liveness::Status;
use queue::CommandQueue;
use refetch::Refetch;
use requests::{Reply, ReplyEffect, Requests};
use scenes::ScenesRead;
use unproven::Unproven;
use writes::Writes;

/// One gateway.
pub struct Session {
    name: GatewayName,
    connection: Arc<BrokerConnection>,
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
    state: Mutex<SessionState>,
}

/// What is known of the gateway.
#[derive(Debug)]
struct SessionState {
    liveness: Liveness,
    snapshot: Arc<Snapshot>,
    /// Another number when nodes, names or anything else that makes a device are others.
    shape: u64,
    /// How many of its nodes could not be read.
    unreadable: usize,
    /// When it last reported a value.
    updated: Option<Instant>,
    currency: Currency,
    refetch: Refetch,
    /// The number of the reading that is under way.
    reading: Option<u64>,
    /// How many readings have started.
    readings: u64,
    scenes: ScenesRead,
    unproven: Unproven,
    /// The nodes that were written to since they were read, and when.
    written: HashMap<NodeId, Instant>,
    /// What devices reported themselves lately, and when: a reading that was asked for before shows less.
    answers: HashMap<(NodeId, ValueId), Instant>,
    /// The gateway began anew, and its nodes were not read since.
    is_anew: bool,
    /// What it told first after that of values that were others before.
    kept: HashMap<(NodeId, ValueId), Option<Reading>>,
    /// The nodes and values that events report and that were not read: a reading is asked for once for
    /// each.
    unlisted: HashSet<(NodeId, Option<ValueId>)>,
    /// Somebody asks whether it is there.
    probing: bool,
    /// The id of its Z-Wave network.
    home: Option<u32>,
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
    /// How many of its nodes could not be read.
    pub unreadable: usize,
    /// How long it took to read its nodes.
    pub took: Option<Duration>,
}

impl Session {
    /// A gateway that was named or seen; nothing was heard of it yet. Must be called in a tokio
    /// runtime.
    pub fn start(name: GatewayName, connection: Arc<BrokerConnection>) -> Arc<Self> {
        let session = Arc::new(Self {
            requests: Requests::new(connection.settings.process),
            queue: CommandQueue::default(),
            writes: Writes::default(),
            listeners: Listeners::default(),
            life: watch::Sender::new(()),
            due: Arc::default(),
            state: Mutex::new(SessionState {
                liveness: Liveness::default(),
                snapshot: Arc::new(Snapshot::of(name.clone())),
                shape: 0,
                unreadable: 0,
                updated: None,
                currency: Currency::default(),
                refetch: Refetch::default(),
                reading: None,
                readings: 0,
                scenes: ScenesRead::default(),
                unproven: Unproven::default(),
                written: HashMap::new(),
                is_anew: false,
                kept: HashMap::new(),
                unlisted: HashSet::new(),
                answers: HashMap::new(),
                probing: false,
                home: None,
            }),
            name,
            connection,
        });
        let due = Arc::clone(&session.due);
        tokio::spawn(readings::keep(Arc::downgrade(&session), due));
        session
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
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

    /// What it reported last, a number that is another one when its devices may be others, and what
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
            unreadable: state.unreadable,
            took: last.map(currency::NodesReading::took),
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

    /// The id of its Z-Wave network, where it has told it.
    pub fn home(&self) -> Option<u32> {
        self.state().home
    }

    /// Remembers the id of its Z-Wave network. True where it was known.
    pub fn set_home(&self, home: u32) -> bool {
        self.state().home.replace(home) == Some(home)
    }

    /// Returns true if it said something since the connection came up.
    pub fn was_heard(&self) -> bool {
        self.state().liveness.was_heard()
    }

    /// A node as it was last reported.
    pub fn node(&self, node: NodeId) -> Option<Arc<Node>> {
        self.state().snapshot.nodes.get(&node).cloned()
    }

    /// Which connection and which life of the gateway this is: what was sent in another one may have
    /// been lost.
    pub fn life(&self) -> (u64, u64) {
        self.life_of(&self.state())
    }

    fn life_of(&self, state: &SessionState) -> (u64, u64) {
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
        purpose: ReplyEffect,
    ) -> Result<oneshot::Receiver<Reply>, Trouble> {
        let prepared = self.requests.prepare(args, purpose);
        let sent = self
            .connection
            .request(self.name.as_str(), api, prepared.payload);
        sent.map_err(|_| self.connection.cut_off())?;
        Ok(prepared.reply)
    }

    /// Whether the gateway executes each request twice, as far as its replies have told.
    pub fn executes_twice(&self) -> bool {
        self.requests.executed_twice()
    }

    /// Sends a request and waits for its reply; none where it does not come in time.
    pub async fn call(
        &self,
        api: &str,
        args: Json,
        purpose: ReplyEffect,
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
}

impl Drop for Session {
    fn drop(&mut self) {
        // The task that reads sees that nobody uses it any more.
        self.due.notify_one();
    }
}
