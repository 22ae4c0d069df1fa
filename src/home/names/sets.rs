//! Finds the set that was asked for with a plural, or with a word such as "all", "both" or "everything".
//! Rooms, a count and exceptions may be said too: "all kitchen lights except the lamp".

use std::iter::once;

use super::account::{Grade, NameReading};
use super::index::{Names, Room};
use super::request::{Scope, SetRequest};
use super::said::{Positions, Said};
use super::vetoes::{judge_readings, says_kind};
use super::{Members, Resolved, SaidWords, Set, devices_of, each_once, prefer, readings_of_grade};
use crate::category::Category;
use crate::device::Device;
use crate::language::{self, KindWord, WordUse};
use crate::model::ids::NodeAddress;
use crate::word::{Word, words};

/// Returns the set that was asked for, or the question which devices are meant. Returns a miss if an exception is
/// not understood, and `None` if no set was said.
pub(super) fn find_set<'a>(
    names: &Names<'a>,
    said: &SaidWords,
    readings: &[NameReading<'a>],
) -> Option<Resolved<'a>> {
    let (said, excepted) = said.split_at_except();
    let read = |is_in_name: &dyn Fn(&Word) -> bool| {
        let mut request = SetRequest::read(&said.words, names.languages, is_in_name);
        request.has_comma = !said.breaks.is_empty();
        request
    };
    // In a house with Elke's room, "elke" (Dutch for "every") is first read as part of the room's name. If that
    // finds no set and no device, "elke" may be a quantifier.
    let mut request = read(&|word| names.vocabulary.has(word) || names.joins_only_elsewhere(word));
    let mut set = resolve_request(names, &request);
    let has_reading = readings.iter().any(|reading| reading.grade <= Grade::Part);
    if set.is_none() && !has_reading {
        let with_quantifier = read(&|word| names.joins_only_elsewhere(word));
        if with_quantifier != request {
            set = resolve_request(names, &with_quantifier);
            request = with_quantifier;
        }
    }
    let mut set = names.narrow_to_asker(set?, &request);
    if let (Resolved::Set(_), Some(excepted)) = (&set, excepted)
        && except_from(names, &excepted, std::slice::from_mut(&mut set)).is_none()
    {
        return Some(Resolved::Miss(Vec::new()));
    }
    Some(set)
}

/// Removes what is excepted from the sets among these targets. Returns `None` if an exception is not understood, is in
/// none of the sets, or leaves nothing of one.
pub(super) fn except_from<'a>(
    names: &Names<'a>,
    excepted: &SaidWords,
    targets: &mut [Resolved<'a>],
) -> Option<()> {
    let mut sets: Vec<&mut Set> = Vec::new();
    for target in targets {
        if let Resolved::Set(set) = target {
            sets.push(set);
        }
    }
    let members = each_once(sets.iter().flat_map(|set| set.members.iter().copied()));
    let excepted = find_excepted(names, &excepted.words, &members)?;
    let is_excepted = |member: &Device| excepted.iter().any(|device| includes(device, member));
    for set in sets {
        set.members.retain(|member| !is_excepted(member));
        set.members.first()?;
    }
    Some(())
}

/// A set that may have been asked for.
struct Candidate<'a> {
    set: Set<'a>,
    /// True if other devices may be meant, or if the set has fewer members than were asked for.
    is_doubtful: bool,
}

impl Candidate<'_> {
    /// Returns true if the set is not doubtful, and has the right number of members if a number was said.
    fn fits(&self) -> bool {
        !self.is_doubtful && self.set.allows_count(self.set.members.len())
    }
}

/// Returns the set that a request asks for. If the request is unclear, the set is doubtful, or several sets
/// fit, returns the question which devices are meant.
fn resolve_request<'a>(names: &Names<'a>, request: &SetRequest) -> Option<Resolved<'a>> {
    let mut sets: Vec<Candidate> = Vec::new();
    for said in Said::forms(names, &request.rest) {
        for candidate in find_candidates(names, request, &said) {
            if !sets.iter().any(|other| other.set.members == candidate.set.members) {
                sets.push(candidate);
            }
        }
    }
    // An empty set counts only if there is no other.
    prefer(&mut sets, |candidate| !candidate.set.members.is_empty());
    prefer(&mut sets, Candidate::fits);
    let is_unclear = request.unclear || request.indefinite && names.is_to_control();
    if is_unclear || sets.len() > 1 || sets.iter().any(|candidate| candidate.is_doubtful) {
        let members = sets.iter().flat_map(|candidate| candidate.set.members.iter().copied());
        return (!sets.is_empty()).then(|| Resolved::Tie(each_once(members)));
    }
    sets.pop().map(|candidate| Resolved::Set(candidate.set))
}

