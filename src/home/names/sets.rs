//! Sets: "all", "both", "everything" or a plural, perhaps with rooms, a count and exceptions.

use super::account::{Grade, Reading};
use super::except;
use super::index::{Names, Room};
use super::said::{Said, runs, without};
use super::vetoes::says_kind;
use super::{Members, Resolved, Set, add};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::language::{self, KindWord};
use crate::home::model::ids::NodeAddress;
use crate::home::phrase::Phrase;
use crate::home::word::{Word, words};

/// Returns the set that was asked for, or the question which devices are meant. Returns `None` if no set
/// was said.
pub(super) fn find_set<'a>(
    names: &Names<'a>,
    said: &[Word],
    text: &str,
    readings: &[Reading<'a>],
) -> Option<Resolved<'a>> {
    // A comma may join two rooms, and changes nothing elsewhere.
    let may_join = text.contains([',', ';']);
    let joined = text.contains(['&', '+']).then(|| words(&text.replace(['&', '+'], " and ")));
    let (said, excepted) = except::split(joined.as_deref().unwrap_or(said));
    // A word that a name has is a quantifier only if no reading takes it as a word of that name.
    let read = |is_own: &dyn Fn(&Word) -> bool| Request {
        may_join,
        ..Request::read(said, is_own)
    };
    let with_names = read(&|word| names.has_word(word));
    let has_reading = readings.iter().any(|reading| reading.grade <= Grade::Part);
    let quantified = || {
        let request = read(&|_| false);
        (!has_reading).then(|| resolve_request(names, &request)).flatten()
    };
    let mut set = resolve_request(names, &with_names).or_else(quantified)?;
    if let (Resolved::Set(set), Some(excepted)) = (&mut set, excepted) {
        let excepted = except::find_devices(names, excepted, &set.members);
        let Some(excepted) = excepted else {
            return Some(Resolved::Miss(Vec::new()));
        };
        let is_excepted =
            |member: &&Device| excepted.iter().any(|one| except::includes(one, member));
        set.members.retain(|member| !is_excepted(member));
    }
    Some(set)
}

/// The words that ask for a set. Those for its kind, its rooms and its names are in `rest`.
#[derive(Default)]
pub(super) struct Request {
    /// True if "all" or "every" was said.
    all: bool,
    everything: bool,
    /// True if no particular place was said: "in the house".
    everywhere: bool,
    /// True if only the speaker knows what is meant: "my room", "one of the lamps".
    unclear: bool,
    /// True if "both" was said, which means two.
    both: bool,
    /// The positions in `rest` at which "and" was said.
    joins: Vec<usize>,
    /// True if a comma was written.
    may_join: bool,
    rest: Vec<Word>,
}

impl Request {
    /// Separates the words that ask for a set from the rest. Words that `is_own` takes for part of a name go to
    /// the rest.
    pub(super) fn read(said: &[Word], is_own: &dyn Fn(&Word) -> bool) -> Self {
        let mut request = Self::default();
        let mut at = 0;
        while let Some(left @ [word, ..]) = said.get(at..) {
            let everywhere = language::everywhere_at(left);
            if let Some(length) = everywhere.filter(|length| *length > 1 || !is_own(word)) {
                request.everywhere = true;
                at += length;
                continue;
            }
            request.unclear |= language::unresolvable_at(left).is_some();
            at += 1;
            if language::is_join(word) && !is_own(word) {
                request.joins.push(request.rest.len());
            } else if language::is_everything(word) && !is_own(word) {
                request.everything = true;
            } else if language::is_all(word) && !is_own(word) {
                request.all = true;
            } else if language::is_both(word) && !is_own(word) {
                request.both = true;
            } else {
                request.rest.push(word.clone());
            }
        }
        request
    }

    /// Returns true if each "and" is between words and joins several rooms. Several rooms need an "and" or a
    /// comma.
    fn has_fitting_joins(&self, rooms: usize) -> bool {
        let between = |at: &usize| *at > 0 && *at < self.rest.len();
        match self.joins.as_slice() {
            [] => rooms < 2 || self.may_join,
            joins => rooms > 1 && joins.iter().all(between),
        }
    }

    fn is_quantified(&self) -> bool {
        self.all || self.both || self.everything || self.everywhere
    }
}

/// A set that may have been asked for.
struct Candidate<'a> {
    set: Set<'a>,
    /// True if it is not plain that these devices are meant.
    is_doubtful: bool,
}

impl Candidate<'_> {
    /// Returns true if it has as many members as were asked for, and nothing speaks against it.
    fn fits(&self) -> bool {
        !self.is_doubtful && self.set.is_of(self.set.members.len())
    }
}

