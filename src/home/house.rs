//! The house: the snapshots of all gateways, and the devices that are in them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::category::{Categories, Category};
use super::device::{Device, GuardReason, Name, WITHOUT_ROOM};
use super::devices::{Devices, devices_of, finish};
use super::exposure::Exposure;
use super::kind::Kind;
use super::language::LanguageSet;
use super::model::ids::{DeviceId, GatewayName, NodeId, SceneId, Thing};
use super::model::node::Node;
use super::model::snapshot::Snapshot;
use super::own_words::Floor;
use super::phrase::Phrase;
use super::published::PublishedDevice;
use super::vocabulary::Vocabulary;

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
    /// Makes a house from snapshots. `exposure` decides which devices are visible.
    pub fn exposing(exposure: Exposure, snapshots: Vec<Snapshot>) -> Self {
        let empty = Self {
            exposure: Arc::new(exposure),
            ..Self::default()
        };
        empty.with(snapshots.into_iter().map(Arc::new).collect())
    }

    /// Makes a house from what the resources publish: names, rooms and kinds, but nothing that can be read
    /// or written. Keeps the order.
    pub fn from_published(published: &[PublishedDevice]) -> Self {
        let gateways: BTreeSet<GatewayName> = published.iter().map(gateway_of).collect();
        let snapshots = gateways.into_iter().map(|gateway| Arc::new(Snapshot::empty(gateway)));
        let snapshots: Vec<_> = snapshots.collect();
        let floors = published.iter().flat_map(|device| {
            let room = device.listed.room.as_str();
            device.floors.iter().map(move |floor| (floor.as_str(), room))
        });
        let devices = published.iter().map(to_device).collect();
        Self {
            devices: Arc::new(finish(
                devices,
                Vec::new(),
                Floor::of_rooms(floors),
                &snapshots,
            )),
            snapshots,
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

    /// Returns the categories of the visible devices.
    pub fn categories(&self) -> Categories {
        self.devices.categories
    }

    /// Returns the first visible device of each room, and of those without a room, in the order of the list.
    pub fn first_in_rooms(&self) -> impl Iterator<Item = &Device> {
        self.devices.room_starts.iter().filter_map(|at| self.devices().get(*at))
    }

    /// Returns the visible devices that are parts of nodes, in the order of the list.
    pub fn parts(&self) -> impl Iterator<Item = &Device> {
        self.devices.parts.iter().filter_map(|at| self.devices().get(*at))
    }

    /// Returns the languages that the names and rooms are in.
    pub fn languages(&self) -> LanguageSet {
        self.devices.languages
    }

    /// Returns the heading for devices without a room.
    pub fn heading_without_room(&self) -> &'static str {
        let [usual, substitute] = WITHOUT_ROOM;
        if self.devices.has_usual_heading {
            substitute
        } else {
            usual
        }
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
        self.exposure.own_words.problems(&devices, self.languages())
    }

    /// Returns each pattern in the settings that is for a name or a room and matches no device in the house.
    pub fn unmatched_patterns(&self) -> Vec<&str> {
        if *self.exposure == Exposure::default() {
            return Vec::new();
        }
        let everything = Exposure {
            own_words: self.exposure.own_words.clone(),
            ..Exposure::default()
        };
        let unhidden = devices_of(&self.snapshots, &everything);
        self.exposure.unmatched_patterns(&unhidden.visible)
    }

    /// Returns the room that the host stands in, if the owner says so.
    pub fn host_room(&self) -> Option<&str> {
        self.exposure.host_room.as_deref()
    }

    /// Returns the visible devices, in the order in which they are listed.
    pub fn devices(&self) -> &[Device] {
        &self.devices.visible
    }

    /// Returns the hidden devices.
    pub fn hidden(&self) -> &[Device] {
        &self.devices.hidden
    }

    /// Returns the house as a host knows it, which is not told of hidden devices.
    #[must_use]
    pub fn without_hidden(&self) -> Self {
        let devices = Devices {
            hidden: Vec::new(),
            ..(*self.devices).clone()
        };
        Self {
            devices: Arc::new(devices),
            ..self.clone()
        }
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

fn gateway_of(published: &PublishedDevice) -> GatewayName {
    published.gateway.as_deref().map(GatewayName::from).unwrap_or_default()
}

fn to_device(published: &PublishedDevice) -> Device {
    let thing = match published.scene {
        Some(scene) => Thing::Scene(SceneId(scene)),
        None => Thing::Node {
            node: NodeId(published.node.unwrap_or_default()),
            endpoint: published.endpoint.unwrap_or_default(),
        },
    };
    let id = DeviceId {
        gateway: gateway_of(published),
        thing,
    };
    let kind = Kind::from_listed_word(&published.listed.kind);
    let everything = kind.categories().and(Categories::of(&[Category::Everything]));
    let names = |names: &[String]| names.iter().map(|name| Name::new(name)).collect();
    let mut device = Device {
        room: published.listed.room.clone(),
        room_words: Phrase::new(&published.listed.room),
        categories: Categories::of(&published.categories).or(everything),
        part_of: published.part_of.as_deref().map(Name::new).map(Box::new),
        aliases: names(&published.other_names),
        own_names: names(&published.aliases),
        tag: published.tag.as_deref().map(Name::new),
        // Which reason it is, only the server knows.
        guard_reason: published.guarded.then_some(GuardReason::Barrier),
        ..Device::new(id, kind, published.bare_name())
    };
    device.is_essential_by_name = published.essential && !device.keeps_house_going();
    device
}
