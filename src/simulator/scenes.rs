//! Scenes and groups of a simulated gateway, and how they are made
//! (`docs/GATEWAY.md#scenes-and-groups`).

use serde_json::{Value as Json, json};

use super::answers::CallResult;
use super::{Sim, documents};

/// The number of the first group.
const FIRST_GROUP: u64 = 4096;

impl Sim {
    /// Says `true` at once, and does the writes one after the other.
    pub(super) fn activate_scene(&self, id: Option<&Json>) -> CallResult {
        let Some(values) = self.scene_values(id) else {
            return no_scene();
        };
        self.aside(|sim| async move {
            for value in values {
                let write = value.get("value").cloned();
                sim.write_value(&value, write).await;
            }
        });
        CallResult::Ran(Some(json!(true)))
    }

    pub(super) fn scene_call(&self, api: &str, args: &[Json]) -> CallResult {
        match (api, args) {
            ("_createScene", [label, ..]) => {
                let mut state = self.state();
                let scenes = &mut state.scenes;
                let ids = scenes
                    .iter()
                    .filter_map(|scene| scene.get("sceneid")?.as_u64());
                let id = ids.max().unwrap_or_default() + 1;
                scenes.push(json!({ "sceneid": id, "label": label, "values": [] }));
                CallResult::Ran(Some(json!(true)))
            }
            ("_addSceneValue", [id, value, ..]) => {
                let mut state = self.state();
                let mut scenes = state.scenes.iter_mut();
                let scene = scenes.find(|scene| scene.get("sceneid") == Some(id));
                let values = scene.and_then(|scene| scene.get_mut("values")?.as_array_mut());
                let Some(values) = values else {
                    return no_scene();
                };
                values.push(value.clone());
                CallResult::Ran(Some(Json::Array(state.scenes.clone())))
            }
            ("_sceneGetValues", [id, ..]) => match self.scene_values(Some(id)) {
                Some(values) => CallResult::Ran(Some(Json::Array(values))),
                None => no_scene(),
            },
            ("_createGroup", [name, members, ..]) => self.create_group(name, members),
            _ => CallResult::NotRun("Unknown API".to_owned()),
        }
    }

    fn scene_values(&self, id: Option<&Json>) -> Option<Vec<Json>> {
        let state = self.state();
        let mut scenes = state.scenes.iter();
        let scene = scenes.find(|scene| scene.get("sceneid") == id)?;
        scene.get("values")?.as_array().cloned()
    }

    fn create_group(&self, name: &Json, members: &Json) -> CallResult {
        let (group, node) = {
            let mut state = self.state();
            let ids = state.groups.iter();
            let ids = ids.filter_map(|group| group.get("id")?.as_u64());
            let id = ids.max().map_or(FIRST_GROUP, |last| last + 1);
            let group = json!({ "id": id, "name": name, "nodeIds": members });
            let node = documents::group_of(&group, &state.nodes);
            state.groups.push(group.clone());
            state
                .nodes
                .extend(node.clone().map(|node| (node.id(), node)));
            (group, node)
        };
        if let Some(node) = node {
            // Basic comes last (`docs/GATEWAY.md#scenes-and-groups`).
            let mut keys: Vec<&String> = node.values.keys().collect();
            keys.sort_by_key(|key| (key.starts_with("32-"), key.len()));
            for key in keys {
                self.publish_topic(&node, key);
            }
        }
        CallResult::Ran(Some(group))
    }
}

fn no_scene() -> CallResult {
    CallResult::NotRun("No scene found with given sceneid".to_owned())
}
