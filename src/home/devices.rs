//! Makes the devices of a house from the snapshots: classifies, tags, guards and sorts them, and hides some.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::category::Categories;
use super::classify::{categories_of, is_essential};
use super::device::{Device, Name, Tag, WITHOUT_ROOM};
use super::endpoints::devices_of_node;
use super::exposure::Exposure;
use super::kind::Kind;
use super::language::{ENGLISH, LanguageSet, decided_languages};
use super::letters::{sort_key, squash};
use super::model::ids::{DeviceId, GatewayName, SceneId, Thing};
use super::model::snapshot::Snapshot;
use super::own_words::Floor;
use super::phrase::{Phrase, count_where_equal};
use super::text;
use super::vocabulary::Vocabulary;
use super::word::texts;

/// The devices of a house.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// The visible devices in the order of a list: by floor, room and name, those without a room last.
    pub visible: Vec<Device>,
    /// The hidden devices. They are kept so that the name of a hidden device never selects another device.
    pub hidden: Vec<Device>,
    /// The floors that the owner has named.
    pub floors: Vec<Floor>,
    /// The languages of the names and rooms.
    pub languages: LanguageSet,
    /// The position in `visible` of the first device of each room, and of those without a room.
    pub room_starts: Vec<usize>,
    /// The positions in `visible` of the devices that are parts of nodes.
    pub parts: Vec<usize>,
    /// True if a room is called like the usual heading for devices without a room.
    pub has_usual_heading: bool,
    /// The categories of the visible devices.
    pub categories: Categories,
    /// The words of all names, rooms and gateways. Positions are in `visible`, and go on in `hidden`.
    pub vocabulary: Vocabulary,
}

/// Returns the languages that the names and rooms of devices are in, and English if no word decides.
fn languages_of<'a>(devices: impl Iterator<Item = &'a Device>) -> LanguageSet {
    let phrases = devices.flat_map(Device::phrases);
    match phrases.fold(0, |all, phrase| all | decided_languages(phrase.all())) {
        0 => ENGLISH,
        languages => languages,
    }
}

/// Makes the devices of a house.
pub fn devices_of(snapshots: &[Arc<Snapshot>], exposure: &Exposure) -> Devices {
    let devices = snapshots
        .iter()
        .flat_map(|snapshot| {
            let gateway = &snapshot.gateway;
            let nodes = snapshot.nodes.values();
            let scenes = snapshot.scenes.iter();
            nodes
                .flat_map(|node| devices_of_node(gateway, node))
                .chain(scenes.map(|(id, scene)| scene_device(gateway, *id, &scene.label)))
        })
        .collect();
    complete(devices, snapshots, exposure)
}

/// Completes devices: gives them aliases, tags, spoken names and guards, hides some, and sorts the rest.
/// All this depends on the settings or on other devices.
fn complete(mut devices: Vec<Device>, snapshots: &[Arc<Snapshot>], exposure: &Exposure) -> Devices {
    let languages = languages_of(devices.iter());
    for device in &mut devices {
        device.categories = categories_of(device.kind, &device.name.words, languages);
        // The name may be shown shortened or cleaned, and people then call the device by the shown form.
        if device.name.text != device.name.raw {
            device.aliases.push(Name::new(&device.name.text));
        }
        // The same goes for the room, which an answer puts before the name.
        if device.room.ends_with('…') {
            let shown = format!("{} {}", device.room, device.name.text);
            device.aliases.push(Name::new(&shown));
        }
    }
    exposure.own_words.add_aliases(&mut devices);
    // Remove the hidden devices first, because the tags and spoken names must not hint at hidden devices.
    let hidden = exposure.remove_hidden(&mut devices, snapshots);
    tag_duplicates(&mut devices);
    let floors = exposure.own_words.floors();
    devices.sort_by_cached_key(|device| {
        let sort_keys = |phrase: &Phrase| -> Vec<String> {
            phrase.all().iter().map(|word| sort_key(word.text())).collect()
        };
        let room = sort_keys(&device.room_words);
        let floor = floors.iter().position(|floor| floor.has(device));
        (
            room.is_empty(),
            floor.unwrap_or(floors.len()),
            room,
            sort_keys(&device.name.words),
            device.id.clone(),
        )
    });
    let mut completed = finish(devices, hidden, floors, snapshots);
    for device in &mut completed.visible {
        device.guard_reason = exposure.doors.guard_reason(device, languages);
    }
    completed
}

