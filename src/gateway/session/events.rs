//! Processes unrequested news: connections, statuses, events, and changes that are reported without details.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::info;

use super::liveness::Status;
use super::unproven::Source;
use super::{Moment, Session};
use crate::gateway::protocol::events::{EventNode, GatewayEvent};
use crate::home::last_report::Watched;
use crate::home::model::ids::{CommandClass, NodeId, ValueId};
use crate::home::model::node::{Node, NodeStatus, Role};
use crate::home::model::value::{Evidence, Reading};

/// The maximum number of entries in `Session::fetch_causes`.
const MAX_FETCH_CAUSES: usize = 1024;

impl Session {
    /// Notes that the connection to the broker is up. Anything may have changed while the connection was down.
    pub fn connect(&mut self, now: Moment) {
        self.is_linked = true;
        self.liveness.forget();
        self.begin_life(now.at);
    }

    /// Notes that the connection to the broker was lost. Drops all requests.
    pub fn disconnect(&mut self) {
        self.is_linked = false;
        self.nodes_request = None;
        self.scenes_request = None;
        self.probe = None;
        self.nodes_refresh.give_up();
        self.scenes_refresh.give_up();
        self.unsent_requests.clear();
    }

    /// Schedules the first fetch of the nodes.
    pub fn schedule_first_fetch(&mut self, now: Moment) {
        self.nodes_refresh.restart(now.at);
    }

    /// Notes that a message from the gateway arrived, whatever its content.
    pub fn note_sign_of_life(&mut self, now: Moment) {
        if self.liveness.note_sign_of_life(now.at) {
            self.nodes_refresh.restart(now.at);
            info!(gateway = %self.name, "it answers again");
        }
        self.probe = None;
        self.note_nodes_known(now);
    }

    /// Processes one of the gateway's two statuses. A status that is not retained begins a new life, because
    /// it is published when the gateway or its driver starts or stops.
    pub fn set_status(&mut self, which: Status, alive: bool, retained: bool, now: Moment) {
        let before = self.trouble(now);
        self.liveness.set_status(which, alive, now.time, retained);
        if self.trouble(now) != before {
            info!(gateway = %self.name, ?which, alive, "gateway status");
        }
        if !retained {
            if which == Status::Driver && alive {
                // The driver has restarted.
                self.mark_last_known();
            }
            self.begin_life(now.at);
        } else if alive && !self.liveness.is_offline() && self.freshness.last_fetch.is_none() {
            self.nodes_refresh.restart(now.at);
        }
    }

    /// Processes a driver status that does not say which of several gateways sent it. From then on, this
    /// gateway's driver status is unknown.
    pub fn note_some_driver(&mut self, retained: bool, now: Moment) {
        self.liveness.is_driver_ready = None;
        if !retained {
            self.begin_life(now.at);
        }
    }

    /// Notes that the gateway or its driver has restarted.
    pub fn note_restart(&mut self, now: Moment) {
        self.mark_last_known();
        self.begin_life(now.at);
    }

    /// Begins a new life, and has everything fetched again. Drops requests under way: they may have been lost.
    fn begin_life(&mut self, now: Instant) {
        self.life += 1;
        self.nodes_request = None;
        self.scenes_request = None;
        self.probe = None;
        self.freshness.begin_life(now);
        self.scenes_fetch = None;
        self.fetch_causes.clear();
        self.nodes_refresh.restart(now);
        self.identity.restart(now);
    }

