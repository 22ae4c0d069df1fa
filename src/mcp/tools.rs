//! The two tools as hosts see them.
//!
//! Their schemas have no `$ref`, `anyOf`, `format` or `default`, because some hosts reject all tools if a
//! schema has one of these.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

use super::arguments::{CONTROL, ControlForm, LIST, ListArguments};
use super::control::ControlContent;
use crate::home::published::{ListedDevice, PublishedHouse};

/// Returns the tools to offer.
pub fn list_tools(read_only: bool, structured: bool) -> Vec<Tool> {
    let list = Tool::new(
        LIST,
        "List the house's devices by room, with kind and state (on/off, level, temperature, …).",
        schema::<ListArguments>(),
    );
    let annotations = ToolAnnotations::with_title("List Z-Wave devices").read_only(true);
    let output = structured.then(schema::<PublishedHouse<ListedDevice>>);
    let mut tools = vec![complete(list, annotations, output)];
    if !read_only {
        let control = Tool::new(
            CONTROL,
            "Control one device and report what it really did. Example: {\"deviceName\": \
             \"Kitchen Dimmer\", \"action\": \"dim\", \"level\": 40}",
            schema::<ControlForm>(),
        );
        let annotations = ToolAnnotations::with_title("Control a Z-Wave device")
            .read_only(false)
            .destructive(true)
            .idempotent(false);
        let output = structured.then(schema::<ControlContent>);
        tools.push(complete(control, annotations, output));
    }
    tools
}

fn complete(tool: Tool, annotations: ToolAnnotations, output: Option<Arc<JsonObject>>) -> Tool {
    let mut tool = tool.with_annotations(annotations.open_world(false));
    tool.output_schema = output;
    tool
}

/// Returns the schema of a tool's arguments or results.
fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let mut settings = SchemaSettings::default();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    Arc::new(flatten(&schema.to_value()))
}

/// The keywords that every host accepts, in the order in which our schemas have them.
const KEYWORDS: [&str; 6] = [
    "type",
    "enum",
    "description",
    "items",
    "properties",
    "required",
];

/// Keeps only the parts of a schema that every host accepts.
fn flatten(schema: &Json) -> JsonObject {
    let is_object = schema.get("properties").is_some();
    KEYWORDS
        .iter()
        .filter_map(|keyword| {
            let value = match (*keyword, schema.get(keyword)?) {
                ("properties", Json::Object(properties)) => {
                    let flat = properties
                        .iter()
                        .map(|(name, schema)| (name.clone(), flatten(schema).into()));
                    Json::Object(flat.collect())
                }
                ("items", schema) => flatten(schema).into(),
                // The type ["string", "null"] only means that the field is not required.
                ("type", Json::Array(types)) => types.first()?.clone(),
                // The doc comment of a type is for readers of the code, not for models.
                ("description", _) if is_object => return None,
                ("description", Json::String(text)) => text.replace('\n', " ").into(),
                (_, value) => value.clone(),
            };
            Some(((*keyword).to_owned(), value))
        })
        .collect()
}