/// Returns the sets that one form of a request asks for.
fn find_candidates<'a>(names: &Names<'a>, request: &SetRequest, said: &Said) -> Vec<Candidate<'a>> {
    let everything = || Wanted::new(Members::Everything, said, 0).find(names, request);
    // If a room is called Lights, "lights" in "everything in Lights" is not a kind.
    if request.everything && said.rooms_alone(names).next().is_some() {
        return everything().into_iter().collect();
    }
    let mut sets = sets_of_kinds(names, request, said);
    if sets.is_empty() {
        sets = sets_by_name(names, request, said);
    }
    if sets.is_empty() && (request.everything || request.all) {
        // "All" needs a kind or a place, unless it stands alone.
        let is_plain = |candidate: &Candidate| {
            request.everything || candidate.set.room.is_some() || said.words.is_empty()
        };
        sets.extend(everything().filter(is_plain));
    }
    sets
}

/// Returns the sets of the kinds that were said. Only the longest phrases for a kind count.
fn sets_of_kinds<'a>(names: &Names<'a>, request: &SetRequest, said: &Said) -> Vec<Candidate<'a>> {
    let is_quantified = request.is_quantified();
    let kinds = said.runs(|run| {
        let several = language::plural_kind(run, names.languages);
        if is_quantified {
            return several.or_else(|| language::kind(run, names.languages));
        }
        // "Schalter" is the same word for one and for several switches. Without "all", it means one.
        let is_plainly_several =
            language::kind(run, names.languages).is_some_and(|kind| kind.plural);
        several.filter(|kind| is_plainly_several && kind.category != Category::Everything)
    });
    let longest = kinds.first().map_or(0, |(_, at)| at.count_ones());
    let has_plural = kinds.iter().any(|(kind, _)| kind.plural);
    // In "all door lights", the singular "door" is not the kind.
    let counts = |(kind, at): &(KindWord, Positions)| {
        at.count_ones() == longest && (!has_plural || kind.plural)
    };
    let in_rooms = said.whole_rooms(names).iter().fold(0, |all, room| all | room.at);
    let parts_of_rooms = said.parts_of_rooms(names);
    let mut sets = Vec::new();
    for (kind, at) in kinds.into_iter().filter(counts) {
        // The number may belong to a room that was said by a part of its name: "booth 2 lights" for Phone Booth 2.
        let has_number =
            |room: &Room, at: Positions| said.without(!at).all(|number| room.words.has(number));
        let is_of_room =
            |at: Positions| parts_of_rooms.iter().any(|said| has_number(&said.room, at));
        let count = count_before(said, at, in_rooms);
        let count = count.filter(|(at, _)| kind.plural && !is_of_room(*at));
        let (count_at, number) = count.unzip();
        let wanted = Wanted {
            count: number.or(request.both.then_some(2)),
            ..Wanted::new(Members::Kind(kind), said, at | count_at.unwrap_or_default())
        };
        // "Alles Licht" means all lights. In a house without lights, it is not a set.
        let is_set = |candidate: &Candidate| {
            kind.plural || !request.everything || !candidate.set.members.is_empty()
        };
        sets.extend(wanted.find(names, request).filter(is_set));
    }
    sets
}

/// Returns the position and value of the number right before a kind, or before the rooms that stand before the kind: "two
/// blinds", "two kitchen blinds". A number in a room's name is none: "room 12 blinds".
fn count_before(said: &Said, kind: Positions, rooms: Positions) -> Option<(Positions, usize)> {
    let mut before = (0..kind.trailing_zeros()).rev();
    let at = before.find(|at| rooms & (1 << at) == 0)?;
    let count = said.words.get(at as usize)?.text().parse().ok()?;
    (count > 1).then_some((1 << at, count))
}

