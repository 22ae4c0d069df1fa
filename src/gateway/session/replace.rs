//! Replaces nodes, scenes and groups with fetched ones, but keeps our readings that are better.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::freshness::Fetch;
use super::unproven::Source;
use super::{Moment, Session};
use crate::gateway::protocol::nodes::Nodes;
use crate::gateway::protocol::scenes::Scenes;
use crate::home::model::ids::NodeId;
use crate::home::model::node::{Node, Role};
use crate::home::model::snapshot::Snapshot;
use crate::home::model::value::{Evidence, Value};

impl Session {
    /// Replaces the nodes with fetched ones. Returns true if devices were added, removed, changed or renamed.
    pub(super) fn replace_nodes(&mut self, reply: Nodes, fetch: Fetch) -> bool {
        let mut nodes = reply.nodes;
        let before = Arc::clone(&self.snapshot);
        let number = self.change_count.wrapping_add(1);
        let mut have_devices_changed = before.nodes.len() != nodes.len();
        let mut has_visible_change = false;
        for (id, node) in &mut nodes {
            let shared_before = before.nodes.get(id);
            let node_before = shared_before.map(|node| &**node);
            let fetched = Arc::make_mut(node);
            self.keep_better_readings(fetched, node_before, fetch.sent);
            fetched.was_door_closed |= node_before.is_some_and(|before| before.was_door_closed);
            // An event of the node may have been received later, and by the right clock.
            let active_before = node_before.and_then(|before| before.last_active);
            fetched.last_active = fetched.last_active.max(active_before);
            self.note_missing(fetched, shared_before);
            has_visible_change |= set_change_numbers(fetched, node_before, number);
            have_devices_changed |=
                node_before.is_none_or(|before| !before.is_same_device(fetched));
            // Keep the old copy of an unchanged node. New copies of thousands of nodes would fragment the heap.
            if let Some(unchanged) = shared_before.filter(|before| *before == node) {
                *node = Arc::clone(unchanged);
            }
        }
        if have_devices_changed || has_visible_change {
            self.change_count = number;
        }
        if self.has_restarted {
            let gone = before.nodes.iter().filter(|(id, _)| !nodes.contains_key(id));
            self.missing_nodes.extend(gone.map(|(id, node)| (*id, Arc::clone(node))));
        }
        self.snapshot = Arc::new(Snapshot {
            gateway: self.name.clone(),
            scenes: before.scenes.clone(),
            groups: before.groups.clone(),
            nodes,
        });
        self.has_restarted = false;
        // If the groups were requested after the nodes, some fetched nodes may stand for groups that are gone.
        if self.scenes_fetch.is_some_and(|scenes| scenes.sent > fetch.sent) {
            self.drop_gone_groups();
        }
        if have_devices_changed {
            self.device_version += 1;
            self.fetch_causes.clear();
        }
        self.unreadable = reply.unreadable;
        self.left_out.0 = reply.left_out;
        self.written_nodes.retain(|_, at| *at > fetch.sent);
        let snapshot = &self.snapshot;
        self.unproven.retain_nodes(|node| snapshot.nodes.contains_key(&node));
        self.last_writes.retain(|(node, _), _| snapshot.nodes.contains_key(node));
        have_devices_changed
    }

    /// Remembers the node as it was before if the restarted gateway does not show all of its values yet, and
    /// forgets it once all are there.
    fn note_missing(&mut self, fetched: &Node, before: Option<&Arc<Node>>) {
        let lacks_value = |node: &Node| {
            node.values.iter().any(|value| {
                value.evidence == Evidence::LastKnown && fetched.value(&value.id).is_none()
            })
        };
        let missing = self.missing_nodes.remove(&fetched.id).filter(|node| lacks_value(node));
        let before = before.filter(|node| self.has_restarted && lacks_value(node));
        let node = missing.or_else(|| before.cloned());
        self.missing_nodes.extend(node.map(|node| (fetched.id, node)));
    }

