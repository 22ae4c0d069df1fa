//! What is heard of nodes and values: events, topics, devices' own answers.

use tokio::time::Instant;

use super::Hub;
use crate::gateway::messages::{self, Event, Said};
use crate::gateway::refetch::Unmatched;
use crate::gateway::site::Link;
use crate::gateway::topics::Owner;
use crate::home::ids::{CommandClass, NodeId, SiteId, Timestamp, ValueId};
use crate::home::node::{Node, NodeStatus, Role};
use crate::home::plan::Step;
use crate::home::value::Reading;

impl Hub {
    /// An event of a gateway.
    pub(super) fn event(&mut self, site: SiteId, event: Event, now: Timestamp, at: Instant) {
        match event {
            Event::Structure => self.restructured(site, at),
            Event::Ready(node) => {
                let usable = |node: &Node| {
                    node.ready && (!node.values.is_empty() || node.role != Role::Device)
                };
                if !self.house.node(site, node).is_some_and(usable) {
                    self.restructured(site, at);
                }
            }
            Event::Node { node, status } => self.node_status(site, node, status, now, at),
            Event::Value {
                node,
                status,
                id,
                reading,
            } => {
                if let Some(link) = self.links.get_mut(site.0) {
                    link.events = true;
                }
                if let Some(status) = status {
                    self.node_status(site, node, status, now, at);
                }
                if id.class == CommandClass::NODE_NAMING {
                    self.renamed(site, node, &id, reading.as_ref(), at);
                } else if !self.set_reading(site, node, &id, reading, now)
                    && !id.class.is_bookkeeping()
                    && let Some(link) = self.links.get_mut(site.0)
                {
                    link.refetch.unmatched(at, Unmatched::Value(node, id));
                }
            }
            Event::Other => {}
        }
    }

    /// A rename or a move shows only as an event of class 119 (captures, section 6); one also comes
    /// for every node when a gateway starts, with the name it has already.
    fn renamed(
        &mut self,
        site: SiteId,
        node: NodeId,
        id: &ValueId,
        reading: Option<&Reading>,
        at: Instant,
    ) {
        let known = self
            .house
            .node(site, node)
            .map(|node| match id.property.text() {
                Some("location") => &*node.room,
                _ => &*node.name,
            });
        if known != reading.and_then(Reading::text) {
            self.restructured(site, at);
        }
    }

    /// Nodes came, went or changed their names: calls wait until they are fetched, because a name
    /// may mean another device now.
    fn restructured(&mut self, site: SiteId, at: Instant) {
        if let Some(link) = self.links.get_mut(site.0) {
            link.changes += 1;
            link.refetch.changed(at);
        }
    }

    fn changed(&mut self, site: SiteId, at: Instant) {
        if let Some(link) = self.links.get_mut(site.0) {
            link.refetch.changed(at);
        }
    }

    fn node_status(
        &mut self,
        site: SiteId,
        node: NodeId,
        status: NodeStatus,
        now: Timestamp,
        at: Instant,
    ) {
        let Some(node) = self.house.node_mut(site, node) else {
            return self.changed(site, at);
        };
        if let Some(link) = self.links.get_mut(site.0) {
            link.heard = Some(now);
        }
        let awoke = matches!(status, NodeStatus::Alive | NodeStatus::Awake);
        node.status = status;
        if awoke {
            node.last_active = Some(now);
        }
        // Dead since the gateway started: only now its values are known (captures, section 1).
        if awoke && node.values.is_empty() && node.role == Role::Device {
            self.changed(site, at);
        }
    }

    /// What a node is that was dead and is not any more; none where it was not.
    fn no_longer_dead(&self, site: SiteId, node: NodeId) -> Option<NodeStatus> {
        let was = self.house.node(site, node)?.status;
        (was == NodeStatus::Dead).then_some(NodeStatus::Alive)
    }

