//! Finds hints in a sentence that is not understood: one device, and calls from which a small model may choose.

use super::call::DeviceCall;
use super::context::Context;
use super::element::{Deed, Element, Property};
use super::house::{DeviceFacts, KnownHouse};
use super::lexicon::{LEXICONS, Lexicon, WordList};
use super::order::Wish;
use super::pattern::{Pattern, Places, range};
use super::reader::Reader;
use super::target::{Named, Rest};
use super::tokens::{Sentence, Token};
use super::value::{Value, values};
use crate::home::device::Device;
use crate::home::intent::Action;

/// The device and the calls that a sentence speaks of.
#[derive(Debug)]
pub(in crate::assistant) struct Hints<'h> {
    pub device: &'h DeviceFacts,
    /// The calls that may be meant. `None` if the sentence only asks.
    pub calls: Option<Vec<DeviceCall>>,
}

/// Returns the device that a sentence speaks of, and the calls that may be meant. Returns `None` unless the
/// sentence is about exactly one device, and is a question or an order for now.
pub(in crate::assistant) fn hints<'h>(house: &'h KnownHouse, text: &str) -> Option<Hints<'h>> {
    let sentence = Sentence::read(text)?;
    let context = Context::default();
    let readers = LEXICONS.iter().map(|lexicon| Reader::new(house, lexicon, &sentence, &context));
    // On a tie the first language wins: `max_by_key` takes the last of equals.
    let reader = readers.rev().max_by_key(|reader| reader.familiar_words)?;
    let lexicon = reader.lexicon;
    let spoken = Spoken::read(&sentence.tokens, lexicon);
    let asks = spoken.asks || sentence.asks && !spoken.polite;
    if !asks && (reader.excuse().is_some() || !spoken.has_order(&sentence.tokens, lexicon)) {
        return None;
    }
    let rest = Rest {
        house,
        lexicon,
        tokens: &sentence.tokens,
        places: &spoken.others,
    };
    let devices = match rest.find_to_control(Action::On, None) {
        Named::Devices(devices) | Named::OneOf(devices) | Named::Room(_, devices) => devices,
        Named::Set(_) | Named::Nothing => return None,
    };
    let hints_for = |device: &Device| {
        let facts = house.facts(device);
        let calls: Option<Vec<DeviceCall>> = (!asks).then(|| {
            spoken
                .wishes
                .iter()
                .filter_map(|wish| wish.call(facts, device, lexicon).ok())
                .filter_map(|call| call.check_unguarded(facts).ok())
                .collect()
        });
        let is_choice = calls.as_ref().is_none_or(|calls| !calls.is_empty());
        (facts.responding && is_choice).then_some(Hints {
            device: facts,
            calls,
        })
    };
    let mut hints = devices.into_iter().filter_map(hints_for);
    hints.next().filter(|_| hints.next().is_none())
}

/// The words of a sentence, by what they speak of.
#[derive(Default)]
struct Spoken {
    asks: bool,
    polite: bool,
    wishes: Vec<Wish>,
    /// The places of filler and polite words.
    idle: Places,
    /// The places of the words that must name something in the house.
    others: Vec<usize>,
}