/// Returns the set that a request asks for.
pub(super) fn resolve_request<'a>(names: &Names<'a>, request: &Request) -> Option<Resolved<'a>> {
    let mut sets: Vec<Candidate> = Vec::new();
    for said in Said::forms(names, &request.rest) {
        for candidate in candidates(names, request, &said) {
            if !sets.iter().any(|other| other.set.members == candidate.set.members) {
                sets.push(candidate);
            }
        }
    }
    // An empty set counts only if there is no other.
    if sets.iter().any(|one| !one.set.members.is_empty()) {
        sets.retain(|one| !one.set.members.is_empty());
    }
    if sets.iter().any(Candidate::fits) {
        sets.retain(Candidate::fits);
    }
    if request.unclear || sets.len() > 1 || sets.iter().any(|one| one.is_doubtful) {
        let mut all = Vec::new();
        for candidate in &sets {
            add(&mut all, candidate.set.members.iter().copied());
        }
        return (!sets.is_empty()).then_some(Resolved::Tie(all));
    }
    sets.pop().map(|candidate| Resolved::Set(candidate.set))
}

/// Returns the sets that one form of a request asks for. The longest phrase for a kind counts.
fn candidates<'a>(names: &Names<'a>, request: &Request, said: &Said) -> Vec<Candidate<'a>> {
    let rest = said.slice();
    // A room that is called by a word for a kind counts if nothing else is said.
    if request.everything && names.rooms.iter().any(|room| said.is_only(room.words)) {
        let set = make_set(names, request, Members::Everything, &rest, &[], None);
        return set.into_iter().collect();
    }
    let quantified = request.is_quantified();
    let kinds = runs(&rest, |run| {
        let one = || language::kind(run).filter(|_| quantified);
        let kind =
            language::plural_kind(run).filter(|kind| quantified || is_plainly_several(run, *kind));
        kind.or_else(one)
            .filter(|kind| quantified || kind.category != Category::Everything)
    });
    let longest = kinds.first().map_or(0, |(_, used)| used.len());
    let has_plural = kinds.iter().any(|(kind, _)| kind.plural);
    let rooms = said.whole_rooms(names);
    let mut sets = Vec::new();
    for (kind, used) in kinds {
        // "All door lights" are lights.
        if used.len() < longest || (has_plural && !kind.plural) {
            continue;
        }
        // A number may be a room's: "room 12 lights".
        let of_room = |at: usize| rooms.iter().any(|(_, used)| used.contains(&at));
        let count = count_before(&rest, used.first().copied())
            .filter(|(at, _)| kind.plural && !of_room(*at));
        let mut others = used.clone();
        others.extend(count.iter().map(|(at, _)| *at));
        let count = count.map(|(_, count)| count).or(request.both.then_some(2));
        let words = without(&rest, &others);
        // "Alles Licht" means all lights. In a house without lights, it is not a set.
        let counts =
            |one: &Candidate| kind.plural || !request.everything || !one.set.members.is_empty();
        let set = make_set(names, request, Members::Kind(kind), &words, &[], count);
        sets.extend(set.filter(counts));
    }
    if sets.is_empty() {
        sets.extend(sets_by_name(names, request, &rest));
    }
    if sets.is_empty() && (request.everything || request.all) {
        let only_place =
            |one: &Candidate| request.everything || one.set.room.is_some() || rest.is_empty();
        let set = make_set(names, request, Members::Everything, &rest, &[], None);
        sets.extend(set.filter(only_place));
    }
    sets
}

/// Returns true if a word means several, never one: "Schalter" alone means one.
fn is_plainly_several(run: &[&Word], kind: KindWord) -> bool {
    language::kind(run).is_some_and(|kind| kind.plural) && kind.plural
}

/// Returns the position and value of the number right before a kind: "two blinds".
fn count_before(words: &[&Word], kind: Option<usize>) -> Option<(usize, usize)> {
    let at = kind?.checked_sub(1)?;
    let count = words.get(at)?.text().parse().ok()?;
    (count > 1).then_some((at, count))
}

/// Returns the sets of devices whose names have the word for one, if the word for several was said.
fn sets_by_name<'a>(names: &Names<'a>, request: &Request, said: &[&Word]) -> Vec<Candidate<'a>> {
    let mut sets = Vec::new();
    for (at, word) in said.iter().enumerate() {
        for (kind, one) in language::plural_by_name(word, request.is_quantified()) {
            let one = words(&one);
            // A word that is in names itself is part of a name.
            let several = one.iter().any(|one| one.is(word)) || !names.has_word(word);
            if several && one.iter().all(|one| names.has_word(one)) {
                let one: Vec<&Word> = one.iter().collect();
                let kind = Members::Kind(kind);
                let others = without(said, &[at]);
                sets.extend(make_set(names, request, kind, &others, &one, None));
            }
        }
    }
    sets
}

