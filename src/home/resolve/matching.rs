//! How words that are said fit a name.

use super::names::{Names, Room};
use super::said::{Utterance, room_of_word};
use crate::home::category::{Categories, Category};
use crate::home::device::Device;
use crate::home::kind::Kind;
use crate::home::language;
use crate::home::phrase::Phrase;
use crate::home::word::{Marks, Word};

/// How well a word fits one of a name, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It is the same.
    Same,
    /// It lacks the 's, or has one more.
    Owner,
    /// Another word for the same kind: lamp for light, shade for blind.
    StandIn,
}

/// How well a word fits one of a name; none where it does not.
pub(super) fn fit(said: &Word, own: &Word) -> Option<Fit> {
    if said.marks() & own.marks() == 0 {
        None
    } else if said.is(own) {
        Some(Fit::Same)
    } else if said.is_owner_of(own) {
        Some(Fit::Owner)
    } else {
        stand_in(said, own).map(|_| Fit::StandIn)
    }
}

/// Whether a word fits any of a name.
pub(super) fn fits_in(said: &Word, name: &Phrase) -> bool {
    name.may_share(said.marks()) && name.telling().any(|own| fit(said, own).is_some())
}

/// The kind that two words both stand for.
fn stand_in(said: &Word, own: &Word) -> Option<Category> {
    let said = language::kind(&[said]).filter(|kind| kind.category.has_stand_ins())?;
    let own = language::kind(&[own])?;
    let same = said.category == own.category && said.plural == own.plural;
    same.then_some(said.category)
}

/// All words of a name among those that were said.
pub(super) struct Whole {
    /// The worst fit of any.
    pub fit: Fit,
    /// The kind that was said by another word for it.
    pub stand_in: Option<Category>,
    /// Where the other words stand.
    pub rest: Vec<usize>,
}

/// Whether all words of a name were said, each at a place of its own.
pub(super) fn whole(said: &Utterance, name: &Phrase) -> Option<Whole> {
    if !name.may_be_among(said.marks) {
        return None;
    }
    let mut rest: Vec<usize> = (0..said.words.len()).collect();
    let (mut worst, mut stood_in) = (Fit::Same, None);
    let mut any = false;
    for own in name.telling() {
        any = true;
        let fits = rest.iter().enumerate().filter_map(|(place, at)| {
            let word = said.words.get(*at)?;
            Some((fit(word, own)?, place, word))
        });
        let (fit, place, word) = fits.min_by_key(|(fit, place, _)| (*fit, *place))?;
        rest.remove(place);
        worst = worst.max(fit);
        if fit == Fit::StandIn {
            stood_in = stand_in(word, own);
        }
    }
    // A small word that counts elsewhere may have been said of this name all the same.
    for small in name.all().iter().filter(|word| !name.has(word)) {
        let said = rest
            .iter()
            .position(|at| said.words.get(*at).is_some_and(|word| word.is(small)));
        if let Some(place) = said {
            rest.remove(place);
        }
    }
    any.then_some(Whole {
        fit: worst,
        stand_in: stood_in,
        rest,
    })
}

/// What is said of a device beside its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Qualifiers {
    pub room: bool,
    pub kind: bool,
    pub tag: bool,
    pub gateway: bool,
}

impl Qualifiers {
    pub(super) fn any(self) -> bool {
        self != Self::default()
    }
}

/// Whether words tell nothing but a device's room, a word for its kind, its tag and its gateway's
/// name, each at most once.
pub(super) fn explained(
    names: &Names,
    said: &Utterance,
    rest: &[usize],
    device: &Device,
    means: KindScope,
) -> Option<Qualifiers> {
    explain(names, said, rest, (device, means), Qualifiers::default())
}

