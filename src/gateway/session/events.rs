//! News that a gateway reports by itself: that it came or went, its events, and that something changed.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::info;

use super::liveness::Status;
use super::unproven::Source;
use super::{Moment, Session};
use crate::gateway::protocol::events::{EventNode, GatewayEvent};
use crate::home::model::ids::{CommandClass, NodeId, ValueId};
use crate::home::model::node::{Node, NodeStatus, Role};
use crate::home::model::value::{Evidence, Reading};

/// The maximum number of remembered nodes and values that events report and `getNodes` does not.
const MAX_UNLISTED: usize = 1024;

impl Session {
    /// Notes that the connection to the broker came up: everything may have changed meanwhile.
    pub fn connect(&mut self, now: Moment) {
        self.is_linked = true;
        self.liveness.forget();
        self.begin_life(now.at);
    }

    /// Notes that the connection to the broker broke.
    pub fn disconnect(&mut self) {
        self.is_linked = false;
        self.nodes_request = None;
        self.scenes_request = None;
        self.probe = None;
        self.nodes.give_up();
        self.scenes.give_up();
        self.asks.clear();
    }

    /// Notes that it was heard for the first time, or that the settings name it.
    pub fn appear(&mut self, now: Moment) {
        self.nodes.restart(now.at);
    }

    /// Notes that it said something, whatever that is.
    pub fn note_sign_of_life(&mut self, now: Moment) {
        if self.liveness.note_sign_of_life(now.at) {
            self.nodes.restart(now.at);
            info!(gateway = %self.name, "it answers again");
        }
        self.probe = None;
        self.note_known(now);
    }

    /// Takes in one of its two statuses. One that is not retained begins a new life.
    pub fn set_status(&mut self, which: Status, alive: bool, retained: bool, now: Moment) {
        let before = self.trouble(now);
        self.liveness.set_status(which, alive, now.time, retained);
        if self.trouble(now) != before {
            info!(gateway = %self.name, ?which, alive, "gateway status");
        }
        if !retained {
            if which == Status::Driver && alive {
                self.keep_as_last_known();
            }
            self.begin_life(now.at);
        } else if alive && !self.liveness.is_offline() && self.freshness.last.is_none() {
            self.nodes.restart(now.at);
        }
    }

    /// Notes that a driver came or went, which may or may not be this gateway's.
    pub fn note_some_driver(&mut self, retained: bool, now: Moment) {
        self.liveness.driver = None;
        if !retained {
            self.begin_life(now.at);
        }
    }

    /// Notes that it restarted, as shown by its version, which it publishes when it starts, or by
    /// its driver.
    pub fn start_anew(&mut self, now: Moment) {
        self.keep_as_last_known();
        self.begin_life(now.at);
    }

    /// Begins a new life. Everything is read again, events have to prove again that they report changes, and
    /// earlier requests may be lost.
    fn begin_life(&mut self, now: Instant) {
        self.life += 1;
        self.nodes_request = None;
        self.scenes_request = None;
        self.probe = None;
        self.freshness.begin_life(now);
        self.scenes_known.last = None;
        self.scenes_known.came = None;
        self.unlisted.clear();
        self.nodes.restart(now);
    }

    /// Marks all readings as last known, because the gateway restarted. Its next values may come from its
    /// cache file, and be older than ours.
    fn keep_as_last_known(&mut self) {
        self.has_restarted = true;
        self.kept.clear();
        let number = self.next_change();
        let snapshot = Arc::make_mut(&mut self.snapshot);
        let nodes = snapshot.nodes.values_mut().map(Arc::make_mut);
        for value in nodes.flat_map(|node| &mut node.values) {
            if value.reading.is_some() && value.evidence < Evidence::LastKnown {
                value.evidence = Evidence::LastKnown;
                value.changed = number;
            }
        }
    }

    /// Notes that something changed, without knowing what. Returns true unless that was known already, from an
    /// event or because the nodes have to be read anyway.
    pub fn note_unknown_change(&mut self) -> bool {
        let is_news = !self.freshness.is_kept_by_events() && !self.freshness.is_dirty;
        self.freshness.is_dirty = true;
        is_news
    }

