//! The house: the snapshots of all gateways, and the devices that are in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::device::{Device, Name};
use super::devices::{Devices, Vocabulary, complete, devices_of};
use super::exposure::Exposure;
use super::kind::Kind;
use super::model::ids::{DeviceId, GatewayName, NodeId};
use super::model::node::Node;
use super::model::snapshot::Snapshot;
use super::own_words::Floor;
use super::phrase::Phrase;

/// A device as the resources show it, with all of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedDevice {
    /// The name, with the tag.
    pub name: String,
    /// The room; may be empty.
    pub room: String,
    /// The word for the kind.
    pub kind: String,
    /// The name of the node that the device shares with other devices.
    pub part_of: Option<String>,
    /// The owner's aliases.
    pub aliases: Vec<String>,
    /// The floors that the device is on.
    pub floors: Vec<String>,
}

/// An immutable house. A change makes a new one.
#[derive(Clone, Debug, Default)]
pub struct House {
    snapshots: Vec<Arc<Snapshot>>,
    exposure: Arc<Exposure>,
    devices: Arc<Devices>,
    /// Incremented whenever the devices are rebuilt.
    device_version: u64,
}

impl House {
    /// Makes a house from snapshots, with every device visible.
    pub fn new(snapshots: Vec<Snapshot>) -> Self {
        Self::exposing(Exposure::default(), snapshots)
    }

    /// Makes a house from snapshots. `exposure` decides which devices are visible.
    pub fn exposing(exposure: Exposure, snapshots: Vec<Snapshot>) -> Self {
        let empty = Self {
            exposure: Arc::new(exposure),
            ..Self::default()
        };
        empty.with(snapshots.into_iter().map(Arc::new).collect())
    }

    /// Makes a house from what the resources show: names, rooms and kinds, but nothing that can be read
    /// or written. Each node gets a made-up number, which its parts share. Each part gets its own endpoint.
    pub fn from_list(devices: &[ListedDevice]) -> Self {
        // The number and the last endpoint of each node, by its room and name.
        let mut nodes: BTreeMap<(&str, &str), (u16, u8)> = BTreeMap::new();
        let unfinished = (0..).zip(devices).map(|(number, listed)| {
            let node_name = listed.part_of.as_ref().unwrap_or(&listed.name);
            let (shared_number, last_endpoint) =
                nodes.entry((&listed.room, node_name)).or_insert((number, 0));
            let (node, endpoint) = match &listed.part_of {
                Some(_) => {
                    *last_endpoint = last_endpoint.saturating_add(1);
                    (*shared_number, *last_endpoint)
                }
                None => (number, 0),
            };
            let id = DeviceId::endpoint(GatewayName::default(), NodeId(node), endpoint);
            Device {
                room: listed.room.clone(),
                room_words: Phrase::new(&listed.room),
                part_of: listed.part_of.as_deref().map(Name::new).map(Box::new),
                own_names: listed.aliases.iter().map(|alias| Name::new(alias)).collect(),
                ..Device::new(id, Kind::from_listed_word(&listed.kind), &listed.name)
            }
        });
        let mut completed = complete(unfinished.collect(), &[], &Exposure::default());
        completed.floors = Floor::of_rooms(devices.iter().flat_map(|device| {
            device.floors.iter().map(|floor| (floor.as_str(), device.room.as_str()))
        }));
        Self {
            devices: Arc::new(completed),
            ..Self::default()
        }
    }

    /// Replaces the snapshots and rebuilds the devices.
    #[must_use]
    pub fn with(&self, snapshots: Vec<Arc<Snapshot>>) -> Self {
        Self {
            devices: Arc::new(devices_of(&snapshots, &self.exposure)),
            snapshots,
            exposure: Arc::clone(&self.exposure),
            device_version: self.device_version + 1,
        }
    }

    /// Replaces the snapshots, but not the devices. If the devices may have changed since they were built
    /// ([`Node::is_same_device`]), call [`Self::with`] instead.
    #[must_use]
    pub fn with_new_readings(&self, snapshots: Vec<Arc<Snapshot>>) -> Self {
        Self {
            snapshots,
            ..self.clone()
        }
    }

    /// Returns the snapshots, in the order in which the gateways were found.
    pub fn snapshots(&self) -> &[Arc<Snapshot>] {
        &self.snapshots
    }

    /// Returns a number that increases whenever the set of devices may have changed.
    pub fn device_version(&self) -> u64 {
        self.device_version
    }

    /// Returns the words of all names, rooms and gateways.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.devices.vocabulary
    }

    /// Returns the floors that the owner has named.
    pub fn floors(&self) -> &[Floor] {
        &self.devices.floors
    }

    /// Returns the names of the floors that a device is on.
    pub fn floors_of(&self, device: &Device) -> Vec<&str> {
        self.floors()
            .iter()
            .filter(|floor| floor.has(device))
            .map(|floor| floor.text.as_str())
            .collect()
    }

    /// Returns a sentence for each problem with the owner's own words in this house.
    pub fn own_word_problems(&self) -> Vec<String> {
        let devices: Vec<Device> =
            self.devices.visible.iter().chain(&self.devices.hidden).cloned().collect();
        self.exposure.own_words.problems(&devices)
    }

    /// Returns each pattern in the settings that is for a name or a room and matches no device in the house.
    pub fn unmatched_patterns(&self) -> Vec<&str> {
        if *self.exposure == Exposure::default() {
            return Vec::new();
        }
        let unhidden = devices_of(&self.snapshots, &Exposure::default());
        self.exposure.unmatched_patterns(&unhidden.visible)
    }

    /// Returns the visible devices, in the order in which they are listed.
    pub fn devices(&self) -> &[Device] {
        &self.devices.visible
    }

    /// Returns the hidden devices.
    pub fn hidden(&self) -> &[Device] {
        &self.devices.hidden
    }

    /// Finds a visible device by its id.
    pub fn device(&self, id: &DeviceId) -> Option<&Device> {
        self.devices.visible.iter().find(|device| device.id == *id)
    }

    /// Returns the node of a device. Scenes have none.
    pub fn node_of(&self, id: &DeviceId) -> Option<&Node> {
        self.node(&id.gateway, id.node()?)
    }

    /// Finds the snapshot of a gateway.
    pub fn snapshot(&self, gateway: &GatewayName) -> Option<&Snapshot> {
        Snapshot::find(&self.snapshots, gateway)
    }

    /// Finds a node of a gateway.
    pub fn node(&self, gateway: &GatewayName, node: NodeId) -> Option<&Node> {
        self.snapshot(gateway)?.nodes.get(&node).map(|node| &**node)
    }
}
