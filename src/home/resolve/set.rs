//! Step 3: a set that was plainly asked for.

use super::found::{Members, Resolved, Set, add};
use super::names::{Names, Room};
use super::said::{Utterance, without};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::language::{self, KindWord};
use crate::home::word::Word;
use crate::home::words::words;

/// The members of the set that the words ask for: "all", "everything" or the word for several of a
/// kind, perhaps a room or words that names have, and nothing else.
pub(super) fn members<'a>(names: &Names<'a>, readings: &[Utterance]) -> Option<Resolved<'a>> {
    let mut sets: Vec<Set> = Vec::new();
    for said in readings {
        for set in sets_said(names, said) {
            if !sets.iter().any(|known| known.members == set.members) {
                sets.push(set);
            }
        }
    }
    // A set of nothing says only what there is none of.
    if sets.iter().any(|set| !set.members.is_empty()) {
        sets.retain(|set| !set.members.is_empty());
    }
    if sets.len() < 2 {
        return sets.pop().map(Resolved::Set);
    }
    let mut all = Vec::new();
    for set in sets {
        add(&mut all, set.members);
    }
    Some(Resolved::Tie(all))
}

/// The sets that one way to take the words apart asks for. The longest phrase for a kind counts.
fn sets_said<'a>(names: &Names<'a>, said: &Utterance) -> Vec<Set<'a>> {
    let mut all = false;
    let mut everything = false;
    let mut rest: Vec<&Word> = Vec::new();
    for word in &said.words {
        if language::is_everything(word) {
            everything = true;
        } else if language::is_all(word) {
            all = true;
        } else {
            rest.push(word);
        }
    }
    if everything {
        return set(names, Members::Everything, &rest).into_iter().collect();
    }
    let kinds = Utterance::runs(&rest, |run| {
        let one = || language::kind(run).filter(|_| all);
        let kind = language::several(run).filter(|kind| all || is_said_for_several(run, *kind));
        kind.or_else(one)
            .filter(|kind| all || kind.category != Category::Everything)
    });
    let lengths = kinds.iter().map(|(_, used)| used.len());
    let longest = lengths.max().unwrap_or_default();
    let several = kinds.iter().any(|(kind, _)| kind.plural);
    let mut sets = Vec::new();
    for (kind, used) in kinds {
        // "All door lights" are lights.
        if used.len() < longest || (several && !kind.plural) {
            continue;
        }
        sets.extend(set(names, Members::Kind(kind), &without(&rest, &used)));
    }
    if sets.is_empty() {
        sets.extend(called_so(names, &rest, all));
    }
    let only_place = |set: &Set| set.room.is_some() || rest.is_empty();
    if all && sets.is_empty() {
        sets.extend(set(names, Members::Everything, &rest).filter(only_place));
    }
    sets
}

/// The sets of what is called by the word for one, where that for several is said.
fn called_so<'a>(names: &Names<'a>, said: &[&Word], all: bool) -> Vec<Set<'a>> {
    let mut sets = Vec::new();
    for (at, word) in said.iter().enumerate() {
        for (kind, one) in language::several_called_so(word, all) {
            let one = words(&one);
            // A word that names have themselves is a part of them.
            let several = one.iter().any(|one| one.is(word)) || !names.has_word(word);
            if several && one.iter().all(|one| names.has_word(one)) {
                let mut others = without(said, &[at]);
                others.extend(&one);
                sets.extend(set(names, Members::Kind(kind), &others));
            }
        }
    }
    sets
}

/// Whether a word that may mean several does mean them: "Schalter" alone is one.
fn is_said_for_several(run: &[&Word], kind: KindWord) -> bool {
    language::kind(run).is_some_and(|said| said.plural) && kind.plural
}

/// The set of a kind where the other words say; none where they say something else.
fn set<'a>(names: &Names<'a>, of: Members<'a>, others: &[&Word]) -> Option<Set<'a>> {
    let said = Utterance::of(others.iter().map(|word| (*word).clone()).collect());
    let alone = names.rooms.iter().find(|room| said.is_only(room.words));
    let rooms = match alone {
        Some(room) => vec![(*room, (0..said.words.len()).collect())],
        None => said.rooms(names),
    };
    let (room, used): (Option<Room>, Vec<usize>) = match rooms.as_slice() {
        [] => (None, Vec::new()),
        [(room, used)] => (Some(*room), used.clone()),
        _ => return None,
    };
    let words = said.without(&used);
    let is_of_kind = |device: &Device| match of {
        Members::Kind(kind) => device.categories.has(kind.category),
        Members::Everything | Members::Channels(_) => device.categories.has(Category::Everything),
    };
    let in_room = |device: &Device| room.is_none_or(|room| Names::is_in(device, &room));
    let says = |device: &Device| {
        let own = device.part_of.as_deref().map(|name| &name.words);
        words
            .iter()
            .all(|word| device.name.words.has(word) || own.is_some_and(|own| own.has(word)))
    };
    let members = names.devices.iter().copied();
    let mut members: Vec<&Device> = members
        .filter(|device| is_of_kind(device) && in_room(device) && says(device))
        .collect();
    // Its outlets stand for a strip, where they are meant too.
    let parts = members.iter().filter(|device| device.part_of.is_some());
    let places: Vec<_> = parts.filter_map(|part| part.id.place()).collect();
    members.retain(|device| {
        let stood_for = device
            .id
            .place()
            .is_some_and(|place| places.contains(&place));
        device.part_of.is_some() || !stood_for
    });
    // "Everything left off" and "all lights on the floor" mean no device that is called so in part.
    let of_all = match of {
        Members::Everything => true,
        Members::Kind(kind) => kind.category == Category::Everything,
        Members::Channels(_) => false,
    };
    let by_name = of_all && room.is_none() && !language::is_room(&words);
    let beside = !words.is_empty() && words.iter().all(|word| language::is_side(word));
    if let [one] = members.as_slice()
        && (by_name || beside)
        && !words.is_empty()
        && !said.is_only(&one.name.words)
    {
        return None;
    }
    (words.is_empty() || !members.is_empty()).then_some(Set {
        of,
        room: room.map(|room| room.text),
        members,
    })
}
