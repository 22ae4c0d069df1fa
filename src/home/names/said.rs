//! The words that were said, and all forms in which a name may have them.

use std::iter::once;
use std::rc::Rc;

use super::different;
use super::index::{Names, OtherWritings, Room};
use super::joined::{join_runs, kind_of_compound, parts_of_compound, split_apart};
use crate::device::Tag;
use crate::language::{self, MAX_PHRASE_WORDS, WordUse};
use crate::phrase::Phrase;
use crate::word::{Marks, Word, marks_of};

/// Positions among the words that were said, one bit each; the lowest bit is the first word.
pub(super) type Positions = u64;

/// One form of what was said: the words that count, at most as many as [`Positions`] has bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub words: Vec<Word>,
    /// The marks of all the words, which rule out most comparisons.
    pub marks: Marks,
}

/// The part of a room's name that was said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RoomPart {
    #[default]
    Nothing,
    /// All words of its name.
    Whole,
    /// All words of its name, but they may also belong to a kind ("garage" in "Garage Tor") or another name.
    /// The words mean the room only if the device's whole name or a tag is said as well.
    Ambiguous,
    /// A single word of its name.
    Word {
        /// True if another room has the word too.
        shared: bool,
        /// True if a device's name has the word too.
        named: bool,
    },
}

/// A room that was said.
#[derive(Clone, Copy)]
pub(super) struct RoomSaid<'a> {
    pub room: Room<'a>,
    pub part: RoomPart,
    /// The positions of the words that say the room.
    pub at: Positions,
}

/// The maximum number of forms of one text, not counting those that only drop repeated words.
const MAX_FORMS: usize = 8;

/// The maximum number of words that count: nobody calls a device by more.
const MAX_WORDS: usize = 24;

impl Said {
    pub(super) fn of(words: Vec<Word>) -> Self {
        Self {
            marks: marks_of(&words),
            words,
        }
    }

    /// Returns the words in every form in which names may have them: as they were said, split, joined
    /// ("livingroom") or without a case ending. Returns no form if there are too many words.
    pub(super) fn forms(names: &Names, words: &[Word]) -> Vec<Self> {
        let Some(said) = Self::counting(names, words) else {
            return Vec::new();
        };
        let mut forms = vec![said.clone()];
        for (at, word) in said.words.iter().enumerate() {
            for parts in other_writings(names, word).iter() {
                // Earlier words may have been split too, so every form so far gets a variant.
                let more: Vec<Self> =
                    forms.iter().filter_map(|form| form.with_replaced(at, word, parts)).collect();
                forms.extend(more);
                forms.truncate(MAX_FORMS);
            }
        }
        forms.extend(join_runs(names, &said.words).into_iter().map(Self::of));
        forms.truncate(MAX_FORMS);
        // A word that is said twice may belong to a room and to a name. If not, it counts once.
        let once: Vec<Self> = forms.iter().filter_map(|form| form.each_once(names)).collect();
        different(forms.into_iter().chain(once))
    }

    /// Returns the words that count as they were said; `None` if there are too many words.
    pub(super) fn counting(names: &Names, words: &[Word]) -> Option<Self> {
        // Among so many words, finding those that count would take long.
        let said = (words.len() <= 2 * MAX_WORDS).then(|| counting_words(names, words))?;
        (said.len() <= MAX_WORDS).then(|| Self::of(said))
    }

    /// Replaces a word with its parts. The word is at position `from`, or later if words before it were split.
    /// Returns `None` if the word is no longer there, or if there would be too many words.
    fn with_replaced(&self, from: usize, word: &Word, parts: &[Word]) -> Option<Self> {
        let at = self.words.iter().skip(from).position(|own| own == word)? + from;
        let mut words = self.words.clone();
        words.splice(at..=at, parts.iter().cloned());
        (words.len() <= Positions::BITS as usize).then(|| Self::of(words))
    }

    /// Drops each repeated word. A word that tells a room from others is only dropped if the whole room was said twice: in
    /// "left lamp in the left wing", each "left" counts. Returns `None` if nothing is dropped.
    fn each_once(&self, names: &Names) -> Option<Self> {
        let is_repeated =
            |word: &Word| self.words.iter().filter(|other| other.is(word)).count() > 1;
        let may_drop = |word: &Word| {
            let mut rooms = names.rooms_with(word).peekable();
            rooms.peek().is_none()
                || language::means(&[word], WordUse::Places)
                || rooms.any(|room| room.words.main_words().all(is_repeated))
        };
        let mut words: Vec<Word> = Vec::new();
        for word in &self.words {
            if !words.contains(word) || !may_drop(word) {
                words.push(word.clone());
            }
        }
        (words.len() < self.words.len()).then(|| Self::of(words))
    }

