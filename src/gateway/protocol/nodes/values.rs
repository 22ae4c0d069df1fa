//! Values in zwave-js-ui's JSON: their ids, metadata and readings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;
use tracing::debug;

use crate::home::bounds;
use crate::home::last_report::Watched;
use crate::home::model::ids::{CommandClass, PropertyName, Timestamp, ValueId};
use crate::home::model::value::{ColorComponents, Evidence, Meta, NamedState, Reading, Value};

/// Deserializes an optional field. A field of an unexpected shape counts as missing.
pub fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let raw: &RawValue = Deserialize::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ValueDocument<'a> {
    // The fields of `ValueId` are repeated here, because `flatten` would parse every value twice.
    command_class: CommandClass,
    endpoint: Option<u8>,
    property: PropertyName,
    property_key: Option<PropertyName>,
    #[serde(default)]
    readable: bool,
    #[serde(default)]
    writeable: bool,
    #[serde(default)]
    stateless: bool,
    #[serde(default, borrow, deserialize_with = "lenient")]
    r#type: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient", alias = "steps")]
    step: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    #[serde(default, borrow)]
    unit: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    label: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    states: Vec<StateDocument>,
    #[serde(default)]
    value: serde_json::Value,
    #[serde(default, deserialize_with = "lenient")]
    last_update: Option<f64>,
}

#[derive(Deserialize)]
struct StateDocument {
    text: String,
    value: serde_json::Value,
}

/// A node's values.
#[derive(Default)]
pub(super) struct Values {
    /// The values that are used.
    pub(super) kept: Vec<Value>,
    /// The endpoint and command class of every value, used or not.
    pub(super) classes: BTreeSet<(u8, CommandClass)>,
    /// When the values that tell the state of a door, window, lock or motion sensor were last reported.
    pub(super) reports: Vec<(ValueId, Timestamp)>,
}

impl Values {
    /// Parses a node's values, given their documents by key.
    pub(super) fn parse(documents: &BTreeMap<String, &RawValue>) -> Self {
        let mut values = Self::default();
        for (key, document) in documents {
            let endpoint_and_class = parse_key(key);
            values.classes.extend(endpoint_and_class);
            let is_kept = |class: CommandClass| match class {
                CommandClass::BASIC => true,
                CommandClass::INDICATOR => key.ends_with("-value"),
                class => !class.is_discarded(),
            };
            if endpoint_and_class.is_some_and(|(_, class)| !is_kept(class)) {
                continue;
            }
            match serde_json::from_str::<ValueDocument>(document.get()) {
                Ok(document) if document.stateless => {}
                Ok(document) => {
                    let at = document.last_update.and_then(super::to_timestamp);
                    let value = Value::from(document);
                    let at = at.filter(|_| Watched::of_value(&value.id).is_some());
                    values.reports.extend(at.map(|at| (value.id.clone(), at)));
                    values.classes.insert((value.id.endpoint, value.id.class));
                    values.kept.push(value);
                }
                Err(error) => debug!(%key, %error, "a value can't be read and is left out"),
            }
        }
        values
    }
}

/// Returns the endpoint and command class in a value's key, `<class>-<endpoint>-<property>[-<key>]`.
fn parse_key(key: &str) -> Option<(u8, CommandClass)> {
    let mut parts = key.split('-');
    let class = parts.next()?.parse().ok()?;
    let endpoint = parts.next()?.parse().ok()?;
    Some((endpoint, CommandClass(class)))
}

impl From<ValueDocument<'_>> for Value {
    fn from(document: ValueDocument<'_>) -> Self {
        let states = document.states.into_iter().filter_map(|state| {
            let number = match state.value {
                serde_json::Value::Bool(flag) => i64::from(flag),
                number => number.as_i64()?,
            };
            Some(NamedState {
                number,
                text: state.text.into(),
            })
        });
        Self {
            id: ValueId {
                class: document.command_class,
                endpoint: document.endpoint.unwrap_or(0),
                property: document.property,
                key: document.property_key,
            },
            meta: Meta {
                readable: document.readable,
                writeable: document.writeable,
                boolean: document.r#type.as_deref() == Some("boolean"),
                step: document.step.filter(|step| *step > 0.0),
                min: document.min,
                max: document.max,
                unit: document.unit.map(Into::into),
                label: document.label.map(|label| bounds::cut_input(&label).into()),
                states: states.collect(),
            },
            reading: parse_reading(&document.value),
            evidence: Evidence::Reported,
            changed: 0,
        }
    }
}

/// Parses a value's content; returns `None` if it is unknown.
pub fn parse_reading(json: &serde_json::Value) -> Option<Reading> {
    Some(match json {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(flag) => Reading::Bool(*flag),
        serde_json::Value::Number(number) => Reading::Number(number.as_f64()?),
        // Gateways send this text for a state that they do not know (seen with real devices).
        serde_json::Value::String(text) if text == "unknown" => return None,
        serde_json::Value::String(text) => Reading::Text(text.as_str().into()),
        serde_json::Value::Object(fields) => parse_lamps(fields).unwrap_or(Reading::Other),
        serde_json::Value::Array(_) => Reading::Other,
    })
}

/// Parses the compound value of a color light; returns `None` if the value has no level of a lamp.
fn parse_lamps(fields: &serde_json::Map<String, serde_json::Value>) -> Option<Reading> {
    let lamps = ColorComponents::NAMES.map(|name| {
        let level = fields.get(name)?.as_f64()?;
        Some(level.clamp(0.0, 255.0) as u8)
    });
    (lamps != [None; 5]).then_some(Reading::Components(ColorComponents(lamps)))
}
