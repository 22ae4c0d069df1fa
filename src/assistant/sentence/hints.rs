//! Finds hints in a sentence that is not understood: the one device that it is about, and the calls from
//! which a small model may choose.

use super::call::DeviceCall;
use super::context::Context;
use super::element::{Command, Element, Property};
use super::house::{DeviceFacts, KnownHouse};
use super::lexicon::{LEXICONS, Lexicon, WordList};
use super::order::Order;
use super::pattern::{Pattern, TokenSet, has, range};
use super::reader::Reader;
use super::target::{Named, Rest};
use super::tokens::{Sentence, Token};
use super::value::{Value, values_at};
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::only;

/// The device that a sentence is about, and the calls that it may ask for.
#[derive(Debug)]
pub(in crate::assistant) struct Hints<'h> {
    pub device: &'h DeviceFacts,
    /// The calls that may be meant, or `None` for a question.
    pub calls: Option<Vec<DeviceCall>>,
}

/// Returns the hints in a sentence. Returns `None` unless the sentence is a question or an order to carry out
/// at once, about exactly one device.
pub(in crate::assistant) fn hints<'h>(house: &'h KnownHouse, text: &str) -> Option<Hints<'h>> {
    let sentence = Sentence::read(text)?;
    let context = Context::default();
    let readers = LEXICONS.iter().map(|lexicon| Reader::new(house, lexicon, &sentence, &context));
    // `max_by_key` returns the last of equals. Reversed, the first language wins a tie.
    let reader = readers.rev().max_by_key(|reader| reader.familiar_words)?;
    let lexicon = reader.lexicon;
    let spoken = Spoken::read(&sentence.tokens, lexicon);
    let is_question = spoken.has_question || sentence.has_question_mark && !spoken.is_polite;
    if !is_question && (reader.excuse().is_some() || !spoken.has_order(&sentence.tokens, lexicon)) {
        return None;
    }
    let rest = Rest {
        house,
        lexicon,
        tokens: &sentence.tokens,
        indices: &spoken.rest,
    };
    // The action matters only for garages, so any action will do.
    let devices = match rest.find_to_control(Action::On, None) {
        Named::Devices(devices) | Named::OneOf(devices) | Named::Room(_, devices) => devices,
        Named::Set(_) | Named::Nothing => return None,
    };
    let hints_for = |device: &Device| {
        let facts = house.facts(device);
        let calls: Option<Vec<DeviceCall>> = (!is_question).then(|| {
            spoken
                .orders
                .iter()
                .filter_map(|order| order.call(facts, device, lexicon).ok())
                .filter_map(|call| call.check_unguarded(facts).ok())
                .collect()
        });
        let is_useful = calls.as_ref().is_none_or(|calls| !calls.is_empty());
        (facts.responding && is_useful).then_some(Hints {
            device: facts,
            calls,
        })
    };
    only(devices.into_iter().filter_map(hints_for))
}

/// What the words of a sentence hint at.
#[derive(Default)]
struct Spoken {
    has_question: bool,
    is_polite: bool,
    /// The orders that may be meant.
    orders: Vec<Order>,
    /// The commands that words hint at.
    commands: Vec<Command>,
    /// The index of the first word for color in general, such as "hue".
    color_word_at: Option<usize>,
    /// Filler and polite words.
    fillers: TokenSet,
    /// Words that have a meaning of their own, so they need not name anything in the house.
    used: TokenSet,
    /// The indices of the tokens that must name something in the house.
    rest: Vec<usize>,
}

impl Spoken {
    fn read(tokens: &[Token], lexicon: &Lexicon) -> Self {
        let mut spoken = Self::default();
        for (at, token) in tokens.iter().enumerate() {
            spoken.add_elements(tokens, at, token, lexicon);
            spoken.add_commands(tokens, at, token, lexicon);
            for list in [
                WordList::OrderStarters,
                WordList::Joins,
                WordList::To,
                WordList::ToColor,
            ] {
                let length = lexicon.length_at(list, tokens, at).unwrap_or_default();
                spoken.used |= range(at, at + length);
            }
        }
        spoken.used |= spoken.fillers;
        spoken.add_orders(tokens, lexicon);
        spoken.rest = spoken.find_rest(tokens);
        spoken
    }