    pub(super) fn collect_words(&self) -> Vec<&Word> {
        self.words.iter().collect()
    }

    /// Returns the words at all positions but these.
    pub(super) fn without(&self, used: Positions) -> impl Iterator<Item = &Word> + Clone {
        let words = self.words.iter().enumerate();
        words.filter(move |(at, _)| used & (1 << at) == 0).map(|(_, word)| word)
    }

    /// Looks up every run of up to [`MAX_PHRASE_WORDS`] words. Returns each result with the positions of its run. The
    /// longest runs come first.
    pub(super) fn runs<T>(&self, look_up: impl Fn(&[&Word]) -> Option<T>) -> Vec<(T, Positions)> {
        let words = self.collect_words();
        let mut runs = Vec::new();
        for length in (1..=MAX_PHRASE_WORDS).rev() {
            for (at, run) in words.windows(length).enumerate() {
                runs.extend(look_up(run).map(|found| (found, run_at(at, length))));
            }
        }
        runs
    }

    /// Returns the tags that were said, each with its positions.
    pub(super) fn tags(&self) -> Vec<(Tag, Positions)> {
        let words = self.collect_words();
        let starts = 0..words.len();
        let found = starts.filter_map(|start| {
            let (tag, length) = Tag::read(words.get(start..)?)?;
            Some((tag, run_at(start, length)))
        });
        found.collect()
    }

    /// Returns the rooms that were said: those by their whole names, or else those by a single word.
    pub(super) fn rooms<'a>(&self, names: &Names<'a>) -> Vec<RoomSaid<'a>> {
        let whole = self.whole_rooms(names);
        if whole.is_empty() {
            self.parts_of_rooms(names)
        } else {
            whole
        }
    }

    /// Returns the rooms that were said by their whole names. If one room's name is part of another's, only the
    /// longer counts. A room whose name is a word for a kind is left out if the house has devices of that kind.
    pub(super) fn whole_rooms<'a>(&self, names: &Names<'a>) -> Vec<RoomSaid<'a>> {
        let found = names
            .rooms
            .iter()
            .filter_map(|room| Some((room, self.positions(room.words, 0)?)));
        let found: Vec<(&Room, Positions)> = found.collect();
        if found.is_empty() {
            return Vec::new();
        }
        // "Garage door" and "Garage Tor" are kinds, even if a room is called Garage.
        let kinds = self.runs(|run| {
            let several = Some(run).filter(|run| run.len() > 1)?;
            let kind =
                language::kind(several, names.languages).or_else(|| kind_of_compound(several))?;
            names.has_kind(kind.category).then_some(())
        });
        let is_of_kind = |at: Positions| kinds.iter().any(|((), run)| at & !run == 0);
        let is_kind = |room: &Room| {
            let kind = language::kind(&room.words.collect_main_words(), names.languages);
            kind.is_some_and(|kind| names.has_kind(kind.category))
        };
        let found = found.into_iter().filter(|(room, at)| !is_of_kind(*at) && !is_kind(room));
        let found = found.map(|(room, at)| RoomSaid {
            room: *room,
            part: RoomPart::Whole,
            at: self.with_small_words(room.words, at),
        });
        let mut rooms: Vec<RoomSaid> = found.collect();
        let all = rooms.clone();
        let is_within = |one: Positions, other: Positions| one != other && one & !other == 0;
        rooms.retain(|room| !all.iter().any(|other| is_within(room.at, other.at)));
        rooms
    }

    /// Adds the positions of the phrase's small words. `words` has a small word only if it counts in some name,
    /// which need not be this one.
    fn with_small_words(&self, phrase: &Phrase, used: Positions) -> Positions {
        phrase.small_words().fold(used, |used, small| {
            used | self.find(used, |word| word.is(small)).unwrap_or_default()
        })
    }

    /// Returns the rooms that were said by a single word. A number, a word for a kind and a word for a place
    /// say no room by themselves.
    pub(super) fn parts_of_rooms<'a>(&self, names: &Names<'a>) -> Vec<RoomSaid<'a>> {
        let mut parts = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let tells_no_room = word.is_number()
                || language::means(&[word], WordUse::Places)
                || language::kind(&[word], names.languages).is_some();
            if tells_no_room {
                continue;
            }
            let rooms: Vec<&Room> = names.rooms_with(word).collect();
            let part = RoomPart::Word {
                shared: rooms.len() > 1,
                named: !rooms.is_empty() && names.is_in_a_name(word),
            };
            parts.extend(rooms.into_iter().map(|room| RoomSaid {
                room: *room,
                part,
                at: 1 << at,
            }));
        }
        parts
    }

    /// Returns a position for each word of a phrase, all different and none of them taken. Returns `None` if a word is
    /// missing.
    pub(super) fn positions(&self, phrase: &Phrase, taken: Positions) -> Option<Positions> {
        if !phrase.may_share(self.marks) {
            return None;
        }
        let found = phrase.main_words().try_fold(0, |used, own| {
            Some(used | self.find(used | taken, |word| own.is_said_as(word))?)
        });
        found.filter(|used| *used != 0)
    }

    /// Returns the position of the first wanted word that is not at a taken position.
    fn find(&self, taken: Positions, is_wanted: impl Fn(&Word) -> bool) -> Option<Positions> {
        let mut words = self.words.iter().enumerate().map(|(at, word)| (1 << at, word));
        words.find(|(at, word)| taken & at == 0 && is_wanted(word)).map(|(at, _)| at)
    }

    /// Returns the rooms whose whole name was said without any other word.
    pub(super) fn rooms_alone<'a>(&self, names: &Names<'a>) -> impl Iterator<Item = Room<'a>> {
        names.rooms.iter().copied().filter(|room| {
            let used = self.positions(room.words, 0);
            used.is_some_and(|used| used.count_ones() as usize == self.words.len())
        })
    }
}

