//! The words that were said, in every form in which names may have them.

use super::index::{Names, Room};
use super::joined::{Joined, kind_of_compound, parts_of_compound, split_apart};
use crate::home::device::Tag;
use crate::home::language::{self, MAX_PHRASE_WORDS};
use crate::home::phrase::Phrase;
use crate::home::word::{Marks, Word, marks_of};

/// One form of what was said: the words that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) words: Vec<Word>,
    /// The marks of all the words.
    pub(super) marks: Marks,
}

/// A room that was said by a single word of its name.
#[derive(Clone, Copy)]
pub(super) struct PartOfRoom<'a> {
    pub room: Room<'a>,
    /// The position of the word.
    pub at: usize,
    /// True if another room has the word too.
    pub shared: bool,
    /// True if a device's name has the word too.
    pub named: bool,
}

/// The maximum number of forms of one text.
const MAX_FORMS: usize = 8;

/// The maximum number of words: nobody calls a device by more.
const MAX_WORDS: usize = 24;

/// The maximum number of words that are said apart for one word of a name.
const MAX_JOINED: usize = 3;

impl Said {
    pub(super) fn of(words: Vec<Word>) -> Self {
        Self {
            marks: marks_of(&words),
            words,
        }
    }

    /// Returns every form of the words: as they were said, with words split that a name writes apart, and with
    /// words joined that a name writes as one ("living room", "livingroom").
    pub(super) fn forms(names: &Names, words: &[Word]) -> Vec<Self> {
        if words.len() > 2 * MAX_WORDS {
            return Vec::new();
        }
        let said = Self::of(counting_words(names, words));
        if said.words.len() > MAX_WORDS {
            return Vec::new();
        }
        let mut forms = vec![said.clone()];
        let words = said.words.iter().enumerate();
        for (at, word) in words.filter(|(_, word)| !names.has_word(word)) {
            let apart = split_apart(names, word).into_iter();
            let compound = parts_of_compound(names.vocabulary, word);
            let inflected =
                language::without_ending(word, names.spoken).filter(|stem| names.has_word(stem));
            let others = compound.into_iter().chain(inflected.map(|stem| vec![stem]));
            for apart in apart.chain(others) {
                // Earlier words may have been split too, so every form so far gets a variant.
                let more: Vec<Self> =
                    forms.iter().filter_map(|form| form.with_replaced(at, word, &apart)).collect();
                forms.extend(more);
                forms.truncate(MAX_FORMS);
            }
        }
        let runs = (2..=MAX_JOINED).flat_map(|length| {
            said.words.windows(length).enumerate().map(|(at, run)| Joined::new(at, run))
        });
        let runs: Vec<Joined> = runs.flatten().collect();
        let marks = runs.iter().fold(0, |all, run| all | run.marks());
        let phrases: Vec<&Phrase> =
            names.phrases().filter(|phrase| phrase.may_share(marks)).collect();
        for run in &runs {
            if let Some(joined) = run.find_in(&phrases) {
                let mut words = said.words.clone();
                words.splice(run.at..run.at + run.length, [joined.clone()]);
                forms.push(Self::of(words));
            }
        }
        forms.truncate(MAX_FORMS);
        // A word that is said twice may belong to a room and to a name. If not, it counts once.
        let once: Vec<Self> = forms.iter().map(Self::each_once).collect();
        let repeated: Vec<Self> = once.into_iter().filter(|once| !forms.contains(once)).collect();
        forms.extend(repeated);
        forms
    }

    /// Replaces a word by others. It is at this position, or after it if words before it were split.
    fn with_replaced(&self, near: usize, word: &Word, others: &[Word]) -> Option<Self> {
        let at = self.words.iter().skip(near).position(|own| own == word)? + near;
        let mut words = self.words.clone();
        words.splice(at..=at, others.iter().cloned());
        Some(Self::of(words))
    }

    pub(super) fn each_once(&self) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for word in &self.words {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        Self::of(words)
    }

    pub(super) fn slice(&self) -> Vec<&Word> {
        self.words.iter().collect()
    }

    /// Returns the tags that were said, each with its positions.
    pub(super) fn tags(&self) -> Vec<(Tag, Vec<usize>)> {
        let words = self.slice();
        let starts = 0..words.len();
        let found = starts.filter_map(|start| {
            let (tag, length) = Tag::read(words.get(start..)?)?;
            Some((tag, (start..start + length).collect()))
        });
        found.collect()
    }