    /// A live message on a node's or a value's topic.
    pub(super) fn heard(&mut self, path: &str, payload: &[u8], now: Timestamp, at: Instant) {
        let mut unmatched = Vec::new();
        let mut owners = Vec::new();
        for (index, link) in self.links.iter_mut().enumerate() {
            let nodes = self.house.sites().get(index).map(|site| &site.nodes);
            let Some(nodes) = nodes.filter(|_| link.fetched.is_some()) else {
                continue;
            };
            match link.spellings.owner(path, |id| nodes.get(&id)) {
                Owner::Unmatched => unmatched.push(index),
                owner => owners.push((SiteId(index), owner)),
            }
        }
        match owners.as_slice() {
            [] => {
                for index in unmatched {
                    if let Some(link) = self.links.get_mut(index) {
                        link.refetch
                            .unmatched(at, Unmatched::Topic(path.to_owned()));
                    }
                }
            }
            [(site, Owner::Ambiguous)] => self.blurred(*site),
            [(site, owner)] => self.heard_of(*site, owner, path, payload, now, at),
            // Two gateways under one prefix with the same names: nobody can tell whose it is.
            several => several.iter().for_each(|(site, _)| self.blurred(*site)),
        }
    }

    /// Something changed, and nobody can tell what: these values can't be kept fresh by topics.
    fn blurred(&mut self, site: SiteId) {
        if let Some(link) = self.links.get_mut(site.0) {
            link.blurred = true;
        }
    }

    fn heard_of(
        &mut self,
        site: SiteId,
        owner: &Owner,
        path: &str,
        payload: &[u8],
        now: Timestamp,
        at: Instant,
    ) {
        match owner {
            Owner::Value(node, id) => {
                if let Some(heard) = messages::value(payload) {
                    if let Some(link) = self.links.get_mut(site.0) {
                        link.topics = true;
                    }
                    self.set_reading(site, *node, id, heard.reading, now);
                }
            }
            Owner::Node(node) if path.ends_with("/status") => {
                if let Some(state) = messages::node_state(payload) {
                    let own = *node;
                    let node = state.node.unwrap_or(own);
                    // The name in the topic is another node's now.
                    if node != own
                        && let Some(link) = self.links.get_mut(site.0)
                        && link
                            .refetch
                            .unmatched(at, Unmatched::Named(node, path.to_owned()))
                    {
                        link.changes += 1;
                    }
                    let status = match state.said {
                        Said::Status(status) => Some(status),
                        Said::NotDead => self.no_longer_dead(site, node),
                    };
                    if let Some(status) = status {
                        self.node_status(site, node, status, now, at);
                    }
                }
            }
            Owner::Node(node) if path.ends_with("/lastActive") => {
                if let Some(time) = messages::last_active(payload)
                    && let Some(node) = self.house.node_mut(site, *node)
                {
                    node.last_active = Some(time);
                }
            }
            _ => {}
        }
    }

    /// Sets what a value reads; false where the node or the value is unknown.
    fn set_reading(
        &mut self,
        site: SiteId,
        node: NodeId,
        id: &ValueId,
        reading: Option<Reading>,
        now: Timestamp,
    ) -> bool {
        if let Some(link) = self.links.get_mut(site.0) {
            link.heard = Some(now);
        }
        let Some(node) = self.house.node_mut(site, node) else {
            return false;
        };
        let Some(value) = node.value_mut(id) else {
            return false;
        };
        value.reading = reading;
        value.guessed = false;
        true
    }

    /// A device's own answer. A gateway that publishes values published this one before its reply;
    /// what was heard since then is newer.
    pub fn answered(&mut self, site: SiteId, node: NodeId, id: &ValueId, reading: Reading) {
        let told = self.links.get(site.0).is_some_and(Link::tells_changes);
        if let Some(value) = self
            .house
            .node_mut(site, node)
            .and_then(|node| node.value_mut(id))
            .filter(|value| value.guessed || !told)
        {
            value.reading = Some(reading);
            value.guessed = false;
        }
    }

    /// A write was delivered without supervision: if the value already reads what was asked for,
    /// that is the gateway's guess.
    pub fn guess(&mut self, site: SiteId, step: &Step) {
        if let Some(value) = self
            .house
            .node_mut(site, step.node)
            .and_then(|node| node.value_mut(&step.state))
        {
            let reading = value.reading.as_ref();
            value.guessed = reading.is_some_and(|reading| step.goal.reached(reading));
        }
    }
}