/// Returns the sets that are asked for by the plural of a word in names: "tvs" means the devices with TV in
/// their names.
fn sets_by_name<'a>(names: &Names<'a>, request: &SetRequest, said: &Said) -> Vec<Candidate<'a>> {
    let mut sets = Vec::new();
    for (at, word) in said.words.iter().enumerate() {
        for (kind, singular) in
            language::plural_by_name(word, request.is_quantified(), names.languages)
        {
            let called = words(&singular);
            // A plural that is itself a word of a name means that name, and not a set.
            let is_plural = called.iter().any(|own| own.is(word)) || !names.vocabulary.has(word);
            if is_plural && called.iter().all(|own| names.vocabulary.has(own)) {
                let wanted = Wanted {
                    called,
                    ..Wanted::new(Members::Kind(kind), said, 1 << at)
                };
                sets.extend(wanted.find(names, request));
            }
        }
    }
    sets
}

/// The description of a set by the words that were said.
struct Wanted<'a> {
    of: Members<'a>,
    /// The words that the names of all members must have.
    called: Vec<Word>,
    count: Option<usize>,
    /// The other words, which say places and names.
    others: Said,
}

impl<'a> Wanted<'a> {
    /// Makes the description of a set whose kind was said at these positions.
    fn new(of: Members<'a>, said: &Said, kind: Positions) -> Self {
        Self {
            of,
            called: Vec::new(),
            count: None,
            others: Said::of(said.without(kind).cloned().collect()),
        }
    }

    /// Finds the members by the places and the names that the other words say. Returns `None` if the words do not
    /// fit a set.
    fn find(self, names: &Names<'a>, request: &SetRequest) -> Option<Candidate<'a>> {
        let (scope, in_scope) = Scope::read(names, &self.others);
        if !request.has_fitting_joins(scope.count()) {
            return None;
        }
        let name_words: Vec<&Word> = self.others.without(in_scope).collect();
        let members = self.find_members(names, &scope, &name_words);
        // A single device that was said by words of a name is doubtful: "outside lights" for the one Outside
        // Light. It is plain if every word of its name was said ("outside lights" for Outside Lights), or if
        // it has no room and the words are a usual word for a room.
        let is_plain = |device: &Device| {
            let said = || request.rest.iter().chain(&self.others.words);
            device.name.words.main_words().all(|own| said().any(|word| word.is(own)))
                || (device.room.is_empty() && language::is_room(&name_words))
        };
        let is_doubtful_single = match members.as_slice() {
            [device] => !name_words.is_empty() && !is_plain(device),
            _ => false,
        };
        // More members than were asked for are no reason to doubt: perhaps some can't do the action.
        let is_too_small = self.count.is_some_and(|count| count > members.len());
        let is_only_kind = name_words.is_empty() && self.called.is_empty();
        (is_only_kind || !members.is_empty()).then(|| Candidate {
            set: Set {
                of: self.of,
                room: scope.text(),
                count: self.count,
                members,
            },
            is_doubtful: is_doubtful_single || is_too_small,
        })
    }

    /// Returns the devices of the kind that are in the scope and have these words in their names.
    fn find_members(
        &self,
        names: &Names<'a>,
        scope: &Scope,
        name_words: &[&Word],
    ) -> Vec<&'a Device> {
        let category = match self.of {
            Members::Kind(kind) => kind.category,
            Members::Everything | Members::Channels(_) => Category::Everything,
        };
        let says = |device: &Device, word: &Word| {
            let phrases = once(&device.name).chain(device.part_of.as_deref());
            phrases.flat_map(|name| name.words.main_words()).any(|own| own.is_said_as(word))
        };
        let has_words = |device: &Device| {
            let mut wanted = name_words.iter().copied().chain(&self.called);
            wanted.all(|word| says(device, word))
        };
        let is_member = |device: &&Device| {
            device.categories.has(category) && scope.has(device) && has_words(device)
        };
        let members = names.devices.iter().copied().filter(is_member);
        let mut members = without_wholes(members.collect());
        // "Fans" means the devices with this word in their names, if several have it, or else all fans.
        let is_called_so = |device: &&Device| says_kind(names, device, category);
        let may_mean_all = category.plural_means_all() || !self.called.is_empty();
        if !may_mean_all && members.iter().filter(|device| is_called_so(device)).count() > 1 {
            members.retain(is_called_so);
        }
        members
    }
}

