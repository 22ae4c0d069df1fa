//! Nodes as zwave-js-ui reports them, reduced to the fields that are used here.

use super::ids::{CommandClass, NodeId, Timestamp, ValueId};
use super::value::{Evidence, Reading, Value};

/// The reachability of a node (`NodeStatus` of zwave-js).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NodeStatus {
    /// Not heard from since the gateway started.
    #[default]
    Unknown,
    /// On battery, and not listening until it wakes up.
    Asleep,
    /// On battery, and currently listening.
    Awake,
    /// Did not acknowledge the gateway's last command.
    Dead,
    /// Acknowledges commands.
    Alive,
}

/// The generic and specific device class of a node or an endpoint, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(default)]
pub struct DeviceClass {
    /// The generic class: 16 binary switch, 17 multilevel switch, 64 entry control, …
    pub generic: u8,
    /// The specific class, which has a meaning only within its generic class.
    pub specific: u8,
}

impl DeviceClass {
    /// The generic class of thermostats.
    pub const THERMOSTAT: u8 = 8;
    /// A siren: a binary switch that makes noise.
    pub const SIREN: Self = Self {
        generic: 16,
        specific: 5,
    };
}

/// A product, identified by the three numbers that its maker registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Product {
    /// The maker (`manufacturerId`).
    pub maker: u16,
    /// The maker's product type (`productType`).
    pub family: u16,
    /// The product within its type (`productId`).
    pub id: u16,
}

/// What a product or an endpoint is, by the words that zwave-js's database has for it, or by a table of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // Most names explain themselves.
pub enum Nature {
    Fan,
    Cover,
    /// Slats that are open at the middle level, and closed at the lowest and the highest level.
    Slats,
    /// The slats of a cover that has its position on another endpoint.
    Tilt,
    /// A copy of another endpoint.
    Repeats,
    /// An endpoint without a function of its own.
    Void,
    /// One color of a lamp that is on another endpoint.
    Channel,
    /// What opens a window.
    Window,
    GarageDoor,
    Gate,
    /// A lock or strike.
    Lock,
    Siren,
    Valve,
    Heater,
    Pump,
    Outlet,
    /// A switch: not an outlet, and no dimmer although the endpoint may have levels.
    Switch,
}

/// An endpoint of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The number. Endpoint 0, the root, is the node as a whole.
    pub index: u8,
    /// The label from the product's configuration file, such as "Left Outlet", if there is one.
    pub label: Option<Box<str>>,
    /// What the label says that the endpoint is.
    pub described: Option<Nature>,
    /// The endpoint's own device class, if it has one.
    pub class: Option<DeviceClass>,
}

/// The role of a node in its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An ordinary device.
    Device,
    /// The Z-Wave stick.
    Controller,
    /// The virtual node 255, to which all nodes listen.
    Broadcast,
    /// A virtual node for a zwave-js-ui group.
    Group,
}

/// The reason why the link to a node that always listens is weak. The worst is the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeakLink {
    /// One of this many commands gets no answer, at most 10.
    Lossy(u8),
    /// An answer takes this many tenths of a second.
    Slow(u32),
}

/// A node and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The node's number.
    pub id: NodeId,
    /// The name that the owner gave the node, or empty.
    pub name: Box<str>,
    /// The room that the owner put the node in, or empty.
    pub room: Box<str>,
    /// The role in the network.
    pub role: Role,
    /// The reachability.
    pub status: NodeStatus,
    /// True if the interview is complete, so that no value is missing.
    pub ready: bool,
    /// True if the radio is always on.
    pub listening: bool,
    /// True if the node listens about once a second (FLiRS), and so answers within about a second.
    pub frequently_listening: bool,
    /// The device class.
    pub class: DeviceClass,
    /// The product, if the gateway knows all three numbers.
    pub product: Option<Product>,
    /// What the product's description says that it is.
    pub described: Option<Nature>,
    /// The endpoints, including the root.
    pub endpoints: Box<[Endpoint]>,
    /// Every pair of an endpoint and a class of its values, in order. Includes the classes whose values are not
    /// kept.
    pub classes: Box<[(u8, CommandClass)]>,
    /// The values in the order of their ids, without those of discarded classes.
    pub values: Vec<Value>,
    /// True once the node's lock has reported a closed door. A lock without a door sensor always reports an open
    /// door, because the class has a bit for the door in any case (Door Lock, versions 1 to 3).
    pub was_door_closed: bool,
    /// The reason why the node's link is weak, if it is.
    pub weak_link: Option<WeakLink>,
    /// When each value that tells the state of a door, window, lock or motion sensor was last reported. The first
    /// number is the position in `values`.
    pub last_reports: Box<[(u16, Timestamp)]>,
    /// The time at which the node was last heard from.
    pub last_active: Option<Timestamp>,
    /// The changes at each gateway are numbered. This is the number of the last change of the node's status,
    /// of anything that [`Self::is_same_device`] compares, or of who is known to have operated the lock.
    pub changed: u32,
}

impl Node {
    /// Returns a value, if the node has it.
    pub fn value(&self, id: &ValueId) -> Option<&Value> {
        self.values.get(self.position(id)?)
    }

    /// Returns mutable access to a value, if the node has it.
    pub fn value_mut(&mut self, id: &ValueId) -> Option<&mut Value> {
        let position = self.position(id)?;
        self.values.get_mut(position)
    }

