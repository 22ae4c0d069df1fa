//! The whole house: what every gateway reported, and the devices made of it.

use super::model::snapshot::Snapshot;
use std::sync::Arc;

use super::device::Device;
use super::devices::{Devices, Vocabulary, completed, devices_of};
use super::exposure::Exposure;
use super::kind::Kind;
use super::model::ids::{DeviceId, GatewayName, NodeId};
use super::model::node::Node;
use super::own_words::{Floor, OwnWordProblem};
use super::phrase::Phrase;

/// A device as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDevice {
    /// Its name, with its tag if it has one.
    pub name: String,
    /// Its room; empty where it has none.
    pub room: String,
    /// The word for its kind.
    pub kind: String,
}

/// Every gateway's snapshot, and the devices that are in them. A house never changes: a later one
/// takes its place.
#[derive(Clone, Debug, Default)]
pub struct House {
    snapshots: Vec<Arc<Snapshot>>,
    exposure: Arc<Exposure>,
    devices: Arc<Devices>,
    /// How often the devices were made anew.
    made: u64,
}

impl House {
    /// A house of these snapshots, of which everything may be seen.
    pub fn new(snapshots: Vec<Snapshot>) -> Self {
        Self::exposing(Exposure::default(), snapshots)
    }

    /// A house of these snapshots, of which this may be seen.
    pub fn exposing(exposure: Exposure, snapshots: Vec<Snapshot>) -> Self {
        let none = Self {
            exposure: Arc::new(exposure),
            ..Self::default()
        };
        none.with(snapshots.into_iter().map(Arc::new).collect())
    }

    /// A house as a list shows it: names, rooms and kinds, and nothing that can be read or written.
    pub fn listed(devices: &[ListedDevice]) -> Self {
        let devices = devices.iter().enumerate().map(|(place, listed)| {
            let node = NodeId(u16::try_from(place).unwrap_or(u16::MAX));
            let id = DeviceId::endpoint(GatewayName::default(), node, 0);
            Device {
                room: listed.room.clone(),
                room_words: Phrase::new(&listed.room),
                ..Device::new(id, Kind::listed_as(&listed.kind), &listed.name)
            }
        });
        Self {
            devices: Arc::new(completed(devices.collect(), &[], &Exposure::default())),
            ..Self::default()
        }
    }

    /// The house with these snapshots, and the devices that they have.
    #[must_use]
    pub fn with(&self, snapshots: Vec<Arc<Snapshot>>) -> Self {
        Self {
            devices: Arc::new(devices_of(&snapshots, &self.exposure)),
            snapshots,
            exposure: Arc::clone(&self.exposure),
            made: self.made + 1,
        }
    }

    /// The house with these snapshots, which differ from its own in what values read and how nodes
    /// are, and in nothing that makes a device.
    #[must_use]
    pub fn renewed(&self, snapshots: Vec<Arc<Snapshot>>) -> Self {
        Self {
            snapshots,
            ..self.clone()
        }
    }

    /// What each gateway reported, in the order in which the gateways were found.
    pub fn snapshots(&self) -> &[Arc<Snapshot>] {
        &self.snapshots
    }

    /// How often the devices were made anew: as long as this stays the same, so do they.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Every word of the names and rooms of all devices.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.devices.vocabulary
    }

    /// The floors that the owner names.
    pub fn floors(&self) -> &[Floor] {
        &self.devices.floors
    }

    /// The floors that a device is on, as they are shown.
    pub fn floors_of(&self, device: &Device) -> Vec<&str> {
        let floors = self.floors().iter().filter(|floor| floor.has(device));
        floors.map(|floor| floor.text.as_str()).collect()
    }

    /// What of the owner's own words counts for nothing in the house.
    pub fn own_word_problems(&self) -> Vec<OwnWordProblem> {
        let devices = self.devices.visible.iter().chain(&self.devices.hidden);
        let devices: Vec<Device> = devices.cloned().collect();
        self.exposure.own_words.problems(&devices)
    }

    /// What of the settings on what may be seen fits no room and no name in the house.
    pub fn unmatched(&self) -> Vec<&str> {
        if *self.exposure == Exposure::default() {
            return Vec::new();
        }
        let all = devices_of(&self.snapshots, &Exposure::default());
        self.exposure.unmatched(&all.visible)
    }

    /// The devices that may be seen, in the order they are listed.
    pub fn devices(&self) -> &[Device] {
        &self.devices.visible
    }

    /// The devices that may not be seen.
    pub fn hidden(&self) -> &[Device] {
        &self.devices.hidden
    }

    /// A device by its id.
    pub fn device(&self, id: &DeviceId) -> Option<&Device> {
        self.devices.visible.iter().find(|device| device.id == *id)
    }

    /// The node that a device is, or is part of; a scene has none.
    pub fn node_of(&self, id: &DeviceId) -> Option<&Node> {
        self.node(&id.gateway, id.node()?)
    }

    /// What a gateway reported.
    pub fn snapshot(&self, gateway: &GatewayName) -> Option<&Snapshot> {
        Snapshot::find(&self.snapshots, gateway)
    }

    /// A node.
    pub fn node(&self, gateway: &GatewayName, node: NodeId) -> Option<&Node> {
        self.snapshot(gateway)?.nodes.get(&node).map(|node| &**node)
    }
}
