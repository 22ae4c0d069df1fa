//! Scenes and groups of a simulated gateway, and how they are made
//! (`docs/GATEWAY.md#scenes-and-groups`).

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::many::numbers;
use crate::simulator::answers::CallResult;
use crate::simulator::{Sim, SimNode, Simulation};

/// The number of the first group.
const FIRST_GROUP: u64 = 4096;

impl Simulation {
    /// Sets the scenes, as `_getScenes` tells them. Nothing is said of it.
    pub fn set_scenes(&self, scenes: Vec<Json>) {
        self.sim.extras().scenes = scenes;
    }

    /// Sets the groups, as `_getGroups` tells them; each is a virtual node besides. Nothing is
    /// said of it.
    pub fn set_groups(&self, groups: Vec<Json>) {
        let before = std::mem::replace(&mut self.sim.extras().groups, groups.clone());
        let id = |group: &Json| group.get("id").and_then(Json::as_u64);
        let gone: Vec<Option<u64>> = before.iter().map(id).collect();
        let mut state = self.sim.state();
        state
            .nodes
            .retain(|node, _| !gone.contains(&Some(u64::from(*node))));
        for group in &groups {
            let node = group_of(group, &state.nodes);
            state.nodes.extend(node.map(|node| (node.id(), node)));
        }
    }
}

impl Sim {
    /// Says `true` at once, and does the writes one after the other.
    fn activate_scene(&self, id: Option<&Json>) -> CallResult {
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
            ("_getScenes", _) => CallResult::Ran(Some(Json::Array(self.extras().scenes.clone()))),
            ("_getGroups", _) => CallResult::Ran(Some(Json::Array(self.extras().groups.clone()))),
            ("_activateScene", _) => self.activate_scene(args.first()),
            ("_createScene", [label, ..]) => {
                let scenes = &mut self.extras().scenes;
                let ids = scenes
                    .iter()
                    .filter_map(|scene| scene.get("sceneid")?.as_u64());
                let id = ids.max().unwrap_or_default() + 1;
                scenes.push(json!({ "sceneid": id, "label": label, "values": [] }));
                CallResult::Ran(Some(json!(true)))
            }
            ("_addSceneValue", [id, value, ..]) => {
                let mut extras = self.extras();
                let mut scenes = extras.scenes.iter_mut();
                let scene = scenes.find(|scene| scene.get("sceneid") == Some(id));
                let values = scene.and_then(|scene| scene.get_mut("values")?.as_array_mut());
                let Some(values) = values else {
                    return no_scene();
                };
                values.push(value.clone());
                CallResult::Ran(Some(Json::Array(extras.scenes.clone())))
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
        let extras = self.extras();
        let mut scenes = extras.scenes.iter();
        let scene = scenes.find(|scene| scene.get("sceneid") == id)?;
        scene.get("values")?.as_array().cloned()
    }

    fn create_group(&self, name: &Json, members: &Json) -> CallResult {
        let (group, node) = {
            let (mut state, mut extras) = (self.state(), self.extras());
            let ids = extras.groups.iter();
            let ids = ids.filter_map(|group| group.get("id")?.as_u64());
            let id = ids.max().map_or(FIRST_GROUP, |last| last + 1);
            let group = json!({ "id": id, "name": name, "nodeIds": members });
            let node = group_of(&group, &state.nodes);
            extras.groups.push(group.clone());
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

/// The virtual node of a group whose members are among these nodes, as `getNodes` has it
/// (`docs/GATEWAY.md#scenes-and-groups`): it can be written with what any of its members takes, and
/// with Basic; it reads nothing.
fn group_of(group: &Json, nodes: &BTreeMap<u16, SimNode>) -> Option<SimNode> {
    let (id, name) = (group.get("id")?, group.get("name")?.as_str()?);
    let members = numbers(group.get("nodeIds"));
    let members: Vec<&SimNode> = members.iter().filter_map(|id| nodes.get(id)).collect();
    let targets = [
        (32, "Basic", "number", Some(255)),
        (37, "Binary Switch", "boolean", None),
        (38, "Multilevel Switch", "number", Some(99)),
    ];
    let mut values = Map::new();
    for (class, class_name, kind, max) in targets {
        let key = format!("{class}-0-targetValue");
        let taken = |node: &&SimNode| node.values.contains_key(&key);
        if class != 32 && !members.iter().any(taken) {
            continue;
        }
        let property_name = if class == 32 {
            "Target value"
        } else {
            "targetValue"
        };
        let mut fields = json!({
            "id": format!("{id}-{key}"), "nodeId": id, "toUpdate": false, "commandClass": class,
            "commandClassName": class_name, "endpoint": 0, "property": "targetValue",
            "propertyName": property_name, "type": kind, "readable": false, "writeable": true,
            "label": "Target value", "stateless": false, "list": false,
        });
        if let (Json::Object(fields), Some(max)) = (&mut fields, max) {
            fields.insert("min".to_owned(), json!(0));
            fields.insert("max".to_owned(), json!(max));
        }
        values.insert(key, fields);
    }
    let class = json!({ "basic": 4, "generic": 0, "specific": 0 });
    SimNode::from_document(json!({
        "id": id, "name": name, "loc": "", "status": null, "ready": true, "available": true,
        "failed": false, "inited": true, "interviewStage": "Complete", "isControllerNode": false,
        "isListening": true, "isFrequentListening": false, "isRouting": true, "deviceClass": null,
        "virtual": true, "kind": "multicast",
        "endpoints": [{ "index": 0, "label": "Root Endpoint", "deviceClass": class }],
        "values": values,
    }))
}

/// A request as it is echoed: the gateway notes a scene's new value in its very arguments.
pub(in crate::simulator) fn noted(api: &str, mut request: Json) -> Json {
    if api == "_addSceneValue"
        && let Some(Json::Array(args)) = request.get_mut("args")
        && let [_, Json::Object(fields), value, timeout, ..] = args.as_mut_slice()
    {
        fields.insert("value".to_owned(), value.clone());
        fields.insert("timeout".to_owned(), timeout.clone());
    }
    request
}
