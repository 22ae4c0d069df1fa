//! Finds every way to take one clause apart into words of an order or a question, a value, filler words,
//! and the rest, which must name something in the house.

use super::element::{Ask, Deed, Element, Pronoun, Property, Sensed, State};
use super::lexicon::{Lexicon, WordList};
use super::pattern::{Places, range};
use super::tokens::Token;
use super::value::{SaidValue, values};
use crate::home::language::{self, Topic};

/// A way to take a clause apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parsed {
    pub deed: Option<Deed>,
    pub ask: Option<Ask>,
    pub any: bool,
    pub state: Option<State>,
    pub property: Option<Property>,
    /// True if the property was asked for by a phrase of its own: "how warm is it".
    pub asks_property: bool,
    pub sensed: Option<Sensed>,
    pub topic: Option<Topic>,
    /// "A little" was said.
    pub little: bool,
    pub pronoun: Option<Pronoun>,
    pub value: Option<SaidValue>,
    /// True if the order is said without a verb: "lamp on".
    bare: bool,
    /// True if the order begins with its verb.
    leads: bool,
    /// The places of the order's words.
    deed_places: Places,
    /// True if a polite word was said.
    polite: bool,
    /// A property stands right before the value.
    pub property_before_value: bool,
    /// The places of the words that must name something in the house, in their order.
    pub rest: Vec<usize>,
    /// True if words were said that belong only to questions.
    has_question_words: bool,
    /// The end of the last property.
    property_end: usize,
    /// The number of words that ask.
    ask_words: u32,
}

/// The maximum number of steps to take a clause apart. A clause that needs more is not understood.
const MAX_STEPS: usize = 4096;

struct Search<'s> {
    lexicon: &'s Lexicon,
    tokens: &'s [Token],
    /// True for each token that may belong to a name in the house.
    may_name: &'s [bool],
    found: Vec<Parsed>,
    steps: usize,
}

/// Returns every way to take tokens apart, or nothing if that takes too many steps.
pub(super) fn parse(tokens: &[Token], may_name: &[bool], lexicon: &Lexicon) -> Vec<Parsed> {
    let mut search = Search {
        lexicon,
        tokens,
        may_name,
        found: Vec::new(),
        steps: 0,
    };
    search.take_next(0, Parsed::default());
    if search.steps > MAX_STEPS {
        return Vec::new();
    }
    // Of ways with the same rest, the longest question phrase counts: "are there" is not "are".
    let found = search.found;
    let has_most_ask_words = |one: &&Parsed| {
        found
            .iter()
            .filter(|other| other.rest == one.rest && other.ask.is_some())
            .map(|other| other.ask_words)
            .max()
            == Some(one.ask_words)
    };
    let explains_least = |one: &&Parsed| found.iter().any(|other| other.senses_more_than(one));
    let is_kept =
        |one: &&Parsed| (one.ask.is_none() || has_most_ask_words(one)) && !explains_least(one);
    found.iter().filter(is_kept).cloned().collect()
}

impl Search<'_> {
    /// Takes the first free token in every possible way, and then the tokens after it.
    fn take_next(&mut self, taken: Places, parsed: Parsed) {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return;
        }
        let Some(at) = (0..self.tokens.len()).find(|at| taken & (1 << at) == 0) else {
            if !self.found.contains(&parsed) {
                self.found.push(parsed);
            }
            return;
        };
        let Some(token) = self.tokens.get(at) else {
            return;
        };
        if token.is_break() {
            let mut next = parsed;
            // A comma may stand between names; elsewhere it changes nothing.
            if !next.rest.is_empty() {
                next.rest.push(at);
            }
            self.take_next(taken | range(at, at + 1), next);
            return;
        }
        for (pattern, element) in self.lexicon.elements.find_by_first_word(token) {
            let content = parsed.pronoun.is_some() || has_content(self.tokens, &parsed.rest);
            let comes_too_early = pattern.follows && !content;
            let comes_too_late = pattern.leads && !parsed.says_nothing();
            if comes_too_early || comes_too_late {
                continue;
            }
            for places in pattern.places(self.tokens, at, taken) {
                let end = (64 - places.leading_zeros()) as usize;
                if let Some(mut next) = parsed.with(*element, self.tokens, at, end) {
                    if matches!(element, Element::Ask(_)) {
                        next.ask_words = places.count_ones();
                    }
                    let is_deed = next.deed != parsed.deed;
                    next.bare |= is_deed && pattern.follows;
                    next.leads |= is_deed && parsed.says_nothing();
                    next.polite |= pattern.polite;
                    if is_deed {
                        next.deed_places = places;
                    }
                    self.take_next(taken | places, next);
                }
            }
        }
        for (length, value) in values(self.tokens, at, self.lexicon) {
            let places = range(at, at + length);
            if parsed.value.is_none() && !parsed.is_question() && taken & places == 0 {
                let next = Parsed {
                    value: Some(value),
                    property_before_value: parsed.property.is_some() && parsed.property_end == at,
                    ..parsed.clone()
                };
                self.take_next(taken | places, next);
            }
        }
        if self.may_name.get(at) == Some(&true) {
            let mut next = parsed;
            next.rest.push(at);
            self.take_next(taken | range(at, at + 1), next);
        }
    }
}

/// Returns true if one of these tokens is more than a small word: an article or a short preposition.
pub(super) fn has_content(tokens: &[Token], places: &[usize]) -> bool {
    places
        .iter()
        .filter_map(|at| tokens.get(*at)?.word())
        .any(|word| !language::is_article(word))
}

