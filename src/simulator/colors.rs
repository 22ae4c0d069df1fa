//! Writes to a light's color.

use serde_json::{Map, Value as Json, json};

use super::id::Id;
use super::{Sim, SimNode};
use crate::home::model::value::ColorComponents;

/// Returns the lamps (color components) that a write sets, with their levels.
fn parse_lamps(id: &Id, value: &Json) -> Map<String, Json> {
    let lamps = match value {
        Json::Object(lamps) => return lamps.clone(),
        Json::String(hex) => {
            let digits = hex.strip_prefix('#').unwrap_or(hex);
            let number = u32::from_str_radix(digits, 16).unwrap_or_default();
            let [_, red, green, blue] = number.to_be_bytes();
            json!({ "red": red, "green": green, "blue": blue })
        }
        level => {
            let is_set = |(component, _): &(usize, _)| id.suffix == format!("-{component}");
            let lamp = ColorComponents::NAMES.iter().enumerate().find(is_set);
            lamp.map_or_else(Json::default, |(_, name)| json!({ (*name): level }))
        }
    };
    lamps.as_object().cloned().unwrap_or_default()
}

/// Sets the true states of the lamps that a write sets.
pub(super) fn set_lamps(node: &mut SimNode, id: &Id, value: &Json) {
    let lamps = parse_lamps(id, value);
    for (component, name) in ColorComponents::NAMES.iter().enumerate() {
        if let Some(level) = lamps.get(*name) {
            node.put(
                &id.unkeyed_sibling(&format!("currentColor-{component}")),
                level.clone(),
            );
        }
    }
}

impl Sim {
    /// Publishes a written color even if the device does not obey. As in zwave-js, the lamps come one by one,
    /// then the compound values. A write to a single lamp changes no compound value except `hexColor`.
    pub(super) fn publish_lamps(&self, id: &Id, value: &Json) {
        let lamps = parse_lamps(id, value);
        let (current, target) = (
            id.unkeyed_sibling("currentColor"),
            id.unkeyed_sibling("targetColor"),
        );
        let cached = |key: &str| self.cached_value(id.node, key).unwrap_or(Json::Null);
        let mut compound = cached(&current).as_object().cloned().unwrap_or_default();
        let is_single = !id.suffix.is_empty();
        for (component, name) in ColorComponents::NAMES.iter().enumerate() {
            if let Some(level) = lamps.get(*name) {
                let key = id.unkeyed_sibling(&format!("currentColor-{component}"));
                self.update(id.node, &key, level.clone());
                if !is_single {
                    compound.insert((*name).to_owned(), level.clone());
                }
            }
        }
        self.update(id.node, &current, Json::Object(compound));
        let new_target = if is_single {
            cached(&target)
        } else {
            Json::Object(lamps.clone())
        };
        self.update(id.node, &target, new_target);
        let colored = ["red", "green", "blue"];
        if colored.iter().any(|name| lamps.contains_key(*name)) {
            let level = |component: u8| {
                let level = cached(&id.unkeyed_sibling(&format!("currentColor-{component}")));
                level.as_u64().unwrap_or_default()
            };
            let [red, green, blue] = [2, 3, 4].map(level);
            let hex = format!("{red:02x}{green:02x}{blue:02x}");
            self.update(id.node, &id.unkeyed_sibling("hexColor"), json!(hex));
        }
    }
}
