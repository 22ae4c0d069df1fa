//! Identifiers of nodes, command classes, values, scenes and devices.
//!
//! The `gateway` module converts them from and to topics and JSON.

use std::sync::Arc;

use derive_more::{Display, From};
use ecow::EcoString;
use serde::{Deserialize, Deserializer, Serialize};

/// A node's number on its network: 1 to 232, 256 to 4000 for Long Range, 255 for the virtual
/// broadcast node, and 4096 and above for zwave-js-ui's groups (`docs/dev/GATEWAY.md#scenes-and-groups`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Display)]
pub struct NodeId(pub u16);

/// The number of a command class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub struct CommandClass(pub u16);

#[allow(missing_docs)] // The names are zwave-js's.
impl CommandClass {
    pub const BASIC: Self = Self(32);
    pub const BINARY_SWITCH: Self = Self(37);
    pub const MULTILEVEL_SWITCH: Self = Self(38);
    pub const BINARY_SENSOR: Self = Self(48);
    pub const MULTILEVEL_SENSOR: Self = Self(49);
    pub const METER: Self = Self(50);
    pub const COLOR_SWITCH: Self = Self(51);
    pub const THERMOSTAT_MODE: Self = Self(64);
    pub const THERMOSTAT_OPERATING_STATE: Self = Self(66);
    pub const THERMOSTAT_SETPOINT: Self = Self(67);
    pub const THERMOSTAT_FAN_MODE: Self = Self(68);
    pub const CENTRAL_SCENE: Self = Self(91);
    pub const DOOR_LOCK: Self = Self(98);
    pub const HUMIDITY_CONTROL_SETPOINT: Self = Self(100);
    pub const BARRIER_OPERATOR: Self = Self(102);
    pub const WINDOW_COVERING: Self = Self(106);
    pub const IRRIGATION: Self = Self(107);
    pub const HUMIDITY_CONTROL_MODE: Self = Self(109);
    pub const ENTRY_CONTROL: Self = Self(111);
    pub const NOTIFICATION: Self = Self(113);
    pub const LOCK: Self = Self(118);
    pub const NODE_NAMING: Self = Self(119);
    pub const SOUND_SWITCH: Self = Self(121);
    pub const BATTERY: Self = Self(128);
    pub const INDICATOR: Self = Self(135);
    pub const ENERGY_PRODUCTION: Self = Self(144);

    /// Returns true for classes whose values are not kept. Nobody asks about bookkeeping, configuration or pressed
    /// buttons (Central Scene). Class 99 has the secret codes of a lock's users.
    pub fn is_discarded(self) -> bool {
        matches!(
            self.0,
            32 | 85..=96 | 99 | 112 | 114 | 115 | 117 | 119 | 132..=135 | 142 | 152 | 159
        )
    }
}

/// A property or a property key.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, Display, From,
)]
#[serde(untagged)]
pub enum PropertyName {
    /// A number, such as a setpoint's type in class 67.
    #[from]
    Number(u32),
    /// A text, such as "targetValue" or "Air temperature".
    #[from(&str)]
    Text(EcoString),
}

impl PropertyName {
    /// Returns the text, unless this is a number.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) => None,
        }
    }

    /// Returns the number, unless this is a text.
    pub fn number(&self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }
}

/// The id of a value within its node, in the form that values, events and requests use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub struct ValueId {
    /// The command class.
    #[serde(rename = "commandClass")]
    pub class: CommandClass,
    /// The endpoint; 0 is the node as a whole.
    #[serde(default, deserialize_with = "null_as_zero")]
    pub endpoint: u8,
    /// The property.
    pub property: PropertyName,
    /// The property key, if the property has several values.
    #[serde(default, rename = "propertyKey")]
    pub key: Option<PropertyName>,
}

fn null_as_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl ValueId {
    /// Makes an id without a property key.
    pub fn new(class: CommandClass, endpoint: u8, property: impl Into<PropertyName>) -> Self {
        Self {
            class,
            endpoint,
            property: property.into(),
            key: None,
        }
    }

    /// Makes an id with a property key.
    pub fn with_key(
        class: CommandClass,
        endpoint: u8,
        property: impl Into<PropertyName>,
        key: impl Into<PropertyName>,
    ) -> Self {
        Self {
            key: Some(key.into()),
            ..Self::new(class, endpoint, property)
        }
    }

    /// Returns true if the value is a state of the device, not a target or the duration of a transition.
    pub fn is_state(&self) -> bool {
        let property = self.property.text().unwrap_or_default();
        !property.starts_with("target") && property != "duration"
    }
}

/// The name of a gateway, without the `ZWAVE_GATEWAY-` that precedes it in topics. Node and scene numbers are
/// unique only within one gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Display, From)]
#[from(&str)]
pub struct GatewayName(Arc<str>);

impl GatewayName {
    /// Returns the name as topics spell it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The number of a zwave-js-ui scene within its gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SceneId(pub u32);

/// The id of a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId {
    /// The device's gateway.
    pub gateway: GatewayName,
    /// The part of the gateway's network that the device stands for.
    pub thing: Thing,
}

/// A gateway and a node's number, which together identify the node in a house.
pub type NodeAddress<'a> = (&'a GatewayName, NodeId);

/// A part of a gateway's network that can be a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// A node, or one endpoint of it.
    Node {
        /// The node.
        node: NodeId,
        /// The endpoint; 0 is the node as a whole.
        endpoint: u8,
    },
    /// A scene.
    Scene(SceneId),
}

impl DeviceId {
    /// Makes the id of a node, or of one endpoint of it.
    pub fn endpoint(gateway: GatewayName, node: NodeId, endpoint: u8) -> Self {
        Self {
            gateway,
            thing: Thing::Node { node, endpoint },
        }
    }

    /// Returns the node with its gateway, unless the device is a scene.
    pub fn node_address(&self) -> Option<NodeAddress<'_>> {
        Some((&self.gateway, self.node()?))
    }

    /// Returns the node, unless the device is a scene.
    pub fn node(&self) -> Option<NodeId> {
        self.thing.node()
    }
}

impl Thing {
    /// Returns the node, unless this is a scene.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Node { node, .. } => Some(node),
            Self::Scene(_) => None,
        }
    }
}

/// Milliseconds since the Unix epoch, by the clock of zwave-js-ui.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Returns the whole seconds since `earlier`, or 0 if `earlier` is later.
    pub fn seconds_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0) / 1000
    }
}
