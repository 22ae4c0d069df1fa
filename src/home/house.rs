//! The whole house: every gateway's nodes, and the devices made of them.

use std::collections::BTreeMap;

use super::device::Device;
use super::devices::{Devices, devices_of};
use super::exposure::Exposure;
use super::ids::{DeviceId, NodeId, SceneId, SiteId};
use super::node::Node;
use super::plan::Write;

/// One zwave-js-ui and the nodes of its network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Site {
    /// The gateway's name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// Its nodes by number, virtual ones among them.
    pub nodes: BTreeMap<NodeId, Node>,
    /// Its scenes by number.
    pub scenes: BTreeMap<SceneId, Scene>,
    /// The members of its groups, by the group's node.
    pub groups: BTreeMap<NodeId, Vec<NodeId>>,
}

/// A scene: writes that zwave-js-ui does one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Its name.
    pub label: String,
    /// What it writes, and to which node.
    pub writes: Vec<(NodeId, Write)>,
}

/// Every site of the house. Devices are made anew whenever nodes come, go or change their names;
/// readings change in place.
#[derive(Clone, Debug, Default)]
pub struct House {
    sites: Vec<Site>,
    exposure: Exposure,
    devices: Devices,
    /// How often the devices were made anew.
    made: u64,
}

impl House {
    /// A house of these sites, of which everything may be seen.
    pub fn new(sites: Vec<Site>) -> Self {
        Self::exposing(Exposure::default(), sites)
    }

    /// A house of these sites, of which this may be seen.
    pub fn exposing(exposure: Exposure, sites: Vec<Site>) -> Self {
        Self {
            devices: devices_of(&sites, &exposure),
            sites,
            exposure,
            made: 0,
        }
    }

    /// The sites, in the order they were found.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Adds a gateway that has no nodes yet.
    pub fn add_site(&mut self, name: String) -> SiteId {
        self.sites.push(Site {
            name,
            ..Site::default()
        });
        SiteId(self.sites.len() - 1)
    }

    /// Replaces the nodes of a site by what its gateway says now.
    pub fn replace_nodes(&mut self, site: SiteId, nodes: BTreeMap<NodeId, Node>) {
        if let Some(site) = self.sites.get_mut(site.0) {
            site.nodes = nodes;
            self.make_devices();
        }
    }

    /// Replaces the scenes and groups of a site by what its gateway says now.
    pub fn replace_scenes_and_groups(
        &mut self,
        site: SiteId,
        scenes: BTreeMap<SceneId, Scene>,
        groups: BTreeMap<NodeId, Vec<NodeId>>,
    ) {
        if let Some(site) = self.sites.get_mut(site.0)
            && (site.scenes != scenes || site.groups != groups)
        {
            site.scenes = scenes;
            site.groups = groups;
            self.make_devices();
        }
    }

    fn make_devices(&mut self) {
        self.devices = devices_of(&self.sites, &self.exposure);
        self.made += 1;
    }

    /// How often the devices were made anew: as long as this stays the same, so do they.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// What of the settings on what may be seen fits no room and no name in the house.
    pub fn unmatched(&self) -> Vec<&str> {
        if self.exposure == Exposure::default() {
            return Vec::new();
        }
        let all = devices_of(&self.sites, &Exposure::default());
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
    pub fn device(&self, id: DeviceId) -> Option<&Device> {
        self.devices.visible.iter().find(|device| device.id == id)
    }

    /// The node that a device is, or is part of; a scene has none.
    pub fn node_of(&self, id: DeviceId) -> Option<&Node> {
        self.node(id.site, id.node()?)
    }

    /// The gateway that a device belongs to.
    pub fn site_of(&self, id: DeviceId) -> Option<&Site> {
        self.sites.get(id.site.0)
    }

    /// A node.
    pub fn node(&self, site: SiteId, node: NodeId) -> Option<&Node> {
        self.sites.get(site.0)?.nodes.get(&node)
    }

    /// A node whose readings change.
    pub fn node_mut(&mut self, site: SiteId, node: NodeId) -> Option<&mut Node> {
        self.sites.get_mut(site.0)?.nodes.get_mut(&node)
    }
}
