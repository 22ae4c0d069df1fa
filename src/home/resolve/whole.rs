//! Step 1: a whole name.

use std::collections::HashSet;

use super::found::{Candidates, Members, Resolved, Set, add, controllable_first, one_of};
use super::matching::{Fit, KindScope, Qualifiers, explained, fits_in, whole};
use super::names::{Names, reads_alike};
use super::said::Utterance;
use crate::home::category::Category;
use crate::home::device::{Device, Name};
use crate::home::language;
use crate::home::model::ids::DeviceId;
use crate::home::tag::Tag;
use crate::home::word::Word;

/// A device, or the channels of a node, whose name was said.
struct NameMatch<'a> {
    devices: Vec<&'a Device>,
    /// The node is no device; its channels are.
    channels: bool,
    hidden: bool,
    fit: Fit,
    beside: Qualifiers,
    /// Its name is that of a room, others have the words for its kind too, or another room was said: it
    /// is not meant by that alone, and yet makes another doubtful.
    rival: bool,
    /// What has all the words too, where a word for its kind was said.
    others: Candidates<'a>,
    /// Its name is only the word for several of a kind, and nothing says that it is meant.
    doubtful: Option<Category>,
}

/// The devices of which all words of the name were said, and nothing else but a room, a kind, a tag or
/// a gateway.
pub(super) fn names<'a>(
    names: &Names<'a>,
    readings: &[Utterance],
    text: &str,
) -> Option<Resolved<'a>> {
    let mut found = readings_of(names, readings);
    // A word that is said twice may be of a room and a name; otherwise it is said once too often.
    let once: Vec<Utterance> = readings.iter().map(Utterance::each_once).collect();
    if once != readings && !found.iter().any(NameMatch::is_plain) {
        found.extend(readings_of(names, &once));
    }
    decide(names, text.trim(), found)
}

fn readings_of<'a>(names: &Names<'a>, readings: &[Utterance]) -> Vec<NameMatch<'a>> {
    let mut found = Vec::new();
    let marks = readings.iter().fold(0, |all, said| all | said.marks);
    let channels = names.channels(marks);
    for said in readings {
        for device in &names.devices {
            found.extend(named(names, said, device, false));
        }
        for device in &names.hidden {
            found.extend(named(names, said, device, true));
        }
        for node in &channels {
            let reading = said_of(names, said, node.name, &node.devices);
            found.extend(reading.map(|reading| NameMatch {
                channels: true,
                ..reading
            }));
        }
        found.extend(by_tag(names, said));
    }
    found
}

impl<'a> NameMatch<'a> {
    /// What its tag names.
    fn tagged(devices: Vec<&'a Device>) -> Self {
        Self {
            devices,
            channels: false,
            hidden: false,
            fit: Fit::Same,
            beside: Qualifiers {
                tag: true,
                ..Qualifiers::default()
            },
            rival: false,
            others: Candidates::new(),
            doubtful: None,
        }
    }

    fn is_same(&self) -> bool {
        self.fit == Fit::Same
    }

    /// Said to the letter, without a word for its kind or another room.
    fn is_plain(&self) -> bool {
        self.is_same() && !self.beside.kind && !self.beside.two_rooms
    }

    fn controls(&self) -> bool {
        self.devices.iter().any(|device| device.kind.controls())
    }
}

fn decide<'a>(
    names: &Names<'a>,
    text: &str,
    mut found: Vec<NameMatch<'a>>,
) -> Option<Resolved<'a>> {
    if found.is_empty() {
        return None;
    }
    keep_best(&mut found);
    // What is hidden counts only where nothing else has the name.
    if found.iter().all(|reading| reading.hidden) {
        return Some(Resolved::Miss(Vec::new()));
    }
    found.retain(|reading| !reading.hidden);
    if found.iter().all(|reading| reading.rival) {
        return which_of_rivals(names, &found);
    }
    let mut known = HashSet::new();
    found.retain(|reading| {
        let ids: Vec<&DeviceId> = reading.devices.iter().map(|device| &device.id).collect();
        known.insert(ids)
    });
    if let [only] = found.as_slice() {
        if let Some(category) = only.doubtful {
            let mut all = only.devices.clone();
            let others = names.devices.iter().copied();
            let others = others.filter(|device| device.categories.has(category));
            add(&mut all, others);
            return Some(Resolved::Tie(all));
        }
        if only.channels
            && let [first, _, ..] = only.devices.as_slice()
        {
            return Some(Resolved::Set(Set {
                of: Members::Channels(first),
                room: None,
                members: only.devices.clone(),
            }));
        }
    }
    let channels = found.iter().any(|reading| reading.channels);
    let mut all = Candidates::new();
    add(
        &mut all,
        found.into_iter().flat_map(|reading| reading.devices),
    );
    let just_so = if channels {
        None
    } else {
        written_so(&all, text)
    };
    just_so.map(Resolved::One).or_else(|| one_of(all))
}

