//! The two tools as hosts see them. Flat JSON Schema, written by hand: with `$ref`, `anyOf`, `format`
//! or `default` in it, one host or another rejects the whole list.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value as Json, json};

use crate::home::intent::Action;

/// The name of the tool that lists devices.
pub const LIST: &str = "list_zwave_devices";

/// The name of the tool that controls them.
pub const CONTROL: &str = "control_zwave_device";

/// The tools that are offered.
pub fn offered(read_only: bool, structured: bool) -> Vec<Tool> {
    let mut tools = vec![list(structured)];
    if !read_only {
        tools.push(control(structured));
    }
    tools
}

fn list(structured: bool) -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "filter": {
                "type": "string",
                "description": "Words of a room, name or kind, e.g. \"kitchen\" or \"bedroom \
                                lights\". Omit for all devices.",
            },
            "includeInactive": {
                "type": "boolean",
                "description": "Also list devices that do not respond.",
            },
        },
    });
    let annotations = ToolAnnotations::with_title("List Z-Wave devices")
        .read_only(true)
        .open_world(false);
    let tool = Tool::new(
        LIST,
        "List the house's devices by room, with kind and state (on/off, level, temperature, …).",
        object(input),
    )
    .with_annotations(annotations);
    with_output(tool, structured, list_output)
}

fn control(structured: bool) -> Tool {
    let actions: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
    let input = json!({
        "type": "object",
        "properties": {
            "deviceName": {
                "type": "string",
                "description": "Name from list_zwave_devices, with its room if needed: \"Office \
                                Ceiling\". Several: \"all kitchen lights\".",
            },
            "action": { "type": "string", "enum": actions },
            "level": {
                "type": "number",
                "description": "Percent 0-100 for dim and open; degrees for set_temperature.",
            },
            "mode": {
                "type": "string",
                "description": "Only for set_mode: heat, cool, auto, off, …",
            },
            "color": {
                "type": "string",
                "description": "Only for set_color: a name or #rrggbb.",
            },
        },
        "required": ["deviceName", "action"],
    });
    let annotations = ToolAnnotations::with_title("Control a Z-Wave device")
        .read_only(false)
        .destructive(true)
        .idempotent(false)
        .open_world(false);
    let tool = Tool::new(
        CONTROL,
        "Control one device and report what it really did. Example: {\"deviceName\": \"Kitchen \
         Dimmer\", \"action\": \"dim\", \"level\": 40}",
        object(input),
    )
    .with_annotations(annotations);
    with_output(tool, structured, control_output)
}

fn with_output(mut tool: Tool, structured: bool, output: fn() -> Json) -> Tool {
    tool.output_schema = structured.then(|| object(output()));
    tool
}

fn list_output() -> Json {
    json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "description": "Devices that match." },
            "notResponding": {
                "type": "integer",
                "description": "Dead devices that match; listed only with includeInactive.",
            },
            "problems": { "type": "array", "items": { "type": "string" } },
            "valuesAge": {
                "type": "string",
                "description": "How old the values are, where they are not kept fresh.",
            },
            "nearest": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The nearest names, where nothing matches.",
            },
            "rooms": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The rooms there are, where nothing matches.",
            },
            "devices": {
                "type": "array",
                "description": "At most 100; where count is more, say a room, kind or name in \
                                filter for others.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "room": { "type": "string" },
                        "kind": { "type": "string" },
                        "state": { "type": "string" },
                        "responding": { "type": "boolean" },
                        "asleep": { "type": "boolean" },
                        "lowBattery": { "type": "integer", "description": "Percent." },
                        "silentFor": { "type": "string" },
                    },
                    "required": ["name", "room", "kind", "responding", "asleep"],
                },
            },
        },
        "required": ["count", "notResponding", "problems", "devices"],
    })
}

fn control_output() -> Json {
    let certainty = json!({
        "type": "string",
        "enum": ["confirmed", "moving", "accepted", "queued", "failed", "unknown"],
    });
    json!({
        "type": "object",
        "properties": {
            "certainty": certainty,
            "message": { "type": "string" },
            "devices": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "room": { "type": "string" },
                        "certainty": certainty,
                        "message": { "type": "string" },
                    },
                    "required": ["name", "room", "certainty", "message"],
                },
            },
        },
        "required": ["certainty", "message", "devices"],
    })
}

fn object(json: Json) -> Arc<JsonObject> {
    Arc::new(match json {
        Json::Object(fields) => fields,
        _ => JsonObject::new(),
    })
}
