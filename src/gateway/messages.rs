//! The small payloads: values and states on topics, events, replies, other clients' requests.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value as Json;

use super::documents::{IdDocument, StatusDocument, reading};
use crate::home::goal::{Remaining, Report};
use crate::home::ids::{NodeId, Timestamp, ValueId};
use crate::home::node::NodeStatus;
use crate::home::value::Reading;

/// What a message on a value's topic says.
#[derive(Debug, PartialEq)]
pub struct Heard {
    /// The reading; none where the gateway does not know it.
    pub reading: Option<Reading>,
}

/// Reads the payload of a value's topic, in any of the gateway's three payload types: time and
/// value, the whole value object, the bare value (captures, section 4). None where it is no JSON.
pub fn value(payload: &[u8]) -> Option<Heard> {
    let json: Json = serde_json::from_slice(payload).ok()?;
    let bare = match &json {
        Json::Object(fields) if fields.contains_key("time") => fields.get("value"),
        Json::Object(fields) if fields.contains_key("commandClass") => fields.get("value"),
        whole => Some(whole),
    };
    Some(Heard {
        reading: bare.and_then(reading),
    })
}

/// What a message on a node's status topic says.
#[derive(Debug, PartialEq)]
pub struct NodeState {
    /// The node, where the payload says which.
    pub node: Option<NodeId>,
    /// What it says.
    pub said: Said,
}

/// What a node's status topic says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Its status.
    Status(NodeStatus),
    /// A bare `true`: it is not dead, and more is not said.
    NotDead,
}

/// Reads the payload of a node's status topic.
pub fn node_state(payload: &[u8]) -> Option<NodeState> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Document {
        Bare(bool),
        #[serde(rename_all = "camelCase")]
        Full {
            status: StatusDocument,
            #[serde(default)]
            node_id: Option<u16>,
        },
    }
    Some(match serde_json::from_slice(payload).ok()? {
        Document::Bare(true) => NodeState {
            node: None,
            said: Said::NotDead,
        },
        Document::Bare(false) => NodeState {
            node: None,
            said: Said::Status(NodeStatus::Dead),
        },
        Document::Full { status, node_id } => NodeState {
            node: node_id.map(NodeId),
            said: Said::Status(status.0),
        },
    })
}

/// Reads a gateway's or a driver's status: `{"value":true}` or a bare `true`.
pub fn alive(payload: &[u8]) -> Option<bool> {
    let json: Json = serde_json::from_slice(payload).ok()?;
    json.as_bool().or_else(|| json.get("value")?.as_bool())
}

/// Reads a node's `lastActive`: milliseconds, bare or under `value`.
pub fn last_active(payload: &[u8]) -> Option<Timestamp> {
    let json: Json = serde_json::from_slice(payload).ok()?;
    let time = json.as_f64().or_else(|| json.get("value")?.as_f64())?;
    (time > 0.0).then_some(Timestamp(time as u64))
}

/// What an event is about.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// A value of a node changed, came or went.
    Value {
        /// The node.
        node: NodeId,
        /// The node's status at that time.
        status: Option<NodeStatus>,
        /// The value.
        id: ValueId,
        /// What it reads now.
        reading: Option<Reading>,
    },
    /// A node's status.
    Node {
        /// The node.
        node: NodeId,
        /// Its status.
        status: NodeStatus,
    },
    /// Nodes came, went, or were read anew.
    Structure,
    /// A node can be used now.
    Ready(NodeId),
    /// Nothing that is used.
    Other,
}

/// Reads an event by its source and name (`node/node_value_updated`) and its payload
/// (captures, section 6).
pub fn event(name: &str, payload: &[u8]) -> Event {
    match name {
        "driver/driver_ready"
        | "driver/all_nodes_ready"
        | "controller/node_added"
        | "controller/node_removed" => return Event::Structure,
        "node/node_value_updated"
        | "node/node_value_added"
        | "node/node_value_removed"
        | "node/node_ready"
        | "node/node_interview_completed"
        | "node/node_dead"
        | "node/node_alive"
        | "node/node_sleep"
        | "node/node_wakeup"
        | "node/node_wake_up" => {}
        _ => return Event::Other,
    }
    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        data: Vec<&'a serde_json::value::RawValue>,
    }
    #[derive(Deserialize)]
    struct NodeDocument {
        id: u16,
        #[serde(default)]
        status: Option<StatusDocument>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Change {
        #[serde(default)]
        new_value: Json,
    }
    let read = || -> Option<Event> {
        let document: Document = serde_json::from_slice(payload).ok()?;
        let node: NodeDocument = serde_json::from_str(document.data.first()?.get()).ok()?;
        let status = node.status.map(|status| status.0);
        let node = NodeId(node.id);
        if matches!(name, "node/node_ready" | "node/node_interview_completed") {
            return Some(Event::Ready(node));
        }
        let Some(change) = document.data.get(1).filter(|_| name.contains("value")) else {
            return status.map(|status| Event::Node { node, status });
        };
        let id: IdDocument = serde_json::from_str(change.get()).ok()?;
        let change: Change = serde_json::from_str(change.get()).ok()?;
        Some(Event::Value {
            node,
            status,
            id: id.into(),
            reading: reading(&change.new_value),
        })
    };
    read().unwrap_or(Event::Other)
}

