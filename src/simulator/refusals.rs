//! Writes that the gateway rejects without sending anything, and writes that the device refuses
//! (`fixtures/recorded/writes_bad.jsonl`).

use serde_json::{Map, Value as Json, json};

use super::SimNode;
use super::id::Id;
use crate::home::model::ids::CommandClass as Cc;

/// The statuses in the results of writes (`SetValueStatus` of zwave-js, `docs/dev/GATEWAY.md#writes`).
pub mod write_status {
    /// The device is still working on it.
    pub const WORKING: u64 = 1;
    /// The command failed.
    pub const FAIL: u64 = 2;
    /// The endpoint does not exist.
    pub const ENDPOINT_NOT_FOUND: u64 = 3;
    /// The command class has no value to write.
    pub const NOT_IMPLEMENTED: u64 = 4;
    /// The value or its property is invalid.
    pub const INVALID_VALUE: u64 = 5;
    /// The command was sent, without Supervision.
    pub const SUCCESS_UNSUPERVISED: u64 = 254;
    /// The device has confirmed the command.
    pub const SUCCESS: u64 = 255;
}

/// The modes that the gateway sends to any lock, even if the lock does not support them.
const LOCK_MODES: [u64; 8] = [0, 1, 16, 17, 32, 33, 254, 255];

/// Makes a result of a write. The result has no message.
pub fn write_result(status: u64) -> Json {
    json!({ "status": status })
}

fn rejection(status: u64, message: String) -> Json {
    json!({ "status": status, "message": message })
}

/// Makes the result of a write with an invalid property or value.
fn invalid(node: &SimNode, id: &Id, text: &str) -> Json {
    let name = node.class_name(id.class);
    let message = format!("{name}: {text} (ZW0322)");
    rejection(write_status::INVALID_VALUE, message)
}

/// Checks a write. Returns the value to send, or the result of a rejected write. `value` is `None` if the
/// request contains no value.
pub(super) fn check_value(node: &SimNode, id: &Id, value: Option<Json>) -> Result<Json, Json> {
    check_writeable(node, id)?;
    let fields = node.values.get(&id.key());
    let kind = fields.and_then(|fields| fields.get("type")?.as_str());
    let wanted = kind.filter(|kind| matches!(*kind, "boolean" | "number"));
    let received = value.as_ref().map_or("undefined", type_name);
    if let Some(wanted) = wanted.filter(|wanted| *wanted != received) {
        let property = &id.property;
        let text = format!("\"{property}\" must be of type \"{wanted}\", received \"{received}\"");
        return Err(invalid(node, id, &text));
    }
    let value = value.unwrap_or(Json::Null);
    match find_fault(id, &value) {
        Some(text) => {
            let message = format!("{text} (ZW0322)");
            Err(rejection(write_status::INVALID_VALUE, message))
        }
        None => Ok(value),
    }
}

/// Checks that the value exists and can be written; the error is the write's result.
fn check_writeable(node: &SimNode, id: &Id) -> Result<(), Json> {
    // A key consists of the class, the endpoint and the property: "37-0-targetValue".
    let endpoint = format!("-{}-", id.endpoint);
    if !node.values.keys().any(|key| key.contains(&endpoint)) {
        let (endpoint, node) = (id.endpoint, id.node);
        let text = format!("Endpoint {endpoint} does not exist on Node {node}");
        return Err(rejection(write_status::ENDPOINT_NOT_FOUND, text));
    }
    let is_writeable =
        |fields: &Map<String, Json>| fields.get("writeable").and_then(Json::as_bool) == Some(true);
    let prefix = id.unkeyed_sibling("");
    let values = node.values.iter();
    let mut class_values = values.filter(|(key, _)| key.starts_with(&prefix)).peekable();
    if class_values.peek().is_none() {
        return Err(write_result(write_status::FAIL));
    }
    if !class_values.any(|(_, fields)| is_writeable(fields)) {
        let name = node.class_name(id.class);
        let text = format!("The {name} CC does not support setting values");
        return Err(rejection(write_status::NOT_IMPLEMENTED, text));
    }
    if !node.values.get(&id.key()).is_some_and(is_writeable) {
        let text = format!("\"{}\" is not a supported property", id.property);
        return Err(invalid(node, id, &text));
    }
    Ok(())
}

/// Returns the error message, if a value of the right type is not allowed.
fn find_fault(id: &Id, value: &Json) -> Option<String> {
    match (id.class, &*id.property) {
        (Cc::DOOR_LOCK, "targetMode") => {
            let mode = value.as_u64().filter(|mode| LOCK_MODES.contains(mode));
            mode.is_none().then(|| {
                format!(
                    "Argument validation failed:\nExpected parameter mode to be a member of enum \
                     DoorLockMode, got {value}"
                )
            })
        }
        (Cc::COLOR_SWITCH, "hexColor") => {
            let text = value.as_str()?;
            let digits = text.strip_prefix('#').unwrap_or(text);
            let is_color = digits.len() == 6 && u32::from_str_radix(digits, 16).is_ok();
            (!is_color).then(|| format!("{text} is not a valid HEX color string"))
        }
        _ => None,
    }
}

/// Returns true if the device itself refuses a write: a setpoint beyond the limits, or a tone that the siren
/// lacks.
pub(super) fn device_refuses(node: &SimNode, id: &Id, value: &Json) -> bool {
    let fields = node.values.get(&id.key());
    let number = |name: &str| fields.and_then(|fields| fields.get(name)?.as_f64());
    match (id.class, &*id.property, value.as_f64()) {
        (Cc::THERMOSTAT_SETPOINT, "setpoint", Some(value)) => {
            number("min").is_some_and(|min| value < min)
                || number("max").is_some_and(|max| value > max)
        }
        (Cc::SOUND_SWITCH, "toneId", Some(_)) => {
            let mut states =
                fields.and_then(|fields| fields.get("states")?.as_array()).into_iter().flatten();
            !states.any(|state| state.get("value") == Some(value))
        }
        _ => false,
    }
}

/// Returns a value's type as JavaScript's `typeof` names it.
fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Null | Json::Array(_) | Json::Object(_) => "object",
    }
}
