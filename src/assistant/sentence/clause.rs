//! Parses one clause in every possible way. A parse splits it into the words of an order or a question, a
//! value, filler words, and the rest, which must name something in the house.

use super::element::{Command, Element, Pronoun, Property, QuestionForm, Sensed, State};
use super::lexicon::{Lexicon, WordList};
use super::pattern::{TokenSet, has, range};
use super::tokens::Token;
use super::value::{SaidValue, values_at};
use crate::home::language::{self, Topic};

/// One way to parse a clause.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parsed {
    pub command: Option<Command>,
    pub question_form: Option<QuestionForm>,
    /// True if "any" was said.
    pub asks_any: bool,
    pub state: Option<State>,
    pub property: Option<Property>,
    /// True if the question phrase implies the property: "how warm is it".
    pub asks_property: bool,
    pub sensed: Option<Sensed>,
    pub topic: Option<Topic>,
    /// True if "a little" was said.
    pub says_a_little: bool,
    pub pronoun: Option<Pronoun>,
    pub value: Option<SaidValue>,
    /// True if the command has no verb: "lamp on".
    is_verbless: bool,
    /// True if only filler words precede the command.
    is_verb_first: bool,
    /// The tokens of the command.
    command_tokens: TokenSet,
    /// True if a polite word was said.
    is_polite: bool,
    /// True if a property directly precedes the value.
    pub property_before_value: bool,
    /// The indices of the tokens that must name something in the house, in ascending order. May include
    /// commas.
    pub rest: Vec<usize>,
    /// True if there are words that occur only in questions.
    has_question_words: bool,
    /// The index after the last property.
    property_end: usize,
    /// The number of words in the question phrase.
    question_phrase_words: u32,
}

/// The maximum number of search steps for a clause. A clause that needs more is not understood.
const MAX_STEPS: usize = 4096;

struct Search<'s> {
    lexicon: &'s Lexicon,
    tokens: &'s [Token],
    /// True for each token that may belong to a name in the house.
    may_name: &'s [bool],
    found: Vec<Parsed>,
    steps: usize,
}

/// Returns the ways to parse a clause, except those that lose to a longer phrase. Returns nothing if the
/// search takes more than [`MAX_STEPS`].
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
    // Among parses with the same rest, the longest question phrase wins: "are there" wins over "are".
    let found = search.found;
    let has_longest_question_phrase = |one: &&Parsed| {
        found
            .iter()
            .filter(|other| other.rest == one.rest && other.question_form.is_some())
            .map(|other| other.question_phrase_words)
            .max()
            == Some(one.question_phrase_words)
    };
    let is_beaten = |one: &&Parsed| found.iter().any(|other| other.leaves_fewer_words_than(one));
    let is_kept = |one: &&Parsed| {
        (one.question_form.is_none() || has_longest_question_phrase(one)) && !is_beaten(one)
    };
    found.iter().filter(is_kept).cloned().collect()
}

impl Search<'_> {
    /// Finds the first free token, tries every way to parse it, and continues with the remaining tokens.
    fn take_next(&mut self, taken: TokenSet, parsed: Parsed) {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return;
        }
        let Some(at) = (0..self.tokens.len()).find(|at| !has(taken, *at)) else {
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
            // A comma may separate names. Before the first name it has no meaning.
            if !next.rest.is_empty() {
                next.rest.push(at);
            }
            self.take_next(taken | range(at, at + 1), next);
            return;
        }
        for (pattern, element) in self.lexicon.elements.find_by_first_word(token) {
            let has_name = parsed.pronoun.is_some() || has_content(self.tokens, &parsed.rest);
            let comes_too_early = pattern.must_follow && !has_name;
            let comes_too_late = pattern.must_lead && !parsed.says_nothing();
            if comes_too_early || comes_too_late {
                continue;
            }
            for matched in pattern.matches(self.tokens, at, taken) {
                let end = (TokenSet::BITS - matched.leading_zeros()) as usize;
                if let Some(mut next) = parsed.with(*element, self.tokens, at, end) {
                    if matches!(element, Element::QuestionPhrase(_)) {
                        next.question_phrase_words = matched.count_ones();
                    }
                    next.is_polite |= pattern.is_polite;
                    if matches!(element, Element::Command(_)) {
                        // Patterns that must follow a name are particles, such as "on" in "lamp on".
                        next.is_verbless = pattern.must_follow;
                        next.is_verb_first = parsed.says_nothing();
                        next.command_tokens = matched;
                    }
                    self.take_next(taken | matched, next);
                }
            }
        }
        for (length, value) in values_at(self.tokens, at, self.lexicon) {
            let matched = range(at, at + length);
            if parsed.value.is_none() && !parsed.is_question() && taken & matched == 0 {
                let next = Parsed {
                    value: Some(value),
                    property_before_value: parsed.property.is_some() && parsed.property_end == at,
                    ..parsed.clone()
                };
                self.take_next(taken | matched, next);
            }
        }
        if self.may_name.get(at) == Some(&true) {
            let mut next = parsed;
            next.rest.push(at);
            self.take_next(taken | range(at, at + 1), next);
        }
    }
}

/// Returns true if one of these tokens is a word other than an article or a short preposition.
pub(super) fn has_content(tokens: &[Token], indices: &[usize]) -> bool {
    indices
        .iter()
        .filter_map(|at| tokens.get(*at)?.word())
        .any(|word| !language::is_small_word(word))
}

