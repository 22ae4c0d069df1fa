//! zwave-js-ui's JSON: the `getNodes` reply, read as a stream into only what is used.
//!
//! A node has 14 to 70 kB on the wire, most of it configuration values and a log of events
//! (captures, `getNodes_sizes.json`). What can't be read costs only itself: a value or a node of an
//! unexpected shape is left out and said in the log, and the rest of the house stands.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tracing::{debug, warn};

use crate::home::ids::{CommandClass, NodeId, Part, Timestamp, ValueId};
use crate::home::node::{DeviceClass, Endpoint, Node, NodeStatus, Role};
use crate::home::value::{Components, Meta, Reading, State, Value};

/// The nodes of a `getNodes` reply by their number.
#[derive(Debug, Default)]
pub struct Nodes(pub BTreeMap<NodeId, Node>);

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Nodes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of nodes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut nodes: A) -> Result<Nodes, A::Error> {
                let mut read = BTreeMap::new();
                while let Some(raw) = nodes.next_element::<&RawValue>()? {
                    match serde_json::from_str::<NodeDocument>(raw.get()) {
                        Ok(document) => {
                            let node = Node::from(document);
                            read.insert(node.id, node);
                        }
                        Err(error) => warn!(%error, "a node can't be read and is left out"),
                    }
                }
                Ok(Nodes(read))
            }
        }
        deserializer.deserialize_seq(Each)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeDocument<'a> {
    id: u16,
    #[serde(default, borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    loc: Option<Cow<'a, str>>,
    #[serde(default)]
    r#virtual: bool,
    #[serde(default, borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    ready: bool,
    #[serde(default)]
    status: StatusDocument,
    #[serde(default)]
    is_controller_node: bool,
    #[serde(default, deserialize_with = "lenient")]
    is_listening: bool,
    #[serde(default, deserialize_with = "lenient")]
    is_frequent_listening: Frequency,
    #[serde(default, deserialize_with = "lenient")]
    device_class: Option<ClassDocument>,
    #[serde(default, borrow, deserialize_with = "lenient")]
    endpoints: Option<Vec<EndpointDocument<'a>>>,
    #[serde(default)]
    values: Values,
    #[serde(default, deserialize_with = "lenient")]
    last_active: Option<f64>,
}

/// A part that a device can do without: what can't be read counts as missing.
fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let raw: &RawValue = Deserialize::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

#[derive(Clone, Copy, Deserialize)]
struct ClassDocument {
    #[serde(default)]
    generic: u8,
    #[serde(default)]
    specific: u8,
}

impl From<ClassDocument> for DeviceClass {
    fn from(document: ClassDocument) -> Self {
        Self {
            generic: document.generic,
            specific: document.specific,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EndpointDocument<'a> {
    index: u8,
    #[serde(default, borrow)]
    label: Option<Cow<'a, str>>,
    #[serde(default)]
    device_class: Option<ClassDocument>,
}

/// FLiRS: `false`, or how often the node listens ("1000ms", "250ms").
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Frequency {
    Flag(bool),
    Often(IgnoredAny),
    #[default]
    Absent,
}

/// A node's status: a word in `getNodes` and on status topics, a number in events.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(from = "WordOrNumber")]
pub struct StatusDocument(pub NodeStatus);

#[derive(Deserialize)]
#[serde(untagged)]
enum WordOrNumber {
    Word(String),
    Number(f64),
    Other(IgnoredAny),
}

impl From<WordOrNumber> for StatusDocument {
    fn from(document: WordOrNumber) -> Self {
        Self(match document {
            WordOrNumber::Word(word) => match word.as_str() {
                "Alive" => NodeStatus::Alive,
                "Dead" => NodeStatus::Dead,
                "Asleep" => NodeStatus::Asleep,
                "Awake" => NodeStatus::Awake,
                _ => NodeStatus::Unknown,
            },
            WordOrNumber::Number(1.0) => NodeStatus::Asleep,
            WordOrNumber::Number(2.0) => NodeStatus::Awake,
            WordOrNumber::Number(3.0) => NodeStatus::Dead,
            WordOrNumber::Number(4.0) => NodeStatus::Alive,
            WordOrNumber::Number(_) => NodeStatus::Unknown,
            WordOrNumber::Other(IgnoredAny) => NodeStatus::Unknown,
        })
    }
}

/// A property or property key as it is written.
#[derive(Deserialize)]
#[serde(untagged)]
enum PartDocument<'a> {
    Number(u32),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

impl From<PartDocument<'_>> for Part {
    fn from(document: PartDocument<'_>) -> Self {
        match document {
            PartDocument::Number(number) => Self::Number(number),
            PartDocument::Text(text) => Self::Text(text.into()),
        }
    }
}

/// Which value a document is about, as values, events and requests spell it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IdDocument<'a> {
    command_class: u16,
    #[serde(default)]
    endpoint: Option<u8>,
    #[serde(borrow)]
    property: PartDocument<'a>,
    #[serde(default, borrow)]
    property_key: Option<PartDocument<'a>>,
}