/// What is said to the letter decides before what is read with a stand-in or a kind; what has nothing
/// to control yields.
fn keep_best(found: &mut Vec<NameMatch>) {
    let seen = |reading: &&NameMatch| !reading.hidden;
    if found.iter().filter(seen).any(NameMatch::controls) {
        found.retain(|reading| reading.hidden || reading.controls());
    }
    let is_bare = |reading: &NameMatch| reading.is_same() && !reading.beside.any();
    if found.iter().filter(seen).any(is_bare) {
        found.retain(NameMatch::is_plain);
    } else if found.iter().any(NameMatch::is_plain) {
        found.retain(NameMatch::is_same);
    }
}

/// "Kitchen light" may be the light called Kitchen, or the light there.
fn which_of_rivals<'a>(names: &Names<'a>, found: &[NameMatch<'a>]) -> Option<Resolved<'a>> {
    let asks = found.iter().any(|reading| reading.beside.kind);
    let mut all = Candidates::new();
    for reading in found {
        let devices = reading.devices.iter().copied();
        let there = devices
            .clone()
            .flat_map(|device| in_room_called_so(names, device));
        let others = reading.others.iter().copied();
        add(&mut all, devices.chain(others).chain(there));
    }
    asks.then_some(Resolved::Tie(all))
}

/// Words leave out symbols; of names that have the same, what is written just so is meant.
fn written_so<'a>(all: &[&'a Device], text: &str) -> Option<&'a Device> {
    let mut just_so = all.iter().filter(|device| {
        let name = device.name.text.as_str();
        let in_room = text.strip_prefix(device.room.as_str()).map(str::trim_start);
        // What is shown of one as it is written is as likely meant.
        let as_listed = device.listed() == text || device.with_room() == text;
        name == text || in_room == Some(name) || as_listed
    });
    let one = just_so.next()?;
    let alike = all.windows(2).all(|pair| match pair {
        [one, other] => reads_alike(&one.name.words, &other.name.words),
        _ => true,
    });
    (just_so.next().is_none() && alike).then_some(*one)
}

/// The best of what was said of a device's names.
fn named<'a>(
    names: &Names<'a>,
    said: &Utterance,
    device: &'a Device,
    hidden: bool,
) -> Option<NameMatch<'a>> {
    // The name of a hidden node is that of each of its parts.
    let node = device.part_of.as_deref().filter(|_| hidden);
    let own = device.names().chain(node);
    let readings = own.filter_map(|name| said_of(names, said, name, &[device]));
    let best = readings.min_by_key(|reading| reading.fit)?;
    Some(NameMatch { hidden, ..best })
}

/// A name that was said and is meant, of one device or of a node's channels.
fn said_of<'a>(
    names: &Names<'a>,
    said: &Utterance,
    name: &Name,
    devices: &[&'a Device],
) -> Option<NameMatch<'a>> {
    let whole = whole(said, &name.words)?;
    let device = *devices.first()?;
    // A model says the kind that the list shows it beside the name that it shows.
    let means = if whole.fit == Fit::Same {
        KindScope::NameOrKind
    } else {
        KindScope::Name
    };
    let beside = explained(names, said, &whole.rest, device, means)?;
    let yields = |kind| a_room_has(names, said, kind);
    if whole.stand_in.is_some_and(yields) {
        return None;
    }
    let others = if beside.kind {
        others_with_all(names, said, device)
    } else {
        Candidates::new()
    };
    let doubted = whole.stand_in.is_some() && others_say_it(names, said, name, beside);
    let only_kind = Qualifiers {
        kind: false,
        ..beside
    };
    let room = !only_kind.any() && called_like_a_room(names, name, device, said);
    Some(NameMatch {
        devices: devices.to_vec(),
        channels: false,
        hidden: false,
        fit: whole.fit,
        beside,
        rival: doubted || room || beside.two_rooms || !others.is_empty(),
        others,
        doubtful: only_several(name).filter(|kind| !is_meant(names, *kind, beside, devices)),
    })
}

/// Whether a room that is said has something of a kind.
fn a_room_has(names: &Names, said: &Utterance, kind: Category) -> bool {
    let rooms = said.rooms(names);
    rooms.iter().any(|(room, _)| {
        let mut devices = names.devices_in(room).into_iter();
        devices.any(|device| device.categories.has(kind))
    })
}

/// The other devices that have all the words in their names and rooms.
fn others_with_all<'a>(names: &Names<'a>, said: &Utterance, device: &Device) -> Candidates<'a> {
    let has = |other: &Device, word: &Word| {
        fits_in(word, &other.name.words) || fits_in(word, &other.room_words)
    };
    let others = names.devices.iter().filter(|other| other.id != device.id);
    let all = others.filter(|other| said.words.iter().all(|word| has(other, word)));
    all.copied().collect()
}

