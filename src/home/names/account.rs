//! Finds the readings of what was said. A reading is a device, and an account of what every word means for that
//! device: its room, its kind, a word of its name.

use std::iter::once;

use super::index::{DevicesFound, NamedDevices, Names};
use super::said::{Positions, RoomPart, RoomSaid, Said};
use crate::category::{Categories, Category};
use crate::device::{Device, Name, Tag};
use crate::kind::Kind;
use crate::language;
use crate::phrase::Phrase;
use crate::word::Word;

/// The quality of a reading, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// All words of a name, a tag, or both. The device's room, kind or gateway may be said along with them.
    Name,
    /// A room, and either a kind or some words of a name.
    InRoom,
    /// Some words of a name, or a kind.
    Part,
    /// A reading that is too weak to act on; the answer asks.
    Doubtful,
}

/// The room, kind, tag and gateway that were said along with words of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Qualifiers {
    pub room: RoomPart,
    pub kind: Option<Category>,
    pub tag: Option<Tag>,
    pub gateway: bool,
}

impl Qualifiers {
    /// Returns true if a room, tag or gateway was said, which tells the device from its namesakes.
    pub(super) fn tells_apart(self) -> bool {
        self.room != RoomPart::Nothing || self.tag.is_some() || self.gateway
    }
}

/// A target with an account of every word.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NameReading<'a> {
    pub target: NamedDevices<'a>,
    /// True if the owner hides the device.
    pub hidden: bool,
    /// The name that was said, as it is shown; `None` for an alias of the owner's.
    pub name: Option<&'a str>,
    pub grade: Grade,
    /// The words that were said as words of the name.
    pub name_words: Vec<Word>,
    /// True if one of the name's words was said without its 's.
    pub lacks_possessive: bool,
    pub qualifiers: Qualifiers,
    /// True if all words of the name were said.
    pub complete: bool,
    /// True if this reading can't win. It still keeps readings of the same grade or a worse one from winning.
    pub weak: bool,
}

impl<'a> NameReading<'a> {
    pub(super) fn device(&self) -> Option<&'a Device> {
        self.target.devices().first().copied()
    }

    pub(super) fn controls(&self) -> bool {
        self.target.devices().iter().any(|device| device.kind.is_controllable())
    }

    /// Returns true if nothing but words of the name was said.
    pub(super) fn is_bare(&self) -> bool {
        self.qualifiers == Qualifiers::default()
    }
}

/// Returns all readings of all forms of what was said.
pub(super) fn find_readings<'a>(names: &Names<'a>, forms: &[Said]) -> Vec<NameReading<'a>> {
    let channels = names.channels(forms.iter().fold(0, |all, said| all | said.marks));
    let mut readings = Vec::new();
    for said in forms {
        let reader = Reader::new(names, said);
        let DevicesFound { visible, hidden } = reader.find_devices();
        readings.extend(visible.into_iter().flat_map(|device| reader.read_device(device, false)));
        readings.extend(hidden.into_iter().flat_map(|device| reader.read_device(device, true)));
        for (name, devices) in &channels {
            let Some(first) = devices.first() else {
                continue;
            };
            let ways = reader.ways_to_qualify(first);
            let whole = reader.read_name(first, name, &ways).filter(|reading| reading.complete);
            readings.extend(whole.map(|reading| NameReading {
                target: NamedDevices::Channels(devices.clone()),
                ..reading
            }));
        }
    }
    readings
}

/// One way to read some words as a device's qualifiers, and the positions of these words.
type Way = (Qualifiers, Positions);

/// Reads one form of the said words as names of devices.
struct Reader<'n, 'a> {
    names: &'n Names<'a>,
    said: &'n Said,
    // The words that may mean something other than a name.
    kinds: Vec<(Category, Positions)>,
    tags: Vec<(Tag, Positions)>,
    rooms: Vec<RoomSaid<'a>>,
}

impl<'n, 'a> Reader<'n, 'a> {
    fn new(names: &'n Names<'a>, said: &'n Said) -> Self {
        let kinds = said.runs(|run| {
            let kind = language::kind(run, names.languages).filter(|kind| !kind.plural);
            let stand_in = || language::stand_in(run).filter(|_| names.is_to_control());
            let category = kind.map(|kind| kind.category).or_else(stand_in);
            category.filter(|kind| *kind != Category::Everything)
        });
        Self {
            names,
            said,
            kinds,
            tags: said.tags(),
            rooms: said.rooms(names),
        }
    }

