//! Reads one clause in every possible way. Each way decides which words give an order or ask a question,
//! which words are a value, and which are fillers. The rest must name something in the house.

use super::element::{Element, Instruction, Pronoun, Property, QuestionForm, Sensed, State};
use super::lexicon::{Lexicon, WordList};
use super::pattern::{TokenSet, has, range};
use super::tokens::Token;
use super::value::{OrderValue, SaidValue, values_at};
use crate::home::language::{self, Topic, WordUse};

/// One way to read a clause.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Clause {
    pub command: Option<Instruction>,
    pub question_form: Option<QuestionForm>,
    /// True if "any" was said.
    pub asks_any: bool,
    /// True if "any" was said after a state. So "turn on any lamp" is no question.
    pub any_after_state: bool,
    pub state: Option<State>,
    pub property: Option<Property>,
    /// True if a question phrase implies the property: "how warm is it".
    pub asks_property: bool,
    pub sensed: Option<Sensed>,
    pub topic: Option<Topic>,
    /// True if "a little" was said.
    pub says_a_little: bool,
    pub pronoun: Option<Pronoun>,
    pub value: Option<SaidValue>,
    /// The indices of commas and of the tokens that must name something in the house. The indices ascend.
    pub rest: Vec<usize>,
    /// The tokens that have been read.
    read: TokenSet,
    /// The tokens of the command.
    command_tokens: TokenSet,
    /// True if the command has no verb: "lamp on".
    is_verbless: bool,
    /// True if nothing but fillers, polite words and "a little" comes before the command.
    is_command_first: bool,
    /// True if a polite word was said.
    is_polite: bool,
    /// True if the clause asks whether the order is possible: "can one turn on the lamp".
    pub asks_ability: bool,
    /// True if a word was said that occurs only in questions, such as "currently".
    has_question_words: bool,
    /// The index of the token after the last property.
    property_end: usize,
    /// The index of the token after the value.
    value_end: usize,
    /// The number of words in the question phrase.
    question_phrase_words: u32,
}

/// The maximum number of search steps for a clause. A clause that needs more is not understood.
const MAX_STEPS: usize = 4096;

/// Returns the ways to read a clause. Leaves out a way that splits a phrase, if another way reads the phrase as
/// a whole. Returns nothing if the search takes more than [`MAX_STEPS`].
pub(super) fn read_clause(tokens: &[Token], lexicon: &Lexicon) -> Vec<Clause> {
    let mut finished: Vec<Clause> = Vec::new();
    let mut unfinished = vec![Clause::default()];
    let mut steps = 0;
    while let Some(clause) = unfinished.pop() {
        steps += 1;
        if steps > MAX_STEPS {
            return Vec::new();
        }
        // The index of the first token that has not been read.
        let next = clause.read.trailing_ones() as usize;
        match tokens.get(next) {
            // Reversed, because `pop` takes the last one first.
            Some(_) => unfinished.extend(clause.read_at(next, tokens, lexicon).into_iter().rev()),
            None if finished.contains(&clause) => {}
            None => finished.push(clause),
        }
    }
    let is_beaten =
        |clause: &Clause| finished.iter().any(|other| other.has_longer_phrase_than(clause, tokens));
    finished.iter().filter(|clause| !is_beaten(clause)).cloned().collect()
}

/// Returns true if any of these tokens is a word other than an article or a short preposition.
pub(super) fn has_content(tokens: &[Token], indices: &[usize]) -> bool {
    indices
        .iter()
        .filter_map(|at| tokens.get(*at)?.word())
        .any(|word| !language::is_small_word(word))
}

/// Puts a value into a slot. Returns true if the slot was empty.
fn fill<T>(slot: &mut Option<T>, value: T) -> bool {
    slot.replace(value).is_none()
}

