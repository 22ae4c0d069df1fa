//! The whole house: every gateway's nodes, and the devices made of them.

use std::collections::BTreeMap;

use super::device::{Device, devices_of};
use super::ids::{DeviceId, NodeId, SiteId};
use super::node::Node;

/// One zwave-js-ui and the nodes of its network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Site {
    /// The gateway's name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// Its nodes by number, virtual ones among them.
    pub nodes: BTreeMap<NodeId, Node>,
}

/// Every site of the house. Devices are made anew whenever nodes come, go or change their names;
/// readings change in place.
#[derive(Clone, Debug, Default)]
pub struct House {
    sites: Vec<Site>,
    devices: Vec<Device>,
}

impl House {
    /// A house of these sites.
    pub fn new(sites: Vec<Site>) -> Self {
        let devices = devices_of(&sites);
        Self { sites, devices }
    }

    /// The sites, in the order they were found.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Adds a gateway that has no nodes yet.
    pub fn add_site(&mut self, name: String) -> SiteId {
        self.sites.push(Site {
            name,
            nodes: BTreeMap::new(),
        });
        SiteId(self.sites.len() - 1)
    }

    /// Replaces the nodes of a site by what its gateway says now.
    pub fn replace_nodes(&mut self, site: SiteId, nodes: BTreeMap<NodeId, Node>) {
        if let Some(site) = self.sites.get_mut(site.0) {
            site.nodes = nodes;
            self.devices = devices_of(&self.sites);
        }
    }

    /// The devices, in the order they are listed.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// A device by its id.
    pub fn device(&self, id: DeviceId) -> Option<&Device> {
        self.devices.iter().find(|device| device.id == id)
    }

    /// The node that a device is, or is part of.
    pub fn node_of(&self, id: DeviceId) -> Option<&Node> {
        self.node(id.site, id.node)
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
