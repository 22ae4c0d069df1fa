//! Scenes and groups, which `getNodes` does not report (`docs/dev/GATEWAY.md#scenes-and-groups`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::nodes::{lenient, parse_reading};
use super::payloads;
use crate::home::bounds;
use crate::home::model::ids::{CommandClass, NodeId, SceneId, ValueId};
use crate::home::model::snapshot::Scene;
use crate::home::model::value::{Reading, Write};

/// The scenes and groups of a gateway.
#[derive(Debug, Default)]
pub struct Scenes {
    /// The scenes.
    pub scenes: BTreeMap<SceneId, Scene>,
    /// The name and the members of each group, by the group's virtual node.
    pub groups: BTreeMap<NodeId, (Box<str>, Vec<NodeId>)>,
    /// The number of scenes and groups that are over the bound, or are too large. They are left out.
    pub left_out: usize,
}

/// The first items of a list, and the number of further items. The further items take no memory.
#[derive(Default)]
struct Bounded<'a, const MAX: usize> {
    items: Vec<&'a RawValue>,
    left_out: usize,
}

impl<'de: 'a, 'a, const MAX: usize> Deserialize<'de> for Bounded<'a, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<const MAX: usize>;

        impl<'de, const MAX: usize> Visitor<'de> for List<MAX> {
            type Value = Bounded<'de, MAX>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut bounded = Bounded::default();
                while bounded.items.len() < MAX {
                    let Some(item) = list.next_element()? else {
                        return Ok(bounded);
                    };
                    bounded.items.push(item);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {
                    bounded.left_out += 1;
                }
                Ok(bounded)
            }
        }

        deserializer.deserialize_seq(List)
    }
}

/// The scenes or groups in a reply. Each is parsed on its own, so that one of an unexpected shape costs only itself.
type List<'a> = Bounded<'a, { bounds::SCENES }>;

#[derive(Deserialize)]
struct SceneDocument<'a> {
    #[serde(rename = "sceneid")]
    id: u32,
    #[serde(default, borrow, deserialize_with = "lenient")]
    label: Cow<'a, str>,
    #[serde(default, borrow)]
    values: Bounded<'a, { bounds::MEMBERS }>,
}

#[derive(Deserialize)]
struct GroupDocument<'a> {
    id: NodeId,
    #[serde(default, borrow, deserialize_with = "lenient")]
    name: Cow<'a, str>,
    #[serde(rename = "nodeIds", borrow)]
    members: Bounded<'a, { bounds::MEMBERS }>,
}

/// Returns a write that unlocks a lock, in place of writes that can't be read. They might unlock a door, so the guard
/// must not overlook them.
fn unreadable_write() -> (NodeId, Write) {
    let target = ValueId::new(CommandClass::DOOR_LOCK, 0, "unreadable");
    let value = Reading::Other;
    (NodeId(0), Write { target, value })
}

impl Scenes {
    /// Reads the results of `_getScenes` and `_getGroups`. A gateway without groups has no second result.
    pub fn parse(scenes: &str, groups: Option<&str>) -> Self {
        let mut parsed = Self::default();
        let list: List = serde_json::from_str(scenes).unwrap_or_default();
        parsed.left_out += list.left_out;
        for scene in list.items {
            let Ok(scene) = serde_json::from_str::<SceneDocument>(scene.get()) else {
                continue;
            };
            let mut writes: Vec<_> =
                scene.values.items.iter().map(|raw| parse_write(raw)).collect();
            if scene.values.left_out > 0 {
                writes.push(unreadable_write());
            }
            let label = bounds::cut_input(&scene.label).to_owned();
            parsed.scenes.insert(SceneId(scene.id), Scene { label, writes });
        }
        let list: List = serde_json::from_str(groups.unwrap_or("[]")).unwrap_or_default();
        parsed.left_out += list.left_out;
        for group in list.items {
            let Ok(group) = serde_json::from_str::<GroupDocument>(group.get()) else {
                continue;
            };
            // The guard must know all members of a group.
            let is_over = parsed.scenes.len() + parsed.groups.len() >= bounds::SCENES;
            if is_over || group.members.left_out > 0 {
                parsed.left_out += 1;
                continue;
            }
            let members = group.members.items.iter();
            let members = members.filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect();
            let name = bounds::cut_input(&group.name).into();
            parsed.groups.insert(group.id, (name, members));
        }
        parsed
    }
}

/// Reads a write of a scene.
fn parse_write(raw: &RawValue) -> (NodeId, Write) {
    let target = payloads::parse_target(raw.get());
    let written: Option<Json> = serde_json::from_str(raw.get()).ok();
    let value = written.and_then(|written| parse_reading(written.get("value")?));
    target.map_or_else(unreadable_write, |(node, target)| {
        let value = value.unwrap_or(Reading::Other);
        (node, Write { target, value })
    })
}
