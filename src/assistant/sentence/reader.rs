//! Reads a sentence in one language: divides it into clauses in every possible way, and finds their meanings.

use super::clause::{Parsed, has_content, parse};
use super::context::{Context, Pending};
use super::element::{Command, Excuse, Pronoun};
use super::house::KnownHouse;
use super::lexicon::{Lexicon, WordList};
use super::meaning::{Meaning, contradict, plan_order, reconcile};
use super::order::Order;
use super::target::{Named, Rest};
use super::tokens::{Sentence, Token};
use super::value::{hour_length, values_at};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language::{self, kinds_in_name};
use crate::home::names::Members;
use crate::home::word::Word;

/// The maximum number of clauses in a sentence.
const MAX_CLAUSES: usize = 4;

/// The maximum number of joints at which a sentence is divided. Later joints are ignored.
const MAX_JOINTS: usize = 6;

/// Reads one sentence in one language.
pub(super) struct Reader<'h, 'r> {
    house: &'h KnownHouse,
    pub lexicon: &'static Lexicon,
    tokens: Vec<Token>,
    /// The number of words that belong to the language.
    pub familiar_words: usize,
    has_question_mark: bool,
    /// True for each token that may belong to a name in the house.
    may_name: Vec<bool>,
    context: &'r Context,
}

impl<'h, 'r> Reader<'h, 'r> {
    pub fn new(
        house: &'h KnownHouse,
        lexicon: &'static Lexicon,
        sentence: &Sentence,
        context: &'r Context,
    ) -> Self {
        let tokens = lexicon.split_joined_words(&sentence.tokens, house);
        let is_familiar = |token: &&Token| {
            let word = token.word().map(std::slice::from_ref);
            word.map_or(0, language::languages_of) & lexicon.language != 0
                || !lexicon.elements.find_by_first_word(token).is_empty()
        };
        Self {
            house,
            lexicon,
            familiar_words: tokens.iter().filter(is_familiar).count(),
            may_name: lexicon.may_name(&tokens, house),
            tokens,
            has_question_mark: sentence.has_question_mark,
            context,
        }
    }

    /// Returns the words that are neither in the language nor in a name in the house.
    pub fn unknown_words(&self) -> Vec<String> {
        let tokens = &self.tokens;
        let mut is_known = vec![false; tokens.len()];
        for (at, token) in tokens.iter().enumerate() {
            let lengths = self
                .lexicon
                .elements
                .find_by_first_word(token)
                .into_iter()
                .filter_map(|(pattern, _)| pattern.length(tokens, at));
            let values = values_at(tokens, at, self.lexicon).into_iter().map(|(length, _)| length);
            let join = self.lexicon.length_at(WordList::Joins, tokens, at);
            let is_known_alone = self.may_name.get(at) == Some(&true)
                || token.word().is_none()
                || self.lexicon.elements.has_after_gap(token);
            let longest = lengths.chain(values).chain(join).max();
            let length = longest.unwrap_or(usize::from(is_known_alone));
            is_known.iter_mut().skip(at).take(length).for_each(|is_known| *is_known = true);
        }
        tokens
            .iter()
            .zip(is_known)
            .filter(|(_, is_known)| !is_known)
            .map(|(token, _)| token.said.clone())
            .collect()
    }

    /// Returns the words for rooms and for kinds of devices that the house does not have.
    pub fn absent_words(&self) -> Vec<String> {
        let names = &self.house.names;
        let has_kind = |category| names.devices().iter().any(|device| device.is_a(category));
        let is_absent = |word: &Word| {
            let is_thing = match language::kind(&[word]) {
                Some(kind) => !has_kind(kind.category),
                None => language::is_room(&[word]) || !kinds_in_name(&[word]).is_empty(),
            };
            is_thing && !names.vocabulary().has(word)
        };
        self.tokens
            .iter()
            .filter(|token| token.word().is_some_and(is_absent))
            .map(|token| token.said.clone())
            .collect()
    }

    /// Returns the reason the sentence is not an order to carry out at once, if its words give one.
    pub fn excuse(&self) -> Option<Excuse> {
        let mut indices = 0..self.tokens.len();
        let found = indices.find_map(|at| self.lexicon.excuses.longest_at(&self.tokens, at));
        found
            .map(|(_, excuse)| excuse)
            .or_else(|| self.names_an_hour().then_some(Excuse::Later))
    }