    /// Returns the devices that all words may be about.
    fn find_devices(&self) -> DevicesFound<'a> {
        let is_floor = |said: &RoomSaid| said.part == RoomPart::Whole && said.room.is_floor();
        let says_floor = self.rooms.iter().any(is_floor);
        let of_kinds = self.kinds.iter().map(|(_, at)| at);
        let of_tags = self.tags.iter().map(|(_, at)| at);
        let explained = of_kinds.chain(of_tags).fold(0, |all, at| all | at);
        // A floor's word is in no name.
        let explained = if says_floor {
            Positions::MAX
        } else {
            explained
        };
        self.names.devices_with(self.said.without(explained))
    }

    fn read_device(&self, device: &'a Device, hidden: bool) -> Vec<NameReading<'a>> {
        let ways = self.ways_to_qualify(device);
        let own = device.names().flat_map(|name| self.read_name(device, name, &ways));
        let mut readings: Vec<NameReading> = own.collect();
        let node = device.part_of.as_deref().into_iter();
        for mut reading in node.flat_map(|name| self.read_name(device, name, &ways)) {
            // The whole name of a node is not the whole name of its endpoint.
            if !hidden && reading.complete && reading.grade == Grade::Name {
                (reading.grade, reading.complete) = (Grade::Part, false);
            }
            readings.push(reading);
        }
        for reading in &mut readings {
            reading.hidden = hidden;
        }
        readings
    }

    /// Reads the words as this name of the device, in each of the given ways. Returns the readings that fit.
    fn read_name(
        &self,
        device: &'a Device,
        name: &'a Name,
        ways: &[Way],
    ) -> impl Iterator<Item = NameReading<'a>> {
        ways.iter().filter_map(move |way| self.match_name(device, name, *way))
    }

    /// Returns every way to read words as a device's qualifiers. Each way uses a word at most once. The result
    /// is empty if the words can't be about the device.
    fn ways_to_qualify(&self, device: &Device) -> Vec<Way> {
        let mut ways = Vec::new();
        // The kind that the list shows may be said, too.
        let categories = device.categories.or(listed_categories(device.kind));
        let kinds = || self.kinds.iter().copied().filter(|(kind, _)| categories.has(*kind));
        let tags = || self.tags.iter().copied().filter(|(tag, _)| tag.is_of(device));
        let mut names = device.names_with_node();
        let has_word = names.any(|name| name.words.may_share(self.said.marks));
        if !has_word && kinds().next().is_none() && tags().next().is_none() {
            return ways;
        }
        let gateway = self.names.gateway(&device.id.gateway);
        for (room, room_at) in self.rooms_of(device) {
            for (kind, kind_at) in or_none(kinds()).filter(|(_, at)| at & room_at == 0) {
                let used = room_at | kind_at;
                for (tag, tag_at) in or_none(tags()).filter(|(_, at)| at & used == 0) {
                    let used = used | tag_at;
                    let qualifiers = Qualifiers {
                        room,
                        kind,
                        tag,
                        gateway: false,
                    };
                    let at = gateway.and_then(|name| self.said.positions(name, used));
                    let with_gateway = Qualifiers {
                        gateway: true,
                        ..qualifiers
                    };
                    ways.extend(at.map(|at| (with_gateway, used | at)));
                    ways.push((qualifiers, used));
                }
            }
        }
        ways
    }

    /// Returns the parts of a device's room that may have been said, each with the positions of its words. The first
    /// is [`RoomPart::Nothing`]. If a device has no room, a room that is part of the device's name counts.
    fn rooms_of(&self, device: &Device) -> Vec<(RoomPart, Positions)> {
        let is_whole = |said: &&RoomSaid| said.part == RoomPart::Whole;
        let inside = self.rooms.iter().filter(|said| said.room.has(device));
        let whole = inside.clone().filter(is_whole).map(|said| (said.part, said.at));
        // The device's room may also be said in words that count as a kind: "garage" in "Garage Tor".
        let is_counted =
            |at: &Positions| self.rooms.iter().filter(is_whole).any(|said| said.at == *at);
        let own_room = self.said.positions(&device.room_words, 0);
        let ambiguous = own_room.filter(|at| !is_counted(at)).map(|at| (RoomPart::Ambiguous, at));
        let words = inside.filter(|said| !is_whole(said)).map(|said| (said.part, said.at));
        once((RoomPart::Nothing, 0))
            .chain(whole)
            .chain(ambiguous)
            .chain(words)
            .collect()
    }

    /// Matches the words that are not qualifiers with the name. Returns `None` if a word is not in the name, or if
    /// the words are not enough to mean the device.
    fn match_name(
        &self,
        device: &'a Device,
        name: &'a Name,
        (qualifiers, used): Way,
    ) -> Option<NameReading<'a>> {
        let name_words = self.said.without(used);
        let fit = fit_words(name_words.clone(), &name.words)?;
        let is_kind = qualifiers.kind.is_none_or(|kind| device.categories.has(kind));
        if !is_kind && !fit.complete {
            return None;
        }
        // "Lamp outlet" is not the whole name of an outlet called Lamp: "outlet" may be a word of another name.
        let is_whole = fit.complete && is_kind && !matches!(qualifiers.room, RoomPart::Word { .. });
        let grade = match qualifiers.room {
            _ if is_whole || qualifiers.tag.is_some() => Grade::Name,
            // Only a room or a gateway was said, or nothing.
            _ if name_words.clone().next().is_none() && qualifiers.kind.is_none() => return None,
            RoomPart::Ambiguous => return None,
            RoomPart::Nothing => Grade::Part,
            RoomPart::Whole | RoomPart::Word { .. } => Grade::InRoom,
        };
        // "Node 12" means the whole node.
        let target = match qualifiers.tag {
            Some(Tag::Node(_, None)) if !fit.complete => self.names.whole_node(device),
            _ => NamedDevices::One(device),
        };
        Some(NameReading {
            target,
            hidden: false,
            name: (!device.own_names.contains(name)).then_some(name.text.as_str()),
            grade,
            name_words: name_words.cloned().collect(),
            lacks_possessive: fit.lacks_possessive,
            qualifiers,
            complete: fit.complete,
            weak: false,
        })
    }
}

