//! From nodes to what a person would call a device, each with a name of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::exposure::Exposure;
use super::house::Site;
use super::ids::{CommandClass, DeviceId, SceneId, SiteId, Thing};
use super::kind::{Kind, kind_of, main_value};
use super::node::{Node, Role};
use super::words::{squashed, tellable, words};

/// A name in the forms it is compared in.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// As it is told.
    pub text: String,
    /// Its letters and digits in one run.
    pub squashed: String,
    /// Its words.
    pub words: Vec<String>,
}

impl Called {
    fn new(text: &str) -> Self {
        Self {
            squashed: squashed(text),
            words: words(text),
            text: tellable(text),
        }
    }
}

/// What a person would call a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// What it is at its gateway.
    pub id: DeviceId,
    /// The endpoint that is written to.
    pub endpoint: u8,
    /// The endpoints whose values are its own.
    pub reads: Vec<u8>,
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

/// The devices of a house that may be seen, in the order they are listed: by room, those without one
/// last, then by name.
pub fn devices_of(sites: &[Site], exposure: &Exposure) -> Vec<Device> {
    let mut devices: Vec<Device> = sites
        .iter()
        .enumerate()
        .flat_map(|(index, site)| {
            let id = SiteId(index);
            let nodes = site.nodes.values();
            let scenes = site.scenes.iter();
            let scenes = scenes.map(move |(scene, what)| scene_device(id, *scene, &what.label));
            nodes
                .flat_map(move |node| devices_of_node(id, node))
                .chain(scenes)
        })
        .collect();
    // Before names are told apart: what is hidden must not show in another's name.
    exposure.keep_visible(&mut devices, sites);
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

fn scene_device(site: SiteId, scene: SceneId, label: &str) -> Device {
    let name = match label.trim() {
        "" => format!("Scene {}", scene.0),
        label => label.to_owned(),
    };
    Device {
        id: DeviceId {
            site,
            thing: Thing::Scene(scene),
        },
        endpoint: 0,
        reads: Vec::new(),
        kind: Kind::Scene,
        room: String::new(),
        room_words: Vec::new(),
        name: Called::new(&name),
        aliases: Vec::new(),
        tag: None,
        spoken: String::new(),
    }
}

fn devices_of_node(site: SiteId, node: &Node) -> Vec<Device> {
    let root = kind_of(node, 0);
    let parts = controlling_endpoints(node);
    let endpoints = endpoints_of(node);
    let device = |endpoint, reads: Vec<u8>, kind, name: String, aliases: Vec<String>| Device {
        id: DeviceId::endpoint(site, node.id, endpoint),
        endpoint,
        reads,
        kind,
        room: tellable(&node.room),
        room_words: words(&node.room),
        name: Called::new(&name),
        aliases: aliases.iter().map(|alias| Called::new(alias)).collect(),
        tag: None,
        spoken: String::new(),
    };
    let whole =
        |endpoint, reads, kind| device(endpoint, reads, kind, node_name(node), node_aliases(node));

    match (parts.as_slice(), root) {
        // One endpoint that does what the root can't: the node is that endpoint.
        (&[(endpoint, kind)], root) if !root.is_some_and(Kind::controls) => {
            vec![whole(endpoint, endpoints, kind)]
        }
        // One endpoint that mirrors the root.
        (&[(endpoint, kind)], Some(root)) if mirrors(node, endpoint, kind, root) => {
            vec![whole(0, endpoints, root)]
        }
        // Nothing to control: a sensor may have its values on any endpoint.
        ([], root) => {
            let found = root.map(|kind| (0, kind)).or_else(|| {
                let mut others = endpoints.iter();
                others.find_map(|endpoint| Some((*endpoint, kind_of(node, *endpoint)?)))
            });
            let found = found.into_iter();
            found
                .map(|(endpoint, kind)| whole(endpoint, endpoints.clone(), kind))
                .collect()
        }
        (parts, root) => {
            let is_part = |endpoint: &u8| parts.iter().any(|(part, _)| part == endpoint);
            let rest: Vec<u8> = endpoints.into_iter().filter(|one| !is_part(one)).collect();
            let root = root.map(|kind| whole(0, rest, kind));
            let mut found: Vec<Device> = root.into_iter().collect();
            found.extend(parts.iter().map(|&(endpoint, kind)| {
                let numbered = format!("{} {endpoint}", node_name(node));
                match own_label(node, endpoint) {
                    Some(label) => {
                        let labelled = format!("{} {label}", node_name(node));
                        device(endpoint, vec![endpoint], kind, labelled, vec![numbered])
                    }
                    None => device(endpoint, vec![endpoint], kind, numbered, Vec::new()),
                }
            }));
            found
        }
    }
}

/// The endpoints that have values, in order.
fn endpoints_of(node: &Node) -> Vec<u8> {
    let endpoints: BTreeSet<u8> = node.classes.iter().map(|(endpoint, _)| *endpoint).collect();
    endpoints.into_iter().collect()
}

/// The endpoints above the root that can be told to do something.
fn controlling_endpoints(node: &Node) -> Vec<(u8, Kind)> {
    if node.role != Role::Device {
        return Vec::new();
    }
    let endpoints = endpoints_of(node).into_iter().filter(|one| *one > 0);
    endpoints
        .filter_map(|endpoint| {
            let kind = kind_of(node, endpoint)?;
            kind.controls().then_some((endpoint, kind))
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
    let mut things_of_place: BTreeMap<(SiteId, String, String), BTreeSet<Thing>> = BTreeMap::new();
    for device in devices.iter() {
        let name = key(&device.name);
        let place = (device.id.site, device.room_words.join(" "), name.clone());
        sites_of_name
            .entry(name)
            .or_default()
            .insert(device.id.site);
        things_of_place
            .entry(place)
            .or_default()
            .insert(device.id.thing);
    }
    for device in devices {
        let name = key(&device.name);
        let place = (device.id.site, device.room_words.join(" "), name.clone());
        let mut tag = Vec::new();
        if things_of_place
            .get(&place)
            .is_some_and(|things| things.len() > 1)
        {
            tag.push(match device.id.thing {
                Thing::Node { node, .. } => format!("node {node}"),
                Thing::Scene(scene) => format!("scene {}", scene.0),
            });
        }
        if sites_of_name
            .get(&name)
            .is_some_and(|sites| sites.len() > 1)
        {
            tag.extend(sites.get(device.id.site.0).map(|site| site.name.clone()));
        }
        device.tag = (!tag.is_empty()).then(|| Called::new(&tag.join(", ")));
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
    let only_kind = GENERIC_NAMES.contains(&device.name.squashed.as_str());
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
const GENERIC_NAMES: [&str; 18] = [
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
    "lock",
    "valve",
    "gate",
    "remote",
    "keypad",
    "meter",
];