    /// Returns true if the sentence would be an order without its hour: "turn off the lamp at eight". Steps
    /// do not count, because the number may be their value.
    fn names_an_hour(&self) -> bool {
        let mut indices = 0..self.tokens.len();
        indices.any(|at| {
            let Some(length) = hour_length(&self.tokens, at, self.lexicon) else {
                return false;
            };
            let (before, after) = (self.tokens.get(..at), self.tokens.get(at + length..));
            let tokens = [before.unwrap_or_default(), after.unwrap_or_default()].concat();
            let without_hour = Self {
                may_name: self.lexicon.may_name(&tokens, self.house),
                tokens,
                ..*self
            };
            match without_hour.meaning() {
                Some(Meaning::Do(steps, _, None)) => !steps
                    .iter()
                    .any(|step| matches!(step.call.action, Action::Increase | Action::Decrease)),
                Some(Meaning::Cannot(..) | Meaning::WhichOne(..)) => true,
                _ => false,
            }
        })
    }

    /// Reads the sentence as an answer to "Which one?", with its words as they are, or else without words
    /// such as "one": "the kitchen one".
    pub fn choice(&self, pending: &Pending) -> Option<Meaning<'h>> {
        let choice = self.choose(&self.tokens, &self.may_name, pending).or_else(|| {
            let is_one = |at: usize| self.lexicon.has_at(WordList::Ones, &self.tokens, at);
            let kept = self
                .tokens
                .iter()
                .zip(&self.may_name)
                .enumerate()
                .filter(|(at, _)| !is_one(*at));
            let (tokens, may_name): (Vec<Token>, Vec<bool>) =
                kept.map(|(_, (token, may_name))| (token.clone(), *may_name)).unzip();
            self.choose(&tokens, &may_name, pending)
        });
        choice.filter(|choice| *choice != Meaning::Unclear)
    }

    fn choose(
        &self,
        tokens: &[Token],
        may_name: &[bool],
        pending: &Pending,
    ) -> Option<Meaning<'h>> {
        let ways = parse(tokens, may_name, self.lexicon);
        let meanings = ways.iter().filter_map(|parsed| {
            let offered = self.devices(&pending.names);
            let chosen = if parsed.is_name_only() && !parsed.rest.is_empty() {
                self.rest(tokens, parsed).choose(&offered)
            } else if parsed.pronoun == Some(Pronoun::Them) && parsed.rest.is_empty() {
                offered
            } else {
                return None;
            };
            let order = pending.order.clone();
            let named = (!chosen.is_empty()).then_some(Named::Devices(chosen))?;
            plan_order(self.house, self.lexicon, order, named)
        });
        reconcile(meanings.collect())
    }

    fn rest<'t>(&self, tokens: &'t [Token], parsed: &'t Parsed) -> Rest<'h, 't> {
        Rest {
            house: self.house,
            lexicon: self.lexicon,
            tokens,
            indices: &parsed.rest,
        }
    }

    /// Returns the meaning of the sentence, divided into clauses in every possible way.
    pub fn meaning(&self) -> Option<Meaning<'h>> {
        let joints = self.joints();
        let mut found = Vec::new();
        // Each set bit of `chosen` divides the sentence at the joint with this index.
        for chosen in 0..1_u32 << joints.len().min(MAX_JOINTS) {
            if chosen.count_ones() as usize >= MAX_CLAUSES {
                continue;
            }
            let mut clauses = Vec::new();
            let mut start = 0;
            for (at, (from, to)) in joints.iter().enumerate() {
                if chosen & (1 << at) != 0 {
                    clauses.push((start, *from));
                    start = *to;
                }
            }
            clauses.push((start, self.tokens.len()));
            found.extend(self.read_clauses(&clauses));
        }
        reconcile(found)
    }

    /// Returns the token ranges at which the sentence may be divided: commas, "and", "then" and so on.
    /// Adjacent ones are merged.
    fn joints(&self) -> Vec<(usize, usize)> {
        let mut joints: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let is_join = token.is_break() || token.is_sign('&');
            let length = self
                .lexicon
                .length_at(WordList::Joins, &self.tokens, at)
                .unwrap_or(usize::from(is_join));
            if length > 0 {
                match joints.last_mut() {
                    Some((_, end)) if *end == at => *end = at + length,
                    _ if at > 0 => joints.push((at, at + length)),
                    _ => {}
                }
            }
            at += length.max(1);
        }
        joints
    }

    /// Combines the meanings of clauses. Returns `None` if a clause has no meaning or does not fit the
    /// others.
    fn read_clauses(&self, clauses: &[(usize, usize)]) -> Option<Meaning<'h>> {
        let mut all: Option<Meaning> = None;
        // The devices of the last order, for a pronoun.
        let mut before: Vec<&Device> = Vec::new();
        for (index, (from, to)) in clauses.iter().enumerate() {
            let is_last = index + 1 == clauses.len();
            let meaning = self.read_clause(*from, *to, &before, is_last)?;
            if let Meaning::Do(steps, ..) = &meaning {
                before = steps.iter().map(|step| step.device).collect();
            }
            all = match (all, meaning) {
                (_, Meaning::Unclear) => return Some(Meaning::Unclear),
                (all, Meaning::Silent) => all,
                (None, meaning) => Some(meaning),
                (Some(Meaning::Do(steps, _, None)), Meaning::Do(more, ..))
                    if contradict(&steps, &more) =>
                {
                    Some(Meaning::Unclear)
                }
                (
                    Some(Meaning::Do(mut steps, mut left_alone, None)),
                    Meaning::Do(more, more_left_alone, _),
                ) => {
                    steps.extend(more);
                    left_alone.extend(more_left_alone);
                    Some(Meaning::Do(steps, left_alone, None))
                }
                (Some(Meaning::Do(steps, left_alone, None)), Meaning::Question(question))
                    if !question.is_bare =>
                {
                    Some(Meaning::Do(steps, left_alone, Some(question)))
                }
                (Some(Meaning::Do(_, _, None)), meaning) if meaning.stops() => Some(meaning),
                (Some(known), Meaning::Do(..) | Meaning::Question(_)) if known.stops() => {
                    Some(known)
                }
                _ => return None,
            };
        }
        all
    }

    /// Returns the meaning of one clause, parsed in every possible way.
    fn read_clause(
        &self,
        from: usize,
        to: usize,
        before: &[&'h Device],
        is_last: bool,
    ) -> Option<Meaning<'h>> {
        let tokens = self.tokens.get(from..to).unwrap_or_default();
        let may_name = self.may_name.get(from..to).unwrap_or_default();
        let ways = parse(tokens, may_name, self.lexicon);
        let found = ways.iter().filter_map(|parsed| self.read(tokens, parsed, before, is_last));
        reconcile(found.collect())
    }

    /// Reads one parse of a clause as an order or a question.
    fn read(
        &self,
        tokens: &[Token],
        parsed: &Parsed,
        before: &[&'h Device],
        is_last: bool,
    ) -> Option<Meaning<'h>> {
        if parsed.says_nothing() {
            return Some(Meaning::Silent);
        }
        let rest = self.rest(tokens, parsed);
        let is_before_value = |at: &&usize| parsed.value.is_some_and(|said| **at < said.start);
        let rest_before_value: Vec<usize> =
            parsed.rest.iter().filter(is_before_value).copied().collect();
        let has_content_before_value = has_content(tokens, &rest_before_value);
        let has_question_mark = self.has_question_mark && is_last;
        match Order::read(parsed, has_content_before_value, self.lexicon) {
            // "Lamp off, door locked?" may be two questions. "Turn off the lamp, and is the door locked?" is
            // an order and a question.
            Some(_) if self.has_question_mark && !is_last && parsed.is_bare() => None,
            // "Turn on the lamp?" is unclear.
            Some(_) if has_question_mark && parsed.starts_with_verb() => None,
            Some(_) if parsed.is_statement(tokens, self.lexicon) => None,
            // "Lamp on?" is a question.
            Some(_) if has_question_mark && parsed.is_bare() => {
                self.read_question(&parsed.to_state_question(), &rest, before)
            }
            Some(order) => self.read_order(order, parsed, &rest, before),
            None => self.read_question(parsed, &rest, before),
        }
    }

    fn read_question(
        &self,
        parsed: &Parsed,
        rest: &Rest<'h, '_>,
        before: &[&'h Device],
    ) -> Option<Meaning<'h>> {
        parsed.form_and_subject()?;
        let referred = match parsed.pronoun {
            Some(_) if !rest.is_empty() => return None,
            Some(pronoun) => match self.resolve_pronoun(pronoun, before) {
                None => return Some(Meaning::UnresolvedPronoun),
                devices => devices,
            },
            None => None,
        };
        parsed.question(rest, referred).map(Meaning::Question)
    }

    fn read_order(
        &self,
        order: Order,
        parsed: &Parsed,
        rest: &Rest<'h, '_>,
        before: &[&'h Device],
    ) -> Option<Meaning<'h>> {
        let named = match parsed.pronoun {
            pronoun if rest.is_empty() && (pronoun.is_some() || order.may_step()) => {
                match self.resolve_pronoun(pronoun.unwrap_or(Pronoun::It), before) {
                    None => return Some(Meaning::UnresolvedPronoun),
                    Some(devices) => Named::Devices(devices),
                }
            }
            // In "make it warmer in the kitchen", "it" is not a device.
            Some(Pronoun::It) if order.may_step() && order.implied_kind().is_some() => {
                rest.find_to_control(order.action_for_names(), order.implied_kind())
            }
            Some(_) => return None,
            None => rest.find_to_control(order.action_for_names(), order.implied_kind()),
        };
        // "Everything off" is an order, but "everything down" is rather a complaint.
        let is_switched = matches!(order.command, Some(Command::On | Command::Off));
        let is_everything = matches!(&named, Named::Set(set) if set.of == Members::Everything);
        if parsed.is_bare() && !is_switched && is_everything {
            return None;
        }
        let is_named_only = order.command.is_none() && order.value.is_none();
        if is_named_only && !self.is_order_by_name(&named, rest) {
            return None;
        }
        plan_order(self.house, self.lexicon, order, named)
    }

    /// Returns true if a name alone is an order: the name of a scene, or in some languages a word for light.
    fn is_order_by_name(&self, named: &Named, rest: &Rest) -> bool {
        let devices = match named {
            Named::Devices(devices) => devices.as_slice(),
            Named::Set(set) => set.members.as_slice(),
            _ => return false,
        };
        let is_scene = |device: &&Device| self.house.facts(device).kind == "scene";
        let is_light = |device: &&Device| device.categories.has(Category::Lights);
        let says_light = self.lexicon.table.lights_alone && rest.mentions_light();
        devices.iter().all(is_scene) || says_light && devices.iter().all(is_light)
    }

    /// Returns the other device of the same kind in the same room, if there is exactly one.
    fn find_other(&self, last: &[&'h Device]) -> Vec<&'h Device> {
        let [last] = last else {
            return Vec::new();
        };
        let mut others: Vec<&Device> = self.house.names.devices().iter().collect();
        others.retain(|device| {
            device.id != last.id && device.room == last.room && device.categories == last.categories
        });
        if others.len() > 1 {
            others.clear();
        }
        others
    }

    /// Returns the devices that a pronoun refers to: those of the previous clause, or else of the previous
    /// sentence. Returns `None` if there are none.
    fn resolve_pronoun(&self, pronoun: Pronoun, before: &[&'h Device]) -> Option<Vec<&'h Device>> {
        let Context { last, others, .. } = self.context;
        let devices = match pronoun {
            Pronoun::It | Pronoun::Them if !before.is_empty() => before.to_vec(),
            Pronoun::It | Pronoun::Them => self.devices(last),
            Pronoun::Other if !others.is_empty() => self.devices(others),
            Pronoun::Other => self.find_other(&self.devices(last)),
        };
        (!devices.is_empty()).then_some(devices)
    }

    /// Returns the devices with these control names.
    fn devices(&self, names: &[String]) -> Vec<&'h Device> {
        names.iter().filter_map(|name| self.house.device(name)).collect()
    }
}