/// Removes each node, such as a power strip, that has endpoints among the members.
fn without_wholes(mut members: Vec<&Device>) -> Vec<&Device> {
    let parts = members.iter().filter(|device| device.part_of.is_some());
    let places: Vec<NodeAddress> = parts.filter_map(|part| part.id.node_address()).collect();
    members.retain(|device| {
        let place = device.id.node_address();
        device.part_of.is_some() || !place.is_some_and(|place| places.contains(&place))
    });
    members
}

/// Finds "except" among words, at this position or later. Returns its position and number of words.
pub(super) fn find_except(said: &[Word], from: usize) -> Option<(usize, usize)> {
    let mut places = from..said.len();
    places.find_map(|at| Some((at, WordUse::Except.length_at(said.get(at..)?)?)))
}

/// Returns the excepted devices. Each exception is a device, a room or a set. Returns `None` if an exception is not
/// understood.
fn find_excepted<'a>(
    names: &Names<'a>,
    said: &[Word],
    members: &[&'a Device],
) -> Option<Vec<&'a Device>> {
    let parts =
        said.split(|word| language::set_word(word, names.languages) == Some(WordUse::Joins));
    let is_in_set = |device: &&Device| members.iter().any(|member| includes(device, member));
    let excepted = parts.filter(|words| !words.is_empty()).map(|words| {
        let devices = find_exception(names, words, members)?;
        devices.iter().any(is_in_set).then_some(devices)
    });
    let excepted = each_once(excepted.collect::<Option<Vec<_>>>()?.into_iter().flatten());
    (!excepted.is_empty()).then_some(excepted)
}

/// Returns the devices that one exception means, if it is understood.
fn find_exception<'a>(
    names: &Names<'a>,
    said: &[Word],
    members: &[&'a Device],
) -> Option<Vec<&'a Device>> {
    let forms = Said::forms(names, said);
    let mut readings = judge_readings(names, &forms);
    readings.retain(|reading| !reading.weak);
    let best = |grade| readings_of_grade(names, &readings, grade);
    let whole = best(Grade::Name);
    if !whole.is_empty() {
        return choose_excepted(&whole, members);
    }
    let rooms: Vec<Room> = forms.iter().flat_map(|said| said.rooms_alone(names)).collect();
    if !rooms.is_empty() {
        return Some(rooms.iter().flat_map(|room| names.devices_in(room)).collect());
    }
    // "Except bath" excepts what is in the Upper Bath, and also what is called so elsewhere.
    let words_alone = forms.iter().filter(|said| said.words.len() == 1);
    let parts: Vec<Room> = words_alone
        .flat_map(|said| said.parts_of_rooms(names))
        .map(|said| said.room)
        .collect();
    if !parts.is_empty() {
        let inside = parts.iter().flat_map(|room| names.devices_in(room));
        return Some(each_once(
            devices_of(&best(Grade::Part)).into_iter().chain(inside),
        ));
    }
    let request = SetRequest::read(said, names.languages, |word| names.vocabulary.has(word));
    if let Some(Resolved::Set(set)) = resolve_request(names, &request) {
        return set.allows_count(set.members.len()).then_some(set.members);
    }
    let graded = [Grade::InRoom, Grade::Part].into_iter().map(best);
    choose_excepted(
        &graded.into_iter().find(|readings| !readings.is_empty())?,
        members,
    )
}

/// Chooses the devices that an exception means. If there is one reading, these are its devices. If there are
/// several readings, exactly one of their devices must be in the set, and that one is meant.
fn choose_excepted<'a>(
    readings: &[&NameReading<'a>],
    members: &[&Device],
) -> Option<Vec<&'a Device>> {
    let mut devices = devices_of(readings);
    if readings.len() > 1 {
        devices.retain(|device| members.iter().any(|member| includes(device, member)));
    }
    (readings.len() == 1 || devices.len() == 1).then_some(devices)
}

/// Returns true if `device` is the member, or the node that the member is a part of.
fn includes(device: &Device, member: &Device) -> bool {
    device.id == member.id
        || (device.part_of.is_none()
            && device.id.node_address().is_some()
            && device.id.node_address() == member.id.node_address())
}