    /// Adds the elements that begin with the token at `at`.
    fn add_elements(&mut self, tokens: &[Token], at: usize, token: &Token, lexicon: &Lexicon) {
        for (pattern, element) in lexicon.elements.find_by_first_word(token) {
            let matched = matched_tokens(pattern, tokens, at);
            if matched == 0 {
                continue;
            }
            let only_fillers_before = self.fillers == range(0, at);
            match element {
                Element::QuestionPhrase(_) if only_fillers_before => self.has_question = true,
                Element::Polite => {
                    self.is_polite = true;
                    self.fillers |= matched;
                }
                Element::Filler => self.fillers |= matched,
                Element::Pronoun(_) | Element::Any => self.used |= matched,
                Element::Property(Property::Color) => {
                    self.color_word_at.get_or_insert(at);
                    self.used |= matched;
                }
                _ => {}
            }
        }
    }

    /// Adds the commands that the token at `at` hints at.
    fn add_commands(&mut self, tokens: &[Token], at: usize, token: &Token, lexicon: &Lexicon) {
        for (pattern, command) in lexicon.hints.find_by_first_word(token) {
            let matched = matched_tokens(pattern, tokens, at);
            if matched == 0 {
                continue;
            }
            self.used |= matched;
            self.commands.push(*command);
            if *command == Command::Color {
                self.color_word_at.get_or_insert(at);
            }
        }
    }

    /// Adds the orders that may be meant: one for each color or the only amount in the sentence. Without
    /// these, adds one for each known color if there is a color word, or else one for each command.
    fn add_orders(&mut self, tokens: &[Token], lexicon: &Lexicon) {
        let (amounts, colors, value_tokens) = find_values(tokens, lexicon);
        self.used |= value_tokens;
        self.orders = match (amounts.as_slice(), colors.is_empty(), self.color_word_at) {
            ([], false, _) => orders_with(colors),
            ([], true, Some(at)) => {
                // The words after the color word describe the color: "the color of the sea".
                self.used |= range(at, tokens.len());
                let all = (0..lexicon.color_words.len()).map(Value::Color);
                orders_with(all.collect())
            }
            ([], true, None) => self
                .commands
                .iter()
                .map(|command| Order {
                    command: Some(*command),
                    ..Order::default()
                })
                .collect(),
            ([amount], true, None) => orders_with(vec![*amount]),
            _ => Vec::new(),
        };
    }

    /// Returns the indices of the tokens that must name something in the house.
    fn find_rest(&self, tokens: &[Token]) -> Vec<usize> {
        let is_used = |at: usize| has(self.used, at);
        // An article whose noun is used is dropped too: at the end of a name, it would count as a part of it.
        let is_stray_article = |at: usize| {
            let is_last = at + 1 == tokens.len() || is_used(at + 1);
            is_last && tokens.get(at).is_some_and(Token::is_article)
        };
        let indices = 0..tokens.len();
        indices.filter(|at| !is_used(*at) && !is_stray_article(*at)).collect()
    }

    /// Returns true if the sentence, or a part of it after a comma, begins like an order. Filler words do not
    /// count.
    fn has_order(&self, tokens: &[Token], lexicon: &Lexicon) -> bool {
        let is_filler = |at: usize| has(self.fillers, at);
        let begins_a_part = |at: &usize| {
            let before = (0..*at).rev().find(|before| !is_filler(*before));
            before.is_none_or(|before| tokens.get(before).is_some_and(Token::is_break))
        };
        (0..tokens.len())
            .filter(|at| !is_filler(*at))
            .filter(begins_a_part)
            .any(|at| lexicon.has_at(WordList::OrderStarters, tokens, at))
    }
}

/// Returns the tokens of all matches of a pattern at `at`.
fn matched_tokens(pattern: &Pattern, tokens: &[Token], at: usize) -> TokenSet {
    let matches = pattern.matches(tokens, at, 0);
    matches.into_iter().fold(0, |all, matched| all | matched)
}

/// Returns an order without a command for each value.
fn orders_with(values: Vec<Value>) -> Vec<Order> {
    values
        .into_iter()
        .map(|value| Order {
            value: Some(value),
            ..Order::default()
        })
        .collect()
}

/// Returns the values other than colors, the colors, and the tokens of all values. Ignores parts such as
/// "half".
fn find_values(tokens: &[Token], lexicon: &Lexicon) -> (Vec<Value>, Vec<Value>, TokenSet) {
    let (mut amounts, mut colors, mut value_tokens) = (Vec::new(), Vec::new(), 0);
    let mut at = 0;
    while at < tokens.len() {
        let longest = values_at(tokens, at, lexicon)
            .into_iter()
            .filter(|(_, said)| !said.is_part)
            .max_by_key(|(length, _)| *length);
        let Some((length, said)) = longest else {
            at += 1;
            continue;
        };
        match said.value {
            Value::Color(_) => colors.push(said.value),
            value => amounts.push(value),
        }
        value_tokens |= range(at, at + length);
        at += length;
    }
    (amounts, colors, value_tokens)
}
