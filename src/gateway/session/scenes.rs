//! Scenes and groups, which `getNodes` does not tell (`docs/GATEWAY.md#scenes-and-groups`).

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;

use tokio::time::Instant;

use super::refetch::Refetch;
use crate::gateway::protocol::nodes::reading;
use crate::gateway::protocol::payloads;
use crate::home::bounds;
use crate::home::model::ids::{CommandClass, NodeId, SceneId, ValueId};
use crate::home::model::snapshot::Scene;
use crate::home::model::value::{Reading, Write};

/// Scenes and groups that were asked for within this time need not be asked for again for a list, or
/// before one is sent after a wait.
pub const NEW_SCENES: Duration = Duration::from_secs(2);

/// How current the scenes and groups are.
#[derive(Debug, Default)]
pub struct ScenesRead {
    /// When those were asked for that came last.
    pub last: Option<Instant>,
    /// When they came.
    pub came: Option<Instant>,
    /// The number of the reading that is under way.
    pub reading: Option<u64>,
    /// How many readings have started.
    pub readings: u64,
    /// When to ask for them again, where they did not come.
    pub again: Refetch,
    /// When those were asked for that last came or failed to come.
    pub tried: Option<Instant>,
}

impl ScenesRead {
    /// Whether a list that came at `asked` need not wait for them: they are new, or were asked for since
    /// and did not come.
    pub fn are_settled(&self, asked: Instant) -> bool {
        self.are_new(asked, NEW_SCENES) || self.tried.is_some_and(|tried| tried >= asked)
    }

    /// Whether they are newer than this at that time, or were asked for since.
    pub fn are_new(&self, asked: Instant, new: Duration) -> bool {
        let is_new = |last| last >= asked || asked.saturating_duration_since(last) < new;
        self.last.is_some_and(is_new)
    }
}

/// What stands for a write that can't be read: it might unlock a door, and the guard must not
/// overlook it.
fn unreadable() -> (NodeId, ValueId) {
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
                let target = payloads::target(&value.to_string());
                let (node, target) = target.unwrap_or_else(unreadable);
                let value = value.get("value").and_then(reading);
                let value = value.unwrap_or(Reading::Other);
                (node, Write { target, value })
            });
            let scene = Scene {
                label: bounds::read(label).to_owned(),
                writes: writes.collect(),
            };
            Some((SceneId(id), scene))
        })
        .collect()
}

/// Reads the result of `_getGroups`: the members of each group, by the group's own node.
pub fn parse_groups(result: &Json) -> BTreeMap<NodeId, Vec<NodeId>> {
    let number = |json: &Json| {
        let number = u16::try_from(json.as_u64()?).ok()?;
        Some(NodeId(number))
    };
    let groups = result.as_array().into_iter().flatten();
    groups
        .filter_map(|json| {
            let members = json.get("nodeIds")?.as_array()?.iter();
            Some((
                number(json.get("id")?)?,
                members.filter_map(number).collect(),
            ))
        })
        .collect()
}
