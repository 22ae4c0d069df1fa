//! Step 1: a whole name.

use super::matching::{Beside, Fit, Means, explained, fit, tagged, whole};
use super::names::{Channels, Names, reads_alike};
use super::said::Said;
use super::{Found, Members, Resolved, Set, add, one_of};
use crate::home::category::Category;
use crate::home::device::{Called, Device};
use crate::home::language;
use crate::home::tag::Tag;
use crate::home::words::Word;

/// A device, or the channels of a node, whose name was said.
struct Reading<'a> {
    devices: Vec<&'a Device>,
    /// The node is no device; its channels are.
    channels: bool,
    hidden: bool,
    fit: Fit,
    /// A word for its kind was said beside its name.
    kind_said: bool,
    /// Nothing was said beside its name.
    bare: bool,
    /// Its name is that of a room, or others have the words for its kind too: it is not meant by that
    /// alone, and yet makes another doubtful.
    rival: bool,
    /// What has all the words too, where that makes it doubtful.
    others: Found<'a>,
    /// Its name is only the word for several of a kind, and nothing says that it is meant.
    doubtful: Option<Category>,
}

/// The devices of which all words of the name were said, and nothing else but a room, a kind, a tag or
/// a gateway.
pub(super) fn names<'a>(names: &Names<'a>, readings: &[Said], text: &str) -> Option<Resolved<'a>> {
    let mut found = readings_of(names, readings);
    // A word that is said twice may be of a room and a name; otherwise it is said once too often.
    let plain = |reading: &Reading| reading.fit == Fit::Same && !reading.kind_said;
    let once: Vec<Said> = readings.iter().map(Said::each_once).collect();
    if once != readings && !found.iter().any(plain) {
        found.extend(readings_of(names, &once));
    }
    decide(names, text.trim(), found)
}

fn readings_of<'a>(names: &Names<'a>, readings: &[Said]) -> Vec<Reading<'a>> {
    let mut found = Vec::new();
    let channels = names.channels();
    for said in readings {
        for device in &names.devices {
            found.extend(named(names, said, device, false));
        }
        for device in &names.hidden {
            found.extend(named(names, said, device, true));
        }
        for channels in &channels {
            found.extend(channels_named(names, said, channels));
        }
        found.extend(by_tag(names, said));
    }
    found
}

impl<'a> Reading<'a> {
    fn of(device: &'a Device, fit: Fit) -> Self {
        Self {
            devices: vec![device],
            channels: false,
            hidden: false,
            fit,
            kind_said: false,
            bare: false,
            rival: false,
            others: Found::new(),
            doubtful: None,
        }
    }
}

/// What is said to the letter decides before what is read with a stand-in or a kind; what has nothing
/// to control yields; what is hidden counts only where nothing else has the name.
fn decide<'a>(names: &Names<'a>, text: &str, mut found: Vec<Reading<'a>>) -> Option<Resolved<'a>> {
    if found.is_empty() {
        return None;
    }
    if found
        .iter()
        .any(|reading| !reading.hidden && reading.controls())
    {
        found.retain(|reading| reading.hidden || reading.controls());
    }
    let same = |reading: &Reading| reading.fit == Fit::Same;
    if found
        .iter()
        .any(|reading| same(reading) && reading.bare && !reading.hidden)
    {
        found.retain(|reading| same(reading) && !reading.kind_said);
    } else if found
        .iter()
        .any(|reading| same(reading) && !reading.kind_said)
    {
        found.retain(same);
    }
    if found.iter().all(|reading| reading.hidden) {
        return Some(Resolved::Miss(Vec::new()));
    }
    found.retain(|reading| !reading.hidden);
    if found.iter().all(|reading| reading.rival) {
        // "Kitchen light" may be the light called Kitchen, or the light there.
        let asks = found.iter().any(|reading| reading.kind_said);
        let mut all = Found::new();
        for reading in found {
            let rooms: Found = reading
                .devices
                .iter()
                .flat_map(|device| in_room_called_so(names, device))
                .collect();
            add(&mut all, reading.devices);
            add(&mut all, reading.others);
            add(&mut all, rooms);
        }
        return asks.then_some(Resolved::Tie(all));
    }
    let mut targets: Vec<Reading> = Vec::new();
    for reading in found {
        let same = |known: &Reading| known.devices == reading.devices;
        if !targets.iter().any(same) {
            targets.push(reading);
        }
    }
    if let [only] = targets.as_slice()
        && let Some(category) = only.doubtful
    {
        let others = names.devices.iter().copied();
        let mut all: Found = only.devices.clone();
        add(
            &mut all,
            others.filter(|device| device.categories.has(category)),
        );
        return Some(Resolved::Tie(all));
    }
    if let [only] = targets.as_slice()
        && only.channels
        && let [first, _, ..] = only.devices.as_slice()
    {
        return Some(Resolved::Set(Set {
            of: Members::Channels(first),
            room: None,
            members: only.devices.clone(),
        }));
    }
    let channels = targets.iter().any(|reading| reading.channels);
    let mut all = Vec::new();
    for reading in targets {
        add(&mut all, reading.devices);
    }
    // Words leave out symbols; of names that have the same, what is written just so is meant.
    let written = |device: &&&Device| {
        let name = device.name.text.as_str();
        name == text || text.strip_prefix(device.room.as_str()).map(str::trim_start) == Some(name)
    };
    let told = |device: &&Device| device.listed() == text || device.with_room() == text;
    let mut just_so: Found = all.iter().filter(written).copied().collect();
    let others = all.iter().filter(|device| told(device)).copied();
    // What is told of another as it is written is as likely meant.
    add(&mut just_so, others);
    let alike = all.windows(2).all(|pair| match pair {
        [one, other] => reads_alike(&one.name.words, &other.name.words),
        _ => true,
    });
    one_of(if just_so.len() == 1 && alike && !channels {
        just_so
    } else {
        all
    })
}

