//! The URIs of the resources, and the devices that such URIs identify.

use std::collections::{HashMap, HashSet};
use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::home::bounds;
use crate::home::device::Device;
use crate::home::house::House;

pub use crate::home::published::{CHANGES, HOUSE};

/// The template for one device (RFC 6570). For a device without a room, `room` is empty and expands to an empty
/// segment.
pub const TEMPLATE: &str = "zwave://devices/{room}/{name}";

/// The template for the devices that match a filter of `list_zwave_devices` (RFC 6570, form-style query).
pub const FILTER_TEMPLATE: &str = "zwave://devices{?filter}";

/// The text between [`HOUSE`] and the filter in a URI.
const FILTER: &str = "?filter=";

/// The characters that a simple expansion encodes (RFC 6570): all except the unreserved ones of RFC 3986.
pub const ENCODED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The maximum length of a URI, in bytes. No URI of a device is that long, because names and rooms have at
/// most 60 characters each.
const MAX_URI: usize = 4096;

/// Returns the URI of the devices that match a filter of the list, or of the whole house if the filter is empty.
pub fn filtered_house(filter: &str) -> String {
    match filter {
        "" => HOUSE.to_owned(),
        filter => Address::Filtered(filter.to_owned()).to_string(),
    }
}

/// A parsed URI.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    House,
    Changes,
    /// The devices that match a filter.
    Filtered(String),
    /// One device, by its room and name in the list.
    Device {
        /// The device's room; empty if it has none.
        room: String,
        /// The device's name, with its tag if it has one.
        name: String,
    },
}

impl Address {
    /// Parses a URI, whose characters may be percent-encoded. Returns `None` for a URI that is not in one of
    /// this server's forms.
    pub fn read(uri: &str) -> Option<Self> {
        if uri.len() > MAX_URI {
            return None;
        }
        if uri == CHANGES {
            return Some(Self::Changes);
        }
        let path = uri.strip_prefix(HOUSE)?;
        if path.is_empty() {
            return Some(Self::House);
        }
        let decode = |part: &str| {
            let text = percent_decode_str(part).decode_utf8().ok()?;
            Some(text.into_owned())
        };
        if let Some(filter) = path.strip_prefix(FILTER) {
            if filter.contains(['&', '#']) {
                return None;
            }
            return decode(filter).map(Self::Filtered);
        }
        let (room, name) = path.strip_prefix('/')?.split_once('/')?;
        if name.is_empty() || name.contains('/') {
            return None;
        }
        Some(Self::Device {
            room: decode(room)?,
            name: decode(name)?,
        })
    }

    /// Returns false if the filter, room or name is longer than accepted.
    pub fn is_readable(&self) -> bool {
        match self {
            Self::House | Self::Changes => true,
            Self::Filtered(filter) => !bounds::is_too_long(filter),
            Self::Device { room, name } => !bounds::is_too_long(room) && !bounds::is_too_long(name),
        }
    }

    /// Finds the device with this address in a house.
    pub fn device(self, house: &House) -> Option<&Device> {
        let Self::Device { room, .. } = &self else {
            return None;
        };
        // Only devices in the same room have equal names.
        let in_room = house.devices().iter().filter(|device| device.room == *room);
        let index = addresses(in_room.clone()).into_iter().position(|address| address == self)?;
        in_room.clone().nth(index)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::House => f.write_str(HOUSE),
            Self::Changes => f.write_str(CHANGES),
            Self::Filtered(filter) => {
                let filter = utf8_percent_encode(filter, &ENCODED);
                write!(f, "{HOUSE}{FILTER}{filter}")
            }
            Self::Device { room, name } => {
                let room = utf8_percent_encode(room, &ENCODED);
                let name = utf8_percent_encode(name, &ENCODED);
                write!(f, "{HOUSE}/{room}/{name}")
            }
        }
    }
}

/// The addresses of all devices of the house.
#[derive(Debug, Default)]
pub struct AddressBook {
    /// The house's `device_version` at the last update.
    device_version: Option<u64>,
    /// The addresses, in the order of the devices.
    addresses: Vec<Address>,
    indexes: HashMap<Address, usize>,
    /// The number of times that the addresses have changed.
    version: u64,
}

impl AddressBook {
    /// Updates the addresses if the set of devices may have changed.
    pub fn update(&mut self, house: &House) {
        if self.device_version == Some(house.device_version()) {
            return;
        }
        self.device_version = Some(house.device_version());
        let addresses = addresses(house.devices().iter());
        if addresses == self.addresses {
            return;
        }
        self.addresses = addresses;
        self.version += 1;
        let indexes = self.addresses.iter().cloned().enumerate();
        self.indexes = indexes.map(|(index, address)| (address, index)).collect();
    }

    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    pub fn find<'a>(&self, house: &'a House, address: &Address) -> Option<&'a Device> {
        house.devices().get(*self.indexes.get(address)?)
    }

    /// Returns a number that increases whenever a device is added, removed, renamed or moved to another room.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// Makes a unique address for each device. The list distinguishes devices of the same name by a tag. Some names
/// may still be equal, because the list truncates long names. Equal names get a number.
fn addresses<'a>(devices: impl Iterator<Item = &'a Device>) -> Vec<Address> {
    let mut taken = HashSet::new();
    let addresses = devices.map(|device| {
        let listed = device.listed_name();
        let named = |name| Address::Device {
            room: device.room.clone(),
            name,
        };
        let mut address = named(listed.clone());
        let mut number = 1;
        while !taken.insert(address.clone()) {
            number += 1;
            address = named(format!("{listed} #{number}"));
        }
        address
    });
    addresses.collect()
}

#[cfg(test)]
#[path = "../../../tests/unit/mcp/resources/address.rs"]
mod tests;