impl Clause {
    /// Returns every way to read the token at `at`, which is the first token that has not been read.
    fn read_at(&self, at: usize, tokens: &[Token], lexicon: &Lexicon) -> Vec<Self> {
        let this_token = range(at, at + 1);
        let Some(token) = tokens.get(at) else {
            return Vec::new();
        };
        if token.is_break() {
            // A comma may separate names, so it stays in the rest. A comma before the first name is dropped.
            let comma = (!self.rest.is_empty()).then_some(at);
            let rest = self.rest.iter().copied().chain(comma).collect();
            return vec![Self {
                rest,
                ..self.having_read(this_token)
            }];
        }
        let has_name = self.pronoun.is_some() || has_content(tokens, &self.rest);
        let mut readings = Vec::new();
        for (pattern, element) in lexicon.elements.find_by_first_word(token) {
            let comes_too_early = pattern.must_follow && !has_name;
            let comes_too_late = pattern.must_lead && !self.says_nothing();
            if comes_too_early || comes_too_late || !self.allows(*element) {
                continue;
            }
            for matched in pattern.matches(tokens, at, self.read) {
                let mut next = self.having_read(matched);
                next.is_polite |= pattern.is_polite;
                if next.add(*element, tokens, matched) {
                    // Patterns that must follow a name are particles, such as "on" in "lamp on".
                    next.is_verbless |=
                        matches!(element, Element::Instruction(_)) && pattern.must_follow;
                    readings.push(next);
                }
            }
        }
        if self.value.is_none() && !self.is_question() {
            for (length, value) in values_at(tokens, at, lexicon) {
                let matched = range(at, at + length);
                if self.read & matched == 0 {
                    // "Mets-la rouge", but not "allume la rouge", which may be another lamp.
                    let is_color_of_it = self.pronoun.is_some()
                        && self.command != Some(Instruction::On)
                        && matches!(value.value, OrderValue::Color(_));
                    let is_of_property = self.property.is_some() && self.property_end == at;
                    let value = SaidValue {
                        after_article: value.after_article && !is_color_of_it,
                        after_property: is_of_property || is_color_of_it,
                        after_name: has_name,
                        ..value
                    };
                    readings.push(Self {
                        value: Some(value),
                        value_end: at + length,
                        ..self.having_read(matched)
                    });
                }
            }
        }
        if token.may_name {
            let mut next = self.having_read(this_token);
            // In "position des volets", the word is no "some", but belongs to the property.
            let is_of_property = self.property.is_some()
                && self.property_end == at
                && token.word().is_some_and(|word| WordUse::Indefinite.has(word));
            if !is_of_property {
                next.rest.push(at);
            }
            readings.push(next);
        }
        readings
    }

    /// Returns a copy that has also read these tokens.
    fn having_read(&self, tokens: TokenSet) -> Self {
        Self {
            read: self.read | tokens,
            ..self.clone()
        }
    }

    /// Returns false if the element would mix an order with a question.
    fn allows(&self, element: Element) -> bool {
        match element {
            Element::Instruction(_) | Element::Little | Element::Ability => !self.is_question(),
            Element::QuestionPhrase(_)
            | Element::QuestionWord
            | Element::State(_)
            | Element::PropertyQuestion(_)
            | Element::Sensed(_)
            | Element::Topic(_) => !self.is_order(),
            _ => true,
        }
    }

    /// Adds an element that was read from the tokens in `matched`. Returns false if the clause already has an
    /// element of this kind. Fillers, polite words, question words and the same property may be repeated.
    fn add(&mut self, element: Element, tokens: &[Token], matched: TokenSet) -> bool {
        let start = matched.trailing_zeros() as usize;
        self.is_polite |= matches!(element, Element::Polite | Element::Ability);
        self.has_question_words |= element == Element::QuestionWord;
        match element {
            Element::Filler | Element::Polite | Element::QuestionWord => true,
            Element::Ability => !std::mem::replace(&mut self.asks_ability, true),
            Element::Any => {
                self.any_after_state = self.state.is_some();
                !std::mem::replace(&mut self.asks_any, true)
            }
            Element::Little => !std::mem::replace(&mut self.says_a_little, true),
            Element::Instruction(command) => {
                self.is_command_first = self.says_nothing();
                self.command_tokens = matched;
                fill(&mut self.command, command)
            }
            Element::QuestionPhrase(form) => {
                self.question_phrase_words = matched.count_ones();
                fill(&mut self.question_form, form)
            }
            Element::State(state) => fill(&mut self.state, state),
            Element::Topic(topic) => fill(&mut self.topic, topic),
            Element::Pronoun(pronoun) => fill(&mut self.pronoun, pronoun),
            Element::PropertyQuestion(property) => {
                self.asks_property = true;
                fill(&mut self.property, property)
            }
            Element::Property(property) => {
                self.drop_articles_before(start, tokens);
                self.property_end = (TokenSet::BITS - matched.leading_zeros()) as usize;
                *self.property.get_or_insert(property) == property
            }
            Element::Sensed(sensed) => {
                self.drop_articles_before(start, tokens);
                fill(&mut self.sensed, sensed)
            }
        }
    }

    /// Removes the articles directly before the token at `noun` from `rest`, because "the" in "the
    /// temperature" does not belong to a name.
    fn drop_articles_before(&mut self, noun: usize, tokens: &[Token]) {
        let articles =
            (0..noun).rev().take_while(|at| tokens.get(*at).is_some_and(Token::is_article));
        for article in articles {
            if self.rest.pop_if(|last| *last == article).is_none() {
                return;
            }
        }
    }

