//! Changes that tests make to a node's document.

use serde_json::{Value as Json, json};

use crate::simulator::SimNode;
use crate::simulator::id::LEVEL_CHANGES;

impl SimNode {
    /// Names the values that begin and end a movement as a device's switch type does (`LEVEL_CHANGES`).
    pub fn name_level_changes(&mut self, down: &str, up: &str) {
        for (key, mut fields) in std::mem::take(&mut self.values) {
            let property = fields.get("property").and_then(Json::as_str);
            let is_switch = fields.get("commandClass").and_then(Json::as_u64) == Some(38);
            let name = LEVEL_CHANGES
                .iter()
                .filter(|_| is_switch)
                .find_map(|(lower, upper)| match property {
                    Some(property) if property == *lower => Some(down),
                    Some(property) if property == *upper => Some(up),
                    _ => None,
                });
            let (Some(property), Some(name)) = (property, name) else {
                self.values.insert(key, fields);
                continue;
            };
            let stem = key.strip_suffix(property).unwrap_or(&key);
            let key = format!("{stem}{name}");
            let label = format!("Perform a level change ({name})");
            for (field, text) in [
                ("id", format!("{}-{key}", self.id())),
                ("property", name.to_owned()),
                ("propertyName", name.to_owned()),
                ("label", label),
            ] {
                fields.insert(field.to_owned(), json!(text));
            }
            self.values.insert(key, fields);
        }
    }

    pub(super) fn set(&mut self, field: &str, value: Json) {
        self.document.insert(field.to_owned(), value);
    }

    /// Returns the document without its values.
    pub(super) fn details(&self) -> Json {
        Json::Object(self.document.clone())
    }

    /// Forgets the values, because the gateway has restarted and did not reach the node.
    pub(super) fn forget(&mut self) {
        self.forgotten = true;
        self.set("ready", json!(false));
    }

    /// Restores the values.
    pub(super) fn remember(&mut self) {
        if std::mem::take(&mut self.forgotten) {
            self.set("ready", json!(true));
        }
    }
}
