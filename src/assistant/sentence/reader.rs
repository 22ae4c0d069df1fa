//! Reads a sentence in one language: divides the sentence into clauses in every possible way, reads each clause
//! in every possible way, and combines the meanings.

mod referents;

use std::ops::Range;

use super::clause::{Clause, read_clause};
use super::context::{Context, Pending};
use super::element::{Element, Instruction, Pronoun, QuestionForm};
use super::house::KnownHouse;
use super::lexicon::{Lexicon, WordList};
use super::meaning::{SentenceMeaning, plan_order, reconcile};
use super::order::Order;
use super::question::{About, SUBJECTLESS};
use super::target::{Named, Rest};
use super::tokens::{Sentence, Token};
use super::value::values_at;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::language::{self, kinds_in_name};
use crate::home::names::{Members, Resolved, asker_room};
use crate::home::word::Word;

/// The maximum number of clauses in a sentence.
const MAX_CLAUSES: usize = 4;

/// The maximum number of joints, such as commas, at which a sentence is divided. Later joints are ignored.
const MAX_JOINTS: usize = 6;

/// A sentence to be read in one language.
pub(super) struct Reader<'h, 'r> {
    house: &'h KnownHouse,
    pub lexicon: &'static Lexicon,
    tokens: Vec<Token>,
    /// The number of words in the sentence that the language knows.
    pub familiar_words: usize,
    has_question_mark: bool,
    /// True if the last word introduces what was not said, unless it belongs to the verb: "turn off the lamp and".
    is_cut_off: bool,
    context: &'r Context,
    /// The room in which the sentence was said, if it is one of the house.
    asker: Option<&'h str>,
}

impl<'h, 'r> Reader<'h, 'r> {
    pub fn new(
        house: &'h KnownHouse,
        lexicon: &'static Lexicon,
        sentence: &Sentence,
        context: &'r Context,
    ) -> Self {
        let tokens = lexicon.read_tokens(&sentence.tokens, house);
        let is_familiar = |token: &&Token| {
            let word = token.word().map(std::slice::from_ref);
            word.map_or(0, language::languages_of) & lexicon.language != 0
                || !lexicon.elements.find_by_first_word(token).is_empty()
                || !lexicon.excuses.find_by_first_word(token).is_empty()
        };
        Self {
            house,
            lexicon,
            asker: asker_room(&house.names, context.room.as_deref()),
            familiar_words: tokens.iter().filter(is_familiar).count(),
            is_cut_off: is_cut_off(house, lexicon, &tokens),
            tokens,
            has_question_mark: sentence.has_question_mark,
            context,
        }
    }

    /// Returns the words that are neither in the language nor in a name in the house.
    pub fn unknown_words(&self) -> Vec<String> {
        let tokens = &self.tokens;
        let mut unknown = Vec::new();
        // The index after the known phrases so far. A phrase may have several words.
        let mut known_end = 0;
        for (at, token) in tokens.iter().enumerate() {
            let elements = self.lexicon.elements.all_at(tokens, at).map(|(length, _)| length);
            let values = values_at(tokens, at, self.lexicon).into_iter().map(|(length, _)| length);
            let join = self.lexicon.length_at(WordList::Conjunctions, tokens, at);
            let is_known_alone = token.may_name
                || token.word().is_none()
                || self.lexicon.elements.has_after_gap(token);
            let longest = elements.chain(values).chain(join).max();
            known_end = known_end.max(at + longest.unwrap_or(usize::from(is_known_alone)));
            if known_end <= at {
                unknown.push(token.said.clone());
            }
        }
        unknown
    }

