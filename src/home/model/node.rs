//! A node as zwave-js-ui knows it, cut down to what is used here.

use super::ids::{CommandClass, NodeId, Timestamp, ValueId};
use super::value::{Reading, Value};

/// Whether a node answers (`NodeStatus` of zwave-js).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NodeStatus {
    /// Not heard of since the gateway started, as after each restart.
    #[default]
    Unknown,
    /// A battery device that will listen when it wakes up.
    Asleep,
    /// A battery device that listens now.
    Awake,
    /// It did not acknowledge the gateway's last command.
    Dead,
    /// It answers.
    Alive,
}

/// The generic and specific device class of a node or an endpoint, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DeviceClass {
    /// What it is at large: 16 binary switch, 17 multilevel switch, 64 entry control, …
    pub generic: u8,
    /// What it is exactly; means something only together with `generic`.
    pub specific: u8,
}

impl DeviceClass {
    /// A binary switch that makes noise.
    pub const SIREN: Self = Self {
        generic: 16,
        specific: 5,
    };
}

/// A product, by the three numbers that its maker registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Product {
    /// The maker (`manufacturerId`).
    pub maker: u16,
    /// The maker's own type (`productType`).
    pub family: u16,
    /// The product within that type (`productId`).
    pub id: u16,
}

/// An endpoint of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// 0 is the root.
    pub index: u8,
    /// The product's own name for it ("Left Outlet"), where its configuration file has one.
    pub label: Option<Box<str>>,
    /// Its own device class.
    pub class: Option<DeviceClass>,
}

/// What a node is besides a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A device of its own.
    Device,
    /// The stick.
    Controller,
    /// The virtual node 255 that everything listens to.
    Broadcast,
    /// One of zwave-js-ui's groups of nodes.
    Group,
}

/// A node and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// The name its owner gave it; may be empty.
    pub name: Box<str>,
    /// The room its owner put it in; may be empty.
    pub room: Box<str>,
    /// What it is besides a device.
    pub role: Role,
    /// Whether it answers.
    pub status: NodeStatus,
    /// Its interview is done, so its values are complete.
    pub ready: bool,
    /// Its radio is always on.
    pub listening: bool,
    /// It listens once a second or so (FLiRS), and answers within about that time.
    pub frequently_listening: bool,
    /// Its device class.
    pub class: DeviceClass,
    /// Which product it is, where the gateway knows all three numbers.
    pub product: Option<Product>,
    /// Its endpoints, the root among them.
    pub endpoints: Box<[Endpoint]>,
    /// Every command class that has a value, by endpoint, in order: also those whose values are
    /// not kept.
    pub classes: Box<[(u8, CommandClass)]>,
    /// Its values in the order of their ids, without bookkeeping.
    pub values: Vec<Value>,
    /// When it was last heard of.
    pub last_active: Option<Timestamp>,
    /// The number of the change at its gateway that brought its name, room or status.
    pub changed: u32,
}

impl Node {
    /// A value, if the node has it.
    pub fn value(&self, id: &ValueId) -> Option<&Value> {
        self.values.get(self.position(id)?)
    }

    /// A value to change, if the node has it.
    pub fn value_mut(&mut self, id: &ValueId) -> Option<&mut Value> {
        let at = self.position(id)?;
        self.values.get_mut(at)
    }

    fn position(&self, id: &ValueId) -> Option<usize> {
        let found = self.values.binary_search_by(|value| value.id.cmp(id));
        found.ok()
    }

    /// What a value reads, if it was ever heard.
    pub fn reading(&self, id: &ValueId) -> Option<&Reading> {
        self.value(id)?.reading.as_ref()
    }

    /// Whether any endpoint has values of a class.
    pub fn has_anywhere(&self, class: CommandClass) -> bool {
        self.classes.iter().any(|(_, own)| *own == class)
    }

    /// Whether an endpoint has values of a class.
    pub fn has(&self, endpoint: u8, class: CommandClass) -> bool {
        self.classes.binary_search(&(endpoint, class)).is_ok()
    }

    /// The device class of an endpoint: its own, else the node's.
    pub fn class_of(&self, endpoint: u8) -> DeviceClass {
        let own = self.endpoint(endpoint).and_then(|own| own.class);
        own.unwrap_or(self.class)
    }

    /// What is known of an endpoint besides its values.
    pub fn endpoint(&self, index: u8) -> Option<&Endpoint> {
        self.endpoints.iter().find(|known| known.index == index)
    }

    /// A battery device that listens only when it wakes up.
    pub fn sleeps(&self) -> bool {
        !self.listening && !self.frequently_listening
    }

    /// Whether this is the same node as before in all that makes devices: what its values read may
    /// differ, but not whether they read anything.
    pub fn is_same_device(&self, before: &Self) -> bool {
        let Self {
            id,
            name,
            room,
            role,
            status: _,
            ready,
            listening,
            frequently_listening,
            class,
            product,
            endpoints,
            classes,
            values,
            last_active: _,
            changed: _,
        } = self;
        let same_value = |(own, before): (&Value, &Value)| {
            own.id == before.id
                && own.reading.is_some() == before.reading.is_some()
                && own.meta == before.meta
        };
        *id == before.id
            && *name == before.name
            && *room == before.room
            && *role == before.role
            && *ready == before.ready
            && *listening == before.listening
            && *frequently_listening == before.frequently_listening
            && *class == before.class
            && *product == before.product
            && *endpoints == before.endpoints
            && *classes == before.classes
            && values.len() == before.values.len()
            && values.iter().zip(&before.values).all(same_value)
    }

    /// Returns the number of the last change that others see of a device with these endpoints.
    pub fn last_change(&self, endpoints: &[u8]) -> u32 {
        let is_own =
            |id: &ValueId| endpoints.contains(&id.endpoint) || id.class == CommandClass::BATTERY;
        let values = self.values.iter().filter(|value| is_own(&value.id));
        let last = values.map(|value| value.changed).max();
        self.changed.max(last.unwrap_or_default())
    }

    /// The values of one endpoint, in order.
    pub fn values_of(&self, endpoint: u8) -> impl Iterator<Item = &Value> {
        self.values
            .iter()
            .filter(move |value| value.id.endpoint == endpoint)
    }

    /// The battery's charge in percent.
    pub fn battery(&self) -> Option<u8> {
        let level = self.reading(&ValueId::new(CommandClass::BATTERY, 0, "level"))?;
        let level = level.number()?;
        (0.0..=100.0).contains(&level).then_some(level as u8)
    }
}