impl Parsed {
    /// Adds one more element. Returns `None` if it does not fit the others.
    fn with(&self, element: Element, tokens: &[Token], at: usize, end: usize) -> Option<Self> {
        let mut next = self.clone();
        let fits = match element {
            Element::Filler => true,
            Element::Polite => {
                next.polite = true;
                true
            }
            Element::Deed(deed) => next.deed.replace(deed).is_none() && !self.is_question(),
            Element::Ask(ask) => next.ask.replace(ask).is_none() && !self.is_order(),
            Element::State(state) => next.state.replace(state).is_none() && !self.is_order(),
            Element::Any => {
                next.any = true;
                !self.any && !self.is_order()
            }
            Element::Property(property) => {
                next.drop_articles(tokens, at);
                next.property_end = end;
                next.property.replace(property).is_none_or(|known| known == property)
            }
            Element::Asked(property) => {
                next.asks_property = true;
                next.property.replace(property).is_none() && !self.is_order()
            }
            Element::Sensed(sensed) => {
                next.drop_articles(tokens, at);
                next.sensed.replace(sensed).is_none() && !self.is_order()
            }
            Element::Topic(topic) => next.topic.replace(topic).is_none() && !self.is_order(),
            Element::Little => !std::mem::replace(&mut next.little, true) && !self.is_question(),
            Element::Pronoun(pronoun) => next.pronoun.replace(pronoun).is_none(),
            Element::Asking => {
                next.has_question_words = true;
                !self.is_order()
            }
        };
        fits.then_some(next)
    }

    /// Returns true if both ask a sensor for the same, and this one leaves fewer words over: "motion sensor" is
    /// one thing, not "motion" and a name with "sensor".
    fn senses_more_than(&self, other: &Self) -> bool {
        let question = |parsed: &Self| (parsed.sensed, parsed.state, parsed.ask, parsed.pronoun);
        self.sensed.is_some()
            && question(self) == question(other)
            && self.rest.len() < other.rest.len()
            && self.rest.iter().all(|place| other.rest.contains(place))
    }

    /// Drops the articles of a word for a property or a sensor: "the" in "the temperature" is no part of a
    /// name.
    fn drop_articles(&mut self, tokens: &[Token], noun: usize) {
        let mut before = noun;
        while let Some(last) = self.rest.last()
            && last + 1 == before
            && tokens.get(*last).is_some_and(Token::is_article)
        {
            before = *last;
            self.rest.pop();
        }
    }

    pub fn is_order(&self) -> bool {
        self.deed.is_some() || self.value.is_some()
    }

    pub fn is_question(&self) -> bool {
        self.ask.is_some()
            || self.state.is_some()
            || self.any
            || self.asks_property
            || self.sensed.is_some()
            || self.topic.is_some()
            || self.has_question_words
    }

    /// Returns true if only a name is said.
    pub fn is_name_only(&self) -> bool {
        let says_more = self.is_order() || self.is_question() || self.property.is_some();
        !says_more && !self.little && self.pronoun.is_none()
    }

    /// Returns true for an order without a verb, a value or a polite word: with a question mark, it is a
    /// question.
    pub fn is_bare(&self) -> bool {
        self.bare && !self.polite && self.value.is_none()
    }

    /// Returns true for a statement about who does something: "Anna macht das Licht aus". In an order, nothing
    /// but a location comes before the verb ("in the kitchen turn on the lamp"), or what comes after it is a
    /// location ("the lamp turn on in the kitchen").
    pub fn is_statement(&self, tokens: &[Token], lexicon: &Lexicon) -> bool {
        let verb = self.deed_places.trailing_zeros() as usize;
        if self.deed_places == 0 {
            return false;
        }
        if self.bare {
            // "The lamp's on."
            let before = verb.checked_sub(1).and_then(|at| tokens.get(at));
            return before
                .is_some_and(|token| token.said.ends_with("'s") || token.said.ends_with("’s"));
        }
        let (before, after): (Vec<usize>, Vec<usize>) =
            self.rest.iter().partition(|at| **at < verb);
        let begins_with_a_place = |part: &[usize]| {
            part.first().is_some_and(|at| lexicon.has_at(WordList::Places, tokens, *at))
        };
        let ends_with_a_break = before.last().is_some_and(|last| {
            let next = tokens.get(last + 1);
            tokens.get(*last).is_some_and(Token::is_break) || next.is_some_and(Token::is_break)
        });
        has_content(tokens, &before)
            && has_content(tokens, &after)
            && !begins_with_a_place(&before)
            && !begins_with_a_place(&after)
            && !ends_with_a_break
    }

    /// Returns true for an order that begins with its verb and has no polite word: with a question mark, it
    /// is unclear.
    pub fn begins_with_a_verb(&self) -> bool {
        self.leads && !self.polite
    }

    /// Turns an order without a verb into a question about the state: "lamp on?".
    pub fn to_state_question(&self) -> Self {
        let state = match self.deed {
            Some(Deed::On) => Some(State::On),
            Some(Deed::Off) => Some(State::Off),
            Some(Deed::Open) => Some(State::Open),
            Some(Deed::Close) => Some(State::Closed),
            _ => None,
        };
        Self {
            deed: None,
            ask: Some(Ask::YesNo),
            state,
            ..self.clone()
        }
    }

    /// Returns true while only filler words were said.
    pub fn says_nothing(&self) -> bool {
        !self.is_order()
            && !self.is_question()
            && self.rest.is_empty()
            && self.pronoun.is_none()
            && self.property.is_none()
    }
}