/// Computes what depends on the names of all visible devices.
pub(super) fn finish(
    mut devices: Vec<Device>,
    mut hidden: Vec<Device>,
    mut floors: Vec<Floor>,
    snapshots: &[Arc<Snapshot>],
) -> Devices {
    let languages = languages_of(devices.iter().chain(&hidden));
    let of_devices = devices.iter_mut().chain(&mut hidden).flat_map(Device::phrases_mut);
    let of_floors = floors.iter_mut().flat_map(Floor::phrases_mut);
    of_devices
        .chain(of_floors)
        .for_each(|phrase| phrase.ignore_small_words(languages));
    for device in devices.iter_mut().chain(&mut hidden) {
        device.is_essential_by_name |= is_essential(&device.name.words, languages);
    }
    count_where_equal(devices.iter_mut().map(|device| &mut device.name.words));
    count_where_equal(devices.iter_mut().map(|device| &mut device.room_words));
    let name_counts = counts(devices.iter().map(|device| key(&device.name.text)));
    for device in &mut devices {
        let is_shared = name_counts.get(&key(&device.name.text)) > Some(&1);
        device.spoken = spoken_name(device, is_shared);
    }
    // The devices are in the order of their rooms.
    let rooms = devices.chunk_by(Device::is_in_same_room);
    let room_starts: Vec<usize> = rooms
        .scan(0, |next, room| {
            Some(std::mem::replace(next, *next + room.len()))
        })
        .collect();
    let usual_heading = squash(WITHOUT_ROOM[0]);
    let mut rooms = room_starts.iter().filter_map(|start| devices.get(*start));
    let is_part = |(_, device): &(usize, &Device)| device.part_of.is_some();
    Devices {
        languages,
        parts: devices.iter().enumerate().filter(is_part).map(|(at, _)| at).collect(),
        has_usual_heading: rooms.any(|device| squash(&device.room) == usual_heading),
        room_starts,
        categories: devices.iter().fold(Categories::default(), |all, device| {
            all.or(device.categories)
        }),
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

/// Tags the devices whose names are not unique.
///
/// A tag has up to two parts, as in "node 3, north", where "north" is the gateway:
/// - a number, if another device of the gateway has the same name in the same room, if the name looks like
///   another device's tag ("Node 7"), or if the name with its room is taken ([`TakenNames::has`]);
/// - the gateway, if devices of several gateways have the name.
///
/// Devices that still look the same in a list get the number and, if there are several gateways, the gateway. A
/// "Lamp" in "Hall North" at one gateway and a "North Lamp" in "Hall" at another are both "Hall North Lamp".
fn tag_duplicates(devices: &mut [Device]) {
    // Devices with the same full name are namesakes.
    let full_name = |device: &Device| {
        let with_room = format!("{} {}", device.room, device.name.text);
        (device.id.gateway.clone(), key(&with_room))
    };
    let mut gateways_of_name: BTreeMap<String, BTreeSet<GatewayName>> = BTreeMap::new();
    let mut things_of_full_name: BTreeMap<(GatewayName, String), Vec<Thing>> = BTreeMap::new();
    for device in devices.iter() {
        let gateways = gateways_of_name.entry(key(&device.name.text)).or_default();
        gateways.insert(device.id.gateway.clone());
        things_of_full_name.entry(full_name(device)).or_default().push(device.id.thing);
    }
    let namesakes = |device: &Device| {
        let things = things_of_full_name.get(&full_name(device));
        things.map_or(&[][..], Vec::as_slice)
    };
    let looks_like_other_tag = |device: &Device| {
        let tag = Tag::find_misleading(device);
        tag.is_some_and(|tag| devices.iter().any(|other| tag.is_of(other)))
    };
    let is_at_several_gateways = |device: &Device| {
        let gateways = gateways_of_name.get(&key(&device.name.text));
        gateways.is_some_and(|gateways| gateways.len() > 1)
    };
    let taken = TakenNames::of(devices);
    let tags: Vec<Option<Name>> = devices
        .iter()
        .map(|device| {
            let needs_number =
                namesakes(device).len() > 1 || looks_like_other_tag(device) || taken.has(device);
            let number = needs_number.then(|| numbered_label(device, namesakes(device)));
            let gateway = is_at_several_gateways(device).then(|| device.id.gateway.to_string());
            make_tag(number, gateway)
        })
        .collect();
    for (device, tag) in devices.iter_mut().zip(tags) {
        device.tag = tag;
    }
    let gateways: BTreeSet<&GatewayName> =
        devices.iter().map(|device| &device.id.gateway).collect();
    let has_several_gateways = gateways.len() > 1;
    let full_tag = |device: &Device| {
        let gateway = has_several_gateways.then(|| device.id.gateway.to_string());
        make_tag(Some(numbered_label(device, namesakes(device))), gateway)
    };
    while tag_equal_in_list(devices, full_tag) {}
}

struct TakenNames {
    /// How often each name is used: as a device's name, alias or room, or as the name of a device's node.
    counts: BTreeMap<String, usize>,
    /// The names of devices with their rooms, as sorted words. Empty if every device has a room, because
    /// only devices without a room are compared with these.
    with_rooms: BTreeSet<String>,
}

impl TakenNames {
    fn of(devices: &[Device]) -> Self {
        let rooms = devices.iter().map(|device| key(&device.room));
        let names = devices.iter().flat_map(Device::names_with_node);
        let needs_rooms = devices.iter().any(|device| device.room.is_empty());
        Self {
            counts: counts(names.map(|name| key(&name.text)).chain(rooms)),
            with_rooms: devices
                .iter()
                .filter(|device| needs_rooms && !device.room.is_empty())
                .flat_map(|device| {
                    device
                        .names_with_node()
                        .map(|name| to_sorted_words(&format!("{} {}", device.room, name.text)))
                })
                .collect(),
        }
    }

    /// Returns true if a device's room and name together are also a name of something else.
    ///
    /// The name "Lamp" in the room "Hall" is taken if something is named "Hall Lamp". A name without a room is
    /// also taken if its words are the name and the room of another device, in any order. For example, "Lamp
    /// Hall" is taken if there is a "Lamp" in the "Hall".
    fn has(&self, device: &Device) -> bool {
        let with_room = key(&device.with_room());
        // `counts` includes the device's own names.
        let own_count =
            device.names_with_node().filter(|name| key(&name.text) == with_room).count();
        let is_used = self.counts.get(&with_room).is_some_and(|count| *count > own_count);
        let is_other_with_room = || self.with_rooms.contains(&to_sorted_words(&device.name.text));
        is_used || (device.room.is_empty() && is_other_with_room())
    }
}

/// Returns the words of a text, sorted and without duplicates.
fn to_sorted_words(text: &str) -> String {
    let mut words = texts(text);
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

/// Gives full tags to devices that look the same in a list. Returns true if any tag has changed. Then there may
/// be new duplicates, because a name with its tag can look like another device's name.
fn tag_equal_in_list(devices: &mut [Device], full_tag: impl Fn(&Device) -> Option<Name>) -> bool {
    let listed_counts = counts(devices.iter().map(|device| key(&device.with_room())));
    let mut has_changed = false;
    for device in devices {
        if listed_counts.get(&key(&device.with_room())) > Some(&1) {
            let tag = full_tag(device);
            has_changed |= device.tag != tag;
            device.tag = tag;
        }
    }
    has_changed
}

/// Counts how often each text occurs.
fn counts(texts: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    texts.fold(BTreeMap::new(), |mut counts, text| {
        *counts.entry(text).or_default() += 1;
        counts
    })
}

fn make_tag(number: Option<String>, gateway: Option<String>) -> Option<Name> {
    let parts: Vec<String> = number.into_iter().chain(gateway).collect();
    (!parts.is_empty()).then(|| Name::new(&parts.join(", ")))
}

/// Returns a device's number at its gateway as a label, such as "node 3". For an endpoint other than 0, the
/// label is "node 3 endpoint 2" if several of `namesakes` are on the node.
fn numbered_label(device: &Device, namesakes: &[Thing]) -> String {
    let is_node_shared =
        || namesakes.iter().filter(|thing| thing.node() == device.id.node()).count() > 1;
    match device.id.thing {
        Thing::Node { node, endpoint } if endpoint > 0 && is_node_shared() => {
            format!("node {node} endpoint {endpoint}")
        }
        Thing::Node { node, .. } => format!("node {node}"),
        Thing::Scene(scene) => format!("scene {}", scene.0),
    }
}

/// Returns a key for comparing names: the letters and digits or, if there are none, the whole name.
fn key(name: &str) -> String {
    let letters = squash(name);
    if letters.is_empty() {
        name.to_owned()
    } else {
        letters
    }
}

/// Returns the name for a sentence. The room is put in front if several devices share the name. It is also put
/// in front of a bare word for a kind ("Dimmer"), unless the word mentions the room ("Garage Door" in "Garage").
fn spoken_name(device: &Device, is_shared: bool) -> String {
    let name = device.name.squashed.as_str();
    let is_kind = Kind::words().chain(OTHER_KINDS).any(|kind| kind == name);
    let mut room_words = device.room_words.main_words();
    let says_room = room_words.any(|word| device.name.words.has(word));
    if is_shared || (is_kind && !says_room) {
        device.with_room()
    } else {
        device.listed_name()
    }
}

/// Common words for kinds, in addition to the words in the table of kinds.
const OTHER_KINDS: [&str; 4] = ["light", "plug", "shade", "shutter"];
