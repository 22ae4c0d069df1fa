//! Writes by topic: no reply, and what is wrong goes to the gateway's log alone
//! (`docs/GATEWAY.md#other-ways-to-write`).

use serde_json::{Value as Json, json};

use super::layouts::operated;
use crate::gateway::bus::Message;
use crate::simulator::id::Id;
use crate::simulator::{Sim, SimNode};

impl Sim {
    /// Hears of multicasts and broadcasts by topic, and of writes to no value yet.
    pub(in crate::simulator) fn hear_other_writes(&self) -> bool {
        self.extras().depths.clear();
        let client = format!(
            "{}/_CLIENTS/ZWAVE_GATEWAY-{}",
            self.setup.prefix, self.setup.name
        );
        let mut kinds = ["multicast", "broadcast"].iter();
        kinds.all(|kind| self.bus.subscribe(&format!("{client}/{kind}/#")).is_ok())
    }

    /// Hears of writes to a value's topic from now on. As in zwave-js-ui the first value on a topic
    /// has it, and all topics of one depth are subscribed to at once.
    pub(in crate::simulator) fn hear_writes(&self, node: &SimNode, key: &str, path: &str) {
        let Some(fields) = node.values.get(key) else {
            return;
        };
        let target = fields.get("targetValue").and_then(Json::as_str);
        let writeable = fields.get("writeable").and_then(Json::as_bool) == Some(true);
        if !writeable && target.is_none() {
            return;
        }
        let depth = path.split('/').count();
        let is_new = {
            let mut extras = self.extras();
            let place = (node.id(), target.unwrap_or(key).to_owned());
            extras.writeable.entry(path.to_owned()).or_insert(place);
            extras.depths.insert(depth)
        };
        if is_new {
            let levels = "+/".repeat(depth);
            let filter = format!("{}/{levels}set", self.setup.prefix);
            if self.bus.subscribe(&filter).is_err() {
                self.extras().depths.remove(&depth);
            }
        }
    }

    /// A message on a topic that ends in `/set`, which is left out here.
    pub(in crate::simulator) fn write_by_topic(&self, topic: &str, message: &Message) {
        if message.retained {
            return;
        }
        let payload = &message.payload;
        let prefix = format!("{}/", self.setup.prefix);
        let Some(path) = topic.strip_prefix(&prefix) else {
            return;
        };
        let payload = serde_json::from_slice(payload)
            .unwrap_or_else(|_| json!(String::from_utf8_lossy(payload)));
        let gateway = format!("_CLIENTS/ZWAVE_GATEWAY-{}/", self.setup.name);
        if let Some(kind) = path.strip_prefix(&gateway) {
            self.write_to_many(kind, payload);
            return;
        }
        let place = self.extras().writeable.get(path).cloned();
        let Some((node, key)) = place else {
            return;
        };
        let found = {
            let state = self.state();
            let node = state.nodes.get(&node);
            node.and_then(|node| Some((node.clone(), node.values.get(&key)?.clone())))
        };
        let Some((node, fields)) = found else {
            return;
        };
        let operation = self.testing.layouts.post_operation(&node, &key);
        let kind = fields.get("type").and_then(Json::as_str);
        let value = undone(parsed(payload, kind), operation.as_deref());
        let id = Id::read(&Json::Object(fields));
        if let (Some(id), Some(value)) = (id, value) {
            self.aside(|sim| async move {
                sim.write(&id, Some(value), false).await;
            });
        }
    }
}

/// The value that a payload means for a value of this type.
fn parsed(payload: Json, kind: Option<&str>) -> Option<Json> {
    let payload = match payload {
        Json::Object(mut fields) => fields.remove("value")?,
        payload => payload,
    };
    match (kind, payload) {
        (_, Json::Null) => None,
        (_, Json::String(text)) if text.is_empty() => None,
        (Some("boolean"), Json::Number(number)) => Some(json!(number.as_f64() != Some(0.0))),
        (Some("boolean"), Json::String(text)) => match text.to_lowercase().as_str() {
            "on" | "true" => Some(json!(true)),
            "off" | "false" => Some(json!(false)),
            _ => None,
        },
        (Some("number"), Json::Bool(on)) => Some(json!(if on { 255 } else { 0 })),
        (_, payload) => Some(payload),
    }
}

/// A post-operation is undone for a write.
fn undone(value: Option<Json>, operation: Option<&str>) -> Option<Json> {
    let (Some(number), Some(operation)) = (value.as_ref().and_then(Json::as_f64), operation) else {
        return value;
    };
    let (operator, other) = operation.split_at_checked(1)?;
    let inverse = match operator {
        "/" => '*',
        "*" => '/',
        "+" => '-',
        "-" => '+',
        _ => return value,
    };
    operated(&format!("{inverse}{other}"), number)
}
