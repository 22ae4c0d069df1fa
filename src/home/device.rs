//! From nodes to what a person would call a device, each with a name of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::house::Site;
use super::ids::{CommandClass, DeviceId, NodeId, SiteId};
use super::kind::{Kind, kind_of, main_value};
use super::node::{Node, Role};
use super::words::{squashed, words};

/// A name in the forms it is compared in.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// As it is written.
    pub text: String,
    /// Its letters and digits in one run.
    pub squashed: String,
    /// Its words.
    pub words: Vec<String>,
}

impl Called {
    fn new(text: String) -> Self {
        Self {
            squashed: squashed(&text),
            words: words(&text),
            text,
        }
    }
}

/// What a person would call a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The node, or the endpoint, that it is.
    pub id: DeviceId,
    /// What it is.
    pub kind: Kind,
    /// The room, as its owner wrote it; empty where there is none.
    pub room: String,
    /// The words of the room.
    pub room_words: Vec<String>,
    /// Its name.
    pub name: Called,
    /// Other names it is understood by.
    pub aliases: Vec<Called>,
    /// What tells it from a device that reads the same: its node or its gateway.
    pub tag: Option<Called>,
    /// How a sentence calls it: with its room where the name alone would not do.
    pub spoken: String,
}

impl Device {
    /// The name in a list that is grouped by room: with what tells it from its double.
    pub fn listed(&self) -> String {
        match &self.tag {
            Some(tag) => format!("{} ({})", self.name.text, tag.text),
            None => self.name.text.clone(),
        }
    }

    /// The name with the room in front, for telling two of the same name apart.
    pub fn with_room(&self) -> String {
        if self.room.is_empty() {
            return self.listed();
        }
        format!("{} {}", self.room, self.listed())
    }
}

/// The devices of a house in the order they are listed: by room, those without one last, then by
/// name.
pub fn devices_of(sites: &[Site]) -> Vec<Device> {
    let mut devices: Vec<Device> = sites
        .iter()
        .enumerate()
        .flat_map(|(index, site)| {
            site.nodes
                .values()
                .flat_map(move |node| devices_of_node(SiteId(index), node))
        })
        .collect();
    tag_doubles(&mut devices, sites);
    let mut holders: BTreeMap<String, usize> = BTreeMap::new();
    for device in &devices {
        *holders.entry(key(&device.name)).or_default() += 1;
    }
    for device in &mut devices {
        let shared = holders
            .get(&key(&device.name))
            .is_some_and(|count| *count > 1);
        device.spoken = spoken(device, shared);
    }
    devices.sort_by_cached_key(|device| {
        let room = device.room_words.join(" ");
        (room.is_empty(), room, device.name.words.clone(), device.id)
    });
    devices
}

fn devices_of_node(site: SiteId, node: &Node) -> Vec<Device> {
    let root = kind_of(node, 0);
    let parts = controlling_endpoints(node);
    let root_controls = root.is_some_and(Kind::controls);
    let device = |endpoint, kind, name: String, aliases: Vec<String>| Device {
        id: DeviceId {
            site,
            node: node.id,
            endpoint,
        },
        kind,
        room: node.room.trim().to_owned(),
        room_words: words(&node.room),
        name: Called::new(name),
        aliases: aliases.into_iter().map(Called::new).collect(),
        tag: None,
        spoken: String::new(),
    };
    let whole = |endpoint, kind| device(endpoint, kind, node_name(node), node_aliases(node));

    match (parts.as_slice(), root) {
        // One endpoint that does what the root can't: the node is that endpoint.
        (&[(endpoint, kind)], _) if !root_controls => vec![whole(endpoint, kind)],
        // One endpoint that mirrors the root.
        (&[(endpoint, kind)], Some(root)) if mirrors(node, endpoint, kind, root) => {
            vec![whole(0, root)]
        }
        (parts, root) => {
            let mut found: Vec<Device> = root.map(|kind| whole(0, kind)).into_iter().collect();
            found.extend(parts.iter().map(|&(endpoint, kind)| {
                let numbered = format!("{} {endpoint}", node_name(node));
                match own_label(node, endpoint) {
                    Some(label) => {
                        let labelled = format!("{} {label}", node_name(node));
                        device(endpoint, kind, labelled, vec![numbered])
                    }
                    None => device(endpoint, kind, numbered, Vec::new()),
                }
            }));
            found
        }
    }
}

