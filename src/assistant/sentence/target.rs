//! Finds the devices that the rest of a clause names.

use super::clause::has_content;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon, WordList};
use super::order::{KindWords, Order};
use super::tokens::Token;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language::{self, ALL_LANGUAGES, WordUse};
use crate::home::names::{Purpose, Resolved, SaidWords, resolve_words};
use crate::home::word::{Word, words};

/// The devices that an order is for.
pub(super) struct Named<'h> {
    pub target: Resolved<'h>,
    /// The phrase that names them. `None` if they were named earlier.
    pub said: Option<String>,
}

/// The tokens of a clause that must name something in the house.
#[derive(Clone, Copy)]
pub(super) struct Rest<'h, 't> {
    pub house: &'h KnownHouse,
    pub lexicon: &'t Lexicon,
    /// The room in which the sentence was said, if it is one of the house.
    pub asker: Option<&'h str>,
    /// All tokens of the clause.
    pub tokens: &'t [Token],
    /// The indices of the tokens that belong to the rest.
    pub indices: &'t [usize],
}

impl<'h> Named<'h> {
    /// Makes it from devices that were named earlier.
    pub fn earlier(devices: Vec<&'h Device>) -> Self {
        Self {
            target: Resolved::of_devices(devices),
            said: None,
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

    /// Returns true if the words say "here" or "this room", and that is a room of the house.
    pub fn says_here(&self) -> bool {
        self.asker.is_some() && WordUse::Here.is_within(&self.words(), self.lexicon.language)
    }

    fn word_at(&self, at: usize) -> Option<&Word> {
        self.tokens.get(at)?.word()
    }

    /// Returns the rest without the comma at its end, as in "the lights, turn them off". Returns `None` if no comma
    /// is there.
    pub fn without_last_comma(&self) -> Option<Self> {
        let (last, indices) = self.indices.split_last()?;
        let is_comma = self.tokens.get(*last).is_some_and(Token::is_break);
        is_comma.then_some(Self { indices, ..*self })
    }

    /// Returns true if the rest has no words except articles and short prepositions.
    pub fn is_empty(&self) -> bool {
        !has_content(self.tokens, self.indices)
    }

    /// Finds the devices to control. The kind that the order implies, such as lights for "brighter", is used only
    /// if no device is named: "set the color to red", "brighter in the kitchen".
    pub fn find_to_control(&self, order: &Order) -> Named<'h> {
        let purpose = Purpose::Control(order.action());
        let (kind, target) = self.find_with_kind(purpose, order.implied_kind());
        Named {
            target,
            said: Some(self.phrase(kind)),
        }
    }

    /// Finds the devices to control, and the word for the implied kind if that was needed.
    fn find_with_kind(
        &self,
        purpose: Purpose,
        kind: Option<KindWords>,
    ) -> (Option<&'static str>, Resolved<'h>) {
        let nothing = Resolved::Miss(Vec::new());
        if self.is_empty() {
            // After "lock the", a name was to come.
            let is_cut_off = self.indices.last().is_some_and(|last| last + 1 == self.tokens.len());
            let kind = kind.filter(|_| !is_cut_off).map(|(singular, _)| singular);
            let find = |kind| self.find_words(purpose, SaidWords::default(), Some(kind));
            return (kind, kind.map_or(nothing, find));
        }
        let words = self.words();
        // "All", "both", "right" or "except the lamp" alone names nothing.
        let is_quantifier = |word: &Word| language::is_all(word) || language::is_both(word);
        let is_unusable = self.says_a_time()
            || WordUse::Except.length_at(&words).is_some()
            || self.continues_with_another_order();
        if is_unusable {
            return (None, nothing);
        }
        let is_side = |word: &Word| language::means(&[word], WordUse::Sides);
        let says_too_little = || self.is_only(&is_quantifier) || self.is_only(&is_side);
        match (self.find(purpose, None), kind) {
            _ if self.has_repeated_word() => (None, nothing),
            // A device may have such a name.
            (Resolved::One(device), _) if self.has_full_name_of(device) => {
                (None, self.resolve_full_name(device))
            }
            _ if says_too_little() => (None, nothing),
            (Resolved::Room(room, devices), Some((singular, _))) => {
                match self.find(purpose, Some(singular)) {
                    Resolved::Room(..) | Resolved::Miss(_) => (None, Resolved::Room(room, devices)),
                    target => (Some(singular), target),
                }
            }
            (Resolved::Miss(_), Some((_, plural))) => match self.find(purpose, Some(plural)) {
                Resolved::Room(..) => (None, nothing),
                target => (Some(plural), target),
            },
            // "The lamp, the fan" may be a correction.
            (Resolved::Joined(_), _) if self.ends_with_a_comma() => (None, nothing),
            (target, _) => (None, target),
        }
    }

    /// Returns the words of the rest as they were said, after a word for the implied kind.
    pub fn phrase(&self, kind: Option<&str>) -> String {
        let said = self.tokens().map(|token| token.said.as_str());
        kind.into_iter().chain(said).collect::<Vec<&str>>().join(" ")
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
        let target = self.find(Purpose::Control(Action::On), None);
        let mut chosen = target.devices();
        chosen.retain(|device| offered.iter().any(|one| one.id == device.id));
        let is_unclear = matches!(target, Resolved::Tie(_) | Resolved::Room(..));
        if is_unclear && chosen.len() > 1 {
            chosen.clear();
        }
        chosen
    }

    /// Finds the devices that a question is about. Without words, the question is about everything: "Is the
    /// house empty?" If the words name nothing, tries again with "everything" in front of the words.
    pub fn find_asked(&self) -> Resolved<'h> {
        if self.is_empty() {
            return self.find_words(Purpose::Question, SaidWords::default(), Some("everything"));
        }
        self.find(Purpose::Question, None)
            .or_else(|| self.find(Purpose::Question, Some("everything")))
    }

