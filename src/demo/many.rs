//! Scenes and groups of a simulated gateway (captures, section 8).

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::sleep;

use super::answers::Called;
use super::control::Id;
use super::{Received, Sim};

/// The command class that every actuator understands.
const BASIC: u64 = 32;

/// How long a multicast keeps the radio.
const MULTICAST: Duration = Duration::from_millis(35);

impl Sim {
    /// Says `true` at once, and does the writes one after the other.
    pub(super) fn activate_scene(&self, id: Option<&Json>) -> Called {
        let scene = {
            let state = self.state();
            let mut scenes = state.scenes.iter();
            scenes.find(|scene| scene.get("sceneid") == id).cloned()
        };
        let values = scene
            .as_ref()
            .and_then(|scene| scene.get("values")?.as_array());
        let Some(values) = values.cloned() else {
            return Called::NotRun("No scene found with given sceneid".to_owned());
        };
        if let Some(sim) = self.this.upgrade() {
            tokio::spawn(async move {
                for value in values {
                    let write = value.get("value").cloned().unwrap_or(Json::Null);
                    sim.write_value(&value, write).await;
                }
            });
        }
        Called::Ran(Some(json!(true)))
    }

    /// The members of a group; none where the node is no group.
    pub(super) fn members(&self, node: u16) -> Option<Vec<u16>> {
        let state = self.state();
        let mut groups = state.groups.iter();
        let group =
            groups.find(|group| group.get("id").and_then(Json::as_u64) == Some(node.into()))?;
        let members = group.get("nodeIds")?.as_array()?.iter();
        let number = |json: &Json| u16::try_from(json.as_u64()?).ok();
        Some(members.filter_map(number).collect())
    }

    /// A write to a group: one multicast that nobody acknowledges. Each member does what it does
    /// with a command, and reports its state by itself.
    pub(super) async fn multicast(&self, id: &Id, members: &[u16], value: &Json) -> Called {
        self.state().received.push(Received {
            node: id.node,
            key: id.key(),
            value: value.clone(),
        });
        {
            let _on_air = self.radio.lock().await;
            sleep(MULTICAST).await;
        }
        self.update(id.node, &id.key(), value.clone());
        for member in members {
            self.hear(*member, id, value);
        }
        Called::Ran(Some(json!({ "status": 254 })))
    }

    /// A member hears a multicast, if it lives and has what it is about; Basic is about its level,
    /// or whether it is on.
    fn hear(&self, node: u16, id: &Id, value: &Json) {
        let mut own = id.of(node);
        let heard = {
            let mut state = self.state();
            let Some(member) = state.nodes.get_mut(&node) else {
                return;
            };
            if own.class == BASIC {
                let has_level = member.values.contains_key("38-0-currentValue");
                own.class = if has_level { 38 } else { 37 };
            }
            let state_key = own.state();
            let deaf = matches!(member.text("status"), "Dead" | "Asleep") || !member.habits.obeys;
            if deaf || !member.values.contains_key(&state_key) {
                return;
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
            state_key
        };
        self.report(node, &heard);
    }
}
