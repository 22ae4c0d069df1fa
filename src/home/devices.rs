//! The devices of a house, each with a name of its own.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::classify::of_device;
use super::device::{Device, Name};
use super::endpoints::devices_of_node;
use super::exposure::Exposure;
use super::kind::Kind;
use super::letters::{in_order, squashed};
use super::model::ids::{DeviceId, GatewayName, NodeId, SceneId, Thing};
use super::model::snapshot::Snapshot;
use super::own_words::Floor;
use super::phrase::{Phrase, count_where_equal};
use super::tag::Tag;
use super::text;
use super::word::Word;
use super::words::texts;

/// The devices of a house.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// Those that may be seen, in the order they are listed: by floor and room, those without one last,
    /// then by name.
    pub visible: Vec<Device>,
    /// The others. Their names are known only so that they never fall to another.
    pub hidden: Vec<Device>,
    /// The floors that the owner names.
    pub floors: Vec<Floor>,
    /// Every word of their names and rooms.
    pub vocabulary: Vocabulary,
}

/// Every word that a name, a room or a gateway has, in all its spellings.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary(HashSet<Box<str>>);

impl Vocabulary {
    fn of<'a>(devices: impl Iterator<Item = &'a Device>, snapshots: &[Arc<Snapshot>]) -> Self {
        let mut words = HashSet::new();
        let mut add = |phrase: &Phrase| {
            let spellings = phrase
                .telling()
                .flat_map(|word| word.spellings().chain(word.owners()));
            for spelling in spellings {
                if !words.contains(spelling) {
                    words.insert(spelling.into());
                }
            }
        };
        for device in devices {
            let names = device.names().chain(device.part_of.as_deref());
            names.for_each(|name| add(&name.words));
            add(&device.room_words);
        }
        for snapshot in snapshots {
            add(&Phrase::new(snapshot.gateway.as_str()));
        }
        Self(words)
    }

    /// Returns true if a folded text is the spelling of one of them.
    pub fn has_spelling(&self, text: &str) -> bool {
        self.0.contains(text)
    }

    /// Returns true if a word is one of them, also without its 's.
    pub fn has(&self, word: &Word) -> bool {
        let mut spellings = word.spellings().chain(word.owners());
        spellings.any(|spelling| self.0.contains(spelling))
    }
}

/// The devices of a house, as its owner wants them seen and guarded.
pub fn devices_of(snapshots: &[Arc<Snapshot>], exposure: &Exposure) -> Devices {
    let devices = snapshots
        .iter()
        .flat_map(|snapshot| {
            let gateway = &snapshot.gateway;
            let nodes = snapshot.nodes.values();
            let scenes = snapshot.scenes.iter();
            let scenes = scenes.map(|(scene, what)| scene_device(gateway, *scene, &what.label));
            nodes
                .flat_map(|node| devices_of_node(gateway, node))
                .chain(scenes)
        })
        .collect();
    completed(devices, snapshots, exposure)
}

/// What a house is of these devices: what each is, what tells it from its double, and who may see it.
pub(super) fn completed(
    mut devices: Vec<Device>,
    snapshots: &[Arc<Snapshot>],
    exposure: &Exposure,
) -> Devices {
    // A name that is too long, or has letters that can't be seen, is said as it is shown.
    for device in &mut devices {
        device.categories = of_device(device.kind, &device.name.words);
        if device.name.text != device.name.raw {
            let shown = Name::new(&device.name.text);
            device.aliases.push(shown);
        }
    }
    exposure.own_words.name(&mut devices);
    // Before names are told apart: what is hidden must not show in another's name.
    let hidden = exposure.keep_visible(&mut devices, snapshots);
    count_where_equal(devices.iter_mut().map(|device| &mut device.name.words));
    count_where_equal(devices.iter_mut().map(|device| &mut device.room_words));
    tag_doubles(&mut devices);
    let holders = counts(devices.iter().map(|device| key(&device.name.text)));
    for device in &mut devices {
        let shared = holders.get(&key(&device.name.text)) > Some(&1);
        device.spoken = spoken(device, shared);
        device.opening = exposure.doors.opening(device);
    }
    let mut hidden = hidden;
    for device in devices.iter_mut().chain(&mut hidden) {
        let names = device.names().chain(device.part_of.as_deref());
        let phrases = names.map(|name| &name.words).chain([&device.room_words]);
        device.marks = phrases.fold(0, |all, phrase| all | phrase.marks());
    }
    let floors = exposure.own_words.floors();
    devices.sort_by_cached_key(|device| {
        let order = |phrase: &Phrase| -> Vec<String> {
            phrase
                .all()
                .iter()
                .map(|word| in_order(word.text()))
                .collect()
        };
        let room = order(&device.room_words);
        let floor = floors.iter().position(|floor| floor.has(device));
        (
            room.is_empty(),
            floor.unwrap_or(floors.len()),
            room,
            order(&device.name.words),
            device.id.clone(),
        )
    });
    Devices {
        vocabulary: Vocabulary::of(devices.iter().chain(&hidden), snapshots),
        visible: devices,
        hidden,
        floors,
    }
}

