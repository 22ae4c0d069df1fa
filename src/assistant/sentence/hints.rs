//! Gives a small model hints about a sentence that was not understood: the only device that the sentence can
//! be about, and the calls from which the model may choose.

use super::call::DeviceCall;
use super::context::Context;
use super::element::{Element, Instruction, Property};
use super::house::KnownHouse;
use super::lexicon::WordList::{Conjunctions, OrderStarters, To, ToColor};
use super::lexicon::{LEXICONS, Lexicon};
use super::order::Order;
use super::pattern::{TokenSet, has, range};
use super::reader::Reader;
use super::target::Rest;
use super::tokens::{Sentence, Token};
use super::value::{OrderValue, values_at};
use crate::home::device::Device;
use crate::home::names::Resolved;
use crate::home::only;
use crate::home::published::PublishedDevice;

/// The device that a sentence is about, and the calls that the sentence may ask for.
#[derive(Debug)]
pub(in crate::assistant) struct Hints<'h> {
    pub device: &'h PublishedDevice,
    /// The phrase that names the device.
    pub said: Option<String>,
    /// The calls that may be meant. `None` if the sentence is a question.
    pub calls: Option<Vec<DeviceCall>>,
}

/// Returns the hints about a question, or about an order that is to be carried out at once. Of the devices
/// that the sentence may mean, exactly one must qualify. A device qualifies if it responds and, for an order,
/// may be given at least one call. `room` is where the sentence was said, if it is known. Returns `None` in all other
/// cases.
pub(in crate::assistant) fn hints<'h>(
    house: &'h KnownHouse,
    text: &str,
    room: Option<&str>,
) -> Option<Hints<'h>> {
    let sentence = Sentence::read(text)?;
    let context = Context::default();
    let readers = LEXICONS.iter().map(|lexicon| Reader::new(house, lexicon, &sentence, &context));
    // Reversed, because `max_by_key` returns the last of equals, and the first language is to win a tie.
    let reader = readers.rev().max_by_key(|reader| reader.familiar_words)?;
    let (tokens, lexicon) = (sentence.tokens.as_slice(), reader.lexicon);
    let mut spoken = Spoken::read(tokens, lexicon);
    let is_question = spoken.has_question || sentence.has_question_mark && !spoken.is_polite;
    if !is_question && (reader.excuse().is_some() || !spoken.has_order(tokens, lexicon)) {
        return None;
    }
    let orders = spoken.read_orders(tokens, lexicon);
    let rest = Rest {
        house,
        lexicon,
        tokens,
        asker: room.and_then(|room| house.room_of(room)),
        indices: &spoken.rest(tokens),
    };
    // Only `Open` and `Close` affect the search: "open the garage" finds its door. Hints ignore this, so `On`
    // stands for every action.
    let named = rest.find_to_control(&Order::default());
    let devices = match named.target {
        Resolved::Set(_) | Resolved::NoRoom | Resolved::Miss(_) => return None,
        target => target.devices(),
    };
    let hints_for = |device: &Device| {
        let facts = house.facts(device);
        let calls: Vec<DeviceCall> = orders
            .iter()
            .filter_map(|order| order.call(facts, device).ok())
            .filter_map(|call| call.check_unguarded(facts).ok())
            .collect();
        let calls = (!is_question).then_some(calls);
        let is_useful = calls.as_ref().is_none_or(|calls| !calls.is_empty());
        (facts.listed.responding && is_useful).then_some((facts, calls))
    };
    let (device, calls) = only(devices.into_iter().filter_map(hints_for))?;
    Some(Hints {
        device,
        said: named.said,
        calls,
    })
}

/// The words of a sentence that have a meaning, wherever they stand.
#[derive(Default)]
struct Spoken {
    /// True if there is a question phrase, and only filler and polite words come before it.
    has_question: bool,
    is_polite: bool,
    /// The commands at which the words hint.
    commands: Vec<Instruction>,
    /// The index of the first word for color in general, such as "hue".
    color_word_at: Option<usize>,
    /// Filler and polite words.
    fillers: TokenSet,
    /// All words that need not name anything in the house.
    used: TokenSet,
}