/// The endpoints above the root that can be told to do something.
fn controlling_endpoints(node: &Node) -> Vec<(u8, Kind)> {
    if node.role != Role::Device {
        return Vec::new();
    }
    let endpoints: BTreeSet<u8> = node
        .classes
        .iter()
        .map(|(endpoint, _)| *endpoint)
        .filter(|endpoint| *endpoint > 0)
        .collect();
    endpoints
        .into_iter()
        .filter_map(|endpoint| {
            let kind = kind_of(node, endpoint)?;
            (kind.controls() && main_value(node, endpoint, kind).is_some())
                .then_some((endpoint, kind))
        })
        .collect()
}

fn mirrors(node: &Node, endpoint: u8, kind: Kind, root: Kind) -> bool {
    let class = |endpoint, kind| -> Option<CommandClass> {
        main_value(node, endpoint, kind).map(|id| id.class)
    };
    class(endpoint, kind) == class(0, root)
}

/// The endpoint's label, unless another endpoint has the same.
fn own_label(node: &Node, endpoint: u8) -> Option<&str> {
    let label_of = |index| {
        node.endpoints
            .iter()
            .find(|known| known.index == index)
            .and_then(|known| known.label.as_deref())
    };
    let label = label_of(endpoint)?;
    let shared = node
        .endpoints
        .iter()
        .any(|other| other.index != endpoint && other.label.as_deref() == Some(label));
    (!shared).then_some(label)
}

fn node_name(node: &Node) -> String {
    let name = node.name.trim();
    if name.is_empty() {
        format!("Node {}", node.id)
    } else {
        name.to_owned()
    }
}

/// An unnamed node is also called what its topics call it.
fn node_aliases(node: &Node) -> Vec<String> {
    if node.name.trim().is_empty() {
        vec![format!("nodeID_{}", node.id)]
    } else {
        Vec::new()
    }
}

/// Gives each device that reads like another one what tells it apart: its gateway's name where two
/// gateways have the name, its node where one gateway has it twice in a room.
fn tag_doubles(devices: &mut [Device], sites: &[Site]) {
    let mut sites_of_name: BTreeMap<String, BTreeSet<SiteId>> = BTreeMap::new();
    let mut nodes_of_place: BTreeMap<(SiteId, String, String), BTreeSet<NodeId>> = BTreeMap::new();
    for device in devices.iter() {
        let name = key(&device.name);
        let place = (device.id.site, device.room_words.join(" "), name.clone());
        sites_of_name
            .entry(name)
            .or_default()
            .insert(device.id.site);
        nodes_of_place
            .entry(place)
            .or_default()
            .insert(device.id.node);
    }
    for device in devices {
        let name = key(&device.name);
        let place = (device.id.site, device.room_words.join(" "), name.clone());
        let mut tag = Vec::new();
        if nodes_of_place
            .get(&place)
            .is_some_and(|nodes| nodes.len() > 1)
        {
            tag.push(format!("node {}", device.id.node));
        }
        if sites_of_name
            .get(&name)
            .is_some_and(|sites| sites.len() > 1)
        {
            tag.extend(sites.get(device.id.site.0).map(|site| site.name.clone()));
        }
        device.tag = (!tag.is_empty()).then(|| Called::new(tag.join(", ")));
    }
}

/// What makes two names the same to a listener; names of symbols alone are compared as written.
fn key(name: &Called) -> String {
    if name.squashed.is_empty() {
        name.text.clone()
    } else {
        name.squashed.clone()
    }
}

/// The name for a sentence. The room goes in front where another device has the name too, or where
/// the name is only the word for its kind ("Dimmer") and does not say the room already.
fn spoken(device: &Device, shared: bool) -> String {
    let only_kind = GENERIC_NAMES.contains(&device.name.squashed.as_str())
        || device.name.squashed == squashed(device.kind.word());
    let says_room = device
        .room_words
        .iter()
        .any(|word| device.name.words.contains(word));
    if shared || (only_kind && !says_room) {
        device.with_room()
    } else {
        device.listed()
    }
}

/// Names that say what a thing is and not which one.
const GENERIC_NAMES: [&str; 12] = [
    "dimmer",
    "switch",
    "outlet",
    "plug",
    "light",
    "shade",
    "blind",
    "shutter",
    "thermostat",
    "sensor",
    "siren",
    "fan",
];