    /// Resolves the words. `prefix` is an English word to put in front: a kind, "all" or "everything".
    pub fn find(&self, purpose: Purpose, prefix: Option<&str>) -> Resolved<'h> {
        let mut said = SaidWords::default();
        for at in self.indices {
            match self.word_at(*at) {
                Some(word) if !self.is_or(*at) => said.words.push(word.clone()),
                _ => said.breaks.push(said.words.len()),
            }
        }
        let target = self.find_words(purpose, said, prefix);
        // An order for one thing or another does not say which. A question is about both.
        match target {
            target if purpose == Purpose::Question => target,
            _ if !self.indices.iter().any(|at| self.is_or(*at)) => target,
            Resolved::Joined(_) => Resolved::Tie(target.devices()),
            _ => Resolved::Miss(Vec::new()),
        }
    }

    /// Returns true if the token `at` is "or", and no name in the house has this word.
    fn is_or(&self, at: usize) -> bool {
        self.lexicon.has_at(WordList::Alternatives, self.tokens, at)
            && self.word_at(at).is_some_and(|word| !self.house.names.vocabulary().has(word))
    }

    fn find_words(
        &self,
        purpose: Purpose,
        mut said: SaidWords,
        prefix: Option<&str>,
    ) -> Resolved<'h> {
        // The prefix stands in front, because the last word must stay last: if a word followed "Lamp A", the
        // "a" would be taken for an article.
        let prefix: Vec<Word> = prefix.into_iter().flat_map(words).collect();
        said.breaks.iter_mut().for_each(|at| *at += prefix.len());
        said.words.splice(0..0, prefix);
        let (names, language) = (&self.house.names, self.lexicon.language);
        resolve_words(names, said, purpose, language, self.asker)
    }

    /// Returns true if the last of the parts that are joined follows a comma without "and".
    fn ends_with_a_comma(&self) -> bool {
        let is_break = |at: &usize| self.tokens.get(*at).is_some_and(Token::is_break);
        let is_join = |at: &usize| is_break(at) || self.word_at(*at).is_some_and(language::is_join);
        self.indices.iter().rfind(|at| is_join(at)).is_some_and(is_break)
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

    /// Returns true if a name repeats a word: "the night light at night". Small words, numbers, words in room names
    /// and words that a name has twice may be repeated.
    fn has_repeated_word(&self) -> bool {
        let may_repeat = |word: &Word| {
            let is_twice_in = |device: &&Device| {
                device.name.words.all().iter().filter(|own| own.is(word)).count() > 1
            };
            let mut devices = self.house.names.devices().iter();
            language::is_small_word(word)
                || word.is_number()
                || devices.any(|device| device.room_words.has(word) || is_twice_in(&device))
        };
        let is_joint =
            |at: &usize| self.is_or(*at) || self.word_at(*at).is_none_or(language::is_join);
        self.indices.split(is_joint).any(|part| {
            let words: Vec<&Word> = part.iter().filter_map(|at| self.word_at(*at)).collect();
            words.iter().enumerate().any(|(at, word)| {
                let is_repeated = words.iter().skip(at + 1).any(|later| later.is(word));
                is_repeated && !may_repeat(word)
            })
        })
    }

    /// Returns true if another order without its verb is in the rest: "the lamp and on the fan". A room
    /// after "and" is not an order: "the lamp and on the porch".
    fn continues_with_another_order(&self) -> bool {
        let is_join = |at: usize| self.word_at(at).is_some_and(language::is_join);
        let is_joint = |at: usize| is_join(at) || self.tokens.get(at).is_some_and(Token::is_break);
        let is_in = |at| self.lexicon.has_at(WordList::LocationStarters, self.tokens, at);
        self.indices.iter().enumerate().any(|(position, at)| {
            let follows_and = at.checked_sub(1).is_some_and(is_join);
            let follows = |next: &usize| match next - at {
                // "Die Lampen im Bad an und im Flur" (aus).
                1 => self.may_begin_order(*at) && (is_joint(*next) || is_in(*next)),
                // "The lights on in the bath and" (off) "in the hall": the verb took the particle.
                _ => is_joint(*at) && self.may_begin_order(at + 1),
            };
            follows_and && self.may_begin_order(*at) && !self.is_room_from(position)
                || self.indices.get(position + 1).is_some_and(follows)
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
        let named = end.find(Purpose::Control(Action::On), None);
        matches!(named, Resolved::Room(..))
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

    /// Returns true for a plural without an article: "doors" in "are doors unlocked?"
    pub fn is_bare_plural(&self) -> bool {
        let words = self.words();
        let is_plural = |word: &Word| language::plural_kind(&[word], ALL_LANGUAGES).is_some();
        words.iter().any(is_plural) && !words.first().is_some_and(language::is_small_word)
    }

    /// Returns true if one of the words is a word for light in general, such as "light".
    pub fn mentions_light(&self) -> bool {
        self.tokens().any(|token| self.is_light_phrase(std::slice::from_ref(token)))
    }

    fn is_light_phrase(&self, tokens: &[Token]) -> bool {
        self.lexicon.is_all(WordList::LightInGeneral, tokens)
    }

    /// Returns true if all words of a device's name are said.
    pub fn has_full_name_of(&self, device: &Device) -> bool {
        let is_said =
            |word: &Word| self.has_word(|said| said.is(word) || word.is_possessive_of(said));
        device.names().any(|name| name.words.main_words().all(is_said))
    }

    /// Resolves the name of a device. If the name is only a word for light in general ("Licht an"), any of the
    /// lights may be meant.
    fn resolve_full_name(&self, device: &'h Device) -> Resolved<'h> {
        let content = self.tokens().filter(|token| !token.is_article()).cloned();
        let says_light = self.is_light_phrase(&content.collect::<Vec<Token>>());
        let lights = self.house.names.devices().iter();
        let lights: Vec<&Device> =
            lights.filter(|device| says_light && device.is_a(Category::Lights)).collect();
        if lights.len() > 1 {
            Resolved::Tie(lights)
        } else {
            Resolved::One(device)
        }
    }
}