/// Whether a name that is nothing but a kind was said by another word for it, which other names have.
fn others_say_it(names: &Names, said: &Utterance, name: &Name, beside: Qualifiers) -> bool {
    let only_kind = language::kind(&name.words.slice()).is_some() && !beside.any();
    let has = |word: &Word| {
        let mut devices = names.devices.iter();
        devices.any(|device| device.kind.controls() && device.name.words.has(word))
    };
    only_kind && said.words.iter().any(has)
}

/// Whether a name is that of a room in which others are, and no word for a kind. A word for its kind
/// tells it from the room, unless the room has something of that kind.
fn called_like_a_room(names: &Names, name: &Name, device: &Device, said: &Utterance) -> bool {
    let is_kind = language::kind(&name.words.slice()).is_some();
    let kinds = || Utterance::runs(&said.slice(), language::kind);
    let others_there = |room: &super::names::Room| {
        let devices = names.devices_in(room).into_iter();
        let others = devices.filter(|other| other.id.node() != device.id.node());
        let others: Candidates = others.collect();
        match kinds().first() {
            None => !others.is_empty(),
            Some((kind, _)) => others
                .iter()
                .any(|other| other.categories.has(kind.category)),
        }
    };
    let mut rooms = names.rooms.iter();
    !is_kind && rooms.any(|room| reads_alike(room.words, &name.words) && others_there(room))
}

/// The devices in the room that has a device's name.
fn in_room_called_so<'a>(names: &Names<'a>, device: &Device) -> Candidates<'a> {
    let rooms = names.rooms.iter();
    let rooms = rooms.filter(|room| reads_alike(room.words, &device.name.words));
    rooms.flat_map(|room| names.devices_in(room)).collect()
}

/// The kind of a name that is only the word for several of it, perhaps with "all".
fn only_several(name: &Name) -> Option<Category> {
    let words = name.words.telling();
    let words: Vec<&Word> = words.filter(|word| !language::is_all(word)).collect();
    let kind = language::kind(&words)?;
    kind.plural.then_some(kind.category)
}

/// Whether such a name is meant: its room is said, or there is nothing else of that kind.
fn is_meant(names: &Names, kind: Category, beside: Qualifiers, own: &[&Device]) -> bool {
    let own = |device: &Device| {
        own.iter()
            .any(|own| own.id.node() == device.id.node() && own.id.gateway == device.id.gateway)
    };
    let mut others = names.devices.iter().filter(|device| !own(device));
    beside.room || beside.tag || !others.any(|device| device.categories.has(kind))
}

/// The node that a tag names, as a whole; other words are of its name, room, kind or gateway.
fn by_tag<'a>(names: &Names<'a>, said: &Utterance) -> Vec<NameMatch<'a>> {
    let Some((tag, range)) = said.tag() else {
        return Vec::new();
    };
    let fits = |device: &&&Device| {
        let places = 0..said.words.len();
        let of_name = |at: &usize| {
            let word = said.words.get(*at);
            word.is_some_and(|word| fits_in(word, &device.name.words))
        };
        let others = || places.filter(|at| !range.contains(at) && !of_name(at));
        tag.is_of(device) && {
            let others: Vec<usize> = others().collect();
            explained(names, said, &others, device, KindScope::NameOrKind)
                .is_some_and(|beside| !beside.two_rooms)
        }
    };
    let hidden: Candidates = names.hidden.iter().filter(fits).copied().collect();
    let mut readings: Vec<NameMatch> = Vec::new();
    let whole_node = matches!(tag, Tag::Node(_, None));
    // A node of which a part is hidden is not there as a whole.
    if !whole_node || hidden.is_empty() {
        let seen: Candidates = names.devices.iter().filter(fits).copied().collect();
        for device in &seen {
            readings.push(if whole_node {
                whole_of(names, device, &seen)
            } else {
                NameMatch::tagged(vec![device])
            });
        }
    }
    readings.extend(hidden.into_iter().map(|device| NameMatch {
        hidden: true,
        ..NameMatch::tagged(vec![device])
    }));
    readings
}

/// The node that a device is, or is part of.
fn whole_of<'a>(names: &Names<'a>, device: &'a Device, all: &[&'a Device]) -> NameMatch<'a> {
    if device.part_of.is_none() && device.kind.controls() {
        return NameMatch::tagged(vec![device]);
    }
    if let Some(whole) = names.whole(device) {
        return NameMatch::tagged(vec![whole]);
    }
    let here = all
        .iter()
        .filter(|other| other.id.gateway == device.id.gateway)
        .copied();
    NameMatch {
        channels: true,
        ..NameMatch::tagged(controllable_first(here.collect()))
    }
}