impl Spoken {
    fn read(tokens: &[Token], lexicon: &Lexicon) -> Self {
        let mut spoken = Self::default();
        let mut deeds: Vec<Deed> = Vec::new();
        let mut used: Places = 0;
        let mut speaks_of_color = None;
        for (at, token) in tokens.iter().enumerate() {
            for (pattern, element) in lexicon.elements.find_by_first_word(token) {
                let all = all_places(pattern, tokens, at);
                if all == 0 {
                    continue;
                }
                match element {
                    Element::Ask(_) if spoken.idle == range(0, at) => spoken.asks = true,
                    Element::Polite => {
                        spoken.polite = true;
                        spoken.idle |= all;
                    }
                    Element::Filler => spoken.idle |= all,
                    Element::Pronoun(_) | Element::Any => used |= all,
                    Element::Property(Property::Color) => {
                        speaks_of_color.get_or_insert(at);
                        used |= all;
                    }
                    _ => {}
                }
            }
            for (pattern, deed) in lexicon.hints.find_by_first_word(token) {
                let all = all_places(pattern, tokens, at);
                used |= all;
                if all != 0 {
                    deeds.push(*deed);
                    if *deed == Deed::Color {
                        speaks_of_color.get_or_insert(at);
                    }
                }
            }
            for list in [
                WordList::Urge,
                WordList::Joins,
                WordList::To,
                WordList::ToColor,
            ] {
                let length = lexicon.length_at(list, tokens, at).unwrap_or_default();
                used |= range(at, at + length);
            }
        }
        let (amounts, colors, values) = find_values(tokens, lexicon);
        used |= values | spoken.idle;
        spoken.wishes = match (amounts.as_slice(), colors.is_empty(), speaks_of_color) {
            ([], false, _) => wishes_for(colors),
            ([], true, Some(at)) => {
                // The words after it describe it: "the color of the sea".
                used |= range(at, tokens.len());
                let all = (0..lexicon.color_words.len()).map(Value::Color);
                wishes_for(all.collect())
            }
            ([], true, None) => deeds
                .into_iter()
                .map(|deed| Wish {
                    deed: Some(deed),
                    ..Wish::default()
                })
                .collect(),
            ([amount], true, None) => wishes_for(vec![*amount]),
            _ => Vec::new(),
        };
        let is_used = |at: usize| used & range(at, at + 1) != 0;
        // An article is dropped with its noun: as the last word of a name, it would count.
        let is_small = |at: usize| {
            let is_last = at + 1 == tokens.len() || is_used(at + 1);
            is_last && tokens.get(at).is_some_and(Token::is_article)
        };
        let others = (0..tokens.len()).filter(|at| !is_used(*at) && !is_small(*at));
        spoken.others = others.collect();
        spoken
    }

    /// Returns true if a part of the sentence begins like an order.
    fn has_order(&self, tokens: &[Token], lexicon: &Lexicon) -> bool {
        let is_idle = |at: usize| self.idle & range(at, at + 1) != 0;
        let begins_a_part = |at: &usize| {
            let before = (0..*at).rev().find(|before| !is_idle(*before));
            before.is_none_or(|before| tokens.get(before).is_some_and(Token::is_break))
        };
        (0..tokens.len())
            .filter(|at| !is_idle(*at))
            .filter(begins_a_part)
            .any(|at| lexicon.has_at(WordList::Urge, tokens, at))
    }
}

/// Returns the places of all ways to match a pattern.
fn all_places(pattern: &Pattern, tokens: &[Token], at: usize) -> Places {
    let ways = pattern.places(tokens, at, 0);
    ways.into_iter().fold(0, |all, places| all | places)
}

fn wishes_for(values: Vec<Value>) -> Vec<Wish> {
    values
        .into_iter()
        .map(|value| Wish {
            value: Some(value),
            ..Wish::default()
        })
        .collect()
}

/// Returns the amounts, the colors, and the places of all of them.
fn find_values(tokens: &[Token], lexicon: &Lexicon) -> (Vec<Value>, Vec<Value>, Places) {
    let (mut amounts, mut colors, mut places) = (Vec::new(), Vec::new(), 0);
    let mut at = 0;
    while at < tokens.len() {
        let longest = values(tokens, at, lexicon)
            .into_iter()
            .filter(|(_, said)| !said.part)
            .max_by_key(|(length, _)| *length);
        let Some((length, said)) = longest else {
            at += 1;
            continue;
        };
        match said.value {
            Value::Color(_) => colors.push(said.value),
            value => amounts.push(value),
        }
        places |= range(at, at + length);
        at += length;
    }
    (amounts, colors, places)
}