impl Spoken {
    fn read(tokens: &[Token], lexicon: &Lexicon) -> Self {
        let mut spoken = Self::default();
        for at in 0..tokens.len() {
            for (matched, element) in lexicon.elements.matches_at(tokens, at) {
                match element {
                    Element::QuestionPhrase(_) => {
                        spoken.has_question |= spoken.fillers == range(0, at);
                    }
                    Element::Polite | Element::Filler => {
                        spoken.is_polite |= element == Element::Polite;
                        spoken.fillers |= matched;
                    }
                    Element::Property(Property::Color) => {
                        spoken.color_word_at.get_or_insert(at);
                        spoken.used |= matched;
                    }
                    Element::Pronoun(_) | Element::Any => spoken.used |= matched,
                    _ => {}
                }
            }
            for (matched, command) in lexicon.hints.matches_at(tokens, at) {
                spoken.used |= matched;
                spoken.commands.push(command);
                if command == Instruction::Color {
                    spoken.color_word_at.get_or_insert(at);
                }
            }
            for list in [OrderStarters, Conjunctions, To, ToColor] {
                let length = lexicon.length_at(list, tokens, at).unwrap_or_default();
                spoken.used |= range(at, at + length);
            }
        }
        spoken.used |= spoken.fillers;
        spoken
    }

    /// Returns true if the sentence, or a part of it after a comma, begins like an order. Filler words before
    /// the order do not count.
    fn has_order(&self, tokens: &[Token], lexicon: &Lexicon) -> bool {
        let indices = 0..tokens.len();
        let words: Vec<usize> = indices.filter(|at| !has(self.fillers, *at)).collect();
        words
            .split(|at| tokens.get(*at).is_some_and(Token::is_break))
            .filter_map(|part| part.first())
            .any(|first| lexicon.has_at(OrderStarters, tokens, *first))
    }

    /// Marks the words of values as used. Returns the orders that may be meant:
    ///
    /// - If the only values are colors, an order for each ("make it red or blue").
    /// - If there is exactly one value, an order for that value ("put the lamp on 40 percent").
    /// - If there is a color word but no value, an order for each known color ("the color of the sea").
    /// - If there is no value and no color word, an order for each command that a word hints at.
    /// - In all other cases, no orders.
    fn read_orders(&mut self, tokens: &[Token], lexicon: &Lexicon) -> Vec<Order> {
        let mut values = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let longest = values_at(tokens, at, lexicon)
                .into_iter()
                .filter(|(_, said)| !said.is_part)
                .max_by_key(|(length, _)| *length);
            let length = longest.as_ref().map_or(0, |(length, _)| *length);
            values.extend(longest.map(|(_, said)| said.value));
            self.used |= range(at, at + length);
            at += length.max(1);
        }
        let (colors, others): (Vec<OrderValue>, Vec<OrderValue>) =
            values.into_iter().partition(|value| matches!(value, OrderValue::Color(_)));
        let order = |command, value| Order {
            command,
            value,
            ..Order::default()
        };
        let values = match (colors.as_slice(), others.as_slice(), self.color_word_at) {
            ([], [_], _) => others,
            ([_, ..], [], _) => colors,
            ([], [], Some(at)) => {
                // The words after the color word describe the color: "the color of the sea".
                self.used |= range(at, tokens.len());
                lexicon.table.colors.keys().cloned().map(OrderValue::Color).collect()
            }
            ([], [], None) => {
                return self.commands.iter().map(|command| order(Some(*command), None)).collect();
            }
            _ => Vec::new(),
        };
        values.into_iter().map(|value| order(None, Some(value))).collect()
    }

    /// Returns the indices of the tokens that must name something in the house.
    fn rest(&self, tokens: &[Token]) -> Vec<usize> {
        let is_used = |at: usize| has(self.used, at);
        // Also drops an article at the end or before a used word, because the article could be mistaken for
        // the end of a name such as "Lamp A".
        let is_stray_article = |at: usize| {
            let is_last = at + 1 == tokens.len() || is_used(at + 1);
            is_last && tokens.get(at).is_some_and(Token::is_article)
        };
        let indices = 0..tokens.len();
        indices.filter(|at| !is_used(*at) && !is_stray_article(*at)).collect()
    }
}
