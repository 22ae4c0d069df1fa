//! The small payloads: statuses, replies, and other clients' requests.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::nodes::parse_reading;
use crate::home::goal::{Remaining, StateReport};
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::value::Reading;

/// Reads the status of a gateway or its driver: `{"value":true}` or a bare `true`.
pub fn parse_status(payload: &[u8]) -> Option<bool> {
    let json: Json = serde_json::from_slice(payload).ok()?;
    json.as_bool().or_else(|| json.get("value")?.as_bool())
}

/// Reads the id of the Z-Wave network from a `getInfo` reply.
pub fn parse_home_id(payload: &[u8]) -> Option<u32> {
    let json: Json = serde_json::from_slice(payload).ok()?;
    u32::try_from(json.get("result")?.get("homeid")?.as_u64()?).ok()
}

/// The frame of a reply. `origin` repeats the request, including its id.
#[derive(Deserialize)]
pub struct ReplyDocument<'a, R> {
    /// True if the call ran. A call that ran may still have failed.
    #[serde(default)]
    pub success: bool,
    /// The error text, if the call did not run.
    #[serde(default, borrow)]
    pub message: Option<Cow<'a, str>>,
    /// The value that the call returned.
    pub result: Option<R>,
    #[serde(default, borrow)]
    origin: Option<RequestOrigin<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestOrigin<'a> {
    #[serde(default, borrow)]
    request_id: Option<Cow<'a, str>>,
}

impl<R> ReplyDocument<'_, R> {
    /// Returns the id that the request carried.
    pub fn request_id(&self) -> Option<&str> {
        self.origin.as_ref()?.request_id.as_deref()
    }
}

/// A gateway's reply to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The call ran, with this result in JSON, if any. A call that ran may still have failed.
    Ran(Option<Box<str>>),
    /// The call did not run, for this reason, in the gateway's words.
    NotRun(String),
}

impl Reply {
    /// Returns the result of a call that ran, if any.
    pub fn result(&self) -> Option<Json> {
        match self {
            Self::Ran(Some(result)) => serde_json::from_str(result).ok(),
            Self::Ran(None) | Self::NotRun(_) => None,
        }
    }
}

/// Reads a reply and its request's id; returns `None` if the request had no id.
pub fn parse_reply(payload: &[u8]) -> Option<(String, Reply)> {
    let document: ReplyDocument<Box<RawValue>> = serde_json::from_slice(payload).ok()?;
    let id = document.request_id()?.to_owned();
    let reply = if document.success {
        Reply::Ran(document.result.map(|result| result.get().into()))
    } else {
        Reply::NotRun(document.message.unwrap_or_default().into_owned())
    };
    Some((id, reply))
}

/// The status in the reply to a write (`SetValueStatus` of zwave-js, `docs/dev/GATEWAY.md#writes`).
#[derive(Clone, Debug, PartialEq)]
pub enum WriteStatus {
    /// 255: the device has confirmed that the write is carried out.
    Success,
    /// 254: the write was delivered, but nothing else is known.
    Unsupervised,
    /// 1: the device is carrying out the write, which takes about this long, if known.
    Working(Option<Duration>),
    /// 2: the write failed, without a reason.
    Fail,
    /// 0, 3, 4, 5, or an unknown status: the write was not carried out, for this reason.
    Refused(String),
}

/// Reads the result of `writeValue`.
pub fn parse_write_status(result: &Json) -> Option<WriteStatus> {
    let status = result.get("status")?.as_u64()?;
    Some(match status {
        255 => WriteStatus::Success,
        254 => WriteStatus::Unsupervised,
        1 => WriteStatus::Working(
            match result.get("remainingDuration").and_then(parse_remaining) {
                Some(Remaining::Known(left)) => Some(left),
                _ => None,
            },
        ),
        2 => WriteStatus::Fail,
        0 => WriteStatus::Refused("the device does not support it".to_owned()),
        _ => {
            let words = result.get("message").and_then(Json::as_str);
            let words = words.filter(|words| !words.trim().is_empty());
            WriteStatus::Refused(words.unwrap_or("the gateway gave no reason").to_owned())
        }
    })
}

/// Reads a zwave-js duration: `{"value":4,"unit":"seconds"}`, `{"unit":"unknown"}`.
fn parse_remaining(json: &Json) -> Option<Remaining> {
    let seconds = match json.get("unit")?.as_str()? {
        "seconds" => 1.0,
        "minutes" => 60.0,
        "unknown" => return Some(Remaining::Unknown),
        _ => return None,
    };
    let left = Duration::try_from_secs_f64(json.get("value")?.as_f64()? * seconds);
    left.ok().map(Remaining::Known)
}

/// Reads a device's answer: the report of `sendCommand get`, or the bare value of `pollValue`
/// (`docs/dev/GATEWAY.md#asking-the-device`).
pub fn parse_report(result: &Json) -> StateReport {
    let Json::Object(fields) = result else {
        return StateReport {
            current: parse_reading(result),
            ..StateReport::default()
        };
    };
    let first_of =
        |names: &[&str]| names.iter().find_map(|name| fields.get(*name)).and_then(parse_reading);
    StateReport {
        current: first_of(&["currentValue", "currentMode", "currentState"]),
        target: first_of(&["targetValue", "targetMode"]),
        remaining: fields.get("duration").and_then(parse_remaining),
    }
}

/// A write by any client.
pub struct ClientWrite {
    /// The node.
    pub node: NodeId,
    /// The value.
    pub target: ValueId,
    /// The written reading.
    pub value: Option<Reading>,
    /// The status in the reply; `None` for a request.
    pub status: Option<WriteStatus>,
}

/// Reads any client's `writeValue` request, or the reply to it.
pub fn parse_write(payload: &[u8]) -> Option<ClientWrite> {
    #[derive(Deserialize)]
    struct WriteDocument<'a> {
        #[serde(borrow)]
        args: Vec<&'a RawValue>,
        result: Option<Json>,
    }
    let document: WriteDocument = serde_json::from_slice(payload).ok()?;
    let (node, target) = parse_target(document.args.first()?.get())?;
    let value = document.args.get(1).and_then(|value| serde_json::from_str(value.get()).ok());
    Some(ClientWrite {
        node,
        target,
        value: value.and_then(|value: Json| parse_reading(&value)),
        status: document.result.as_ref().and_then(parse_write_status),
    })
}

/// Reads the target of a write in a request or a scene: a node and a value id.
pub fn parse_target(json: &str) -> Option<(NodeId, ValueId)> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct TargetDocument {
        node_id: NodeId,
    }
    let node: TargetDocument = serde_json::from_str(json).ok()?;
    Some((node.node_id, serde_json::from_str(json).ok()?))
}

/// Converts a value id to JSON, in the form that requests use.
pub fn id_json(node: NodeId, id: &ValueId) -> Json {
    let mut json = serde_json::json!({
        "nodeId": node.0,
        "commandClass": id.class.0,
        "endpoint": id.endpoint,
        "property": id.property,
    });
    if let (Some(key), Json::Object(fields)) = (&id.key, &mut json) {
        fields.insert("propertyKey".to_owned(), serde_json::json!(key));
    }
    json
}
