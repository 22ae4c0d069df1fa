//! Finds the devices that the rest of a clause names.

use super::clause::has_content;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon, WordList};
use super::order::KindWords;
use super::tokens::Token;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language;
use crate::home::names::{Members, Purpose, Resolved, Set, resolve_words};
use crate::home::word::{Word, words};

/// The devices that the rest of a clause names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Named<'h> {
    /// All of these devices.
    Devices(Vec<&'h Device>),
    /// A set, such as all lamps in a room.
    Set(Set<'h>),
    /// One of these devices, but it is unclear which.
    OneOf(Vec<&'h Device>),
    /// Only this room, with these devices.
    Room(String, Vec<&'h Device>),
    /// Nothing in the house.
    Nothing,
}

/// The tokens of a clause that must name something in the house.
#[derive(Clone, Copy)]
pub(super) struct Rest<'h, 't> {
    pub house: &'h KnownHouse,
    pub lexicon: &'t Lexicon,
    /// All tokens of the clause.
    pub tokens: &'t [Token],
    /// The indices of the tokens that belong to the rest.
    pub indices: &'t [usize],
}

impl Named<'_> {
    /// Returns the result of `alternative` if nothing is named, and `self` otherwise.
    pub fn or_else(self, alternative: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Nothing => alternative(),
            named => named,
        }
    }
}

impl<'h> Rest<'h, '_> {
    /// Returns the words of the rest, without signs.
    pub fn words(&self) -> Vec<Word> {
        self.tokens().filter_map(Token::word).cloned().collect()
    }

    fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.indices.iter().filter_map(|at| self.tokens.get(*at))
    }

    fn word_at(&self, at: usize) -> Option<&Word> {
        self.tokens.get(at)?.word()
    }

    /// Returns true if the rest has no words except articles and short prepositions.
    pub fn is_empty(&self) -> bool {
        !has_content(self.tokens, self.indices)
    }

    /// Finds the devices to control. `kind` is the kind that the order implies, such as lights for
    /// "brighter". It is used only if no device is named: "set the color to red", "brighter in the kitchen".
    pub fn find_to_control(&self, action: Action, kind: Option<KindWords>) -> Named<'h> {
        let purpose = Purpose::Control(action);
        if self.is_empty() {
            return kind.map_or(Named::Nothing, |(singular, _)| {
                self.find(purpose, &[], Some(singular))
            });
        }
        let words = self.words();
        // "All", "both", "right" or "except the lamp" alone names nothing.
        let is_quantifier = |word: &Word| language::is_all(word) || language::is_both(word);
        let is_unusable = self.says_a_time()
            || self.has_repeated_word()
            || self.is_only(&is_quantifier)
            || self.is_only(&language::is_side)
            || language::except_at(&words).is_some()
            || self.continues_with_another_order();
        if is_unusable {
            return Named::Nothing;
        }
        let find_with_kind = |kind: &str| match self.find(purpose, &words, Some(kind)) {
            Named::Room(..) => Named::Nothing,
            named => named,
        };
        match (self.find(purpose, &words, None), kind) {
            (Named::Room(room, devices), Some((singular, _))) => {
                find_with_kind(singular).or_else(|| Named::Room(room, devices))
            }
            (Named::Nothing, Some((_, plural))) => {
                find_with_kind(plural).or_else(|| self.find_joined(purpose))
            }
            (Named::Nothing, None) => self.find_joined(purpose),
            (Named::Devices(devices), _) if self.is_only_light() => self.resolve_light(devices),
            (named, _) => named,
        }
    }

    /// Returns the `offered` devices that the words choose as an answer to "Which one?". Returns no devices
    /// if the choice is unclear.
    pub fn choose(&self, offered: &[&'h Device]) -> Vec<&'h Device> {
        if self.is_empty() {
            return Vec::new();
        }
        if self.is_only(&language::is_all) || offered.len() == 2 && self.is_only(&language::is_both)
        {
            return offered.to_vec();
        }
        let is_offered = |named: &&Device| offered.iter().any(|device| device.id == named.id);
        let only_offered =
            |devices: Vec<&'h Device>| devices.into_iter().filter(is_offered).collect();
        match self.find(Purpose::Control(Action::On), &self.words(), None) {
            Named::Set(Set { members, .. }) | Named::Devices(members) => only_offered(members),
            Named::OneOf(devices) | Named::Room(_, devices) => {
                let chosen: Vec<&Device> = only_offered(devices);
                if chosen.len() == 1 {
                    chosen
                } else {
                    Vec::new()
                }
            }
            Named::Nothing => Vec::new(),
        }
    }

    /// Finds the devices that a question is about. Without words, the question is about everything: "Is the
    /// house empty?" If the words name nothing, tries again with "everything" in front of the words.
    pub fn find_asked(&self) -> Named<'h> {
        if self.is_empty() {
            return self.find(Purpose::Question, &[], Some("everything"));
        }
        self.find(Purpose::Question, &self.words(), None)
            .or_else(|| self.find_asked_with("everything"))
    }

    /// Finds the devices that a question is about, with "everything" or "all" in front of the words.
    pub fn find_asked_with(&self, prefix: &str) -> Named<'h> {
        self.find(Purpose::Question, &self.words(), Some(prefix))
    }

    /// Resolves the words. `prefix` is an English word to put in front: a kind, "all" or "everything".
    fn find(&self, purpose: Purpose, said: &[Word], prefix: Option<&str>) -> Named<'h> {
        // The prefix stands in front, because the last word must stay last: if a word followed "Lamp A", the
        // "a" would be taken for an article.
        let mut name: Vec<Word> = prefix.into_iter().flat_map(words).collect();
        name.extend(said.iter().cloned());
        match resolve_words(&self.house.names, &name, purpose, self.lexicon.language) {
            Resolved::One(device) => Named::Devices(vec![device]),
            Resolved::Set(set) => Named::Set(set),
            Resolved::Tie(devices) => Named::OneOf(devices),
            Resolved::Room(room, devices) => Named::Room(room, devices),
            Resolved::NoRoom | Resolved::Miss(_) => Named::Nothing,
        }
    }

    /// Resolves names joined by commas and "and", one by one.
    fn find_joined(&self, purpose: Purpose) -> Named<'h> {
        let is_break = |at: &usize| self.tokens.get(*at).is_some_and(Token::is_break);
        let is_join = |at: &usize| is_break(at) || self.word_at(*at).is_some_and(language::is_join);
        // The last join must be "and": "the lamp, the fan" may be a correction.
        let last_join = self.indices.iter().rfind(|at| is_join(at));
        let parts: Vec<Rest> = self
            .indices
            .split(is_join)
            .filter(|part| !part.is_empty())
            .map(|indices| Rest { indices, ..*self })
            .collect();
        if last_join.is_none_or(is_break) || parts.len() < 2 {
            return Named::Nothing;
        }
        let named_by_part: Vec<Named> =
            parts.iter().map(|part| part.find(purpose, &part.words(), None)).collect();
        // The rooms in the words of a part, such as "kitchen" in "the fan in the kitchen".
        let said_rooms: Vec<&str> = parts
            .iter()
            .zip(&named_by_part)
            .filter_map(|(part, named)| room_of(named).filter(|room| part.says_room(room)))
            .collect();
        let mut joined: Vec<&Device> = Vec::new();
        for (part, named) in parts.iter().zip(&named_by_part) {
            let devices = match named {
                Named::Devices(devices) => devices,
                Named::Set(set) if set.allows_count(set.members.len()) => &set.members,
                Named::Set(Set { members, .. }) | Named::OneOf(members) => {
                    return Named::OneOf(members.clone());
                }
                Named::Room(..) | Named::Nothing => return Named::Nothing,
            };
            // "The lamp and the fan in the kitchen" may mean the lamp in the kitchen. If the house has another
            // lamp that is just called "lamp", it is unclear which lamp is meant.
            for room in said_rooms.iter().filter(|room| !part.says_room(room)) {
                let with_room = [part.words(), words(room)].concat();
                if let Named::Devices(in_room) = part.find(purpose, &with_room, None)
                    && in_room != *devices
                {
                    return Named::OneOf([devices.clone(), in_room].concat());
                }
            }
            for device in devices {
                if joined.iter().all(|earlier| earlier.id != device.id) {
                    joined.push(device);
                }
            }
        }
        Named::Devices(joined)
    }

    /// Returns true if a number follows a word such as "in": "the lamp in ten" may mean ten minutes.
    fn says_a_time(&self) -> bool {
        let has_location_starter =
            |at| self.lexicon.has_at(WordList::LocationStarters, self.tokens, at);
        self.indices.iter().any(|at| {
            self.word_at(*at).is_some_and(Word::is_number)
                && at.checked_sub(1).is_some_and(has_location_starter)
        })
    }

    /// Returns true if a name repeats a word: "the night light at night". Small words, numbers and words
    /// in room names may be repeated.
    fn has_repeated_word(&self) -> bool {
        let is_of_room = |word: &Word| {
            self.house.names.devices().iter().any(|device| device.room_words.has(word))
        };
        let repeats_a_word = |words: &[Word]| {
            words.iter().enumerate().any(|(at, word)| {
                words.iter().skip(at + 1).any(|later| later.is(word))
                    && !language::is_small_word(word)
                    && !word.is_number()
                    && !is_of_room(word)
            })
        };
        self.words().split(language::is_join).any(repeats_a_word)
    }

    /// Returns true if "and" is followed by another order without its verb: "the lamp and on the fan". A room
    /// after "and" is not an order: "the lamp and on the porch".
    fn continues_with_another_order(&self) -> bool {
        let is_join = |at: usize| self.word_at(at).is_some_and(language::is_join);
        self.indices.iter().enumerate().any(|(position, at)| {
            let follows_and = at.checked_sub(1).is_some_and(is_join);
            follows_and && self.may_begin_order(*at) && !self.is_room_from(position)
        })
    }

    /// Returns true if an order without its verb ("on the fan") may begin at the token `at`, in this language
    /// or in English, which is understood in every house.
    fn may_begin_order(&self, at: usize) -> bool {
        let [english, ..] = &*LEXICONS;
        [english, self.lexicon].into_iter().any(|lexicon| {
            lexicon.has_particle_at(self.tokens, at)
                || lexicon.has_at(WordList::At, self.tokens, at)
        })
    }

    /// Returns true if the rest, from this position on, names only a room.
    fn is_room_from(&self, position: usize) -> bool {
        let end = Rest {
            indices: self.indices.get(position..).unwrap_or_default(),
            ..*self
        };
        let named = end.find(Purpose::Control(Action::On), &end.words(), None);
        matches!(named, Named::Room(..))
    }

    /// Returns true if there are words other than articles and short prepositions, and `predicate` holds for
    /// all of these words.
    fn is_only(&self, predicate: &dyn Fn(&Word) -> bool) -> bool {
        let words = self.words();
        let content_words = words.iter().filter(|word| !language::is_small_word(word));
        content_words.clone().all(predicate) && content_words.count() > 0
    }

    /// Returns true if `predicate` holds for any word.
    pub fn has_word(&self, predicate: impl Fn(&Word) -> bool) -> bool {
        self.words().iter().any(predicate)
    }

    /// Returns true if one of the words is a word for light in general, such as "light".
    pub fn mentions_light(&self) -> bool {
        self.tokens().any(|token| self.is_light_phrase(std::slice::from_ref(token)))
    }

    /// Returns true if the rest is only a word for light in general: "Licht an".
    fn is_only_light(&self) -> bool {
        let content: Vec<Token> =
            self.tokens().filter(|token| !token.is_article()).cloned().collect();
        self.is_light_phrase(&content)
    }

    fn is_light_phrase(&self, tokens: &[Token]) -> bool {
        self.lexicon.is_all(WordList::LightInGeneral, tokens)
    }

    /// Returns true if every word of a room's name is said.
    fn says_room(&self, room: &str) -> bool {
        words(room).iter().all(|word| self.has_word(|said| said.is(word)))
    }

    /// Returns true if all words of a device's name are said.
    pub fn has_full_name_of(&self, device: &Device) -> bool {
        let is_said =
            |word: &Word| self.has_word(|said| said.is(word) || word.is_possessive_of(said));
        device.names().any(|name| name.words.main_words().all(is_said))
    }

    /// Resolves a word for light in general that is also the name of these devices. If the house has several
    /// lights, any of the lights may be meant.
    fn resolve_light(&self, devices: Vec<&'h Device>) -> Named<'h> {
        let mut lights: Vec<&Device> = self.house.names.devices().iter().collect();
        lights.retain(|device| device.categories.has(Category::Lights));
        if lights.len() > 1 {
            Named::OneOf(lights)
        } else {
            Named::Devices(devices)
        }
    }
}

/// Returns the room of the named devices, if all of them are in one room.
fn room_of<'h>(named: &Named<'h>) -> Option<&'h str> {
    let devices = match named {
        Named::Devices(devices) => devices.as_slice(),
        Named::Set(set) => set.members.as_slice(),
        _ => return None,
    };
    let room = devices.first()?.room.as_str();
    let is_shared = devices.iter().all(|device| device.room == room);
    (is_shared && !room.is_empty()).then_some(room)
}

/// Returns true for the sets that may include a device such as a fridge by accident: everything, all switches
/// and all outlets. An order to switch off one of these sets leaves such devices on.
pub(super) fn spares_the_essential(set: &Set) -> bool {
    match set.of {
        Members::Everything => true,
        Members::Kind(kind) => matches!(kind.category, Category::Switches | Category::Outlets),
        Members::Channels(_) => false,
    }
}