fn scene_device(gateway: &GatewayName, scene: SceneId, label: &str) -> Device {
    let name = match label.trim() {
        label if text::name(label).is_empty() => format!("Scene {}", scene.0),
        label => label.to_owned(),
    };
    let id = DeviceId {
        gateway: gateway.clone(),
        thing: Thing::Scene(scene),
    };
    Device::new(id, Kind::Scene, &name)
}

/// Gives each device that reads like another one what tells it apart: its gateway's name where two
/// gateways have the name; its node, scene or endpoint where one gateway has it twice in a room, where
/// its name looks like another's tag, or where it is offered by another's name or a room; and both
/// where it would be listed as another is even so: Lamp in the room Hall North, and North Lamp in the
/// Hall.
fn tag_doubles(devices: &mut [Device]) {
    let place = |device: &Device| {
        let place = format!("{} {}", device.room, device.name.text);
        (device.id.gateway.clone(), key(&place))
    };
    let mut gateways_of_name: BTreeMap<String, BTreeSet<GatewayName>> = BTreeMap::new();
    let mut things_of_place: BTreeMap<(GatewayName, String), Vec<Thing>> = BTreeMap::new();
    for device in devices.iter() {
        let gateways = gateways_of_name.entry(key(&device.name.text)).or_default();
        gateways.insert(device.id.gateway.clone());
        let things = things_of_place.entry(place(device)).or_default();
        things.push(device.id.thing);
    }
    let things = |device: &Device| {
        let things = things_of_place.get(&place(device));
        things.map_or(&[][..], Vec::as_slice)
    };
    let misleads = |device: &Device| {
        let tag = Tag::of_another(device);
        tag.is_some_and(|tag| devices.iter().any(|other| tag.is_of(other)))
    };
    let taken = Taken::by(devices);
    let at_two_gateways = |device: &Device| {
        let gateways = gateways_of_name.get(&key(&device.name.text));
        gateways.is_some_and(|gateways| gateways.len() > 1)
    };
    let tags = devices.iter().map(|device| {
        let numbered = things(device).len() > 1 || misleads(device) || taken.has(device);
        let number = numbered.then(|| number(device, things(device)));
        let gateway = at_two_gateways(device).then(|| device.id.gateway.to_string());
        tag(number, gateway)
    });
    let tags: Vec<Option<Name>> = tags.collect();
    let gateways = devices.iter().map(|device| &device.id.gateway);
    let several = gateways.collect::<BTreeSet<_>>().len() > 1;
    for (device, tag) in devices.iter_mut().zip(tags) {
        device.tag = tag;
    }
    let whole = |device: &Device| {
        let gateway = several.then(|| device.id.gateway.to_string());
        tag(Some(number(device, things(device))), gateway)
    };
    while tag_what_reads_alike(devices, whole) {}
}

/// What the texts of a house already mean: a device that is offered by one of them needs its tag.
struct Taken {
    /// How many devices have each name.
    names: BTreeMap<String, usize>,
    /// Rooms, nodes that are no devices, and other names.
    others: BTreeSet<String>,
    /// The words of each device's name with those of its room, in no order.
    in_rooms: BTreeSet<String>,
}