    /// Returns true if `self` has one long phrase where `other` has a shorter phrase and separate words.
    fn has_longer_phrase_than(&self, other: &Self, tokens: &[Token]) -> bool {
        // "Are there" is one phrase, not "are" and a separate "there".
        let has_longer_question = other.question_form.is_some()
            && self.question_phrase_words > other.question_phrase_words
            && self.rest == other.rest;
        // "Motion sensor" is one phrase, not "motion" and a name that contains "sensor".
        let has_longer_sensor = self.sensed.is_some()
            && (self.sensed, self.state) == (other.sensed, other.state)
            && (self.question_form, self.pronoun) == (other.question_form, other.pronoun)
            && self.rest.len() < other.rest.len()
            && self.rest.iter().all(|index| other.rest.contains(index));
        // In "schließ sie auf", the last word is a part of the verb, and not the end of a name.
        let has_longer_verb = other.rest.last().is_some_and(|last| {
            self.is_of_command(*last)
                && *last + 1 == self.read.trailing_ones() as usize
                && other.command_tokens != 0
                && self.command_tokens & other.command_tokens == other.command_tokens
        });
        // "A little" is one phrase, even if its words are small words that a name may have.
        let extra: Vec<usize> =
            other.rest.iter().filter(|at| !self.rest.contains(at)).copied().collect();
        let has_little = self.is_order()
            && self.says_a_little
            && !other.says_a_little
            && !extra.is_empty()
            && !has_content(tokens, &extra);
        has_longer_question || has_longer_sensor || has_longer_verb || has_little
    }

    /// Returns true if a command or a value was read.
    pub fn is_order(&self) -> bool {
        self.command.is_some() || self.value.is_some()
    }

    /// Returns true if a phrase was read that occurs only in questions.
    pub fn is_question(&self) -> bool {
        self.question_form.is_some()
            || self.state.is_some()
            || (self.asks_any && !self.is_order())
            || self.asks_property
            || self.sensed.is_some()
            || self.topic.is_some()
            || self.has_question_words
    }

    /// Returns true for a particle such as "up" in "up the lamp". The particle of an order without a verb comes after
    /// the name: "lamp up".
    pub fn has_early_particle(&self) -> bool {
        let command = self.command_tokens.trailing_zeros() as usize;
        self.is_verbless && self.rest.iter().any(|at| *at > command)
    }

    /// Returns true if the token at `at` belongs to the command, as "up" in "turn the fan up" does.
    pub fn is_of_command(&self, at: usize) -> bool {
        has(self.command_tokens, at)
    }

    /// Returns true if the name comes after the value: "um acht das Rollo hoch".
    pub fn has_early_value(&self) -> bool {
        self.rest.iter().any(|at| *at >= self.value_end)
    }

    /// Returns true if the clause is only a name or a pronoun.
    pub fn is_name_only(&self) -> bool {
        let says_more = self.is_order() || self.is_question() || self.property.is_some();
        !says_more && !self.says_a_little
    }

    /// Returns true for an order such as "lamp on", which has no verb, no value and no polite word. The same
    /// words with a question mark are a question.
    pub fn is_name_and_state(&self) -> bool {
        self.is_verbless && !self.is_polite && self.value.is_none()
    }

    /// Returns true for a statement: "the lamp's on", or a clause with names on both sides of the verb, such as
    /// "Anna turns off the light". Such a clause is still an order if one side begins with a location ("in the
    /// kitchen turn on the lamp"), or if a comma separates the first name from the verb.
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
        let begins_location = |at: &usize| lexicon.has_at(WordList::LocationStarters, tokens, *at);
        let begins_with_location = |part: &[usize]| part.first().is_some_and(begins_location);
        let is_break = |at: usize| tokens.get(at).is_some_and(Token::is_break);
        let ends_with_comma =
            before.last().is_some_and(|last| is_break(*last) || is_break(last + 1));
        !begins_with_location(&before) && !begins_with_location(&after) && !ends_with_comma
    }

    /// Returns true for an order such as "turn on the lamp", which begins with the verb and has no polite
    /// word. The same words with a question mark are not understood.
    pub fn is_imperative(&self) -> bool {
        self.is_command_first && !self.is_polite
    }

    /// Turns an order without a verb into a question about the state: "lamp on" into "lamp on?".
    pub fn to_state_question(&self) -> Self {
        let state = match self.command {
            Some(Instruction::On) => Some(State::On),
            Some(Instruction::Off) => Some(State::Off),
            Some(Instruction::Open) => Some(State::Open),
            Some(Instruction::Close) => Some(State::Closed),
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
