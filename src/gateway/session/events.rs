//! What a gateway tells by itself: that it came or went, its events, and that something changed.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::info;

use super::liveness::Liveness;
use super::unproven::Source;
use super::{Session, SessionState, Status};
use crate::gateway::protocol::events::{EventNode, GatewayEvent};
use crate::home::model::ids::{CommandClass, NodeId, ValueId};
use crate::home::model::node::{Node, NodeStatus, Role};
use crate::home::model::value::{Evidence, Reading};

impl Session {
    /// The connection to the broker came up: whatever was known may have changed meanwhile.
    pub fn connected(&self, at: Instant) {
        self.begins_anew(at, Liveness::forget);
    }

    /// The connection to the broker broke.
    pub fn disconnected(&self) {
        let mut state = self.state();
        state.reading = None;
        state.scenes.reading = None;
        drop(state);
        self.state_changed();
    }

    /// It showed itself for the first time, or was named.
    pub fn appeared(&self, at: Instant) {
        self.state().refetch.returned(at);
        self.state_changed();
    }

    /// It said something, whatever that is.
    pub fn heard(&self, at: Instant) {
        let mut state = self.state();
        if state.liveness.heard(at) {
            state.refetch.returned(at);
            drop(state);
            info!(gateway = %self.name, "it answers again");
            self.state_changed();
        }
    }

    /// One of its two statuses. A live one begins a new life.
    pub fn status(&self, which: Status, alive: bool, at: Instant, retained: bool) {
        let now = self.connection.now();
        let mut state = self.state();
        let before = state.liveness.trouble(&self.name, now);
        let online = state.liveness.set_status(which, alive, now, retained);
        if state.liveness.trouble(&self.name, now) != before {
            info!(gateway = %self.name, ?which, alive, "gateway status");
        }
        if !retained {
            if which == Status::Driver && alive {
                state.keep_as_last_known();
            }
            state.begins_anew(at);
        } else if online && state.reading.is_none() && state.currency.last().is_none() {
            state.refetch.returned(at);
        }
        drop(state);
        self.listeners.tell_all();
        self.state_changed();
    }

    /// A driver came or went, and nobody can tell whether it is this gateway's.
    pub fn some_driver(&self, at: Instant, retained: bool) {
        if retained {
            self.state().liveness.forget_driver();
            return self.state_changed();
        }
        self.begins_anew(at, |liveness| {
            liveness.forget_driver();
            liveness.new_life();
        });
    }

    /// It began anew, as its version tells, which it publishes when it starts.
    pub fn started(&self, at: Instant) {
        self.state().keep_as_last_known();
        self.begins_anew(at, Liveness::new_life);
    }

    fn begins_anew(&self, at: Instant, change: impl FnOnce(&mut Liveness)) {
        let mut state = self.state();
        change(&mut state.liveness);
        state.begins_anew(at);
        drop(state);
        self.state_changed();
    }

    /// Something changed, and nobody says what.
    pub fn changed(&self) {
        let mut state = self.state();
        // Where events keep the snapshot, one has reported what this is about.
        let news = !state.currency.is_kept_by_events() && !state.currency.is_dirty();
        state.currency.dirty();
        drop(state);
        if news {
            self.connection.changed();
        }
    }

    /// An event.
    pub fn event(&self, event: GatewayEvent, at: Instant) {
        let now = self.connection.now();
        let mut state = self.state();
        if matches!(event, GatewayEvent::DriverReady) {
            state.liveness.driver_ready();
            state.keep_as_last_known();
            state.begins_anew(at);
        }
        if state.currency.event(at) {
            // No event reported what changed before it.
            state.refetch.changed(at);
            self.due.notify_one();
        }
        let mut changed = None;
        match event {
            GatewayEvent::DriverReady | GatewayEvent::Other => {}
            GatewayEvent::Structure | GatewayEvent::Unknown => state.restructured(at),
            GatewayEvent::Ready(about) => {
                let usable = |node: &Arc<Node>| {
                    node.ready && (!node.values.is_empty() || node.role != Role::Device)
                };
                changed = Some(about.node);
                if !state.snapshot.nodes.get(&about.node).is_some_and(usable) {
                    state.restructured(at);
                }
                state.node(&about, at);
            }
            GatewayEvent::Node(about) => {
                changed = Some(about.node);
                state.node(&about, at);
                if about.status.is_some_and(is_awake)
                    && let Some(node) = state.node_mut(about.node)
                {
                    node.last_active = Some(now);
                }
            }
            GatewayEvent::Value {
                node: about,
                id,
                reading,
            } => {
                changed = Some(about.node);
                state.node(&about, at);
                if id.class != CommandClass::NODE_NAMING {
                    state.value(about.node, &id, reading, at);
                    if let Some(node) = state.node_mut(about.node) {
                        node.last_active = Some(now);
                    }
                }
            }
        }
        let due = state.refetch.due().is_some();
        drop(state);
        if due {
            self.due.notify_one();
        }
        if let Some(node) = changed {
            self.listeners.tell(node);
        }
        self.connection.changed();
    }
}

