//! Replaces nodes, scenes and groups by those of a reading, except for what is known better.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::freshness::NodesReading;
use super::unproven::Source;
use super::{Moment, Session};
use crate::gateway::protocol::nodes::Nodes;
use crate::home::model::ids::{NodeId, SceneId};
use crate::home::model::node::{Node, Role};
use crate::home::model::snapshot::{Scene, Snapshot};
use crate::home::model::value::Evidence;

impl Session {
    /// Replaces the nodes by those of a reading. Returns how many there are, and true if they are not
    /// the same devices as before, or have other names.
    pub(super) fn replace_nodes(&mut self, nodes: Nodes, reading: NodesReading) -> (usize, bool) {
        let Nodes {
            mut nodes,
            unreadable,
        } = nodes;
        let before = Arc::clone(&self.snapshot);
        let number = self.changes.wrapping_add(1);
        let mut news = before.nodes.len() != nodes.len();
        for (id, node) in &mut nodes {
            let known = before.nodes.get(id);
            let fresh = Arc::make_mut(node);
            self.keep_later(fresh, known.map(|known| &**known), reading.sent);
            number_changes(fresh, known.map(|known| &**known), number);
            let Some(known) = known else {
                news = true;
                continue;
            };
            news |= !known.is_same_device(fresh);
            // A node that did not change is kept, so that no holes are left in the memory of a large
            // house.
            if known == node {
                *node = Arc::clone(known);
            }
        }
        let count = nodes.len();
        if news || nodes.values().any(|node| has_change(node, number)) {
            self.changes = number;
        }
        self.snapshot = Arc::new(Snapshot {
            gateway: self.name.clone(),
            scenes: before.scenes.clone(),
            groups: before.groups.clone(),
            nodes,
        });
        self.has_restarted = false;
        // Groups that were asked for since are newer than the nodes.
        if self.scenes_known.last > Some(reading.sent) {
            self.drop_gone_groups();
        }
        if news {
            self.device_version += 1;
            self.unlisted.clear();
        }
        self.unreadable = unreadable;
        self.updated = Some(reading.came);
        self.written_nodes.retain(|_, at| *at > reading.sent);
        let snapshot = &self.snapshot;
        self.unproven.retain_nodes(|node| snapshot.nodes.contains_key(&node));
        self.writes.retain(|(node, _), _| snapshot.nodes.contains_key(node));
        (count, news)
    }

    /// Keeps what was answered after this reading of a node was asked for, and marks what is a guess.
    fn keep_later(&mut self, node: &mut Node, before: Option<&Node>, sent: Instant) {
        let id = node.id;
        for value in &mut node.values {
            // Hardly any value needs it, and a large house has a hundred thousand of them.
            let key = || (id, value.id.clone());
            let known = before.and_then(|before| before.value(&value.id));
            let is_later =
                !self.reports.is_empty() && self.reports.get(&key()).is_some_and(|at| *at > sent);
            if let Some(known) = known.filter(|_| is_later) {
                value.reading.clone_from(&known.reading);
                value.evidence = known.evidence;
                continue;
            }
            if let Some(known) = known.filter(|known| known.evidence == Evidence::LastKnown) {
                // The first reading shows what the gateway had kept; a later one that differs was
                // reported.
                let is_same = self.kept.get(&key()).unwrap_or(&known.reading) == &value.reading;
                if self.has_restarted && !is_same {
                    self.kept.insert(key(), value.reading.clone());
                }
                if self.has_restarted || is_same {
                    // If something changed since and no event said what, nobody knows better than the
                    // gateway.
                    let is_quiet = self.freshness.is_kept_by_events() || !self.freshness.is_dirty;
                    if self.has_restarted || is_quiet {
                        value.reading.clone_from(&known.reading);
                    }
                    value.evidence = Evidence::LastKnown;
                    continue;
                }
            }
            let now = value.reading.as_ref();
            if self.unproven.is_guess(id, &value.id, now, sent, Source::Nodes) {
                value.evidence = Evidence::Guessed;
            }
        }
    }

    pub(super) fn set_scenes(
        &mut self,
        scenes: BTreeMap<SceneId, Scene>,
        groups: BTreeMap<NodeId, Vec<NodeId>>,
        now: Moment,
    ) {
        if self.snapshot.scenes == scenes && self.snapshot.groups == groups {
            return;
        }
        self.device_version += 1;
        self.next_change();
        let snapshot = Arc::make_mut(&mut self.snapshot);
        snapshot.scenes = scenes;
        snapshot.groups = groups;
        self.drop_gone_groups();
        let Snapshot { nodes, groups, .. } = &*self.snapshot;
        if groups.keys().any(|group| !nodes.contains_key(group)) {
            self.note_restructured(now.at);
        }
    }

    /// Drops the nodes of groups that `_getGroups` does not name any more.
    fn drop_gone_groups(&mut self) {
        let Snapshot { nodes, groups, .. } = &*self.snapshot;
        let is_gone = |node: &Node| node.role == Role::Group && !groups.contains_key(&node.id);
        if nodes.values().any(|node| is_gone(node)) {
            let Snapshot { nodes, groups, .. } = Arc::make_mut(&mut self.snapshot);
            nodes.retain(|id, node| node.role != Role::Group || groups.contains_key(id));
        }
    }
}

/// Returns true if a node or a value of it has the number of this change.
fn has_change(node: &Node, number: u32) -> bool {
    node.changed == number || node.values.iter().any(|value| value.changed == number)
}

/// Gives the number of this change to everything in a node that differs from before.
fn number_changes(node: &mut Node, before: Option<&Node>, number: u32) {
    let is_same = |before: &&Node| node.is_same_device(before) && node.status == before.status;
    node.changed = before.filter(is_same).map_or(number, |before| before.changed);
    for value in &mut node.values {
        let known = before.and_then(|before| before.value(&value.id));
        let same = known.filter(|known| {
            !value.id.is_state()
                || (known.reading == value.reading && known.evidence == value.evidence)
        });
        value.changed = same.map_or(number, |known| known.changed);
    }
}