impl Reading<'_> {
    fn controls(&self) -> bool {
        self.devices.iter().any(|device| device.kind.controls())
    }
}

fn named<'a>(
    names: &Names<'a>,
    said: &Said,
    device: &'a Device,
    hidden: bool,
) -> Option<Reading<'a>> {
    // The name of a hidden node is that of each of its parts.
    let node = device.part_of.as_deref().filter(|_| hidden);
    let own = std::iter::once(&device.name)
        .chain(&device.aliases)
        .chain(node);
    let readings = own.filter_map(|name| {
        let said = name_said(names, said, name, device, &[device])?;
        Some(Reading {
            hidden,
            kind_said: said.beside.kind,
            bare: !said.beside.any(),
            rival: said.rival,
            others: said.others,
            doubtful: said.doubtful,
            ..Reading::of(device, said.fit)
        })
    });
    readings.min_by_key(|reading| reading.fit)
}

fn channels_named<'a>(
    names: &Names<'a>,
    said: &Said,
    channels: &Channels<'a>,
) -> Option<Reading<'a>> {
    let first = *channels.devices.first()?;
    let said = name_said(names, said, channels.name, first, &channels.devices)?;
    Some(Reading {
        devices: channels.devices.clone(),
        channels: true,
        hidden: false,
        fit: said.fit,
        kind_said: said.beside.kind,
        bare: !said.beside.any(),
        rival: said.rival,
        others: said.others,
        doubtful: said.doubtful,
    })
}

/// How a name was said.
struct NameSaid<'a> {
    fit: Fit,
    beside: Beside,
    rival: bool,
    /// What has all the words, where a word for the kind was said.
    others: Found<'a>,
    doubtful: Option<Category>,
}

/// Whether a name was said and is meant.
fn name_said<'a>(
    names: &Names<'a>,
    said: &Said,
    name: &Called,
    device: &Device,
    all: &[&Device],
) -> Option<NameSaid<'a>> {
    let symbols = name.words.is_empty();
    if symbols {
        return None;
    }
    let whole = whole(said, &name.words)?;
    // A model says the kind that the list shows it beside the name that it shows.
    let means = if whole.fit == Fit::Same {
        Means::NameOrKind
    } else {
        Means::Name
    };
    let beside = explained(names, said, &whole.rest, device, means)?;
    let others = if beside.kind {
        others_with_all(names, said, device)
    } else {
        Found::new()
    };
    if whole
        .stand_in
        .is_some_and(|kind| a_room_has(names, said, kind))
    {
        return None;
    }
    let doubted = whole.stand_in.is_some() && others_say_it(names, said, name, beside);
    let only_kind = Beside {
        kind: false,
        ..beside
    };
    let room = !only_kind.any() && called_like_a_room(names, name, device, said);
    let rival = doubted || room || !others.is_empty();
    let doubtful = only_several(name).filter(|kind| !is_meant(names, *kind, beside, all));
    Some(NameSaid {
        fit: whole.fit,
        beside,
        rival,
        others,
        doubtful,
    })
}

/// Whether a room that is said has something of a kind.
fn a_room_has(names: &Names, said: &Said, kind: Category) -> bool {
    let rooms = said.rooms(names);
    rooms.iter().any(|(room, _)| {
        let mut devices = names.devices_in(room).into_iter();
        devices.any(|device| device.categories.has(kind))
    })
}

/// The other devices that have all the words in their names and rooms.
fn others_with_all<'a>(names: &Names<'a>, said: &Said, device: &Device) -> Found<'a> {
    let has = |other: &Device, word: &Word| {
        let own = other.name.words.telling();
        own.chain(other.room_words.telling())
            .any(|own| fit(word, own).is_some())
    };
    let others = names.devices.iter().filter(|other| other.id != device.id);
    let all = others.filter(|other| said.0.iter().all(|word| has(other, word)));
    all.copied().collect()
}

