//! How words that are said fit a name.

use super::names::{Names, Room};
use super::said::{Utterance, room_of_word, without};
use crate::home::category::{Categories, Category};
use crate::home::device::Device;
use crate::home::kind::Kind;
use crate::home::language;
use crate::home::phrase::Phrase;
use crate::home::word::{Marks, Word, marks_of};

/// How well a word fits one of a name, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
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
    /// The room by a part of what it is called, beside another room's whole name.
    pub two_rooms: bool,
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
    scope: KindScope,
) -> Option<Qualifiers> {
    let explanation = Explanation {
        names,
        said,
        device,
        scope,
    };
    explanation.of(rest, Qualifiers::default())
}

/// What words beside a device's name are explained by.
struct Explanation<'a> {
    names: &'a Names<'a>,
    said: &'a Utterance,
    device: &'a Device,
    scope: KindScope,
}

impl Explanation<'_> {
    /// What the words at these places say besides what is known already: a tag, a room, a kind or a
    /// gateway, and the same of what is left then.
    fn of(&self, rest: &[usize], known: Qualifiers) -> Option<Qualifiers> {
        if rest.is_empty() {
            return Some(known);
        }
        let part = self.said.part(rest);
        // Places in the part are places in the rest.
        let go_on = |used: &[usize], known| {
            let left = rest.iter().enumerate();
            let left = left.filter(|(at, _)| !used.contains(at));
            let left: Vec<usize> = left.map(|(_, at)| *at).collect();
            self.of(&left, known)
        };
        let by_tag = || {
            let known = Qualifiers { tag: true, ..known };
            go_on(&self.tag(&part, rest)?, known)
        };
        let by_room = || {
            let known = Qualifiers {
                room: true,
                ..known
            };
            let whole = self.whole_room(&part);
            let found = whole.as_deref().and_then(|used| go_on(used, known));
            found.or_else(|| {
                let two_rooms = whole.is_none() && self.says_another_room();
                let known = Qualifiers { two_rooms, ..known };
                let mut parts = self.part_of_room(&part, whole.is_some());
                parts.find_map(|used| go_on(&used, known))
            })
        };
        let by_kind = || {
            let known = Qualifiers {
                kind: true,
                ..known
            };
            let sought = Sought::new(part.slice());
            let mut kinds = sought.kinds_of(self.device, self.scope);
            kinds.find_map(|used| go_on(used, known))
        };
        let by_gateway = || {
            let known = Qualifiers {
                gateway: true,
                ..known
            };
            let gateway = self.names.gateway(&self.device.id.gateway)?;
            go_on(&part.positions(gateway)?, known)
        };
        let tag = (!known.tag).then(by_tag).flatten();
        tag.or_else(|| (!known.room).then(by_room)?)
            .or_else(|| (!known.kind).then(by_kind)?)
            .or_else(|| (!known.gateway).then(by_gateway)?)
    }

    /// Where the device's tag stands in a part of what was said. A name may look like a tag itself:
    /// only words that were said one behind the other are one.
    fn tag(&self, part: &Utterance, places: &[usize]) -> Option<Vec<usize>> {
        let (tag, range) = part.tag()?;
        let said = places.get(range.clone()).unwrap_or_default().iter();
        let in_a_row = said.is_sorted_by(|one, next| *one + 1 == **next);
        (tag.is_of(self.device) && in_a_row).then(|| range.collect())
    }

    /// Where all words of the device's room stand, with its small words that may count elsewhere.
    fn whole_room(&self, part: &Utterance) -> Option<Vec<usize>> {
        let room = &self.device.room_words;
        let mut used = part.positions(room)?;
        for small in room.all().iter().filter(|word| !room.has(word)) {
            let places = part.words.iter().enumerate();
            let mut said = places.filter(|(at, word)| word.is(small) && !used.contains(at));
            let place = said.next().map(|(at, _)| at);
            used.extend(place);
        }
        Some(used)
    }

    /// Whether another room was said, as in "Salon Bedroom", where one is the Salon and one the Small
    /// Bedroom.
    fn says_another_room(&self) -> bool {
        let rooms = self.names.rooms.iter().map(|room| room.words);
        self.has_another(self.said, rooms)
    }

    /// Whether all words of one of these rooms were said that is not the device's own.
    fn has_another<'r>(
        &self,
        said: &Utterance,
        mut rooms: impl Iterator<Item = &'r Phrase>,
    ) -> bool {
        rooms.any(|room| *room != self.device.room_words && said.positions(room).is_some())
    }

    /// Where words stand that are of the device's room alone, and of none that only hidden devices are
    /// in.
    fn part_of_room(&self, part: &Utterance, is_whole: bool) -> impl Iterator<Item = Vec<usize>> {
        let is_own = |room: &Room| *room.words == self.device.room_words;
        let is_hidden = || {
            let rooms = self.names.hidden.iter().map(|device| &device.room_words);
            self.has_another(part, rooms)
        };
        // Every room of the house is looked at only where a word may be of this one.
        let is_of_own = |word| room_of_word(self.names, word).is_some_and(|room| is_own(&room));
        let may_be = is_whole || part.words.iter().any(is_of_own) && !is_hidden();
        let rooms = may_be.then(|| part.rooms(self.names)).into_iter().flatten();
        let own: Vec<_> = rooms.filter(|(room, _)| is_own(room)).collect();
        own.into_iter().map(|(_, used)| used)
    }
}

impl Utterance {
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
        Self {
            marks: marks_of(words.iter().copied()),
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
                let others = without(&self.words, kind);
                others.iter().any(|word| rival || tells(word))
                    && others.iter().all(|word| fits_in(word, &name.words))
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

/// Whether it would be a guess that words mean a device: they say nothing but its kind, and it is
/// called a fridge, a pump or the like, which nobody switches off by such a word.
pub(super) fn guesses(sought: &Sought, device: &Device) -> bool {
    language::says_essential(&device.name.words.slice()) && !sought.is_part_of_name(device, false)
}

/// Whether a word says more than a number or "node".
fn tells(word: &Word) -> bool {
    !word.is_number() && !matches!(word.text(), "node" | "nodeid" | "endpoint")
}
