//! A gateway's replies to our calls, and what other clients ask of it.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::{debug, info};

use super::requests::{Reply, ReplyEffect};
use super::unproven::Source;
use super::{Session, SessionState, Status, currency};
use crate::gateway::protocol::nodes::{Nodes, NodesReply};
use crate::gateway::protocol::payloads::{self, ReplyDocument};
use crate::home::model::node::Node;
use crate::home::model::snapshot::Snapshot;
use crate::home::model::value::Evidence;

impl Session {
    /// A reply to somebody's call.
    pub fn reply(&self, api: &str, payload: &[u8], at: Instant) {
        if !self.requests.may_be_ours(payload) {
            return;
        }
        if api != "getNodes" {
            let replied = self.other_reply(payload);
            self.not_run(replied.as_ref(), at);
        } else if let Some(reply) = NodesReply::read(payload) {
            self.nodes_reply(reply, at);
        } else {
            debug!("a getNodes reply can't be read");
        }
    }

    /// Looks whether a call did not run for want of a driver.
    fn not_run(&self, replied: Option<&Reply>, at: Instant) {
        if let Some(Reply::NotRun(words)) = replied
            && words.contains("not connected")
        {
            // Nobody saw when that began, and nobody may tell when it ends: it is asked again.
            let now = self.connection.now();
            let mut state = self.state();
            state.liveness.set_status(Status::Driver, false, now, true);
            // A reading that fails is tried again ever more seldom.
            if state.reading.is_none() {
                state.refetch.changed(at);
            }
            drop(state);
            self.state_changed();
        }
    }

    /// A `getNodes` reply: where it is ours, the nodes are replaced here and now, in the order of messages.
    pub fn nodes_reply(&self, reply: NodesReply, at: Instant) {
        let Some(id) = reply.id else { return };
        let Some(purpose) = self.requests.purpose(&id) else {
            return;
        };
        let reply = match reply.nodes {
            Ok(nodes) => {
                if let ReplyEffect::Nodes { number, sent } = purpose {
                    self.replace(nodes, number, currency::NodesReading { sent, came: at });
                }
                Reply::Ran(None)
            }
            Err(words) => Reply::NotRun(words),
        };
        self.requests.hand_over(&id, reply.clone());
        self.not_run(Some(&reply), at);
    }

    /// Returns true while its nodes are being read.
    pub fn is_read_from(&self) -> bool {
        self.state().reading.is_some()
    }

    /// Reads a reply to any call but `getNodes` and hands it over.
    fn other_reply(&self, payload: &[u8]) -> Option<Reply> {
        let document: ReplyDocument<serde_json::Value> = match serde_json::from_slice(payload) {
            Ok(document) => document,
            Err(error) => {
                debug!(%error, "a reply can't be read");
                return None;
            }
        };
        let id = document.request_id()?.to_owned();
        let purpose = self.requests.purpose(&id)?;
        let reply = if document.success {
            Reply::Ran(document.result)
        } else {
            Reply::NotRun(document.message.unwrap_or_default().into_owned())
        };
        // What comes after this message is newer, and must not be overwritten by it.
        if let (ReplyEffect::State(node, state, asked), Reply::Ran(Some(result))) =
            (purpose, &reply)
            && let Some(current) = payloads::report(result).current
        {
            self.state().answered(node, &state, current, asked);
            self.connection.changed();
        }
        self.requests.hand_over(&id, reply.clone()).then_some(reply)
    }

    fn replace(&self, nodes: Nodes, number: u64, reading: currency::NodesReading) {
        let Nodes {
            mut nodes,
            unreadable,
        } = nodes;
        let mut state = self.state();
        // A reading that was overtaken by a new life or a newer reading shows nothing any more.
        if state.reading != Some(number) {
            return;
        }
        state.reading = None;
        let mut news = state.snapshot.nodes.len() != nodes.len();
        for (id, node) in &mut nodes {
            let before = state.snapshot.nodes.get(id).cloned();
            state.keep_later(Arc::make_mut(node), before.as_deref(), reading.sent);
            let Some(before) = before else {
                news = true;
                continue;
            };
            news |= !before.is_same_device(node);
            // What is as it was is kept: what is new then leaves no holes behind in a large house.
            if before == *node {
                *node = before;
            }
        }
        state.is_anew = false;
        let count = nodes.len();
        let Snapshot { scenes, groups, .. } = &*state.snapshot;
        state.snapshot = Arc::new(Snapshot {
            gateway: self.name.clone(),
            scenes: scenes.clone(),
            groups: groups.clone(),
            nodes,
        });
        // Groups that were asked for since are newer than the nodes.
        if state.scenes.last.is_some_and(|last| last > reading.sent) {
            state.drop_gone_groups();
        }
        if news {
            state.shape += 1;
            state.unlisted.clear();
        }
        state.unreadable = unreadable;
        state.updated = Some(reading.came);
        state.currency.read(reading);
        state.refetch.finished(news);
        state.liveness.answered_nodes(true);
        if state.scenes.last.is_none() {
            state.scenes.again.changed(reading.came);
        }
        state.written.retain(|_, at| *at > reading.sent);
        let SessionState {
            unproven, snapshot, ..
        } = &mut *state;
        unproven.keep(|node| snapshot.nodes.contains_key(&node));
        drop(state);
        let took = reading.took().as_millis() as u64;
        info!(gateway = %self.name, nodes = count, milliseconds = took, "nodes read");
        self.listeners.tell_all();
        self.state_changed();
    }

    /// Somebody's request: a write that is not ours may take the place of one that is.
    pub fn request(&self, api: &str, payload: &[u8]) {
        if api == "writeValue"
            && !self.requests.may_be_ours(payload)
            && let Some((node, id)) = payloads::written(payload)
        {
            self.writes.seen(node, &id);
        }
    }
}

impl SessionState {
    /// Keeps what was answered after this reading of a node was asked for, and says what it guesses.
    fn keep_later(&mut self, node: &mut Node, before: Option<&Node>, sent: Instant) {
        let id = node.id;
        for value in &mut node.values {
            let own = (id, value.id.clone());
            let later = self.answers.get(&own).is_some_and(|at| *at > sent);
            let known = before.filter(|_| later);
            if let Some(known) = known.and_then(|known| known.value(&value.id)) {
                value.reading.clone_from(&known.reading);
                value.evidence = known.evidence;
                continue;
            }
            let known = before.and_then(|before| before.value(&value.id));
            if let Some(known) = known.filter(|known| known.evidence == Evidence::LastKnown) {
                // The first reading tells what the gateway kept; what is another one later was reported.
                let same = self.kept.get(&own).unwrap_or(&known.reading) == &value.reading;
                if self.is_anew && !same {
                    self.kept.insert(own, value.reading.clone());
                }
                if self.is_anew || same {
                    // Where no event tells what changed since, nobody knows better than the gateway.
                    let silent = self.currency.is_kept_by_events() || !self.currency.is_dirty();
                    if self.is_anew || silent {
                        value.reading.clone_from(&known.reading);
                    }
                    value.evidence = Evidence::LastKnown;
                    continue;
                }
            }
            let now = value.reading.as_ref();
            if self
                .unproven
                .is_guess(id, &value.id, now, sent, Source::Nodes)
            {
                value.evidence = Evidence::Guessed;
            }
        }
    }
}
