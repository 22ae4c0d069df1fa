//! The host's own tools: async functions, each with a name, a description and a JSON Schema.

pub mod clock;
pub mod volume;

use std::collections::HashSet;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use thiserror::Error;

use super::tool::{TYPES, Tool, items, properties, required_properties, text};

/// The function of a tool. Returns a text, or an error as a sentence.
pub(super) type Function = Arc<
    dyn Fn(Map<String, Json>) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send>>
        + Send
        + Sync,
>;

/// One of the host's own tools.
#[derive(Clone)]
pub struct LocalTool {
    /// The name, the description and the schema.
    pub tool: Tool,
    pub(super) function: Function,
}

/// The reason why a tool can't be offered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error("the tool \"{name}\" can't be offered: {why}")]
pub struct LocalToolError {
    /// The tool's name.
    pub name: String,
    /// The fault in the tool, or the rule that the tool breaks.
    pub why: String,
}

impl LocalTool {
    /// Makes a tool that runs this function. Before each call, the [executor](super::ToolExecutor) checks the
    /// arguments against the schema: required names, unknown names, types, enums and ranges.
    ///
    /// # Errors
    /// The name or description is empty, or the schema does not describe an object whose properties have
    /// types.
    pub fn new<F>(
        name: &str,
        description: &str,
        schema: Json,
        function: impl Fn(Map<String, Json>) -> F + Send + Sync + 'static,
    ) -> Result<Self, LocalToolError>
    where
        F: Future<Output = Result<String, String>> + Send + 'static,
    {
        let invalid = |why: String| LocalToolError {
            name: name.to_owned(),
            why,
        };
        if name.is_empty() || description.is_empty() {
            return Err(invalid("it needs a name and a description".to_owned()));
        }
        check_schema(&schema).map_err(invalid)?;
        let document = json!({ "name": name, "description": description, "inputSchema": schema });
        Ok(Self {
            tool: Tool::read(document).map_err(invalid)?,
            function: Arc::new(move |arguments| Box::pin(function(arguments))),
        })
    }
}

impl fmt::Debug for LocalTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LocalTool").field(&self.tool).finish()
    }
}

/// Checks that a schema describes an object whose properties have types.
fn check_schema(schema: &Json) -> Result<(), String> {
    let Json::Object(schema) = schema else {
        return Err("its schema must be a JSON object".to_owned());
    };
    if schema.get("type") != Some(&Json::from("object")) {
        return Err("its schema must have \"type\": \"object\"".to_owned());
    }
    if schema.get("properties").is_some_and(|properties| !properties.is_object()) {
        return Err("\"properties\" must be an object".to_owned());
    }
    for (name, property) in properties(schema) {
        let kind = text(property, "type");
        if !kind.is_some_and(|kind| TYPES.contains(&kind)) {
            return Err(format!(
                "\"{name}\" must have one of the types {}",
                TYPES.join(", ")
            ));
        }
        if property.get("enum").is_some_and(|values| !values.is_array()) {
            return Err(format!("the enum of \"{name}\" must be a list"));
        }
    }
    if schema.get("required").is_some_and(|required| !required.is_array()) {
        return Err("\"required\" must be a list of names".to_owned());
    }
    let is_property = |required: &Json| properties(schema).any(|(name, _)| required == name);
    match items(schema.get("required")).find(|name| !is_property(name)) {
        Some(name) => Err(format!(
            "its schema requires {name}, which is not in \"properties\""
        )),
        None => Ok(()),
    }
}

/// Describes a tool's parameters in words, such as `level (integer, required), note (string)`.
pub(super) fn describe_parameters(schema: &Map<String, Json>) -> String {
    let required: HashSet<&str> = required_properties(schema).collect();
    let parameters = properties(schema).map(|(name, property)| {
        let kind = text(property, "type").unwrap_or("any");
        let required = required.contains(name.as_str()).then_some(", required");
        format!("{name} ({kind}{})", required.unwrap_or_default())
    });
    let parameters: Vec<String> = parameters.collect();
    match parameters.as_slice() {
        [] => "no arguments".to_owned(),
        parameters => parameters.join(", "),
    }
}

/// Finds a fault in the arguments of a tool, if there is any.
pub(crate) fn find_fault(
    schema: &Map<String, Json>,
    arguments: &Map<String, Json>,
) -> Option<String> {
    let mut required = required_properties(schema);
    if let Some(name) = required.find(|name| !arguments.contains_key(*name)) {
        return Some(format!("{name} is missing"));
    }
    arguments.iter().find_map(|(name, value)| {
        match properties(schema).find(|(known, _)| *known == name) {
            Some((_, property)) => find_misfit(property, value).map(|why| format!("{name} {why}")),
            None => Some(format!("there is no parameter {name}")),
        }
    })
}

/// Explains why a value does not fit a property's schema; returns `None` if it fits.
fn find_misfit(property: &Json, value: &Json) -> Option<String> {
    let kind = text(property, "type").unwrap_or_default();
    let fits = match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    };
    if !fits {
        return Some(format!("must be of the type {kind}, not {value}"));
    }
    if let Some(values) = property.get("enum").and_then(Json::as_array)
        && !values.contains(value)
    {
        return Some(format!(
            "must be one of {}, not {value}",
            Json::from(values.clone())
        ));
    }
    let number = value.as_f64()?;
    let bound = |name: &str| property.get(name).and_then(Json::as_f64);
    if let Some(least) = bound("minimum").filter(|least| number < *least) {
        return Some(format!("must be at least {least}, not {value}"));
    }
    let most = bound("maximum").filter(|most| number > *most)?;
    Some(format!("must be at most {most}, not {value}"))
}