/// A reply's frame. `origin` is the whole request, and so carries our id.
#[derive(Deserialize)]
pub struct ReplyDocument<'a, R> {
    /// Only that the call ran, never that it did anything.
    #[serde(default)]
    pub success: bool,
    /// The error's text, where it did not run.
    #[serde(default, borrow)]
    pub message: Option<Cow<'a, str>>,
    /// What it returned.
    #[serde(default)]
    pub result: Option<R>,
    #[serde(default, borrow)]
    origin: Option<Origin<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Origin<'a> {
    #[serde(default, borrow)]
    request_id: Option<Cow<'a, str>>,
}

impl<R> ReplyDocument<'_, R> {
    /// The id that the request carried.
    pub fn request_id(&self) -> Option<&str> {
        self.origin.as_ref()?.request_id.as_deref()
    }
}

/// What the reply to a write says (`SetValueStatus` of zwave-js; captures, section 2).
#[derive(Clone, Debug, PartialEq)]
pub enum WriteStatus {
    /// 255: the device confirmed it.
    Success,
    /// 254: delivered, and nothing else is known.
    Unsupervised,
    /// 1: the device works on it, for about this long.
    Working(Option<Duration>),
    /// 2: no reason is given.
    Fail,
    /// 0, 3, 4, 5, with the gateway's words.
    Refused(String),
}

/// Reads the result of `writeValue`.
pub fn write_status(result: &Json) -> Option<WriteStatus> {
    let status = result.get("status")?.as_u64()?;
    let message = || {
        let words = result.get("message").and_then(Json::as_str);
        let words = words.filter(|words| !words.trim().is_empty());
        words.unwrap_or("the gateway gave no reason").to_owned()
    };
    Some(match status {
        255 => WriteStatus::Success,
        254 => WriteStatus::Unsupervised,
        1 => WriteStatus::Working(match result.get("remainingDuration").and_then(remaining) {
            Some(Remaining::Known(left)) => Some(left),
            _ => None,
        }),
        2 => WriteStatus::Fail,
        0 => WriteStatus::Refused("the device does not support it".to_owned()),
        _ => WriteStatus::Refused(message()),
    })
}

/// A zwave-js duration: `{"value":4,"unit":"seconds"}`, `{"unit":"unknown"}`.
fn remaining(json: &Json) -> Option<Remaining> {
    let value = json.get("value").and_then(Json::as_f64);
    match (json.get("unit")?.as_str()?, value) {
        ("seconds", Some(value)) => Duration::try_from_secs_f64(value)
            .ok()
            .map(Remaining::Known),
        ("minutes", Some(value)) => Duration::try_from_secs_f64(value * 60.0)
            .ok()
            .map(Remaining::Known),
        ("unknown", _) => Some(Remaining::Unknown),
        _ => None,
    }
}

/// Reads a device's answer: the report of `sendCommand get`, or the bare value of `pollValue`
/// (captures, `ask_the_device.json`).
pub fn report(result: &Json) -> Report {
    let Json::Object(fields) = result else {
        return Report {
            current: reading(result),
            ..Report::default()
        };
    };
    let first = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| fields.get(*name))
            .and_then(reading)
    };
    Report {
        current: first(&["currentValue", "currentMode", "currentState"]),
        target: first(&["targetValue", "targetMode"]),
        remaining: fields.get("duration").and_then(remaining),
    }
}

/// The value that somebody's `writeValue` request is about.
pub fn written(payload: &[u8]) -> Option<(NodeId, ValueId)> {
    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        args: Vec<&'a serde_json::value::RawValue>,
    }
    let document: Document = serde_json::from_slice(payload).ok()?;
    target(document.args.first()?.get())
}

/// A node and its value, as requests and scenes spell them.
pub fn target(json: &str) -> Option<(NodeId, ValueId)> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Target {
        node_id: u16,
    }
    let node: Target = serde_json::from_str(json).ok()?;
    let id: IdDocument = serde_json::from_str(json).ok()?;
    Some((NodeId(node.node_id), id.into()))
}

/// A value id as requests spell it.
pub fn id_json(node: NodeId, id: &ValueId) -> Json {
    use crate::home::ids::Part;
    let part = |part: &Part| match part {
        Part::Number(number) => Json::from(*number),
        Part::Text(text) => Json::from(&**text),
    };
    let mut json = serde_json::json!({
        "nodeId": node.0,
        "commandClass": id.class.0,
        "endpoint": id.endpoint,
        "property": part(&id.property),
    });
    if let (Some(key), Json::Object(fields)) = (&id.key, &mut json) {
        fields.insert("propertyKey".to_owned(), part(key));
    }
    json
}