/// Whether a name that is nothing but a kind was said by another word for it, which other names have.
fn others_say_it(names: &Names, said: &Said, name: &Called, beside: Beside) -> bool {
    let only_kind = language::kind(&name.words.slice()).is_some() && !beside.any();
    let has = |word: &Word| {
        let mut devices = names.devices.iter();
        devices.any(|device| device.kind.controls() && device.name.words.has(word))
    };
    only_kind && said.0.iter().any(has)
}

/// Whether a name is that of a room in which others are, and no word for a kind. A word for its kind
/// tells it from the room, unless the room has something of that kind.
fn called_like_a_room(names: &Names, name: &Called, device: &Device, said: &Said) -> bool {
    let is_kind = language::kind(&name.words.slice()).is_some();
    let kinds = Said::runs(&said.words(), language::kind);
    let others_there = |room: &super::names::Room| {
        let devices = names.devices_in(room).into_iter();
        let others = devices.filter(|other| other.id.node() != device.id.node());
        let others: Found = others.collect();
        match kinds.first() {
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
fn in_room_called_so<'a>(names: &Names<'a>, device: &Device) -> Found<'a> {
    let rooms = names.rooms.iter();
    let rooms = rooms.filter(|room| reads_alike(room.words, &device.name.words));
    rooms.flat_map(|room| names.devices_in(room)).collect()
}

/// The kind of a name that is only the word for several of it, perhaps with "all".
fn only_several(name: &Called) -> Option<Category> {
    let words: Vec<&Word> = name
        .words
        .telling()
        .filter(|word| !language::is_all(word))
        .collect();
    let kind = language::kind(&words)?;
    kind.plural.then_some(kind.category)
}

/// Whether such a name is meant: its room is said, or there is nothing else of that kind.
fn is_meant(names: &Names, kind: Category, beside: Beside, own: &[&Device]) -> bool {
    let own = |device: &Device| {
        own.iter()
            .any(|own| own.id.node() == device.id.node() && own.id.site == device.id.site)
    };
    let mut others = names.devices.iter().filter(|device| !own(device));
    beside.room || beside.tag || !others.any(|device| device.categories.has(kind))
}

/// The node that a tag names, as a whole; other words are of its name, room, kind or gateway.
fn by_tag<'a>(names: &Names<'a>, said: &Said) -> Vec<Reading<'a>> {
    if said.tag().is_none() {
        return Vec::new();
    }
    let explains = |device: &Device| {
        let (_, rest) = tagged(said, device)?;
        let of_name = |at: &usize| {
            let word = said.0.get(*at);
            word.is_some_and(|word| {
                device
                    .name
                    .words
                    .telling()
                    .any(|own| fit(word, own).is_some())
            })
        };
        let others: Vec<usize> = rest.into_iter().filter(|at| !of_name(at)).collect();
        explained(names, said, &others, device, Means::NameOrKind)
    };
    let fits = |device: &&&Device| explains(device).is_some();
    let visible: Vec<&Device> = names.devices.iter().filter(fits).copied().collect();
    let mut readings: Vec<Reading> = Vec::new();
    for device in &visible {
        let whole = match said.tag() {
            Some((Tag::Node(_, None), _)) => whole_of(names, device, &visible),
            _ => Reading::of(device, Fit::Same),
        };
        readings.push(whole);
    }
    let hidden: Found = names.hidden.iter().filter(fits).copied().collect();
    if matches!(said.tag(), Some((Tag::Node(_, None), _))) && !hidden.is_empty() {
        // A node of which a part is hidden is not there as a whole.
        readings.clear();
    }
    let hidden = hidden.into_iter();
    readings.extend(hidden.map(|device| Reading {
        hidden: true,
        ..Reading::of(device, Fit::Same)
    }));
    readings
}

/// The node that a device is, or is part of.
fn whole_of<'a>(names: &Names<'a>, device: &'a Device, all: &[&'a Device]) -> Reading<'a> {
    if device.part_of.is_none() && device.kind.controls() {
        return Reading::of(device, Fit::Same);
    }
    if let Some(whole) = names.whole(device) {
        return Reading::of(whole, Fit::Same);
    }
    let here = |other: &&&Device| {
        other.id.site == device.id.site && (other.kind.controls() || !device.kind.controls())
    };
    let devices: Vec<&Device> = all.iter().filter(here).copied().collect();
    let controls: Vec<&Device> = devices
        .iter()
        .filter(|device| device.kind.controls())
        .copied()
        .collect();
    Reading {
        devices: if controls.is_empty() {
            devices
        } else {
            controls
        },
        channels: true,
        ..Reading::of(device, Fit::Same)
    }
}