    /// Notes whether a lock of the node reports a closed door.
    pub fn note_closed_door(&mut self) {
        let is_closed = |value: &Value| {
            value.id.class == CommandClass::DOOR_LOCK
                && value.id.property.text() == Some("doorStatus")
                && value.reading.as_ref().and_then(Reading::text) == Some("closed")
        };
        self.was_door_closed |= self.values.iter().any(is_closed);
    }

    fn position(&self, id: &ValueId) -> Option<usize> {
        self.values.binary_search_by(|value| value.id.cmp(id)).ok()
    }

    /// Notes that a value was reported, if the time of its last report is kept.
    pub fn note_last_report(&mut self, id: &ValueId, at: Timestamp) {
        let position = self.position(id);
        let report = self
            .last_reports
            .iter_mut()
            .find(|(index, _)| Some(usize::from(*index)) == position);
        if let Some((_, last)) = report {
            *last = at;
        }
    }

    /// Returns the reading of a value, if there is one.
    pub fn reading(&self, id: &ValueId) -> Option<&Reading> {
        self.value(id)?.reading.as_ref()
    }

    /// Returns true if any endpoint has values of a class.
    pub fn has_anywhere(&self, class: CommandClass) -> bool {
        self.classes.iter().any(|(_, known)| *known == class)
    }

    /// Returns the endpoints that have values of a fitting class, in order.
    pub fn endpoints_with(&self, fits: impl Fn(CommandClass) -> bool) -> Vec<u8> {
        let fitting = self.classes.iter().filter(|(_, class)| fits(*class));
        let mut endpoints: Vec<u8> = fitting.map(|(endpoint, _)| *endpoint).collect();
        endpoints.dedup();
        endpoints
    }

    /// Returns true if this endpoint has values of a class.
    pub fn has(&self, endpoint: u8, class: CommandClass) -> bool {
        self.classes.binary_search(&(endpoint, class)).is_ok()
    }

    /// Returns the device class of an endpoint, or else the node's.
    pub fn class_of(&self, endpoint: u8) -> DeviceClass {
        let class = self.endpoint(endpoint).and_then(|endpoint| endpoint.class);
        class.unwrap_or(self.class)
    }

    /// Returns an endpoint, if the gateway lists it.
    pub fn endpoint(&self, index: u8) -> Option<&Endpoint> {
        self.endpoints.iter().find(|endpoint| endpoint.index == index)
    }

    /// Returns true for a battery-powered node that listens only when it wakes up.
    pub fn sleeps(&self) -> bool {
        !self.listening && !self.frequently_listening
    }

    /// Returns true if the node still makes the same devices as `before`. The status and the readings may differ, but
    /// each value must have a reading in both nodes or in neither.
    pub fn is_same_device(&self, before: &Self) -> bool {
        let is_same_value = |(value, before): (&Value, &Value)| {
            value.id == before.id
                && value.reading.is_some() == before.reading.is_some()
                && value.meta == before.meta
        };
        self.identity() == before.identity()
            && self.values.len() == before.values.len()
            && self.values.iter().zip(&before.values).all(is_same_value)
    }

    /// Returns the fields that decide which devices the node makes, without its values.
    fn identity(&self) -> impl PartialEq {
        // Names every field, so that a new field can't be forgotten.
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
            described,
            endpoints,
            classes,
            values: _,
            was_door_closed: _,
            weak_link: _,
            last_reports: _,
            last_active: _,
            changed: _,
        } = self;
        let listens = (listening, frequently_listening);
        let is = (class, product, described, endpoints, classes);
        (id, name, room, role, ready, listens, is)
    }

    /// Returns the number of the last visible change of a device with these endpoints.
    pub fn last_change(&self, endpoints: &[u8]) -> u32 {
        // All devices of a node share its battery.
        let is_of_device =
            |id: &ValueId| endpoints.contains(&id.endpoint) || id.class == CommandClass::BATTERY;
        let last = self
            .values
            .iter()
            .filter(|value| is_of_device(&value.id))
            .map(|value| value.changed)
            .max();
        self.changed.max(last.unwrap_or_default())
    }

    /// Returns the values of one endpoint, in order.
    pub fn values_of(&self, endpoint: u8) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(move |value| value.id.endpoint == endpoint)
    }

    /// Returns the values of one class on all endpoints, in order.
    pub fn values_of_class(&self, class: CommandClass) -> &[Value] {
        let start = self.values.partition_point(|value| value.id.class < class);
        let values = self.values.get(start..).unwrap_or_default();
        let end = values.partition_point(|value| value.id.class == class);
        values.get(..end).unwrap_or_default()
    }

    /// Returns the evidence for each reading of these classes on these endpoints.
    pub fn evidence(
        &self,
        endpoints: &[u8],
        classes: &[CommandClass],
    ) -> impl Iterator<Item = Evidence> {
        let of_classes = classes.iter().flat_map(|class| self.values_of_class(*class));
        of_classes
            .filter(|value| value.reading.is_some() && endpoints.contains(&value.id.endpoint))
            .map(|value| value.evidence)
    }

    /// Returns the battery's charge in percent, if the node reports a valid one. Of several batteries, the lowest
    /// counts. A battery may be on any endpoint.
    pub fn battery(&self) -> Option<u8> {
        let values = self.values_of_class(CommandClass::BATTERY).iter();
        values
            .filter(|value| value.id.property.text() == Some("level"))
            .filter_map(Value::number)
            .filter(|level| (0.0..=100.0).contains(level))
            .map(|level| level as u8)
            .min()
    }
}
