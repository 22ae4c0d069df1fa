//! Scenes and groups of a simulated gateway, and writes to groups
//! (`docs/dev/GATEWAY.md#scenes-and-groups`).

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::sleep;
use zwave_mcp_server::home::model::ids::CommandClass as Cc;
use zwave_mcp_server::simulator::{
    CallResult, Extension as _, FutureResult, Id, Sim, SimNode, write_result, write_status,
};

use super::{Simulation, Testing};

/// The time for which a multicast occupies the radio.
const MULTICAST_TIME: Duration = Duration::from_millis(35);

impl Simulation {
    /// Sets the scenes, as `_getScenes` returns them. Nothing is published.
    pub fn set_scenes(&self, scenes: Vec<Json>) {
        self.testing.extras().scenes = scenes;
    }

    /// Sets the groups, as `_getGroups` returns them, and their virtual nodes. Nothing is published.
    pub fn set_groups(&self, groups: Vec<Json>) {
        let old_groups = std::mem::replace(&mut self.testing.extras().groups, groups.clone());
        let id = |group: &Json| group.get("id").and_then(Json::as_u64);
        let old_ids: Vec<Option<u64>> = old_groups.iter().map(id).collect();
        let mut state = self.sim.state();
        state.nodes.retain(|node, _| !old_ids.contains(&Some(u64::from(*node))));
        for group in &groups {
            let node = group_node(group, &state.nodes);
            state.nodes.extend(node.map(|node| (node.id(), node)));
        }
    }
}

impl Testing {
    /// Activates a scene. The call returns `true` at once. The writes then run one after the other.
    fn activate_scene(&self, sim: &Sim, id: Option<&Json>) -> CallResult {
        let scene = {
            let scenes = &self.extras().scenes;
            scenes.iter().find(|scene| scene.get("sceneid") == id).cloned()
        };
        let Some(scene) = scene else {
            return CallResult::NotRun("No scene found with given sceneid".to_owned());
        };
        let values = scene.get("values").and_then(Json::as_array).cloned().unwrap_or_default();
        sim.spawn(|sim| async move {
            for value in values {
                let write = value.get("value").cloned();
                let args: Vec<Json> = [Some(value), write].into_iter().flatten().collect();
                sim.call("writeValue", &args).await;
            }
        });
        CallResult::Ran(Some(json!(true)))
    }

    /// Serves a call about scenes or groups; returns `None` for any other call.
    pub(super) fn scene_call<'a>(
        &'a self,
        sim: &'a Sim,
        api: &str,
        args: &[Json],
    ) -> Option<FutureResult<'a>> {
        if api == "writeValue" {
            let id = Id::read(args.first()?)?;
            let members = self.members(id.node)?;
            let value = args.get(1).cloned();
            return Some(Box::pin(self.multicast(sim, id, members, value)));
        }
        let result = match api {
            "_getScenes" => CallResult::Ran(Some(self.extras().scenes.clone().into())),
            "_getGroups" => CallResult::Ran(Some(self.extras().groups.clone().into())),
            "_activateScene" => self.activate_scene(sim, args.first()),
            _ => return None,
        };
        Some(Box::pin(std::future::ready(result)))
    }

    /// Returns the members of a group; `None` if the node is not a group.
    fn members(&self, node: u16) -> Option<Vec<u16>> {
        let extras = self.extras();
        let group = extras
            .groups
            .iter()
            .find(|group| group.get("id").and_then(Json::as_u64) == Some(node.into()))?;
        Some(numbers(group.get("nodeIds")))
    }

    /// Writes to a group, with one multicast that is not acknowledged. Each member that carries out the command
    /// reports its own state.
    async fn multicast(
        &self,
        sim: &Sim,
        id: Id,
        members: Vec<u16>,
        value: Option<Json>,
    ) -> CallResult {
        let value = &value.unwrap_or(Json::Null);
        self.note_write(&id, value);
        {
            let _on_air = sim.radio.lock().await;
            sleep(MULTICAST_TIME).await;
        }
        sim.update(id.node, &id.key(), value.clone());
        for member in members {
            if let Some(state_key) = receive_multicast(sim, member, &id, value) {
                sim.report(member, &state_key);
            }
        }
        CallResult::Ran(Some(write_result(write_status::SUCCESS_UNSUPERVISED)))
    }
}

/// Makes a member carry out a multicast. A write to Basic sets the member's level or, if it has no level,
/// its switch. Returns the key of the value that reports the new state; `None` if the member is
/// unreachable, disobeys, or lacks this value.
fn receive_multicast(sim: &Sim, node: u16, id: &Id, value: &Json) -> Option<String> {
    let mut id = Id { node, ..id.clone() };
    let mut state = sim.state();
    let member = state.nodes.get_mut(&node)?;
    if id.class == Cc::BASIC {
        let has_level = member.values.contains_key("38-0-currentValue");
        id.class = if has_level {
            Cc::MULTILEVEL_SWITCH
        } else {
            Cc::BINARY_SWITCH
        };
    }
    let state_key = id.state_key();
    let ignores_it = matches!(member.text("status"), "Dead" | "Asleep") || !member.habits.obeys;
    if ignores_it || !member.values.contains_key(&state_key) {
        return None;
    }
    match value.as_f64() {
        Some(level) if id.class == Cc::BINARY_SWITCH => {
            member.put(&state_key, json!(level > 0.0));
        }
        Some(level) => {
            let level = match level {
                // This level means "on, as before".
                255.0 => member.level_before(&state_key),
                level => level,
            };
            member.travel(&state_key, level);
        }
        None => member.put(&state_key, value.clone()),
    }
    Some(state_key)
}
/// Makes a group's virtual node (`docs/dev/GATEWAY.md#scenes-and-groups`). `nodes` includes the members. The
/// virtual node has a target value for Basic. If any member has a target value for a switch class, the
/// virtual node has a target value for this class, too. None of these values can be read.
fn group_node(group: &Json, nodes: &BTreeMap<u16, SimNode>) -> Option<SimNode> {
    let (id, name) = (group.get("id")?, group.get("name")?.as_str()?);
    let members: Vec<&SimNode> =
        numbers(group.get("nodeIds")).iter().filter_map(|id| nodes.get(id)).collect();
    let targets = [
        (Cc::BASIC, "Basic", "number", Some(255)),
        (Cc::BINARY_SWITCH, "Binary Switch", "boolean", None),
        (
            Cc::MULTILEVEL_SWITCH,
            "Multilevel Switch",
            "number",
            Some(99),
        ),
    ];
    let mut values = Map::new();
    for (class, class_name, kind, max) in targets {
        let key = format!("{}-0-targetValue", class.0);
        let has_value = |node: &&SimNode| node.values.contains_key(&key);
        if class != Cc::BASIC && !members.iter().any(has_value) {
            continue;
        }
        let property_name = if class == Cc::BASIC {
            "Target value"
        } else {
            "targetValue"
        };
        let mut fields = json!({
            "id": format!("{id}-{key}"), "nodeId": id, "toUpdate": false, "commandClass": class.0,
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

/// Reads the node ids in a list.
fn numbers(list: Option<&Json>) -> Vec<u16> {
    let list = list.and_then(Json::as_array).into_iter().flatten();
    let number = |json: &Json| u16::try_from(json.as_u64()?).ok();
    list.filter_map(number).collect()
}
