//! Finds the readings of what was said: devices, each with an account of what every word means for it.

use super::index::{Names, Room};
use super::said::{PartOfRoom, Said, runs, without};
use crate::home::category::{Categories, Category};
use crate::home::device::{Device, Name, Tag};
use crate::home::kind::Kind;
use crate::home::language;
use crate::home::phrase::Phrase;
use crate::home::word::{Marks, Word};

/// The quality of a reading, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grade {
    /// All words of a name, alone or with its room, kind, tag or gateway.
    Name,
    /// A room, and words of a name or a kind there.
    InRoom,
    /// Words of a name, or a kind.
    Part,
    /// A reading that is too weak to act on; the answer asks.
    Doubtful,
}

/// The target of a reading.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target<'a> {
    /// A device.
    One(&'a Device),
    /// A node that is no device itself: its channels.
    Channels(Vec<&'a Device>),
}

impl<'a> Target<'a> {
    pub(super) fn devices(&self) -> Vec<&'a Device> {
        match self {
            Self::One(device) => vec![device],
            Self::Channels(channels) => channels.clone(),
        }
    }
}

/// How much of a room's name was said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RoomSaid {
    #[default]
    No,
    /// All words of its name.
    Whole,
    /// The device's room, in words that may also mean a name or a kind ("Garage Tor"). It counts only along with
    /// the device's whole name.
    Ambiguous,
    /// A single word of its name.
    Part {
        /// True if another room has the word too.
        shared: bool,
        /// True if a device's name has the word too.
        named: bool,
    },
}

/// The qualifiers that were said along with words of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Qualifiers {
    pub room: RoomSaid,
    pub kind: Option<Category>,
    pub tag: Option<Tag>,
    pub gateway: bool,
}

impl Qualifiers {
    /// Returns true if a room, tag or gateway was said, which tells the device from its namesakes.
    pub(super) fn tells_apart(self) -> bool {
        self.room != RoomSaid::No || self.tag.is_some() || self.gateway
    }
}

/// A target with an account of every word.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading<'a> {
    pub target: Target<'a>,
    pub hidden: bool,
    /// The name that was said, as it is shown; `None` for an alias of the owner's.
    pub name: Option<&'a str>,
    pub grade: Grade,
    /// The words of the name that were said.
    pub name_words: Vec<Word>,
    /// True if one of the name's words was said without its 's.
    pub lacks_possessive: bool,
    pub qualifiers: Qualifiers,
    /// True if all words of the name were said.
    pub complete: bool,
    /// True if this reading can't win, but keeps readings of its grade and below from winning.
    pub weak: bool,
}

impl Reading<'_> {
    pub(super) fn device(&self) -> Option<&Device> {
        match &self.target {
            Target::One(device) => Some(device),
            Target::Channels(channels) => channels.first().copied(),
        }
    }

    pub(super) fn controls(&self) -> bool {
        let devices = self.target.devices();
        devices.iter().any(|device| device.kind.is_controllable())
    }

    /// Returns true if nothing but words of the name was said.
    pub(super) fn is_bare(&self) -> bool {
        self.qualifiers == Qualifiers::default()
    }
}

/// Returns all readings of all forms of what was said.
pub(super) fn find_readings<'a>(names: &Names<'a>, forms: &[Said]) -> Vec<Reading<'a>> {
    let mut readings = Vec::new();
    let marks = forms.iter().fold(0, |all, said| all | said.marks);
    let channels = names.channels(marks);
    for said in forms {
        let matcher = Matcher::new(names, said);
        for device in &names.devices {
            matcher.match_device(device, false, &mut readings);
        }
        for device in &names.hidden {
            matcher.match_device(device, true, &mut readings);
        }
        for node in &channels {
            if let Some(first) = node.devices.first() {
                matcher.match_name(first, node.name, &mut |reading| {
                    if reading.complete {
                        let target = Target::Channels(node.devices.clone());
                        readings.push(Reading { target, ..reading });
                    }
                });
            }
        }
    }
    readings
}