    /// Replaces readings of a fetched node with better ones that we have, and marks guesses. `sent` is the time
    /// at which the nodes were requested.
    fn keep_better_readings(&mut self, node: &mut Node, before: Option<&Node>, sent: Instant) {
        let id = node.id;
        let missing = self.missing_nodes.get(&id).filter(|missing| missing.product == node.product);
        let missing = missing.cloned();
        for value in &mut node.values {
            let ours = before.and_then(|before| before.value(&value.id));
            let missing = missing.as_ref().filter(|_| ours.is_none());
            let is_first = self.has_restarted || missing.is_some();
            let ours = ours.or_else(|| missing?.value(&value.id));
            // `last_reports` is usually empty. Checking this first avoids copies of a hundred thousand ids.
            let was_reported_later = !self.last_reports.is_empty()
                && self.last_reports.get(&(id, value.id.clone())).is_some_and(|at| *at > sent);
            if let Some(ours) = ours.filter(|_| was_reported_later) {
                value.reading.clone_from(&ours.reading);
                value.evidence = ours.evidence;
                continue;
            }
            if let Some(ours) = ours.filter(|ours| ours.evidence == Evidence::LastKnown)
                && self.keep_last_known(id, value, ours, is_first)
            {
                continue;
            }
            let reading = value.reading.as_ref();
            if self.unproven.take_reading(id, &value.id, reading, sent, Source::Nodes) {
                value.evidence = Evidence::Guessed;
            } else if self.is_moving(id, &value.id, sent) {
                value.evidence = Evidence::Moving;
            }
        }
    }

    /// Marks a fetched value as last known if its reading may come from the cache of the restarted gateway, and
    /// restores our reading if that is better. `is_first` is true if no earlier fetch since the restart had the
    /// value. Returns false if the device has reported since the restart.
    fn keep_last_known(
        &mut self,
        node: NodeId,
        fetched: &mut Value,
        ours: &Value,
        is_first: bool,
    ) -> bool {
        let key = (node, fetched.id.clone());
        let cached = self.cached_readings.get(&key).unwrap_or(&ours.reading);
        let is_cached = *cached == fetched.reading;
        // Without a reading, the gateway has not loaded its cache yet.
        let is_first = is_first || cached.is_none();
        if !is_first && !is_cached {
            return false;
        }
        if !is_cached {
            // This is the first reading after the restart, so it shows the cache.
            self.cached_readings.insert(key, fetched.reading.clone());
        }
        // Our reading is better than the cache, unless something may have changed without an event.
        let is_quiet = self.freshness.is_kept_by_events() || !self.freshness.is_dirty;
        if is_first || is_quiet {
            fetched.reading.clone_from(&ours.reading);
        }
        fetched.evidence = Evidence::LastKnown;
        true
    }

    /// Replaces the scenes and groups. Each group is also a node, which gets the group's name. If this node is
    /// missing, the nodes are fetched again.
    pub(super) fn set_scenes(&mut self, fetched: Scenes, now: Moment) {
        self.left_out.1 = fetched.left_out;
        let mut members = BTreeMap::new();
        let mut is_renamed = false;
        for (id, (name, nodes)) in fetched.groups {
            let has_old_name = |node: &Arc<Node>| !name.is_empty() && node.name != name;
            if self.node(id).is_some_and(has_old_name)
                && let Some(node) = self.node_mut(id)
            {
                node.name = name;
                is_renamed = true;
            }
            members.insert(id, nodes);
        }
        let (scenes, groups) = (fetched.scenes, members);
        if !is_renamed && self.snapshot.scenes == scenes && self.snapshot.groups == groups {
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

    /// Drops the nodes of groups that `_getGroups` no longer lists.
    fn drop_gone_groups(&mut self) {
        let Snapshot { nodes, groups, .. } = &*self.snapshot;
        let is_gone = |node: &Node| node.role == Role::Group && !groups.contains_key(&node.id);
        if nodes.values().any(|node| is_gone(node)) {
            let Snapshot { nodes, groups, .. } = Arc::make_mut(&mut self.snapshot);
            nodes.retain(|id, node| node.role != Role::Group || groups.contains_key(id));
        }
    }
}

/// Sets the change numbers of a node and of its values. A node or value that differs from `before` gets
/// `number`. One that is the same keeps its number from `before`. Returns true if anything differs.
fn set_change_numbers(node: &mut Node, before: Option<&Node>, number: u32) -> bool {
    let is_same = |before: &&Node| {
        node.is_same_device(before)
            && node.status == before.status
            && node.weak_link == before.weak_link
    };
    node.changed = before.filter(is_same).map_or(number, |before| before.changed);
    for value in &mut node.values {
        let value_before = before.and_then(|before| before.value(&value.id));
        let unchanged = value_before.filter(|before| {
            !value.id.is_state()
                || (before.reading == value.reading && before.evidence == value.evidence)
        });
        value.changed = unchanged.map_or(number, |before| before.changed);
    }
    node.changed == number || node.values.iter().any(|value| value.changed == number)
}
