//! The names of things on a Z-Wave network: nodes, command classes, values.
//!
//! Pure identifiers. How they are spelled in topics and JSON is the gateway's business.

use std::fmt;
use std::sync::Arc;

/// A node's number on its network: 1 to 232, 256 to 4000 for Long Range, 255 for the virtual
/// broadcast node, and from 4096 on zwave-js-ui's groups (`docs/GATEWAY.md#scenes-and-groups`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u16);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A command class by its number, as zwave-js names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandClass(pub u16);

#[allow(missing_docs)] // Each constant says its own name.
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
    pub const BARRIER_OPERATOR: Self = Self(102);
    pub const WINDOW_COVERING: Self = Self(106);
    pub const ENTRY_CONTROL: Self = Self(111);
    pub const NOTIFICATION: Self = Self(113);
    pub const LOCK: Self = Self(118);
    pub const NODE_NAMING: Self = Self(119);
    pub const SOUND_SWITCH: Self = Self(121);
    pub const BATTERY: Self = Self(128);
    pub const INDICATOR: Self = Self(135);
    pub const ENERGY_PRODUCTION: Self = Self(144);

    /// Classes whose values are bookkeeping and configuration, never a state a person asks for, or a
    /// secret (99, the codes of a lock's users). Their values are not kept at all.
    pub fn is_bookkeeping(self) -> bool {
        matches!(
            self.0,
            32 | 85..=96 | 99 | 112 | 114 | 115 | 117 | 119 | 132..=135 | 142 | 152 | 159
        )
    }
}

/// A property or property key: zwave-js uses strings ("targetValue", "Air temperature") and
/// numbers (67's setpoint types, 50's meter scales).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyName {
    /// A number, as 67's property keys are.
    Number(u32),
    /// A word or a sentence, as 113's properties are.
    Text(Box<str>),
}

impl PropertyName {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }
}

impl From<&str> for PropertyName {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<u32> for PropertyName {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl fmt::Display for PropertyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// One value of a node: command class, endpoint, property and property key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId {
    /// The command class.
    pub class: CommandClass,
    /// The endpoint; 0 is the whole device.
    pub endpoint: u8,
    /// The property.
    pub property: PropertyName,
    /// The property key, where the property has several values.
    pub key: Option<PropertyName>,
}

impl ValueId {
    /// A value without a property key.
    pub fn new(class: CommandClass, endpoint: u8, property: impl Into<PropertyName>) -> Self {
        Self {
            class,
            endpoint,
            property: property.into(),
            key: None,
        }
    }

    /// A value with a property key.
    pub fn keyed(
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

    /// Returns true if people are told what it reads, and not only where it is going.
    pub fn is_told(&self) -> bool {
        let property = self.property.text().unwrap_or_default();
        !property.starts_with("target") && property != "duration"
    }
}

/// The name of a gateway, one zwave-js-ui, without `ZWAVE_GATEWAY-`: node numbers and scenes mean
/// something only together with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GatewayName(Arc<str>);

impl GatewayName {
    /// The name as it stands in topics.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for GatewayName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for GatewayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One of zwave-js-ui's scenes, by its number at its gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SceneId(pub u32);

/// A device at one gateway.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId {
    /// The gateway it belongs to.
    pub gateway: GatewayName,
    /// What it is there.
    pub thing: Thing,
}

/// A node of a gateway.
pub type Place<'a> = (&'a GatewayName, NodeId);

/// What a device is at its gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// A node, or one endpoint of it.
    Node {
        /// The node.
        node: NodeId,
        /// The endpoint; 0 is the whole node.
        endpoint: u8,
    },
    /// A scene.
    Scene(SceneId),
}

impl DeviceId {
    /// A node, or one endpoint of it.
    pub fn endpoint(gateway: GatewayName, node: NodeId, endpoint: u8) -> Self {
        Self {
            gateway,
            thing: Thing::Node { node, endpoint },
        }
    }

    /// The node, and the gateway whose number it is.
    pub fn place(&self) -> Option<Place<'_>> {
        Some((&self.gateway, self.node()?))
    }

    /// The node, if it is one.
    pub fn node(&self) -> Option<NodeId> {
        match self.thing {
            Thing::Node { node, .. } => Some(node),
            Thing::Scene(_) => None,
        }
    }
}

/// Milliseconds since 1970, as zwave-js-ui counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Whole seconds from `earlier` to here; 0 when `earlier` lies ahead.
    pub fn seconds_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0) / 1000
    }
}
