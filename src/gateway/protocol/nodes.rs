//! Parses the nodes of a `getNodes` reply, and keeps only what is used.
//!
//! A node takes 14 to 70 kB on the wire, most of it configuration values and a log of events
//! (`docs/GATEWAY.md#node-documents`). Values and nodes of an unexpected shape are skipped and
//! logged.

mod reply;
mod values;

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::home::bounds;
use crate::home::model::ids::{CommandClass, NodeId, Timestamp};
use crate::home::model::node::{DeviceClass, Endpoint, Node, NodeStatus, Product, Role};
pub use reply::{Nodes, NodesReader, NodesReply};
pub use values::{IdDocument, parse_reading};
use values::{Values, lenient};

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
    #[serde(default, deserialize_with = "lenient")]
    manufacturer_id: Option<u16>,
    #[serde(default, deserialize_with = "lenient")]
    product_type: Option<u16>,
    #[serde(default, deserialize_with = "lenient")]
    product_id: Option<u16>,
    #[serde(default, borrow, deserialize_with = "lenient")]
    endpoints: Option<Vec<EndpointDocument<'a>>>,
    #[serde(default)]
    values: Values,
    #[serde(default, deserialize_with = "lenient")]
    last_active: Option<f64>,
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

/// How often a FLiRS node listens ("1000ms", "250ms"), or `false`.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Frequency {
    Flag(bool),
    Interval(IgnoredAny),
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
        let class: DeviceClass = document.device_class.map(Into::into).unwrap_or_default();
        // Groups are controlled through Basic, but devices have more specific classes. We know what an
        // indicator means only for a siren.
        kept.retain(|value| match value.id.class {
            CommandClass::BASIC => role == Role::Group,
            CommandClass::INDICATOR => class == DeviceClass::SIREN,
            _ => true,
        });
        let product = || {
            Some(Product {
                maker: document.manufacturer_id?,
                family: document.product_type?,
                id: document.product_id?,
            })
        };
        let product = product();
        let endpoints = document.endpoints.unwrap_or_default().into_iter();
        Self {
            id: NodeId(document.id),
            name: bounds::cut_input(&document.name.unwrap_or_default()).into(),
            room: bounds::cut_input(&document.loc.unwrap_or_default()).into(),
            role,
            status: document.status.0,
            ready: document.ready,
            listening: document.is_listening,
            frequently_listening: matches!(
                document.is_frequent_listening,
                Frequency::Flag(true) | Frequency::Interval(IgnoredAny)
            ),
            class,
            product,
            endpoints: endpoints
                .map(|endpoint| Endpoint {
                    index: endpoint.index,
                    label: endpoint.label.and_then(|label| own_label(&label, endpoint.index)),
                    class: endpoint.device_class.map(Into::into),
                })
                .collect(),
            classes: classes.into_iter().collect(),
            values: kept,
            last_active: document
                .last_active
                .filter(|time| *time > 0.0)
                .map(|time| Timestamp(time as u64)),
            changed: 0,
        }
    }
}

/// Returns the label of an endpoint, unless zwave-js-ui generated it.
fn own_label(label: &str, index: u8) -> Option<Box<str>> {
    let is_generated = label == "Root Endpoint" || label == format!("Endpoint {index}");
    let label = bounds::cut_input(label.trim());
    (!is_generated && !label.is_empty()).then(|| label.into())
}