impl Taken {
    fn by(devices: &[Device]) -> Self {
        let rooms = devices.iter().map(|device| key(&device.room));
        let more = devices.iter().flat_map(others_of);
        let roomless = devices.iter().any(|device| device.room.is_empty());
        let roomy = devices.iter().filter(|device| !device.room.is_empty());
        Self {
            names: counts(devices.iter().map(|device| key(&device.name.text))),
            others: rooms.chain(more.map(|name| key(&name.text))).collect(),
            in_rooms: roomy
                .take_while(|_| roomless)
                .flat_map(|device| {
                    let names = std::iter::once(&device.name).chain(others_of(device));
                    names.map(|name| unordered(&format!("{} {}", device.room, name.text)))
                })
                .collect(),
        }
    }

    /// Returns true if a device, said as it is offered, could be something else.
    fn has(&self, device: &Device) -> bool {
        let offered = key(&device.with_room());
        let own = usize::from(offered == key(&device.name.text));
        let is_in_room =
            || device.room.is_empty() && self.in_rooms.contains(&unordered(&device.name.text));
        self.names.get(&offered).is_some_and(|count| *count > own)
            || self.others.contains(&offered)
            || is_in_room()
    }
}

/// The names that a device has beside its own, and that of the node that it is a part of.
fn others_of(device: &Device) -> impl Iterator<Item = &Name> {
    let node = device.part_of.as_deref();
    device.aliases.iter().chain(&device.own_names).chain(node)
}

/// The words of a text in no order, each once: who says one of them twice says no more.
fn unordered(text: &str) -> String {
    let mut words = texts(text);
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

/// Gives those that are listed alike their whole tags, and says whether that changed any: a tag can
/// make a device read like one that is called so.
fn tag_what_reads_alike(devices: &mut [Device], whole: impl Fn(&Device) -> Option<Name>) -> bool {
    let listed = counts(devices.iter().map(|device| key(&device.with_room())));
    let mut changed = false;
    for device in devices {
        if listed.get(&key(&device.with_room())) > Some(&1) {
            let tag = whole(device);
            changed |= device.tag != tag;
            device.tag = tag;
        }
    }
    changed
}

/// How often each of these texts is among them.
fn counts(texts: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    texts.fold(BTreeMap::new(), |mut counts, text| {
        *counts.entry(text).or_default() += 1;
        counts
    })
}

fn tag(number: Option<String>, gateway: Option<String>) -> Option<Name> {
    let parts: Vec<String> = number.into_iter().chain(gateway).collect();
    (!parts.is_empty()).then(|| Name::new(&parts.join(", ")))
}

/// A device's number at its gateway, with its endpoint where its node has several of these things.
fn number(device: &Device, things: &[Thing]) -> String {
    match device.id.thing {
        Thing::Node { node, endpoint } if endpoint > 0 && of_node(things, node) > 1 => {
            format!("node {node} endpoint {endpoint}")
        }
        Thing::Node { node, .. } => format!("node {node}"),
        Thing::Scene(scene) => format!("scene {}", scene.0),
    }
}

fn of_node(things: &[Thing], node: NodeId) -> usize {
    let node = |thing: &&Thing| matches!(thing, Thing::Node { node: own, .. } if *own == node);
    things.iter().filter(node).count()
}

/// What makes two names the same to a listener, who hears them as they are listed; names of symbols
/// alone are compared as written.
fn key(listed: &str) -> String {
    match squashed(listed) {
        symbols if symbols.is_empty() => listed.to_owned(),
        letters => letters,
    }
}

/// The name for a sentence. The room goes in front where another device has the name too, or where
/// the name is only the word for its kind ("Dimmer") and does not say the room already.
fn spoken(device: &Device, shared: bool) -> String {
    let name = device.name.squashed.as_str();
    let only_kind = Kind::words().chain(OTHER_KINDS).any(|kind| kind == name);
    let says_room = device
        .room_words
        .telling()
        .any(|word| device.name.words.has(word));
    if shared || (only_kind && !says_room) {
        device.with_room()
    } else {
        device.listed()
    }
}

/// Other words that say what a thing is and not which one.
const OTHER_KINDS: [&str; 4] = ["light", "plug", "shade", "shutter"];
