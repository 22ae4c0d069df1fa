//! Parses the nodes of a `getNodes` reply, and keeps only what is used.
//!
//! A node takes 14 to 70 kB on the wire, most of it configuration values and a log of events
//! (`docs/dev/GATEWAY.md#node-documents`). Values and nodes of an unexpected shape are skipped and logged.

mod reply;
mod statistics;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::home::bounds;
use crate::home::model::ids::{CommandClass, NodeId, Timestamp};
use crate::home::model::node::{DeviceClass, Endpoint, Node, NodeStatus, Product, Role};
use crate::home::product::words;
pub use reply::{Nodes, NodesReader, NodesReply};
use statistics::Statistics;
use values::Values;
pub use values::{lenient, parse_reading};

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
    #[serde(default, deserialize_with = "deserialize_status")]
    status: Option<NodeStatus>,
    #[serde(default)]
    is_controller_node: bool,
    #[serde(default, deserialize_with = "lenient")]
    is_listening: bool,
    /// The interval at which a FLiRS node listens: "1000ms" or "250ms". `false` for other nodes.
    #[serde(default)]
    is_frequent_listening: Json,
    #[serde(default, deserialize_with = "lenient")]
    device_class: Option<DeviceClass>,
    #[serde(default, deserialize_with = "lenient")]
    manufacturer_id: Option<u16>,
    #[serde(default, deserialize_with = "lenient")]
    product_type: Option<u16>,
    #[serde(default, deserialize_with = "lenient")]
    product_id: Option<u16>,
    #[serde(default, borrow, deserialize_with = "lenient")]
    product_label: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient")]
    product_description: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient")]
    endpoints: Option<Vec<EndpointDocument<'a>>>,
    #[serde(default, borrow)]
    values: BTreeMap<String, &'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    last_active: Option<f64>,
    #[serde(default, deserialize_with = "lenient")]
    statistics: Statistics,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EndpointDocument<'a> {
    index: u8,
    #[serde(default, borrow)]
    label: Option<Cow<'a, str>>,
    device_class: Option<DeviceClass>,
}

/// Deserializes a node's status: a word in `getNodes`, a number in events.
pub fn deserialize_status<'de, D>(deserializer: D) -> Result<Option<NodeStatus>, D::Error>
where
    D: Deserializer<'de>,
{
    let json = Json::deserialize(deserializer)?;
    Ok(match (json.as_str(), json.as_f64()) {
        _ if json.is_null() => None,
        (Some("Asleep"), _) | (_, Some(1.0)) => Some(NodeStatus::Asleep),
        (Some("Awake"), _) | (_, Some(2.0)) => Some(NodeStatus::Awake),
        (Some("Dead"), _) | (_, Some(3.0)) => Some(NodeStatus::Dead),
        (Some("Alive"), _) | (_, Some(4.0)) => Some(NodeStatus::Alive),
        _ => Some(NodeStatus::Unknown),
    })
}

impl From<NodeDocument<'_>> for Node {
    fn from(document: NodeDocument<'_>) -> Self {
        let values = Values::parse(&document.values);
        let mut kept = values.kept;
        kept.sort_by(|left, right| left.id.cmp(&right.id));
        kept.dedup_by(|left, right| left.id == right.id);
        kept.shrink_to_fit();
        let is_group = document.kind.as_deref() == Some("multicast");
        let role = match (document.is_controller_node, document.r#virtual, is_group) {
            (true, _, _) => Role::Controller,
            (_, true, true) => Role::Group,
            (_, true, false) => Role::Broadcast,
            _ => Role::Device,
        };
        let class = document.device_class.unwrap_or_default();
        // Groups are controlled through Basic. A device has more specific classes, unless it has nothing but Basic
        // and a battery. The meaning of an indicator is known only for a siren.
        let has_only_basic = document.ready
            && kept
                .iter()
                .all(|value| matches!(value.id.class, CommandClass::BASIC | CommandClass::BATTERY));
        kept.retain(|value| match value.id.class {
            CommandClass::BASIC => role == Role::Group || has_only_basic,
            CommandClass::INDICATOR => class == DeviceClass::SIREN,
            _ => true,
        });
        let product = (document.manufacturer_id.zip(document.product_type))
            .zip(document.product_id)
            .map(|((maker, family), id)| Product { maker, family, id });
        let endpoints = document.endpoints.unwrap_or_default().into_iter();
        let [description, label] =
            [document.product_description, document.product_label].map(Option::unwrap_or_default);
        let last_reports = (0..).zip(&kept).filter_map(|(index, value)| {
            let at = values.reports.iter().find(|(id, _)| *id == value.id)?.1;
            Some((index, at))
        });
        let last_reports = last_reports.collect();
        let mut node = Self {
            id: NodeId(document.id),
            name: bounds::cut_input(&document.name.unwrap_or_default()).into(),
            room: bounds::cut_input(&document.loc.unwrap_or_default()).into(),
            role,
            status: document.status.unwrap_or_default(),
            ready: document.ready,
            listening: document.is_listening,
            frequently_listening: !matches!(
                document.is_frequent_listening,
                Json::Null | Json::Bool(false)
            ),
            class,
            product,
            described: words::described(&description, &label),
            endpoints: endpoints
                .map(|endpoint| {
                    let label = endpoint.label.and_then(|label| own_label(&label, endpoint.index));
                    Endpoint {
                        index: endpoint.index,
                        described: label.as_deref().and_then(words::described_by_label),
                        label,
                        class: endpoint.device_class,
                    }
                })
                .collect(),
            classes: values.classes.into_iter().collect(),
            values: kept,
            last_active: document.last_active.and_then(to_timestamp),
            was_door_closed: false,
            weak_link: document.statistics.weak_link().filter(|_| document.is_listening),
            last_reports,
            changed: 0,
        };
        node.note_closed_door();
        node
    }
}

/// Converts a time in milliseconds. Returns `None` for 0, which stands for no time.
fn to_timestamp(milliseconds: f64) -> Option<Timestamp> {
    (milliseconds > 0.0).then_some(Timestamp(milliseconds as u64))
}

/// Returns the label of an endpoint, unless zwave-js-ui generated it.
fn own_label(label: &str, index: u8) -> Option<Box<str>> {
    let is_generated = label == "Root Endpoint" || label == format!("Endpoint {index}");
    let label = bounds::cut_input(label.trim());
    (!is_generated && !label.is_empty()).then(|| label.into())
}