impl Parsed {
    /// Returns this parse with one more element, which spans the tokens from `at` to `end`. Returns `None` if
    /// it does not fit the elements so far.
    fn with(&self, element: Element, tokens: &[Token], at: usize, end: usize) -> Option<Self> {
        let mut next = self.clone();
        let fits = match element {
            Element::Filler => true,
            Element::Polite => {
                next.is_polite = true;
                true
            }
            Element::Command(command) => {
                next.command.replace(command).is_none() && !self.is_question()
            }
            Element::QuestionPhrase(question_form) => {
                next.question_form.replace(question_form).is_none() && !self.is_order()
            }
            Element::State(state) => next.state.replace(state).is_none() && !self.is_order(),
            Element::Any => {
                next.asks_any = true;
                !self.asks_any && !self.is_order()
            }
            Element::Property(property) => {
                next.drop_articles(tokens, at);
                next.property_end = end;
                next.property.replace(property).is_none_or(|known| known == property)
            }
            Element::PropertyQuestion(property) => {
                next.asks_property = true;
                next.property.replace(property).is_none() && !self.is_order()
            }
            Element::Sensed(sensed) => {
                next.drop_articles(tokens, at);
                next.sensed.replace(sensed).is_none() && !self.is_order()
            }
            Element::Topic(topic) => next.topic.replace(topic).is_none() && !self.is_order(),
            Element::Little => {
                !std::mem::replace(&mut next.says_a_little, true) && !self.is_question()
            }
            Element::Pronoun(pronoun) => next.pronoun.replace(pronoun).is_none(),
            Element::QuestionWord => {
                next.has_question_words = true;
                !self.is_order()
            }
        };
        fits.then_some(next)
    }

    /// Returns true if both ask the same of a sensor, and this parse uses more of the words: "motion sensor"
    /// is one phrase, not "motion" and a name with "sensor".
    fn leaves_fewer_words_than(&self, other: &Self) -> bool {
        let question = |parsed: &Self| {
            (
                parsed.sensed,
                parsed.state,
                parsed.question_form,
                parsed.pronoun,
            )
        };
        self.sensed.is_some()
            && question(self) == question(other)
            && self.rest.len() < other.rest.len()
            && self.rest.iter().all(|index| other.rest.contains(index))
    }

    /// Removes the articles directly before the noun at this index from the rest: "the" in "the temperature"
    /// is not part of a name.
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
        self.command.is_some() || self.value.is_some()
    }

    pub fn is_question(&self) -> bool {
        self.question_form.is_some()
            || self.state.is_some()
            || self.asks_any
            || self.asks_property
            || self.sensed.is_some()
            || self.topic.is_some()
            || self.has_question_words
    }

    /// Returns true if the clause is only a name.
    pub fn is_name_only(&self) -> bool {
        let says_more = self.is_order() || self.is_question() || self.property.is_some();
        !says_more && !self.says_a_little && self.pronoun.is_none()
    }

    /// Returns true for an order without a verb, a value or a polite word, such as "lamp on". With a question
    /// mark, it is a question.
    pub fn is_bare(&self) -> bool {
        self.is_verbless && !self.is_polite && self.value.is_none()
    }

    /// Returns true for a statement, such as "Anna turns off the light" or "the lamp's on". With names on
    /// both sides of the verb, the clause is an order only if one side begins with a location ("in the
    /// kitchen turn on the lamp", "the lamp turn on in the kitchen"), or a comma ends the part before the
    /// verb.
    pub fn is_statement(&self, tokens: &[Token], lexicon: &Lexicon) -> bool {
        if self.command_tokens == 0 {
            return false;
        }
        let verb = self.command_tokens.trailing_zeros() as usize;
        if self.is_verbless {
            // "The lamp's on."
            let before = verb.checked_sub(1).and_then(|at| tokens.get(at));
            return before
                .is_some_and(|token| token.said.ends_with("'s") || token.said.ends_with("’s"));
        }
        let (before, after): (Vec<usize>, Vec<usize>) =
            self.rest.iter().partition(|at| **at < verb);
        if !has_content(tokens, &before) || !has_content(tokens, &after) {
            return false;
        }
        let begins_with_location = |part: &[usize]| {
            part.first()
                .is_some_and(|at| lexicon.has_at(WordList::LocationStarters, tokens, *at))
        };
        let ends_with_comma = before.last().is_some_and(|last| {
            let next = tokens.get(last + 1);
            tokens.get(*last).is_some_and(Token::is_break) || next.is_some_and(Token::is_break)
        });
        !begins_with_location(&before) && !begins_with_location(&after) && !ends_with_comma
    }

    /// Returns true for an order that starts with its verb and has no polite word. With a question mark, it
    /// is not understood.
    pub fn starts_with_verb(&self) -> bool {
        self.is_verb_first && !self.is_polite
    }

    /// Turns an order without a verb into a question about the state: "lamp on?".
    pub fn to_state_question(&self) -> Self {
        let state = match self.command {
            Some(Command::On) => Some(State::On),
            Some(Command::Off) => Some(State::Off),
            Some(Command::Open) => Some(State::Open),
            Some(Command::Close) => Some(State::Closed),
            _ => None,
        };
        Self {
            command: None,
            question_form: Some(QuestionForm::YesNo),
            state,
            ..self.clone()
        }
    }

    /// Returns true if there is no name, order, question, pronoun or property.
    pub fn says_nothing(&self) -> bool {
        !self.is_order()
            && !self.is_question()
            && self.rest.is_empty()
            && self.pronoun.is_none()
            && self.property.is_none()
    }
}