    /// Returns the words that mean a room, or a kind of device, that the house does not have. If a room is said, also
    /// returns the words for a kind that is not there.
    pub fn absent_words(&self) -> Vec<String> {
        let names = &self.house.names;
        let is_said =
            |own: &Word| self.tokens.iter().filter_map(Token::word).any(|word| word.is(own));
        let is_in_said_room = |device: &&Device| {
            !device.room_words.is_empty() && device.room_words.main_words().all(is_said)
        };
        let in_said_room: Vec<&Device> = names.devices().iter().filter(is_in_said_room).collect();
        let is_absent = |word: &Word| {
            let kind = language::kind(&[word], names.languages()).map(|kind| kind.category);
            let fits = |device: &&Device| {
                device.name.words.has(word)
                    || device.room_words.has(word)
                    || kind.is_some_and(|kind| device.is_a(kind))
            };
            if kind.is_some() && !in_said_room.is_empty() && !in_said_room.iter().any(fits) {
                return true;
            }
            let is_kind_or_room = || {
                language::is_room(&[word]) || !kinds_in_name(&[word], names.languages()).is_empty()
            };
            let may_be_absent = kind.map_or_else(is_kind_or_room, |kind| {
                !names.devices().iter().any(|device| device.is_a(kind))
            });
            may_be_absent && !names.vocabulary().has(word)
        };
        self.tokens
            .iter()
            .filter(|token| token.word().is_some_and(is_absent))
            .map(|token| token.said.clone())
            .collect()
    }

