//! The version of a resource is a value that changes whenever the resource's content may have changed.
//!
//! Each gateway numbers its changes, and each value and node stores the number of its last change. So a change
//! is detected without building the content.

use super::address::{Address, AddressBook};
use crate::gateway::{GatewayView, Trouble, View};
use crate::home::device::Device;
use crate::home::kind::Kind;
use crate::home::model::ids::DeviceId;
use crate::home::names::Filter;
use crate::mcp::entry::silence;
use crate::mcp::list;

/// The version of a resource, or of the list of resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version {
    /// The version of the set of devices, if the content depends on the set.
    device_set: u64,
    /// The number of each gateway's last change, if the resource is about all devices or about the changes.
    gateway_changes: Vec<u32>,
    /// The number of each device's last change, if the resource is about one device or a filter. `None` also if
    /// the filter matches nothing.
    device_changes: Option<Vec<(DeviceId, u32)>>,
    gateway_states: Vec<GatewayState>,
    /// The trouble that affects every gateway, if the content depends on all gateways.
    trouble: Option<Trouble>,
    /// The number of devices that count as silent.
    silent_count: usize,
}

/// Whether a gateway was read, its unreadable nodes, and its trouble without durations, which change all the time.
type GatewayState = (bool, usize, Option<Trouble>);

fn state_of(gateway: &GatewayView) -> GatewayState {
    let trouble = gateway.trouble.as_ref().map(Trouble::without_duration);
    (gateway.was_read, gateway.unreadable, trouble)
}

impl Version {
    /// Returns the present version of a resource, or of the list of resources if there is no address.
    pub fn of(address: Option<&Address>, view: &View, address_book: &AddressBook) -> Self {
        let gateways = view.gateways.iter();
        match address {
            None => Self {
                device_set: address_book.version(),
                ..Self::default()
            },
            Some(Address::Changes) => Self {
                gateway_changes: gateways.map(|gateway| gateway.history.number as u32).collect(),
                ..Self::of_all(view)
            },
            Some(Address::House) => Self {
                gateway_changes: gateways.map(|gateway| gateway.change_count).collect(),
                silent_count: count_silent(view, view.house.devices().iter()),
                ..Self::of_all(view)
            },
            Some(Address::Filtered(filter)) => {
                let devices = list::find_devices(
                    view,
                    &Filter::read(view.house, filter, view.house.host_room()),
                );
                let matching = devices.iter().flatten().copied();
                Self {
                    silent_count: count_silent(view, matching),
                    device_changes: devices.map(|devices| last_changes(view, &devices)),
                    ..Self::of_all(view)
                }
            }
            Some(address) => match address_book.find(view.house, address) {
                Some(device) => Self {
                    device_changes: Some(last_changes(view, &[device])),
                    gateway_states: gateways
                        .filter(|gateway| gateway.name == device.id.gateway)
                        .map(state_of)
                        .collect(),
                    silent_count: usize::from(silence(view, device).is_some()),
                    ..Self::default()
                },
                // Until the house is known, the content depends on the troubles.
                None if list::require_known_house(view).is_err() => Self::of_all(view),
                None => Self::default(),
            },
        }
    }

    /// Returns the parts of a version that are about the whole house.
    fn of_all(view: &View) -> Self {
        Self {
            device_set: view.house.device_version(),
            gateway_states: view.gateways.iter().map(state_of).collect(),
            trouble: view.trouble.as_ref().map(Trouble::without_duration),
            ..Self::default()
        }
    }
}

fn count_silent<'a>(view: &View, devices: impl Iterator<Item = &'a Device>) -> usize {
    devices.filter(|device| silence(view, device).is_some()).count()
}

/// Returns each device with the number of its last change. For a scene or group, any change in its gateway
/// counts.
fn last_changes(view: &View, devices: &[&Device]) -> Vec<(DeviceId, u32)> {
    let number = |device: &Device| {
        let is_of_gateway = matches!(device.kind, Kind::Scene | Kind::Group);
        let node = view.house.node_of(&device.id).filter(|_| !is_of_gateway);
        let gateway = view.gateway(&device.id.gateway);
        match node {
            Some(node) => node.last_change(&device.reads),
            None => gateway.map_or(0, |gateway| gateway.change_count),
        }
    };
    devices.iter().map(|device| (device.id.clone(), number(device))).collect()
}