/// Matches one form of what was said with devices. Holds the words that may mean something other than a name.
struct Matcher<'n, 'a> {
    names: &'n Names<'a>,
    said: &'n Said,
    kinds: Vec<(Category, Vec<usize>)>,
    tags: Vec<(Tag, Vec<usize>)>,
    /// The rooms that are said as a whole, each with the places of its words.
    whole_rooms: Vec<(Room<'a>, Vec<usize>)>,
    /// Parts of rooms' names.
    parts_of_rooms: Vec<PartOfRoom<'a>>,
    /// The marks of each word that can only be part of a name or a room.
    plain: Vec<Marks>,
}

impl<'n, 'a> Matcher<'n, 'a> {
    fn new(names: &'n Names<'a>, said: &'n Said) -> Self {
        let kinds = runs(&said.slice(), |run| {
            let kind = language::kind(run).filter(|kind| !kind.plural)?;
            (kind.category != Category::Everything).then_some(kind.category)
        });
        let tags = said.tags();
        let whole_rooms = said.whole_rooms(names);
        let parts_of_rooms = if whole_rooms.is_empty() {
            said.parts_of_rooms(names)
        } else {
            Vec::new()
        };
        let of_kinds = kinds.iter().flat_map(|(_, at)| at);
        let explained: Vec<usize> =
            of_kinds.chain(tags.iter().flat_map(|(_, at)| at)).copied().collect();
        let plain = without(&said.slice(), &explained).into_iter().map(Word::marks).collect();
        Self {
            names,
            said,
            kinds,
            tags,
            whole_rooms,
            parts_of_rooms,
            plain,
        }
    }

    /// Returns false if some word can't be about the device. This quick check rules out most devices of a
    /// large house.
    fn may_fit(&self, device: &Device) -> bool {
        let gateway = self.names.gateway(&device.id.gateway);
        let marks = device.marks | gateway.map_or(0, Phrase::marks);
        let floors = || self.whole_rooms.iter().any(|(room, _)| !room.floor_rooms.is_empty());
        self.plain.iter().all(|word| word & marks != 0) || floors()
    }

    /// Adds every reading of a device.
    fn match_device(&self, device: &'a Device, hidden: bool, readings: &mut Vec<Reading<'a>>) {
        if !self.may_fit(device) {
            return;
        }
        for name in device.names() {
            self.match_name(device, name, &mut |reading| {
                readings.push(Reading { hidden, ..reading });
            });
        }
        let Some(node) = device.part_of.as_deref() else {
            return;
        };
        self.match_name(device, node, &mut |reading| {
            // The whole name of a node is not the whole name of its endpoint, unless the node is hidden.
            if hidden || !reading.complete || reading.grade != Grade::Name {
                readings.push(Reading { hidden, ..reading });
            } else if !reading.name_words.is_empty() {
                readings.push(Reading {
                    grade: Grade::Part,
                    complete: false,
                    ..reading
                });
            }
        });
    }

    /// Finds every reading of the words with this name of a device.
    fn match_name(&self, device: &'a Device, name: &'a Name, found: &mut dyn FnMut(Reading<'a>)) {
        let kinds = self.kinds_of(device);
        let tags: Vec<&(Tag, Vec<usize>)> =
            self.tags.iter().filter(|(tag, _)| tag.is_of(device)).collect();
        let may_match = name.words.may_share(self.said.marks);
        if !may_match && kinds.is_empty() && tags.is_empty() {
            return;
        }
        for (qualifiers, used) in self.qualifiers_of(device, &kinds, &tags) {
            self.read_rest(device, name, &used, qualifiers).map(&mut *found);
        }
    }

    /// Returns every way to take words for a device's qualifiers, with the positions of these words. No word
    /// counts twice in one way.
    fn qualifiers_of(
        &self,
        device: &Device,
        kinds: &[(Category, Vec<usize>)],
        tags: &[&(Tag, Vec<usize>)],
    ) -> Vec<(Qualifiers, Vec<usize>)> {
        let no_room = (Vec::new(), RoomSaid::No);
        let rooms = std::iter::once(no_room).chain(self.rooms_of(device));
        let gateway = self.names.gateway(&device.id.gateway);
        let mut ways = Vec::new();
        for (in_room, room) in rooms {
            for kind in std::iter::once(None).chain(kinds.iter().map(Some)) {
                for tag in std::iter::once(None).chain(tags.iter().map(Some)) {
                    let kind_at = kind.map_or(&[][..], |(_, at)| at);
                    let tag_at = tag.map_or(&[][..], |(_, at)| at);
                    let used = [&in_room, kind_at, tag_at].concat();
                    if has_repeated(&used) {
                        continue;
                    }
                    let qualifiers = Qualifiers {
                        room,
                        kind: kind.map(|(category, _)| *category),
                        tag: tag.map(|(tag, _)| *tag),
                        gateway: false,
                    };
                    if let Some(at) = gateway.and_then(|name| self.said.free_positions(name, &used))
                    {
                        let with_gateway = Qualifiers {
                            gateway: true,
                            ..qualifiers
                        };
                        ways.push((with_gateway, [used.as_slice(), &at].concat()));
                    }
                    ways.push((qualifiers, used));
                }
            }
        }
        ways
    }

    /// Matches the words at the other positions with the name. Returns `None` if one of them is not in it.
    fn read_rest(
        &self,
        device: &'a Device,
        name: &'a Name,
        used: &[usize],
        qualifiers: Qualifiers,
    ) -> Option<Reading<'a>> {
        let rest = without(&self.said.slice(), used);
        let fits = fit_words(&rest, &name.words)?;
        let is_kind = qualifiers.kind.is_none_or(|kind| device.categories.has(kind));
        if !is_kind && !fits.complete {
            return None;
        }
        // An outlet that is called a lamp is no whole match for "outlet": that may be a word of another name.
        let is_whole =
            fits.complete && is_kind && !matches!(qualifiers.room, RoomSaid::Part { .. });
        let grade = match qualifiers.room {
            _ if is_whole || qualifiers.tag.is_some() => Grade::Name,
            _ if rest.is_empty() && qualifiers.kind.is_none() => return None,
            RoomSaid::Ambiguous => return None,
            RoomSaid::No => Grade::Part,
            RoomSaid::Whole | RoomSaid::Part { .. } => Grade::InRoom,
        };
        let target = match qualifiers.tag {
            Some(Tag::Node(_, None)) if !fits.complete => self.names.whole_node(device),
            _ => Target::One(device),
        };
        Some(Reading {
            target,
            hidden: false,
            name: (!device.own_names.contains(name)).then_some(name.text.as_str()),
            grade,
            name_words: rest.into_iter().cloned().collect(),
            lacks_possessive: fits.lacks_possessive,
            qualifiers,
            complete: fits.complete,
            weak: false,
        })
    }