impl From<IdDocument<'_>> for ValueId {
    fn from(document: IdDocument<'_>) -> Self {
        Self {
            class: CommandClass(document.command_class),
            endpoint: document.endpoint.unwrap_or(0),
            property: document.property.into(),
            key: document.property_key.map(Part::from),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ValueDocument<'a> {
    // The four parts of its id stand here once more: `flatten` would read every value twice.
    command_class: u16,
    #[serde(default)]
    endpoint: Option<u8>,
    #[serde(borrow)]
    property: PartDocument<'a>,
    #[serde(default, borrow)]
    property_key: Option<PartDocument<'a>>,
    #[serde(default)]
    readable: bool,
    #[serde(default)]
    writeable: bool,
    #[serde(default)]
    stateless: bool,
    #[serde(default)]
    min: Option<f64>,
    #[serde(default)]
    max: Option<f64>,
    #[serde(default, borrow)]
    unit: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    label: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    states: Vec<StateDocument>,
    #[serde(default)]
    value: serde_json::Value,
}

#[derive(Deserialize)]
struct StateDocument {
    text: String,
    value: serde_json::Value,
}

/// A node's values and the classes that it has values of, without those of bookkeeping.
#[derive(Default)]
struct Values {
    kept: Vec<Value>,
    classes: BTreeSet<(u8, CommandClass)>,
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> Result<Values, A::Error> {
                let mut read = Values::default();
                while let Some(key) = values.next_key::<Cow<'de, str>>()? {
                    let place = place_of(&key);
                    read.classes.extend(place);
                    let kept = |class: CommandClass| {
                        !class.is_bookkeeping() || class == CommandClass::BASIC
                    };
                    if place.is_some_and(|(_, class)| !kept(class)) {
                        values.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let raw: &RawValue = values.next_value()?;
                    match serde_json::from_str::<ValueDocument>(raw.get()) {
                        Ok(document) if document.stateless => {}
                        Ok(document) => {
                            let value = Value::from(document);
                            read.classes.insert((value.id.endpoint, value.id.class));
                            read.kept.push(value);
                        }
                        Err(error) => debug!(%key, %error, "a value can't be read and is left out"),
                    }
                }
                Ok(read)
            }
        }
        deserializer.deserialize_map(Each)
    }
}

/// The endpoint and class in a value's key, `<class>-<endpoint>-<property>[-<key>]`.
fn place_of(key: &str) -> Option<(u8, CommandClass)> {
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
            Some(State {
                number,
                text: state.text.into(),
            })
        });
        Self {
            id: ValueId::from(IdDocument {
                command_class: document.command_class,
                endpoint: document.endpoint,
                property: document.property,
                property_key: document.property_key,
            }),
            meta: Meta {
                readable: document.readable,
                writeable: document.writeable,
                min: document.min,
                max: document.max,
                unit: document.unit.map(Into::into),
                label: document.label.map(Into::into),
                states: states.collect(),
            },
            reading: reading(&document.value),
            guessed: false,
        }
    }
}

/// A value as JSON spells it; none where it is unknown.
pub fn reading(json: &serde_json::Value) -> Option<Reading> {
    Some(match json {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(flag) => Reading::Bool(*flag),
        serde_json::Value::Number(number) => Reading::Number(number.as_f64()?),
        // What a gateway writes for a state it does not know (seen on real devices).
        serde_json::Value::String(text) if text == "unknown" => return None,
        serde_json::Value::String(text) => Reading::Text(text.as_str().into()),
        serde_json::Value::Object(fields) => lamps(fields).unwrap_or(Reading::Other),
        serde_json::Value::Array(_) => Reading::Other,
    })
}

/// The lamps of a colour light, as its compound values tell them.
fn lamps(fields: &serde_json::Map<String, serde_json::Value>) -> Option<Reading> {
    let lamps = Components::NAMES.map(|name| {
        let level = fields.get(name)?.as_f64()?;
        Some(level.clamp(0.0, 255.0) as u8)
    });
    (lamps != [None; 5]).then_some(Reading::Components(Components(lamps)))
}

impl From<NodeDocument<'_>> for Node {
    fn from(document: NodeDocument<'_>) -> Self {
        let Values { mut kept, classes } = document.values;
        kept.sort_by(|left, right| left.id.cmp(&right.id));
        kept.dedup_by(|left, right| left.id == right.id);
        kept.shrink_to_fit();
        let group = document.kind.as_deref() == Some("multicast");
        let role = match (document.is_controller_node, document.r#virtual, group) {
            (true, _, _) => Role::Controller,
            (_, true, true) => Role::Group,
            (_, true, false) => Role::Broadcast,
            _ => Role::Device,
        };
        // A group is written with Basic; a device has better than that.
        kept.retain(|value| role == Role::Group || value.id.class != CommandClass::BASIC);
        let endpoints = document.endpoints.unwrap_or_default().into_iter();
        Self {
            id: NodeId(document.id),
            name: document.name.unwrap_or_default().into(),
            room: document.loc.unwrap_or_default().into(),
            role,
            status: document.status.0,
            ready: document.ready,
            listening: document.is_listening,
            frequently_listening: matches!(
                document.is_frequent_listening,
                Frequency::Flag(true) | Frequency::Often(IgnoredAny)
            ),
            class: document.device_class.map(Into::into).unwrap_or_default(),
            endpoints: endpoints
                .map(|endpoint| Endpoint {
                    index: endpoint.index,
                    label: endpoint
                        .label
                        .and_then(|label| own_label(&label, endpoint.index)),
                    class: endpoint.device_class.map(Into::into),
                })
                .collect(),
            classes: classes.into_iter().collect(),
            values: kept,
            last_active: document
                .last_active
                .filter(|time| *time > 0.0)
                .map(|time| Timestamp(time as u64)),
        }
    }
}

/// The label of an endpoint, unless zwave-js-ui made it up from its number.
fn own_label(label: &str, index: u8) -> Option<Box<str>> {
    let made_up = label == "Root Endpoint" || label == format!("Endpoint {index}");
    let label = label.trim();
    (!made_up && !label.is_empty()).then(|| label.into())
}
