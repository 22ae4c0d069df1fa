//! Reads a sentence in one language: every way to take it apart into clauses, and what they mean.

use super::clause::{Parsed, has_content, parse};
use super::context::{Context, Pending};
use super::element::{Deed, Excuse, Pronoun};
use super::house::KnownHouse;
use super::lexicon::{Lexicon, WordList};
use super::meaning::{Meaning, contradict, plan_order, reconcile};
use super::order::Wish;
use super::target::{Named, Rest};
use super::tokens::{Sentence, Token};
use super::value::{hour_length, values};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language::{self, kinds_in_name};
use crate::home::names::Members;
use crate::home::word::Word;

/// The maximum number of clauses in a sentence.
const MAX_CLAUSES: usize = 4;

/// The maximum number of places at which a sentence may be divided.
const MAX_JOINTS: usize = 6;

/// A reader of a sentence in one language.
pub(super) struct Reader<'h, 'r> {
    house: &'h KnownHouse,
    pub lexicon: &'static Lexicon,
    tokens: Vec<Token>,
    /// The number of words that the language has.
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
        let tokens = lexicon.take_apart(&sentence.tokens, house);
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
            has_question_mark: sentence.asks,
            context,
        }
    }

    /// Returns the words that belong neither to the language nor to the house.
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
            let values = values(tokens, at, self.lexicon).into_iter().map(|(length, _)| length);
            let join = self.lexicon.length_at(WordList::Joins, tokens, at);
            let is_own = self.may_name.get(at) == Some(&true)
                || token.word().is_none()
                || self.lexicon.elements.has_behind_a_gap(token);
            let length = lengths.chain(values).chain(join).max().unwrap_or(usize::from(is_own));
            is_known.iter_mut().skip(at).take(length).for_each(|is_known| *is_known = true);
        }
        tokens
            .iter()
            .zip(is_known)
            .filter(|(_, is_known)| !is_known)
            .map(|(token, _)| token.said.clone())
            .collect()
    }

    /// Returns the words for rooms and kinds of devices that the house does not have.
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

    /// Returns what the sentence seems to be instead of an order or a question.
    pub fn excuse(&self) -> Option<Excuse> {
        let mut places = 0..self.tokens.len();
        let found = places.find_map(|at| self.lexicon.excuses.at(&self.tokens, at));
        found
            .map(|(_, excuse)| excuse)
            .or_else(|| self.names_an_hour().then_some(Excuse::Later))
    }

    /// Returns true if the sentence would be an order without a bare hour: "turn off the lamp at eight". If
    /// a level is missing, the number may be that level.
    fn names_an_hour(&self) -> bool {
        let mut places = 0..self.tokens.len();
        places.any(|at| {
            let Some(length) = hour_length(&self.tokens, at, self.lexicon) else {
                return false;
            };
            let (before, after) = (self.tokens.get(..at), self.tokens.get(at + length..));
            let tokens = [before.unwrap_or_default(), after.unwrap_or_default()].concat();
            let order = Self {
                may_name: self.lexicon.may_name(&tokens, self.house),
                tokens,
                ..*self
            };
            match order.meaning() {
                Some(Meaning::Do(steps, _, None)) => !steps
                    .iter()
                    .any(|step| matches!(step.call.action, Action::Increase | Action::Decrease)),
                Some(Meaning::Cannot(..) | Meaning::WhichOne(..)) => true,
                _ => false,
            }
        })
    }

    /// Reads the sentence as an answer to "Which one?". "One" may be a part of a name, or stand for it:
    /// "the kitchen one".
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
            let is_name = parsed.is_name_only() && !parsed.rest.is_empty();
            let all = matches!(parsed.pronoun, Some(Pronoun::Them)) && parsed.rest.is_empty();
            let offered = self.devices(&pending.names);
            let chosen = match (is_name, all) {
                (true, _) => self.rest(tokens, parsed).choose(&offered),
                (_, true) => offered,
                _ => return None,
            };
            let wish = pending.wish.clone();
            let named = (!chosen.is_empty()).then_some(Named::Devices(chosen))?;
            plan_order(self.house, self.lexicon, wish, named)
        });
        reconcile(meanings.collect())
    }

    fn rest<'t>(&self, tokens: &'t [Token], parsed: &'t Parsed) -> Rest<'h, 't> {
        Rest {
            house: self.house,
            lexicon: self.lexicon,
            tokens,
            places: &parsed.rest,
        }
    }

    /// Reads the sentence in every way to divide it into clauses.
    pub fn meaning(&self) -> Option<Meaning<'h>> {
        let joints = self.joints();
        let mut found = Vec::new();
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

    /// Returns the places where the sentence may be divided: commas, "and" and "then". Those that follow
    /// each other count as one.
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

    /// Reads clauses one after the other.
    fn read_clauses(&self, clauses: &[(usize, usize)]) -> Option<Meaning<'h>> {
        let mut all: Option<Meaning> = None;
        let mut before: Vec<&Device> = Vec::new();
        for (at, (from, to)) in clauses.iter().enumerate() {
            let is_last = at + 1 == clauses.len();
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
                (Some(Meaning::Do(mut steps, mut left, None)), Meaning::Do(more, more_left, _)) => {
                    steps.extend(more);
                    left.extend(more_left);
                    Some(Meaning::Do(steps, left, None))
                }
                (Some(Meaning::Do(steps, left, None)), Meaning::Asked(question))
                    if !question.is_bare =>
                {
                    Some(Meaning::Do(steps, left, Some(question)))
                }
                (Some(Meaning::Do(_, _, None)), meaning) if meaning.stops() => Some(meaning),
                (Some(known), Meaning::Do(..) | Meaning::Asked(_)) if known.stops() => Some(known),
                _ => return None,
            };
        }
        all
    }

    /// Reads one clause in every way.
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
        let before_value = |at: &&usize| parsed.value.is_some_and(|said| **at < said.at);
        let before_value: Vec<usize> = parsed.rest.iter().filter(before_value).copied().collect();
        let named_before = has_content(tokens, &before_value);
        // "Turn off the lamp, and is the door locked?" asks after its order; "lamp off, door locked?"
        // may ask for both.
        let asks = self.has_question_mark && is_last;
        match Wish::read(parsed, named_before, self.lexicon) {
            Some(_) if self.has_question_mark && !is_last && parsed.is_bare() => None,
            Some(_) if asks && parsed.begins_with_a_verb() => None,
            Some(_) if parsed.is_statement(tokens, self.lexicon) => None,
            // "Lamp on?" asks.
            Some(wish) if !(asks && parsed.is_bare()) => {
                self.read_order(wish, parsed, &rest, before)
            }
            Some(_) => self.read_question(&parsed.to_state_question(), &rest, before),
            None => self.read_question(parsed, &rest, before),
        }
    }

    fn read_question(
        &self,
        parsed: &Parsed,
        rest: &Rest<'h, '_>,
        before: &[&'h Device],
    ) -> Option<Meaning<'h>> {
        parsed.property_in_question()?;
        let referred = match parsed.pronoun {
            Some(_) if !rest.is_empty() => return None,
            Some(pronoun) => match self.resolve_pronoun(pronoun, before) {
                None => return Some(Meaning::UnresolvedPronoun),
                devices => devices,
            },
            None => None,
        };
        parsed.question(rest, referred).map(Meaning::Asked)
    }

    fn read_order(
        &self,
        wish: Wish,
        parsed: &Parsed,
        rest: &Rest<'h, '_>,
        before: &[&'h Device],
    ) -> Option<Meaning<'h>> {
        let named = match parsed.pronoun {
            pronoun if rest.is_empty() && (pronoun.is_some() || wish.may_step()) => {
                match self.resolve_pronoun(pronoun.unwrap_or(Pronoun::It), before) {
                    None => return Some(Meaning::UnresolvedPronoun),
                    Some(devices) => Named::Devices(devices),
                }
            }
            // "Make it warmer in the kitchen."
            Some(Pronoun::It) if wish.may_step() && wish.kind().is_some() => {
                rest.find_to_control(wish.garage_action(), wish.kind())
            }
            Some(_) => return None,
            None => rest.find_to_control(wish.garage_action(), wish.kind()),
        };
        // "Everything down" is a complaint rather than an order; "everything off" is an order.
        let is_switched = matches!(wish.deed, Some(Deed::On | Deed::Off));
        let is_everything = matches!(&named, Named::Set(set) if set.of == Members::Everything);
        if parsed.is_bare() && !is_switched && is_everything {
            return None;
        }
        let is_named_only = wish.deed.is_none() && wish.value.is_none();
        if is_named_only && !self.is_order_by_name(&named, rest) {
            return None;
        }
        plan_order(self.house, self.lexicon, wish, named)
    }

    /// Returns true if the name alone is an order: that of a scene, and in some languages that of a
    /// light.
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

    /// Returns the other device of the same kind in the same room, if there is just one.
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

    /// Returns the devices that a pronoun stands for: those of the clause or the sentence before. Returns
    /// none if there are none.
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

    /// Returns the devices that are controlled by these names.
    fn devices(&self, names: &[String]) -> Vec<&'h Device> {
        names.iter().filter_map(|name| self.house.device(name)).collect()
    }
}
