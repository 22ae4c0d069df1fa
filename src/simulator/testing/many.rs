//! Writes to several nodes at once: groups, multicast and broadcast
//! (`docs/GATEWAY.md#other-ways-to-write`).

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::sleep;

use crate::simulator::answers::CallResult;
use crate::simulator::id::Id;
use crate::simulator::{Sim, SimNode};

/// The command class that every actuator understands.
const BASIC: u64 = 32;

/// How long a multicast keeps the radio.
const MULTICAST: Duration = Duration::from_millis(35);

impl Sim {
    /// The members of a group; none where the node is no group.
    pub(in crate::simulator) fn members(&self, node: u16) -> Option<Vec<u16>> {
        let extras = self.extras();
        let mut groups = extras.groups.iter();
        let group =
            groups.find(|group| group.get("id").and_then(Json::as_u64) == Some(node.into()))?;
        Some(numbers(group.get("nodeIds")))
    }

    /// A write to a group: one multicast that nobody acknowledges. Each member does what it does
    /// with a command, and reports its state by itself.
    pub(in crate::simulator) async fn multicast(
        &self,
        id: &Id,
        members: &[u16],
        value: Option<Json>,
    ) -> CallResult {
        let value = &value.unwrap_or(Json::Null);
        self.testing.note_write(id, value);
        {
            let _on_air = self.radio.lock().await;
            sleep(MULTICAST).await;
        }
        self.update(id.node, &id.key(), value.clone());
        for member in members {
            if let Some(heard) = self.hear(*member, id, value) {
                self.report(*member, &heard);
            }
        }
        CallResult::Ran(Some(json!({ "status": 254 })))
    }

    /// A multicast to some nodes, or a broadcast to all that have the value. A broadcast tells
    /// only what was asked for, even of the dead; success is said whatever came of it.
    pub(super) async fn spread(
        &self,
        nodes: Option<Vec<u16>>,
        id: &Id,
        value: &Json,
    ) -> CallResult {
        let is_broadcast = nodes.is_none();
        let key = id.key();
        let nodes: Vec<u16> = {
            let state = self.state();
            let nodes = nodes.unwrap_or_else(|| {
                let all = state.nodes.values().filter(|node| node.is_device());
                all.map(SimNode::id).collect()
            });
            let has = |id: &u16| {
                let node = state.nodes.get(id);
                node.is_some_and(|node| node.values.contains_key(&key))
            };
            nodes.into_iter().filter(has).collect()
        };
        for node in &nodes {
            self.testing.note_write(&id.of(*node), value);
        }
        {
            let _on_air = self.radio.lock().await;
            sleep(MULTICAST).await;
        }
        for node in &nodes {
            self.update(*node, &key, value.clone());
        }
        for node in &nodes {
            let heard = self.hear(*node, id, value);
            if let Some(heard) = heard.filter(|_| !is_broadcast) {
                self.report(*node, &heard);
            }
        }
        CallResult::Ran(None)
    }

    /// A multicast or a broadcast by topic, which is echoed.
    pub(super) fn write_to_many(&self, kind: &str, payload: Json) {
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/{kind}", self.setup.name);
        self.publish(&path, &payload, false);
        let Some((id, value)) = Id::without_node(&payload).zip(payload.get("value").cloned())
        else {
            return;
        };
        let nodes = match kind {
            "multicast" => Some(numbers(payload.get("nodes"))),
            "broadcast" => None,
            _ => return,
        };
        self.aside(|sim| async move {
            sim.spread(nodes, &id, &value).await;
        });
    }

    /// A member hears a multicast, if it lives and has what it is about; Basic is about its level,
    /// or whether it is on. The value that tells its state then.
    fn hear(&self, node: u16, id: &Id, value: &Json) -> Option<String> {
        let mut own = id.of(node);
        {
            let mut state = self.state();
            let member = state.nodes.get_mut(&node)?;
            if own.class == BASIC {
                let has_level = member.values.contains_key("38-0-currentValue");
                own.class = if has_level { 38 } else { 37 };
            }
            let state_key = own.state();
            let deaf = matches!(member.text("status"), "Dead" | "Asleep") || !member.habits.obeys;
            if deaf || !member.values.contains_key(&state_key) {
                return None;
            }
            match value.as_f64() {
                Some(level) if own.class == 37 => member.put(&state_key, json!(level > 0.0)),
                Some(255.0) => {
                    let before = member.level_before(&state_key);
                    member.travel(&state_key, before);
                }
                Some(level) => {
                    member.travel(&state_key, level);
                }
                None => member.put(&state_key, value.clone()),
            }
            Some(state_key)
        }
    }
}

impl Id {
    /// The same value of another node.
    pub(super) fn of(&self, node: u16) -> Self {
        Self {
            node,
            ..self.clone()
        }
    }
}

/// The node numbers in a list.
pub(super) fn numbers(list: Option<&Json>) -> Vec<u16> {
    let list = list.and_then(Json::as_array).into_iter().flatten();
    let number = |json: &Json| u16::try_from(json.as_u64()?).ok();
    list.filter_map(number).collect()
}