    /// Returns the kinds that were said and fit a device, including the one under which it is listed.
    fn kinds_of(&self, device: &Device) -> Vec<(Category, Vec<usize>)> {
        let categories = device.categories.or(listed_categories(device.kind));
        self.kinds.iter().filter(|(kind, _)| categories.has(*kind)).cloned().collect()
    }

    /// Returns the ways in which a device's room was said. For a device without a room, the room in its name
    /// counts.
    fn rooms_of(&self, device: &Device) -> Vec<(Vec<usize>, RoomSaid)> {
        let is_inside = |room: &Room| Names::is_in(device, room);
        let is_counted = |at: &Vec<usize>| self.whole_rooms.iter().any(|(_, other)| other == at);
        let whole = self
            .whole_rooms
            .iter()
            .filter(|(room, _)| is_inside(room))
            .map(|(_, at)| (at.clone(), RoomSaid::Whole));
        // The device's room may also be said in words that count as a kind: "Garage Tor".
        let ambiguous = self
            .said
            .positions(&device.room_words)
            .filter(|at| !is_counted(at))
            .map(|at| (at, RoomSaid::Ambiguous));
        let whole = whole.chain(ambiguous);
        let parts = self.parts_of_rooms.iter().filter(|part| is_inside(&part.room)).map(|part| {
            let said = RoomSaid::Part {
                shared: part.shared,
                named: part.named,
            };
            (vec![part.at], said)
        });
        whole.chain(parts).collect()
    }
}

/// Returns true if a position occurs twice.
fn has_repeated(positions: &[usize]) -> bool {
    let mut numbered = positions.iter().enumerate();
    numbered.any(|(at, position)| positions.iter().skip(at + 1).any(|later| later == position))
}

/// Returns the categories that a switch, outlet or dimmer has by its word in the list, even if its name says
/// another kind.
fn listed_categories(kind: Kind) -> Categories {
    match kind {
        Kind::Switch => Categories::of(&[Category::Switches]),
        Kind::Outlet => Categories::of(&[Category::Switches, Category::Outlets]),
        Kind::Dimmer => Categories::of(&[Category::Dimmers]),
        _ => Categories::default(),
    }
}

/// The fit of words to a name.
struct Fits {
    complete: bool,
    lacks_possessive: bool,
}

/// Matches each of these words with a word of the name. Returns `None` if one has no match.
fn fit_words(said: &[&Word], name: &Phrase) -> Option<Fits> {
    let mut unmatched: Vec<Option<&Word>> = name.main_words().map(Some).collect();
    let mut lacks_possessive = false;
    for word in said {
        let exact = unmatched.iter().position(|own| own.is_some_and(|own| own.is(word)));
        let by_owner = || {
            unmatched
                .iter()
                .position(|own| own.is_some_and(|own| own.is_possessive_of(word)))
        };
        let is_small = || name.small_words().any(|small| small.is(word));
        match exact.or_else(by_owner) {
            Some(place) => {
                lacks_possessive |= exact.is_none();
                if let Some(place) = unmatched.get_mut(place) {
                    *place = None;
                }
            }
            // A small word that counts in other names may also be said for this one.
            None if is_small() => {}
            None => return None,
        }
    }
    Some(Fits {
        complete: !unmatched.is_empty() && unmatched.iter().all(Option::is_none),
        lacks_possessive,
    })
}
