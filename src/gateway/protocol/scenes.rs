//! Scenes and groups, which `getNodes` does not report (`docs/GATEWAY.md#scenes-and-groups`).

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::nodes::parse_reading;
use super::payloads;
use crate::home::bounds;
use crate::home::model::ids::{CommandClass, NodeId, SceneId, ValueId};
use crate::home::model::snapshot::Scene;
use crate::home::model::value::{Reading, Write};

/// Returns a lock as the assumed target of a write whose target can't be read. Such a write might unlock a
/// door, so the guard must not overlook it.
fn unreadable_target() -> (NodeId, ValueId) {
    (
        NodeId(0),
        ValueId::new(CommandClass::DOOR_LOCK, 0, "unreadable"),
    )
}

/// Reads the result of `_getScenes`.
pub fn parse_scenes(result: &Json) -> BTreeMap<SceneId, Scene> {
    let scenes = result.as_array().into_iter().flatten();
    scenes
        .filter_map(|json| {
            let id = u32::try_from(json.get("sceneid")?.as_u64()?).ok()?;
            let label = json.get("label").and_then(Json::as_str).unwrap_or_default();
            let values = json.get("values").and_then(Json::as_array);
            let writes = values.into_iter().flatten().map(|value| {
                let target = payloads::parse_target(&value.to_string());
                let (node, target) = target.unwrap_or_else(unreadable_target);
                let value = value.get("value").and_then(parse_reading).unwrap_or(Reading::Other);
                (node, Write { target, value })
            });
            let scene = Scene {
                label: bounds::cut_input(label).to_owned(),
                writes: writes.collect(),
            };
            Some((SceneId(id), scene))
        })
        .collect()
}

/// Reads the result of `_getGroups`: the name and the members of each group, by the group's virtual node.
pub fn parse_groups(result: &Json) -> BTreeMap<NodeId, (Box<str>, Vec<NodeId>)> {
    let node_id = |json: &Json| {
        let number = u16::try_from(json.as_u64()?).ok()?;
        Some(NodeId(number))
    };
    let groups = result.as_array().into_iter().flatten();
    groups
        .filter_map(|json| {
            let name = json.get("name").and_then(Json::as_str).unwrap_or_default();
            let members = json.get("nodeIds")?.as_array()?.iter().filter_map(node_id);
            let group = (bounds::cut_input(name).into(), members.collect());
            Some((node_id(json.get("id")?)?, group))
        })
        .collect()
}