/// How many nodes and values are remembered that events tell of and `getNodes` does not.
const MOST_UNLISTED: usize = 1024;

fn is_awake(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Alive | NodeStatus::Awake)
}

impl SessionState {
    /// Whatever was known may have changed: it is read again, and so is how the gateway tells of
    /// changes. A request from before may be lost.
    fn begins_anew(&mut self, at: Instant) {
        self.reading = None;
        self.currency.new_life(at);
        self.scenes.last = None;
        self.scenes.came = None;
        self.scenes.reading = None;
        self.unlisted.clear();
        self.refetch.returned(at);
    }

    /// The gateway began anew. What it tells from now on may be what it kept in a file, and older than
    /// what is known here.
    fn keep_as_last_known(&mut self) {
        self.is_anew = true;
        self.kept.clear();
        let snapshot = Arc::make_mut(&mut self.snapshot);
        let nodes = snapshot.nodes.values_mut().map(Arc::make_mut);
        for value in nodes.flat_map(|node| &mut node.values) {
            if value.reading.is_some() {
                value.evidence = value.evidence.max(Evidence::LastKnown);
            }
        }
    }

    /// Nodes came, went or are others now: a name may mean another device.
    pub(super) fn restructured(&mut self, at: Instant) {
        self.currency.restructured(at);
        self.refetch.changed(at);
    }

    fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        Arc::make_mut(&mut self.snapshot).node_mut(node)
    }

    /// What every event of a node tells: its name, its room and its status
    /// (`docs/GATEWAY.md#events`).
    fn node(&mut self, about: &EventNode, at: Instant) {
        self.updated = Some(at);
        let Some(known) = self.snapshot.nodes.get(&about.node) else {
            return self.unlisted(about.node, None, at);
        };
        // Dead since the gateway started: only now its values are known
        // (`docs/GATEWAY.md#node-documents`).
        let woke = about.status.is_some_and(is_awake);
        if woke && known.values.is_empty() && known.role == Role::Device {
            self.unlisted(about.node, None, at);
        }
        let Some(known) = self.snapshot.nodes.get(&about.node) else {
            return;
        };
        // A node without a name has none in its events; that a name was taken away is read.
        let lost = |now: &Option<Box<str>>, before: &str| now.is_none() && !before.is_empty();
        let other =
            |now: &Option<Box<str>>, before: &str| now.as_deref().is_some_and(|now| now != before);
        let unnamed = lost(&about.name, &known.name) || lost(&about.room, &known.room);
        let renamed = other(&about.name, &known.name) || other(&about.room, &known.room);
        let changed = about.status.is_some_and(|status| status != known.status);
        if unnamed {
            self.unlisted(about.node, None, at);
        }
        if renamed || changed {
            self.shape += u64::from(renamed);
            if let Some(node) = self.node_mut(about.node) {
                node.status = about.status.unwrap_or(node.status);
                node.name = about.name.clone().unwrap_or_else(|| node.name.clone());
                node.room = about.room.clone().unwrap_or_else(|| node.room.clone());
            }
        }
    }

    /// What a value reads now. One that is not known, or has come or gone, is read with its node.
    fn value(&mut self, node: NodeId, id: &ValueId, reading: Option<Reading>, at: Instant) {
        let guess = self
            .unproven
            .is_guess(node, id, reading.as_ref(), at, Source::Event);
        let value = self.node_mut(node).and_then(|node| node.value_mut(id));
        if let Some(value) = value {
            value.reading = reading;
            value.evidence = if guess {
                Evidence::Guessed
            } else {
                Evidence::Reported
            };
            if matches!(id.class, CommandClass::DOOR_LOCK | CommandClass::LOCK) {
                self.heard_of(node, id);
            }
        } else if !id.class.is_bookkeeping() {
            self.unlisted(node, Some(id), at);
        }
    }

    /// An event tells of a node or a value that is not among the nodes: they are read again, once for
    /// each.
    fn unlisted(&mut self, node: NodeId, id: Option<&ValueId>, at: Instant) {
        if self.unlisted.len() < MOST_UNLISTED && self.unlisted.insert((node, id.cloned())) {
            self.restructured(at);
        }
    }
}