/// Returns the choice of no qualifier, and then the given choices.
fn or_none<T>(
    choices: impl Iterator<Item = (T, Positions)>,
) -> impl Iterator<Item = (Option<T>, Positions)> {
    once((None, 0)).chain(choices.map(|(choice, at)| (Some(choice), at)))
}

/// Returns the categories that a device has because the list calls it a switch, outlet or dimmer. They count
/// even if the device's name says another kind, such as a lamp.
fn listed_categories(kind: Kind) -> Categories {
    match kind {
        Kind::Switch => Categories::of(&[Category::Switches]),
        Kind::Outlet => Categories::of(&[Category::Switches, Category::Outlets]),
        Kind::Dimmer => Categories::of(&[Category::Dimmers]),
        _ => Categories::default(),
    }
}

/// The fit of said words to a name.
struct Fit {
    /// True if all words of the name were said.
    complete: bool,
    lacks_possessive: bool,
}

/// Matches each said word with a word of the name. Returns `None` if a said word has no match.
fn fit_words<'w>(said: impl Iterator<Item = &'w Word>, name: &Phrase) -> Option<Fit> {
    let mut unmatched = name.collect_main_words();
    let has_words = !unmatched.is_empty();
    let mut lacks_possessive = false;
    for word in said {
        let exact = unmatched.iter().position(|name_word| name_word.is(word));
        let without_s = || unmatched.iter().position(|name_word| name_word.is_possessive_of(word));
        match exact.or_else(without_s) {
            Some(place) => {
                lacks_possessive |= exact.is_none();
                unmatched.remove(place);
            }
            // A small word of this name needs no match. It may be in `said` because it counts in another name.
            None if name.small_words().any(|small| small.is(word)) => {}
            None => return None,
        }
    }
    Some(Fit {
        complete: has_words && unmatched.is_empty(),
        lacks_possessive,
    })
}