fn explain(
    names: &Names,
    said: &Utterance,
    rest: &[usize],
    (device, means): (&Device, KindScope),
    beside: Qualifiers,
) -> Option<Qualifiers> {
    if rest.is_empty() {
        return Some(beside);
    }
    let without = |used: &[usize]| -> Vec<usize> {
        rest.iter()
            .copied()
            .filter(|at| !used.contains(at))
            .collect()
    };
    let go_on =
        |used: &[usize], beside| explain(names, said, &without(used), (device, means), beside);
    let part = said.part(rest);
    let here = |used: Vec<usize>| -> Vec<usize> {
        used.into_iter()
            .filter_map(|at| rest.get(at).copied())
            .collect()
    };
    // A name may look like a tag itself: only what is said beside it is one.
    let tag = part.tag().filter(|(tag, range)| {
        let places = rest.get(range.clone()).unwrap_or_default().iter();
        !beside.tag && tag.is_of(device) && places.is_sorted_by(|one, next| *one + 1 == **next)
    });
    if let Some((_, range)) = tag {
        let found = go_on(
            &here(range.collect()),
            Qualifiers {
                tag: true,
                ..beside
            },
        );
        if found.is_some() {
            return found;
        }
    }
    if !beside.room {
        let is_own = |room: Room| *room.words == device.room_words;
        // "Salon Bedroom" may mean two rooms, where one of them is the Salon.
        let of_another = || {
            let mut rooms = names.rooms.iter();
            rooms.any(|room| !is_own(*room) && said.positions(room.words).is_some())
        };
        // Every room of the house is looked at only where a word may be of this one.
        let partly = |whole: bool| {
            let mut words = part.words.iter();
            let own = whole
                || words.any(|word| room_of_word(names, word).is_some_and(is_own)) && !of_another();
            let rooms = own.then(|| part.rooms(names)).into_iter().flatten();
            let same = rooms.filter(|(room, _)| is_own(*room));
            same.map(|(_, used)| used)
        };
        let wholly = part.positions(&device.room_words).map(|mut used| {
            // A small word of the room may count elsewhere.
            let all = device.room_words.all().iter();
            for small in all.filter(|word| !device.room_words.has(word)) {
                let places = part.words.iter().enumerate();
                let mut said = places.filter(|(at, word)| word.is(small) && !used.contains(at));
                let place = said.next().map(|(at, _)| at);
                used.extend(place);
            }
            used
        });
        let in_room = |used: Vec<usize>| {
            let room = Qualifiers {
                room: true,
                ..beside
            };
            go_on(&here(used), room)
        };
        let whole = wholly.is_some();
        let found = wholly.and_then(in_room);
        let found = found.or_else(|| partly(whole).find_map(in_room));
        if found.is_some() {
            return found;
        }
    }
    if !beside.kind {
        let sought = Sought::new(part.slice());
        let mut kinds = sought.kinds_of(device, means);
        let found = kinds.find_map(|used| {
            go_on(
                &here(used.to_vec()),
                Qualifiers {
                    kind: true,
                    ..beside
                },
            )
        });
        if found.is_some() {
            return found;
        }
    }
    let gateway = names
        .gateway(&device.id.gateway)
        .filter(|_| !beside.gateway)?;
    let used = part.positions(gateway)?;
    go_on(
        &here(used),
        Qualifiers {
            gateway: true,
            ..beside
        },
    )
}

impl Utterance {
    /// Only the words at these places.
    pub(super) fn part(&self, places: &[usize]) -> Self {
        let words = places.iter().filter_map(|at| self.words.get(*at));
        Self::of(words.cloned().collect())
    }
}

/// What a word for a kind has to mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KindScope {
    /// What people mean the device by.
    Name,
    /// That, or what the list calls it.
    NameOrKind,
}

/// What the list calls a device that is plainly switched or dimmed, whatever its name says that it is.
fn listed(kind: Kind) -> Categories {
    match kind {
        Kind::Switch => Categories::of(&[Category::Switches]),
        Kind::Outlet => Categories::of(&[Category::Switches, Category::Outlets]),
        Kind::Dimmer => Categories::of(&[Category::Dimmers]),
        _ => Categories::default(),
    }
}

/// Words that are looked for among the devices.
pub(super) struct Sought<'w> {
    words: Vec<&'w Word>,
    /// The runs of them that are a word for one of a kind.
    kinds: Vec<(Category, Vec<usize>)>,
    /// The marks of all the words.
    marks: Marks,
}

impl<'w> Sought<'w> {
    pub(super) fn new(words: Vec<&'w Word>) -> Self {
        let kinds = Utterance::runs(&words, |run| {
            let kind = language::kind(run).filter(|kind| !kind.plural)?;
            (kind.category != Category::Everything).then_some(kind.category)
        });
        let marks = words.iter().map(|word| word.marks());
        Self {
            marks: marks.fold(0, |all, one| all | one),
            kinds,
            words,
        }
    }

    /// The runs of words that are a word for a device's kind, for one of it.
    fn kinds_of(&self, device: &Device, means: KindScope) -> impl Iterator<Item = &[usize]> {
        let listed = match means {
            KindScope::Name => Categories::default(),
            KindScope::NameOrKind => listed(device.kind),
        };
        let known = device.categories.or(listed);
        let kinds = self.kinds.iter();
        kinds
            .filter(move |(kind, _)| known.has(*kind))
            .map(|(_, used)| used.as_slice())
    }

    /// Whether the words are of a device's name, perhaps with one word for its kind; a number and
    /// "node" are too little by themselves, though enough for asking which (`rival`).
    pub(super) fn is_part_of_name(&self, device: &Device, rival: bool) -> bool {
        let names = device.names().chain(device.part_of.as_deref());
        let mut names = names.filter(|name| name.words.may_share(self.marks));
        names.any(|name| {
            let all_but = |kind: &[usize]| {
                let others = self.words.iter().enumerate();
                let mut others = others.filter(|(at, _)| !kind.contains(at));
                let tells = others.clone().any(|(_, word)| rival || tells(word));
                tells && others.all(|(_, word)| fits_in(word, &name.words))
            };
            all_but(&[]) || self.kinds_of(device, KindScope::Name).any(all_but)
        })
    }

    /// Whether the words are nothing but a word for a device's kind.
    pub(super) fn is_only_kind(&self, device: &Device) -> bool {
        let mut kinds = self.kinds_of(device, KindScope::Name);
        kinds.any(|used| used.len() == self.words.len())
    }
}

/// Whether a word says more than a number or "node".
fn tells(word: &Word) -> bool {
    !word.is_number() && !matches!(word.text(), "node" | "nodeid" | "endpoint")
}