/// Returns the positions of `length` words, the first of them at `start`.
fn run_at(start: usize, length: usize) -> Positions {
    ((1 << length) - 1) << start
}

/// Returns the ways in which names may write a said word: split, or without a case ending.
fn other_writings(names: &Names, word: &Word) -> OtherWritings {
    if let Some(known) = names.other_writings.borrow().get(word) {
        return Rc::clone(known);
    }
    let writings: OtherWritings = if names.vocabulary.has(word) && !may_be_letters(names, word) {
        Rc::default()
    } else {
        let compound = parts_of_compound(names.vocabulary, word);
        // "Rollos" are several, and not what is the Rollo's.
        let is_plural = language::plural_kind(&[word], names.languages).is_some();
        let stem = language::without_ending(word, names.spoken)
            .filter(|stem| !is_plural && names.vocabulary.has(stem));
        let stem = stem.map(|stem| vec![stem]);
        split_apart(names, word).into_iter().chain(compound).chain(stem).collect()
    };
    names.other_writings.borrow_mut().insert(word.clone(), Rc::clone(&writings));
    writings
}

/// The maximum number of letters that a name writes apart, as in "a/c".
const MAX_LETTERS: usize = 3;

/// Returns true if a name may write a word as single letters: "ac" as "a/c".
fn may_be_letters(names: &Names, word: &Word) -> bool {
    let text = word.text();
    let is_short = (2..=MAX_LETTERS).contains(&text.chars().count());
    is_short
        && text.char_indices().all(|(at, letter)| {
            let letter = text.get(at..at + letter.len_utf8());
            letter.is_some_and(|letter| names.vocabulary.has_spelling(letter))
        })
}

/// Returns the words that count. Small words such as articles count only as part of a name.
fn counting_words(names: &Names, words: &[Word]) -> Vec<Word> {
    let small = language::small_when_said(words, names.languages | names.spoken);
    let counts = |at: usize, word: &Word| {
        let neighbors = (
            at.checked_sub(1).and_then(|at| words.get(at)),
            words.get(at + 1),
        );
        names.may_have(word) && {
            let found = names.devices_with(once(word));
            names.phrases(&found).any(|phrase| counts_in(phrase, word, neighbors))
        }
    };
    let words = words.iter().zip(small).enumerate();
    let counting = words.filter(|(at, (word, is_small))| !is_small || counts(*at, word));
    counting.map(|(_, (word, _))| word.clone()).collect()
}

/// Returns true if a small word counts in a phrase. `neighbors` are the words that were said before and after
/// it. One of them must stand on the same side of the word in the phrase, unless the phrase has no other word.
fn counts_in(phrase: &Phrase, word: &Word, neighbors: (Option<&Word>, Option<&Word>)) -> bool {
    let is_word = |own: &Word| own.is(word) || own.differs_by_possessive(word);
    if !phrase.may_share(word.marks()) || !phrase.main_words().any(is_word) {
        return false;
    }
    let is_same = |one: Option<&Word>, other: Option<&Word>| {
        one.zip(other).is_some_and(|(one, other)| one.is(other))
    };
    let all = phrase.all();
    let has_neighbor = |at: usize| {
        is_same(at.checked_sub(1).and_then(|at| all.get(at)), neighbors.0)
            || is_same(all.get(at + 1), neighbors.1)
    };
    let mut words = all.iter().enumerate();
    all.len() == 1 || words.any(|(at, own)| is_word(own) && has_neighbor(at))
}