    /// Marks all reported readings as last known, because the gateway restarted. The values that the gateway
    /// sends next may come from its cache file, and be older than ours.
    fn mark_last_known(&mut self) {
        self.has_restarted = true;
        self.cached_readings.clear();
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

    /// Marks the snapshot as dirty. Returns false if it already was, or if events report every change.
    pub fn note_unknown_change(&mut self) -> bool {
        let is_news = !self.freshness.is_kept_by_events() && !self.freshness.is_dirty;
        self.freshness.is_dirty = true;
        is_news
    }

    /// Processes an event.
    pub fn take_event(&mut self, event: GatewayEvent, now: Moment) {
        if event == GatewayEvent::DriverReady {
            self.liveness.is_driver_ready = Some(true);
            self.note_restart(now);
        }
        if self.freshness.note_event(now.at) {
            // This is the first event of this life. Earlier changes may not have been reported, because the
            // gateway may not have sent events until now.
            self.nodes_refresh.note_change(now.at);
        }
        match event {
            GatewayEvent::DriverReady | GatewayEvent::Other => {}
            GatewayEvent::Structure | GatewayEvent::Unknown => self.note_restructured(now.at),
            GatewayEvent::Ready(node) => {
                let is_usable = |node: &Arc<Node>| {
                    node.ready && (!node.values.is_empty() || node.role != Role::Device)
                };
                if !self.node(node.node).is_some_and(is_usable) {
                    self.note_restructured(now.at);
                }
                self.take_node(&node, now);
            }
            GatewayEvent::Operated { node, by, locks } => {
                self.take_node(&node, now);
                self.note_actor(node.node, by, locks, now);
            }
            GatewayEvent::Node(node) => {
                self.take_node(&node, now);
                if node.status.is_some_and(is_awake) {
                    self.note_active(node.node, now);
                }
                self.record_event(node.node, now);
            }
            GatewayEvent::Value { node, id, reading } => {
                self.take_node(&node, now);
                // `take_node` has already processed a new name or room.
                if id.class != CommandClass::NODE_NAMING {
                    self.take_value(node.node, &id, reading, now);
                    self.note_active(node.node, now);
                    self.record_event(node.node, now);
                }
            }
        }
    }

    /// Notes that nodes were added, removed or changed, and schedules a fetch.
    pub(super) fn note_restructured(&mut self, at: Instant) {
        self.freshness.mark_restructured(at);
        self.nodes_refresh.note_change(at);
    }

    /// Notes when a device itself reported a value, so that its last report can be told. Events have no time.
    pub(super) fn note_last_report(&mut self, node: NodeId, id: &ValueId, now: Moment) {
        if Watched::of_value(id).is_some()
            && let Some(node) = self.node_mut(node)
        {
            node.note_last_report(id, now.time);
        }
    }

    fn note_active(&mut self, node: NodeId, now: Moment) {
        if let Some(node) = self.node_mut(node) {
            node.last_active = Some(now.time);
        }
    }

    /// Processes the node's name, room and status, which each of its events carries (`docs/dev/GATEWAY.md#events`).
    fn take_node(&mut self, event_node: &EventNode, now: Moment) {
        self.updated_at = Some(now);
        let Some(before) = self.node(event_node.node).cloned() else {
            return self.fetch_once_for(event_node.node, None, now.at);
        };
        // A node that was dead when the gateway started gets its values only when it responds
        // (`docs/dev/GATEWAY.md#node-documents`).
        let has_woken = event_node.status.is_some_and(is_awake) && before.role == Role::Device;
        // Events omit an empty name or room, so only a fetch shows whether the name or room was removed.
        let is_omitted =
            |reported: &Option<Box<str>>, before: &str| reported.is_none() && !before.is_empty();
        if (has_woken && before.values.is_empty())
            || is_omitted(&event_node.name, &before.name)
            || is_omitted(&event_node.room, &before.room)
        {
            self.fetch_once_for(event_node.node, None, now.at);
        }
        let status = event_node.status.unwrap_or(before.status);
        let name = event_node.name.clone().unwrap_or_else(|| before.name.clone());
        let room = event_node.room.clone().unwrap_or_else(|| before.room.clone());
        let has_new_name = name != before.name || room != before.room;
        if has_new_name || status != before.status {
            // As long as `before` shares the node, `node_mut` would copy the node.
            drop(before);
            self.device_version += u64::from(has_new_name);
            let number = self.next_change();
            if let Some(node) = self.node_mut(event_node.node) {
                node.status = status;
                node.name = name;
                node.room = room;
                node.changed = number;
            }
        }
    }

    /// Processes the new reading of a value. If the snapshot lacks the value, schedules a fetch of the nodes,
    /// unless values of this class are discarded anyway.
    fn take_value(&mut self, node: NodeId, id: &ValueId, reading: Option<Reading>, now: Moment) {
        let may_be_guess =
            self.unproven.take_reading(node, id, reading.as_ref(), now.at, Source::Event);
        if self.node(node).is_some_and(|node| node.value(id).is_some()) {
            let evidence = if may_be_guess {
                Evidence::Guessed
            } else {
                self.evidence_of_report(node, id, now.at)
            };
            self.set_reading(node, id, reading, evidence);
            if !may_be_guess {
                self.note_last_report(node, id, now);
            }
            // A lock's event counts like an answer, because the gateway does not guess the state of a lock
            // (`docs/dev/GATEWAY.md#optimistic-values`).
            if matches!(id.class, CommandClass::DOOR_LOCK | CommandClass::LOCK) {
                self.note_report(node, id, now.at);
            }
        } else if !id.class.is_discarded() {
            if let Some(missing) = self.missing_nodes.get_mut(&node).map(Arc::make_mut) {
                // The fetch will show what the device has reported.
                missing.values.retain(|value| value.id != *id);
            }
            self.fetch_once_for(node, Some(id), now.at);
        }
    }

    /// Schedules a fetch because of an event about a node or value, but only once for each node or value.
    fn fetch_once_for(&mut self, node: NodeId, id: Option<&ValueId>, at: Instant) {
        if self.fetch_causes.len() < MAX_FETCH_CAUSES
            && self.fetch_causes.insert((node, id.cloned()))
        {
            self.note_restructured(at);
        }
    }
}

fn is_awake(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Alive | NodeStatus::Awake)
}