    /// Takes in an event.
    pub fn take_event(&mut self, event: GatewayEvent, now: Moment) {
        if event == GatewayEvent::DriverReady {
            self.liveness.driver = Some(true);
            self.start_anew(now);
        }
        if self.freshness.hear_event(now.at) {
            // This is the first event of a life: no event reported the changes before it.
            self.nodes.note_change(now.at);
        }
        match event {
            GatewayEvent::DriverReady | GatewayEvent::Other => {}
            GatewayEvent::Structure | GatewayEvent::Unknown => self.note_restructured(now.at),
            GatewayEvent::Ready(about) => {
                let is_usable = |node: &Arc<Node>| {
                    node.ready && (!node.values.is_empty() || node.role != Role::Device)
                };
                if !self.node(about.node).is_some_and(is_usable) {
                    self.note_restructured(now.at);
                }
                self.take_node(&about, now);
            }
            GatewayEvent::Operated { node, by } => {
                self.take_node(&node, now);
                self.note_actor(node.node, by, now);
            }
            GatewayEvent::Node(about) => {
                self.take_node(&about, now);
                if about.status.is_some_and(is_awake) {
                    self.note_active(about.node, now);
                }
                self.record(about.node, None, now);
            }
            GatewayEvent::Value { node, id, reading } => {
                self.take_node(&node, now);
                if id.class != CommandClass::NODE_NAMING {
                    self.take_value(node.node, &id, reading, now);
                    self.note_active(node.node, now);
                    self.record(node.node, None, now);
                }
            }
        }
    }

    /// Notes that nodes came, went or changed: a name may mean another device.
    pub(super) fn note_restructured(&mut self, at: Instant) {
        self.freshness.mark_restructured(at);
        self.nodes.note_change(at);
    }

    fn note_active(&mut self, node: NodeId, now: Moment) {
        if let Some(node) = self.node_mut(node) {
            node.last_active = Some(now.time);
        }
    }

    /// Takes in what every event of a node carries: its name, its room and its status
    /// (`docs/GATEWAY.md#events`).
    fn take_node(&mut self, about: &EventNode, now: Moment) {
        self.updated = Some(now.at);
        let Some(known) = self.node(about.node).cloned() else {
            return self.note_unlisted(about.node, None, now.at);
        };
        // A node that was dead when the gateway started has values only from now on
        // (`docs/GATEWAY.md#node-documents`).
        let has_woken = about.status.is_some_and(is_awake) && known.role == Role::Device;
        // A node without a name has none in its events, so only a reading shows that a name was
        // removed.
        let is_lost = |now: &Option<Box<str>>, before: &str| now.is_none() && !before.is_empty();
        if (has_woken && known.values.is_empty())
            || is_lost(&about.name, &known.name)
            || is_lost(&about.room, &known.room)
        {
            self.note_unlisted(about.node, None, now.at);
        }
        let status = about.status.unwrap_or(known.status);
        let name = about.name.clone().unwrap_or_else(|| known.name.clone());
        let room = about.room.clone().unwrap_or_else(|| known.room.clone());
        let renamed = name != known.name || room != known.room;
        if renamed || status != known.status {
            // Without this, `node_mut` would copy the node.
            drop(known);
            self.device_version += u64::from(renamed);
            let number = self.next_change();
            if let Some(node) = self.node_mut(about.node) {
                node.status = status;
                node.name = name;
                node.room = room;
                node.changed = number;
            }
        }
    }

    /// Takes in the new reading of a value. A value that is not known is read with its node.
    fn take_value(&mut self, node: NodeId, id: &ValueId, reading: Option<Reading>, now: Moment) {
        let is_guess = self.unproven.is_guess(node, id, reading.as_ref(), now.at, Source::Event);
        if self.node(node).is_some_and(|node| node.value(id).is_some()) {
            let evidence = if is_guess {
                Evidence::Guessed
            } else {
                Evidence::Reported
            };
            self.set_reading(node, id, reading, evidence);
            if matches!(id.class, CommandClass::DOOR_LOCK | CommandClass::LOCK) {
                self.note_report(node, id, now.at);
            }
        } else if !id.class.is_bookkeeping() {
            self.note_unlisted(node, Some(id), now.at);
        }
    }

    /// Notes that an event is about a node or a value that only a reading of the nodes can settle. They are
    /// read again, once for each.
    fn note_unlisted(&mut self, node: NodeId, id: Option<&ValueId>, at: Instant) {
        if self.unlisted.len() < MAX_UNLISTED && self.unlisted.insert((node, id.cloned())) {
            self.note_restructured(at);
        }
    }
}

fn is_awake(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Alive | NodeStatus::Awake)
}