/// Makes the set of a kind in the places and with the names that the other words say. Its members' names
/// have the `called` words. Returns `None` if the words say something else.
fn make_set<'a>(
    names: &Names<'a>,
    request: &Request,
    of: Members<'a>,
    others: &[&Word],
    called: &[&Word],
    count: Option<usize>,
) -> Option<Candidate<'a>> {
    let (scope, words) = Scope::read(names, others);
    if !request.has_fitting_joins(scope.count()) {
        return None;
    }
    let is_of_kind = |device: &Device| match of {
        Members::Kind(kind) => device.categories.has(kind.category),
        Members::Everything | Members::Channels(_) => device.categories.has(Category::Everything),
    };
    let says = |device: &Device| {
        let node = device.part_of.as_deref().map(|name| &name.words);
        let has = |word: &&Word| {
            device
                .name
                .words
                .main_words()
                .chain(node.into_iter().flat_map(Phrase::main_words))
                .any(|own| own.is(word) || own.is_possessive_of(word))
        };
        words.iter().chain(called).all(has)
    };
    let members = names
        .devices
        .iter()
        .copied()
        .filter(|device| is_of_kind(device) && scope.has(device) && says(device));
    let mut members = without_wholes(members.collect());
    if let Members::Kind(kind) = of
        && !kind.category.plural_means_all()
        && called.is_empty()
    {
        let is_called_so = |device: &&Device| says_kind(device, kind.category);
        let called_so: Vec<&Device> = members.iter().copied().filter(is_called_so).collect();
        if called_so.len() > 1 {
            members = called_so;
        }
    }
    // "Outside lights" does not plainly mean the one Outside Light.
    let is_plain = |device: &&Device| {
        let mut name_words = device.name.words.main_words();
        let said = || request.rest.iter().chain(others.iter().copied());
        let is_named = name_words.all(|own| said().any(|word| word.is(own)));
        is_named || (device.room.is_empty() && language::is_room(&words))
    };
    // More than were asked for are no reason to doubt: perhaps only so many can do the action.
    let too_few = count.is_some_and(|count| count > members.len());
    let is_doubtful =
        too_few || matches!(members.as_slice(), [one] if !words.is_empty() && !is_plain(one));
    let is_said = words.is_empty() && called.is_empty();
    (is_said || !members.is_empty()).then(|| Candidate {
        set: Set {
            of,
            room: scope.text(),
            count,
            members,
        },
        is_doubtful,
    })
}

/// Removes the power strips whose outlets are members too.
fn without_wholes(mut members: Vec<&Device>) -> Vec<&Device> {
    let places: Vec<NodeAddress> = members
        .iter()
        .filter(|device| device.part_of.is_some())
        .filter_map(|part| part.id.node_address())
        .collect();
    members.retain(|device| {
        let place = device.id.node_address();
        device.part_of.is_some() || !place.is_some_and(|place| places.contains(&place))
    });
    members
}

/// The places that a set is in; anywhere if there is no room.
struct Scope<'a> {
    rooms: Vec<Room<'a>>,
    /// The word that the rooms share. Devices elsewhere whose names have it are in the scope too.
    shared: Option<Word>,
}

impl<'a> Scope<'a> {
    /// Separates the places that words say from the other words.
    fn read<'w>(names: &Names<'a>, words: &[&'w Word]) -> (Self, Vec<&'w Word>) {
        let in_rooms = |rooms, used: &[usize], shared| {
            let scope = Self { rooms, shared };
            (scope, without(words, used))
        };
        let said = Said::of(words.iter().map(|word| (*word).clone()).collect());
        if let Some(room) = names.rooms.iter().find(|room| said.is_only(room.words)) {
            let all: Vec<usize> = (0..words.len()).collect();
            return in_rooms(vec![*room], &all, None);
        }
        let rooms = said.whole_rooms(names);
        if !rooms.is_empty() {
            let used: Vec<usize> = rooms.iter().flat_map(|(_, at)| at.clone()).collect();
            let rooms = rooms.into_iter().map(|(room, _)| room).collect();
            return in_rooms(rooms, &used, None);
        }
        let parts = said.parts_of_rooms(names);
        let shared = parts.iter().find(|part| part.shared);
        let Some(part) = shared.or_else(|| parts.iter().find(|part| !part.named)) else {
            return in_rooms(Vec::new(), &[], None);
        };
        let with_word = parts.iter().filter(|other| other.at == part.at);
        let word = words.get(part.at).filter(|_| part.shared);
        in_rooms(
            with_word.map(|part| part.room).collect(),
            &[part.at],
            word.map(|word| (*word).clone()),
        )
    }

    fn has(&self, device: &Device) -> bool {
        self.rooms.is_empty()
            || self.rooms.iter().any(|room| Names::is_in(device, room))
            || self.shared.as_ref().is_some_and(|word| device.name.words.has(word))
    }

    /// Returns the number of places that were said.
    fn count(&self) -> usize {
        match self.shared {
            Some(_) => 1,
            None => self.rooms.len(),
        }
    }

    fn text(&self) -> Option<String> {
        let texts: Vec<&str> = self.rooms.iter().map(|room| room.text).collect();
        (!texts.is_empty()).then(|| texts.join(" and "))
    }
}