    /// Returns the rooms that were said by their whole names, each with the positions of its words. If one is
    /// part of another's name, only the longer counts. A room that is called by a word for a kind is left
    /// out.
    pub(super) fn whole_rooms<'a>(&self, names: &Names<'a>) -> Vec<(Room<'a>, Vec<usize>)> {
        // "Garage door" is a kind, whatever room is called Garage, and so is "Garage Tor".
        let kinds = runs(&self.slice(), |run| {
            let kind = language::kind(run)
                .or_else(|| kind_of_compound(run))
                .filter(|_| run.len() > 1)?;
            names.has_kind(kind.category).then_some(())
        });
        let of_kind =
            |used: &[usize]| kinds.iter().any(|((), run)| used.iter().all(|at| run.contains(at)));
        let is_kind = |room: &Room| {
            let kind = language::kind(&room.words.collect_main_words());
            kind.is_some_and(|kind| names.has_kind(kind.category))
        };
        let mut rooms: Vec<(Room, Vec<usize>)> = Vec::new();
        for room in &names.rooms {
            let used = self.positions(room.words);
            let used = used.filter(|used| !of_kind(used) && !is_kind(room));
            rooms.extend(used.map(|used| (*room, self.with_small_words(room.words, used))));
        }
        let within = |one: &[usize], other: &[usize]| {
            one.len() < other.len() && one.iter().all(|at| other.contains(at))
        };
        let all = rooms.clone();
        rooms.retain(|(_, used)| !all.iter().any(|(_, other)| within(used, other)));
        rooms
    }

    /// Adds the positions of the phrase's small words. They were said too if they count in another name.
    fn with_small_words(&self, phrase: &Phrase, mut used: Vec<usize>) -> Vec<usize> {
        for small in phrase.small_words() {
            let place = self
                .words
                .iter()
                .enumerate()
                .find(|(at, word)| word.is(small) && !used.contains(at))
                .map(|(at, _)| at);
            used.extend(place);
        }
        used
    }

    /// Returns the rooms that were said by a single word. A number, a word for a kind and a word for a place
    /// say no room by themselves.
    pub(super) fn parts_of_rooms<'a>(&self, names: &Names<'a>) -> Vec<PartOfRoom<'a>> {
        let mut parts = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let tells_no_room = word.is_number()
                || language::place_languages(word) != 0
                || language::kind(&[word]).is_some();
            if tells_no_room {
                continue;
            }
            let rooms: Vec<&Room> = names.rooms_with(word).collect();
            let shared = rooms.len() > 1;
            let named = !rooms.is_empty() && names.is_in_a_name(word);
            parts.extend(rooms.into_iter().map(|room| PartOfRoom {
                room: *room,
                at,
                shared,
                named,
            }));
        }
        parts
    }

    /// Returns a position for each word of a phrase, all different. Returns `None` if a word is missing.
    pub(super) fn positions(&self, phrase: &Phrase) -> Option<Vec<usize>> {
        self.free_positions(phrase, &[])
    }

    /// Finds the words of a phrase at positions that are not taken.
    pub(super) fn free_positions(&self, phrase: &Phrase, taken: &[usize]) -> Option<Vec<usize>> {
        if !phrase.may_share(self.marks) {
            return None;
        }
        let mut used = Vec::new();
        for own in phrase.main_words() {
            let mut free = self
                .words
                .iter()
                .enumerate()
                .filter(|(at, _)| !used.contains(at) && !taken.contains(at));
            let (at, _) = free.find(|(_, word)| own.is(word) || own.is_possessive_of(word))?;
            used.push(at);
        }
        (!used.is_empty()).then_some(used)
    }

    /// Returns true if these are the words of a phrase, and no others.
    pub(super) fn is_only(&self, phrase: &Phrase) -> bool {
        let used = self.positions(phrase);
        used.is_some_and(|used| used.len() == self.words.len())
    }
}

/// Returns the result and the positions of every run that the look-up finds, the longest runs first.
pub(super) fn runs<T>(
    words: &[&Word],
    look_up: impl Fn(&[&Word]) -> Option<T>,
) -> Vec<(T, Vec<usize>)> {
    let lengths = (1..=MAX_PHRASE_WORDS).rev();
    let mut runs = Vec::new();
    for length in lengths {
        for (at, run) in words.windows(length).enumerate() {
            runs.extend(look_up(run).map(|found| (found, (at..at + length).collect())));
        }
    }
    runs
}

/// Returns the words at all positions but these.
pub(super) fn without<'w>(words: &[&'w Word], used: &[usize]) -> Vec<&'w Word> {
    words
        .iter()
        .enumerate()
        .filter(|(at, _)| !used.contains(at))
        .map(|(_, word)| *word)
        .collect()
}

/// Returns the words that count: all except articles and such, which count only as part of a name.
fn counting_words(names: &Names, words: &[Word]) -> Vec<Word> {
    let small = language::small_when_said(words, names.spoken);
    let counts = |(at, word): (usize, &Word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let neighbors = (before, words.get(at + 1));
        let is_small = small.get(at) == Some(&true);
        let mut phrases = names.phrases();
        !is_small || phrases.any(|phrase| counts_in(phrase, word, neighbors))
    };
    words
        .iter()
        .enumerate()
        .filter(|at| counts(*at))
        .map(|(_, word)| word.clone())
        .collect()
}

/// Returns true if a small word counts in a phrase, and has a neighbor there that it also had in what was said.
fn counts_in(phrase: &Phrase, word: &Word, neighbors: (Option<&Word>, Option<&Word>)) -> bool {
    let is_word = |own: &Word| own.is(word) || own.differs_by_possessive(word);
    if !phrase.may_share(word.marks()) || !phrase.main_words().any(is_word) {
        return false;
    }
    let all = phrase.all();
    let marks = |word: Option<&Word>| word.map_or(0, Word::marks);
    if all.len() > 1 && !phrase.may_share(marks(neighbors.0) | marks(neighbors.1)) {
        return false;
    }
    let same = |one: Option<&Word>, other: Option<&Word>| {
        one.zip(other).is_some_and(|(one, other)| one.is(other))
    };
    let mut places = all.iter().enumerate().filter(|(_, own)| is_word(own)).map(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        same(before, neighbors.0) || same(all.get(at + 1), neighbors.1)
    });
    all.len() == 1 || places.any(|has_neighbor| has_neighbor)
}