    /// Returns the name of our phrase that says why the sentence is not carried out. For "tomorrow", it is "later".
    /// Returns `None` if no word is a reason.
    pub fn excuse(&self) -> Option<&'static str> {
        let mut indices = 0..self.tokens.len();
        indices.find_map(|at| Some(self.lexicon.excuses.longest_at(&self.tokens, at)?.1))
    }

    /// Reads the sentence as an answer to "Which one?" or to "Do you mean this one?". If that fails, leaves out words
    /// such as "one" ("the kitchen one") and tries again.
    pub fn choice(&self, pending: &Pending) -> Option<SentenceMeaning<'h>> {
        let words = self.tokens.iter().filter(|token| !token.is_break()).cloned();
        let says_yes = self.lexicon.is_all(WordList::Confirms, &words.collect::<Vec<_>>());
        if let (true, [name]) = (says_yes, pending.names.as_slice()) {
            let named = Named::earlier(self.devices(std::slice::from_ref(name)));
            return plan_order(self.house, pending.order.clone(), &named);
        }
        let choice = self.choose(&self.tokens, pending).or_else(|| {
            let is_one = |at: &usize| self.lexicon.has_at(WordList::Ones, &self.tokens, *at);
            let kept = (0..self.tokens.len()).filter(|at| !is_one(at));
            let tokens = kept.filter_map(|at| self.tokens.get(at).cloned());
            self.choose(&tokens.collect::<Vec<_>>(), pending)
        });
        choice.filter(|choice| *choice != SentenceMeaning::Unclear)
    }

    /// Reads these tokens as an answer to "Which one?".
    fn choose(&self, tokens: &[Token], pending: &Pending) -> Option<SentenceMeaning<'h>> {
        let meanings = read_clause(tokens, self.lexicon).into_iter().filter_map(|clause| {
            let offered = self.devices(&pending.names);
            let rest = self.rest(tokens, &clause);
            let (chosen, said) = match clause.pronoun {
                _ if !clause.is_name_only() => return None,
                None if !clause.rest.is_empty() => (rest.choose(&offered), Some(rest.phrase(None))),
                Some(pronoun @ (Pronoun::Them | Pronoun::Both)) if clause.rest.is_empty() => {
                    (self.resolve_pronoun(pronoun, &[])?, None)
                }
                _ => return None,
            };
            let target = (!chosen.is_empty()).then(|| Resolved::of_devices(chosen))?;
            plan_order(self.house, pending.order.clone(), &Named { target, said })
        });
        reconcile(meanings.collect())
    }

    fn rest<'t>(&self, tokens: &'t [Token], clause: &'t Clause) -> Rest<'h, 't> {
        Rest {
            house: self.house,
            lexicon: self.lexicon,
            asker: self.asker,
            tokens,
            indices: &clause.rest,
        }
    }

    /// Returns the meaning of the sentence, after dividing it into clauses in every possible way.
    pub fn meaning(&self) -> Option<SentenceMeaning<'h>> {
        let joints = self.joints();
        let mut meanings = Vec::new();
        // Bit 0 of `chosen` stands for a division at the first joint, bit 1 for the second, and so on.
        for chosen in 0..1_u32 << joints.len().min(MAX_JOINTS) {
            if chosen.count_ones() as usize >= MAX_CLAUSES {
                continue;
            }
            let mut clauses = Vec::new();
            let mut start = 0;
            for (index, joint) in joints.iter().enumerate() {
                if chosen & (1 << index) != 0 {
                    clauses.push(start..joint.start);
                    start = joint.end;
                }
            }
            clauses.push(start..self.tokens.len());
            meanings.extend(self.read_clauses(clauses));
        }
        reconcile(meanings)
    }

    /// Returns the joints: the ranges of tokens at which the sentence may be divided, such as a comma or
    /// "and". Adjacent joints count as one (", and"). A joint at the beginning does not count.
    fn joints(&self) -> Vec<Range<usize>> {
        let mut joints: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let is_join = token.is_break() || token.is_sign('&');
            let length = self
                .lexicon
                .length_at(WordList::Conjunctions, &self.tokens, at)
                .unwrap_or(usize::from(is_join));
            match joints.last_mut() {
                _ if length == 0 => {}
                Some(last) if last.end == at => last.end = at + length,
                _ if at > 0 => joints.push(at..at + length),
                _ => {}
            }
            at += length.max(1);
        }
        joints
    }

    /// Combines the meanings of clauses. Returns `None` if a clause has no meaning or does not fit the others,
    /// or if there are only filler words.
    fn read_clauses(&self, clauses: Vec<Range<usize>>) -> Option<SentenceMeaning<'h>> {
        let mut combined = SentenceMeaning::Silent;
        // The devices of the previous order, for a pronoun.
        let mut previous: Vec<&Device> = Vec::new();
        for clause in clauses {
            let before = clause.start.checked_sub(1).and_then(|at| self.tokens.get(at));
            let follows_comma = before.is_some_and(Token::is_break);
            let meaning = self.clause_meaning(clause, &previous)?;
            if meaning == SentenceMeaning::Unclear {
                return Some(meaning);
            }
            // "Turn off the lights, which are on" says which.
            if follows_comma && !self.has_question_mark && meaning.asks_which() {
                return None;
            }
            if let SentenceMeaning::Do(plan) = &meaning {
                previous = plan.steps.iter().map(|step| step.device).collect();
            }
            combined = combined.and(meaning)?;
        }
        (combined != SentenceMeaning::Silent).then_some(combined)
    }

    /// Returns the meaning of one clause, after reading it in every possible way. `previous` has the devices of
    /// the previous order in the sentence.
    fn clause_meaning(
        &self,
        range: Range<usize>,
        previous: &[&'h Device],
    ) -> Option<SentenceMeaning<'h>> {
        let is_last = range.end == self.tokens.len();
        let tokens = self.tokens.get(range).unwrap_or_default();
        let (here, elsewhere): (Vec<Clause>, Vec<Clause>) = read_clause(tokens, self.lexicon)
            .into_iter()
            .partition(|clause| self.rest(tokens, clause).says_here());
        let read = |clauses: &[Clause]| {
            let meanings = clauses
                .iter()
                .filter_map(|clause| self.reading_meaning(clause, tokens, is_last, previous));
            reconcile(meanings.collect())
        };
        // Where the room is known, "here" says it, and is no filler.
        read(&here).or_else(|| read(&elsewhere))
    }

    /// Returns the meaning of a clause that was read in one way.
    fn reading_meaning(
        &self,
        clause: &Clause,
        tokens: &[Token],
        is_last: bool,
        previous: &[&'h Device],
    ) -> Option<SentenceMeaning<'h>> {
        let last_is_of_command =
            || tokens.len().checked_sub(1).is_some_and(|last| clause.is_of_command(last));
        if self.is_cut_off && is_last && !clause.is_question() && !last_is_of_command() {
            return None;
        }
        if clause.says_nothing() {
            return Some(SentenceMeaning::Silent);
        }
        let rest = self.rest(tokens, clause);
        let Some(order) = Order::read(clause, self.lexicon) else {
            return self.question_meaning(clause, &rest, previous);
        };
        // "Turn on the lamp?" is taken neither for an order nor for a question.
        let is_asked_order = self.has_question_mark && is_last && clause.is_imperative();
        if is_asked_order || clause.is_statement(tokens, self.lexicon) {
            return None;
        }
        if self.has_question_mark && clause.is_name_and_state() {
            if !is_last {
                // "Lamp off, door locked?" may be two questions.
                return None;
            }
            // "Lamp on?" is a question.
            return self.question_meaning(&clause.to_state_question(), &rest, previous);
        }
        let meaning = self.order_meaning(order, clause, &rest, previous)?;
        Some(if clause.asks_ability {
            meaning.into_ability()
        } else {
            meaning
        })
    }

    fn question_meaning(
        &self,
        clause: &Clause,
        rest: &Rest<'h, '_>,
        previous: &[&'h Device],
    ) -> Option<SentenceMeaning<'h>> {
        let subject = clause.form_and_subject()?;
        // "¿Están encendidas?" leaves "they" out.
        let lacks_subject = clause.pronoun.is_none()
            && rest.is_empty()
            && matches!(subject, (QuestionForm::YesNo, About::State(_)));
        let referred = match clause.pronoun.or(lacks_subject.then_some(Pronoun::Them)) {
            Some(_) if !rest.is_empty() => return None,
            Some(pronoun) => match self.resolve_pronoun(pronoun, previous) {
                None => return Some(SentenceMeaning::UnresolvedPronoun),
                devices => devices,
            },
            None => None,
        };
        let mut question = clause.question(rest, referred)?;
        if lacks_subject {
            question.rank = SUBJECTLESS;
        }
        Some(SentenceMeaning::Question(question))
    }

    fn order_meaning(
        &self,
        order: Order,
        clause: &Clause,
        rest: &Rest<'h, '_>,
        previous: &[&'h Device],
    ) -> Option<SentenceMeaning<'h>> {
        let named = match clause.pronoun {
            pronoun if rest.is_empty() => {
                let refers = pronoun.is_some() || order.may_step();
                match self.find_unsaid(&order, clause, rest, previous, refers) {
                    Some(named) => named,
                    None => return refers.then_some(SentenceMeaning::UnresolvedPronoun),
                }
            }
            // In "make it warmer in the kitchen", "it" is not a device.
            Some(Pronoun::It) if order.may_step() && order.implied_kind().is_some() => {
                rest.find_to_control(&order)
            }
            Some(Pronoun::Other) => return None,
            Some(_) => rest.without_last_comma()?.find_to_control(&order),
            None => rest.find_to_control(&order),
        };
        // "Everything off" is an order, but "everything down" may mean that nothing works.
        let is_on_or_off = matches!(order.command, Some(Instruction::On | Instruction::Off));
        let is_everything =
            matches!(&named.target, Resolved::Set(set) if set.of == Members::Everything);
        if clause.is_name_and_state() && !is_on_or_off && is_everything {
            return None;
        }
        let is_named_only = order.command.is_none() && order.value.is_none();
        if is_named_only && !self.is_order_by_name(&named.target, rest) {
            return None;
        }
        plan_order(self.house, order, &named)
    }

    /// Returns true if a name is an order without any command: the name of a scene ("evening"), or in some
    /// languages a word for light ("lumière dans la cuisine").
    fn is_order_by_name(&self, named: &Resolved, rest: &Rest) -> bool {
        use Resolved::{Joined, One, Set};
        if !matches!(named, One(_) | Set(_) | Joined(_)) {
            return false;
        }
        let devices = named.devices();
        let is_scene = |device: &&Device| self.house.facts(device).listed.kind == "scene";
        let is_light = |device: &&Device| device.categories.has(Category::Lights);
        let says_light = self.lexicon.table.lights_alone && rest.mentions_light();
        devices.iter().all(is_scene) || says_light && devices.iter().all(is_light)
    }
}

/// Returns true if the last word of a sentence may introduce what was not said, and is of no name: "turn off the lamp
/// and", "set the lamp to".
fn is_cut_off(house: &KnownHouse, lexicon: &Lexicon, tokens: &[Token]) -> bool {
    use WordList::{By, Conjunctions, Of, To};

    let ends =
        |list, at| lexicon.lengths_at(list, tokens, at).any(|length| at + length == tokens.len());
    let is_filler = |at| {
        let mut elements = lexicon.elements.all_at(tokens, at);
        elements.any(|(_, (_, element))| *element == Element::Filler)
    };
    let is_of_name = |word: &Word| house.names.vocabulary().has(word);
    let last = tokens.last().and_then(Token::word);
    last.is_some_and(|word| !is_of_name(word))
        && (0..tokens.len()).any(|at| {
            ends(Conjunctions, at) && !is_filler(at)
                || [To, By, Of].into_iter().any(|list| ends(list, at))
        })
}
