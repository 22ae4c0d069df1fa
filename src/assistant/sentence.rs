//! Understands simple sentences without a model.
//!
//! A sentence is understood if each of its words belongs to an order or a question, names something in the
//! house, or is a filler. Each language's words are in `src/home/words`. The names in the house come from the
//! resource `zwave://devices`. The module [`names`](crate::home::names) finds what a name stands for.

mod awaited;
mod call;
mod clause;
mod context;
mod element;
mod fact;
mod hints;
mod house;
mod later;
mod lexicon;
mod meaning;
mod order;
mod outcome;
mod pattern;
mod question;
mod reader;
mod reply;
mod speech;
mod target;
mod timed_order;
mod tokens;
mod understand;
mod value;
mod when;

pub(super) use awaited::AwaitedOrder;
pub use context::Context;
pub(super) use hints::{Hints, hints};
pub use house::KnownHouse;
pub(super) use later::{LaterOrder, TimerRequest, find_later, timer_request};
pub(super) use meaning::OrderStep;
pub(super) use timed_order::{TimedOrder, timed_question};
pub(super) use when::{tell_span, tell_time};

use std::time::Instant;

use context::{Pending, Undo, plan_undo};
use lexicon::{LEXICONS, Lexicon, WordList, lexicon_for};
use meaning::{SentenceMeaning, SentencePlan};
use outcome::{has_put, outcome_phrase};
use understand::{chosen, understand};

use super::conversation::Turn;
use super::due::Due;
use crate::client::ToolResult;
use crate::home::device::Device;
use crate::home::letters::squash;
use crate::home::names::asker_room;
use crate::home::only;
use crate::home::outcome::{Certainty, ResultFacts};
use call::CallRefusal;
use question::{About, HouseQuestion};
use tokens::Sentence;

/// The freshness that an order or an answer requires of the data about the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequiredFreshness {
    /// Only names and abilities are needed. The cached house will do while the server reports no change.
    Names,
    /// Current states are needed.
    States,
    /// Current states and the recent changes are needed.
    Changes,
}

/// The way to handle a sentence.
#[derive(Debug)]
pub(super) enum SentenceKind<'h> {
    /// Make these calls.
    PlannedCalls(PlannedCalls<'h>),
    /// Answer the question with [`answer`], from data of this freshness.
    Question(RequiredFreshness),
    /// Do nothing but say `text`. `owner` tells the owner why, unless `text` answers a question.
    Answer { text: String, owner: Option<String> },
    /// Leave the sentence to a model. If there is no model, say this.
    Unknown(String),
}

/// The calls that carry out a sentence.
#[derive(Debug)]
pub(super) struct PlannedCalls<'h> {
    lexicon: &'static Lexicon,
    plan: SentencePlan<'h>,
    /// The room that decided what is meant, if one did.
    room: Option<&'h str>,
    /// True if these calls undo the last order. An undo can't be undone.
    is_undo: bool,
    /// The time and the order, if they were said before "Which one?" was asked.
    pub later: Option<(Due, String)>,
}

impl<'h> PlannedCalls<'h> {
    /// Returns the freshness that the question after the order requires, if there is such a question.
    pub fn question_freshness(&self) -> Option<RequiredFreshness> {
        self.plan.question.as_ref().map(HouseQuestion::freshness)
    }

    /// Returns the steps. Successive steps with the same call, such as "on" for two lamps, form
    /// a group. The calls of a group may be made at the same time, but only after the previous group is done.
    pub fn groups(&self) -> impl Iterator<Item = &[OrderStep<'h>]> {
        self.plan.steps.chunk_by(|step, next| step.call == next.call)
    }

    /// Stores the calls that undo what this order has done. Stores none if a part can't be undone, or if this
    /// is an undo.
    pub fn store_undo(&self, context: &mut Context, results: &[ToolResult]) {
        let facts = results.iter().map(|result| ResultFacts::read(result.meta.as_ref()));
        let steps = self.plan.steps.iter().zip(facts);
        let undos: Option<Vec<Undo>> = steps
            .filter(|(_, facts)| !self.is_undo && facts.certainty != Some(Certainty::Failed))
            .map(|(step, facts)| plan_undo(step, facts))
            .collect();
        context.undo = undos.unwrap_or_default();
        context.has_undone = self.is_undo;
    }

    /// Returns the answer for the person. `results` has one entry for each call that was made, in order.
    pub fn answer(&self, results: &[ToolResult]) -> String {
        let steps = self.plan.steps.iter().zip(results);
        let outcomes = steps.map(|(step, result)| (step, outcome_phrase(result)));
        let text = self.lexicon.tell(&outcomes.collect::<Vec<_>>(), &self.plan.left_alone);
        tell_room(self.room, text)
    }
}

/// Decides how to handle a sentence. Stores the devices of an order in the context. If the answer will be
/// "Which one?", stores the order instead. The devices of a question are stored later, by [`answer`].
pub(super) fn judge<'h>(
    house: &'h KnownHouse,
    sentence: &str,
    context: &mut Context,
    language: Option<&str>,
    now: Instant,
) -> SentenceKind<'h> {
    context.forget_if_old(now);
    let was_asked = context.offered.take().is_some() || context.pending.is_some();
    let ended_in = language_of_phrase(WordList::Cancels, sentence, language.or(context.language));
    if let Some(lexicon) = ended_in.filter(|_| was_asked) {
        context.end_question(now);
        return SentenceKind::answer(lexicon.say("denial", &[]));
    }
    if let Some(lexicon) = language_of_phrase(WordList::Undo, sentence, language) {
        return undo(house, lexicon, context);
    }
    for (list, phrase) in [
        (WordList::Help, "help"),
        (WordList::Greetings, "greeting"),
        (WordList::Thanks, "welcome"),
    ] {
        if let Some(lexicon) = language_of_phrase(list, sentence, language) {
            let text = lexicon.say(phrase, &[]);
            return SentenceKind::Answer { text, owner: None };
        }
    }
    let later = context.pending.as_ref().and_then(|pending| pending.later.clone());
    let later = later.filter(|_| chosen(house, sentence, context).is_some());
    let (lexicon, meaning) = understand(house, sentence, context, language);
    context.language = Some(lexicon.code());
    // That of a question is told with its answer.
    let room = match meaning {
        SentenceMeaning::Question(_) => None,
        _ => deciding_room(house, sentence, context, language, &meaning),
    };
    match awaited::refuse_among_others(house, meaning) {
        SentenceMeaning::Do(plan) => {
            let named = plan.steps.iter().map(|step| step.facts.control_name.clone());
            context.note(named.collect(), now);
            SentenceKind::PlannedCalls(PlannedCalls {
                lexicon,
                plan,
                room,
                is_undo: false,
                later,
            })
        }
        SentenceMeaning::Question(question) => SentenceKind::Question(question.freshness()),
        SentenceMeaning::Absent(words) => {
            context.forget_mentioned();
            SentenceKind::Unknown(lexicon.tell_absent(&words))
        }
        SentenceMeaning::Unknown(words, None) => {
            context.forget_mentioned();
            SentenceKind::Unknown(lexicon.tell_unknown(&words, None))
        }
        SentenceMeaning::Near(sentence, plan) => {
            let text = lexicon.tell_near(&sentence, &plan);
            context.note_offered(sentence, now);
            SentenceKind::answer(text)
        }
        // "Turn it off tomorrow" and "don't" are answered here, so that no model carries them out. "No" ends the
        // question that was asked.
        SentenceMeaning::Unknown(words, excuse) => {
            context.pending = None;
            let excuse = excuse.map(|excuse| match excuse {
                "later" if context.has_timers => "later_how",
                "condition" if context.has_timers => "condition_how",
                excuse => excuse,
            });
            SentenceKind::answer(lexicon.tell_unknown(&words, excuse))
        }
        meaning => {
            match &meaning {
                SentenceMeaning::WhichOne(order, devices) => {
                    let pending = Pending {
                        order: order.clone(),
                        names: control_names(house, devices),
                        language: lexicon.code(),
                        later,
                    };
                    context.note_pending(pending, now);
                }
                // "It" is the one device that was named, even if it can't.
                SentenceMeaning::Cannot(_, devices) | SentenceMeaning::Able(devices) => {
                    let named = only(devices.iter().copied());
                    context.note(control_names(house, named.as_slice()), now);
                }
                _ => {}
            }
            let text = tell_room(room, lexicon.tell_refusal(&meaning));
            let owner = guard_advice(&meaning).or_else(|| {
                let is_answer = matches!(meaning, SentenceMeaning::Able(_));
                (!is_answer).then(|| text.clone())
            });
            SentenceKind::Answer { text, owner }
        }
    }
}

impl KnownHouse {
    /// Returns true if a sentence needs no model.
    pub fn understands(&self, sentence: &str) -> bool {
        let mut context = Context::default();
        let verdict = judge(self, sentence, &mut context, None, Instant::now());
        !matches!(verdict, SentenceKind::Unknown(_))
    }
}

impl SentenceKind<'_> {
    /// Makes an answer that is the same for the person and the owner.
    fn answer(text: String) -> Self {
        Self::Answer {
            owner: Some(text.clone()),
            text,
        }
    }
}

/// Returns advice for the owner on how to allow the action, if the guard refused the action.
fn guard_advice(meaning: &SentenceMeaning) -> Option<String> {
    let SentenceMeaning::Cannot(CallRefusal::Guarded(_), devices) = meaning else {
        return None;
    };
    let names: Vec<String> = devices.iter().map(|device| device.listed_name()).collect();
    Some(format!(
        "Guarded: {}. The owner can allow the action with ZWAVE_GUARD=allow. If a device is not a door, \
         gate or lock, the owner can list it in ZWAVE_UNGUARDED instead.",
        names.join(", ")
    ))
}

/// Returns the sentence that "Did you mean" offered, if this one says yes to it. [`judge`] ends the offer.
pub(super) fn accepted(context: &mut Context, sentence: &str, now: Instant) -> Option<String> {
    context.forget_if_old(now);
    language_of_phrase(WordList::Confirms, sentence, context.language)?;
    context.offered.clone()
}

/// Returns true if a sentence asks to undo the last order.
pub(super) fn is_undo(sentence: &str, language: Option<&str>) -> bool {
    language_of_phrase(WordList::Undo, sentence, language).is_some()
}

/// Returns the language whose list contains the whole sentence as a phrase. Punctuation is ignored. The
/// preferred language is tried first.
fn language_of_phrase(
    list: WordList,
    sentence: &str,
    preferred: Option<&str>,
) -> Option<&'static Lexicon> {
    let mut tokens = Sentence::read(sentence)?.tokens;
    tokens.retain(|token| !token.is_break());
    std::iter::once(lexicon_for(preferred))
        .chain(LEXICONS.iter())
        .find(|lexicon| lexicon.is_all(list, &tokens))
}

/// Plans the calls that restore the state before the last order. Refuses if a device is gone or guarded, or
/// has changed since the order.
fn undo<'h>(
    house: &'h KnownHouse,
    lexicon: &'static Lexicon,
    context: &mut Context,
) -> SentenceKind<'h> {
    let mut steps = Vec::new();
    for undo in std::mem::take(&mut context.undo) {
        let Some(device) = house.device(&undo.name) else {
            return SentenceKind::answer(lexicon.say("no_undo", &[]));
        };
        let facts = house.facts(device);
        let refuse =
            |phrase| SentenceKind::answer(lexicon.say_of(phrase, &lexicon.subject(device), &[]));
        if facts.guarded {
            return refuse("guarded_undo");
        }
        if !undo.is_as_left(&facts.current) {
            return refuse("changed_since");
        }
        steps.push(OrderStep {
            device,
            facts,
            call: undo.call,
            said: None,
        });
    }
    if steps.is_empty() {
        let phrase = if context.has_undone {
            "nothing_more_to_undo"
        } else {
            "no_undo"
        };
        return SentenceKind::answer(lexicon.say(phrase, &[]));
    }
    SentenceKind::PlannedCalls(PlannedCalls {
        lexicon,
        plan: SentencePlan {
            steps,
            ..SentencePlan::default()
        },
        room: None,
        is_undo: true,
        later: None,
    })
}

/// Uses newly read states to answer the question in a sentence. The sentence must have gone through
/// [`judge`], which sets the language. Returns `None` if the sentence is no longer understood as a question.
///
/// # Errors
/// The house does not report what was asked for. The error is a sentence that says so.
pub(super) fn answer(
    house: &KnownHouse,
    sentence: &str,
    context: &mut Context,
    turns: &[Turn],
    now: Instant,
) -> Option<Result<String, String>> {
    let (lexicon, meaning) = understand(house, sentence, context, context.language);
    let room = deciding_room(house, sentence, context, context.language, &meaning);
    let (SentenceMeaning::Question(question)
    | SentenceMeaning::Do(SentencePlan {
        question: Some(question),
        ..
    })) = meaning
    else {
        return None;
    };
    let names = control_names(house, &question.mentioned_devices(house));
    if !names.is_empty() {
        context.note(names, now);
    }
    if let (element::QuestionForm::Done, About::State(state)) = (question.form, question.about) {
        let mut done = question.devices.clone();
        done.retain(|device| has_put(turns, &house.facts(device).control_name, state));
        let (phrase, devices) = match done.as_slice() {
            [] => ("not_by_me", question.devices.as_slice()),
            done => ("by_me", done),
        };
        let states = lexicon.tell_states(house, devices);
        return Some(Ok(format!("{} {states}", lexicon.say(phrase, &[]))));
    }
    let told = lexicon.answer(house, &question);
    Some(told.map(|text| tell_room(room, text)).map_err(|text| tell_room(room, text)))
}

/// Returns the room in which a sentence was said, if the sentence has this meaning only because it was said there.
fn deciding_room<'h>(
    house: &'h KnownHouse,
    sentence: &str,
    context: &Context,
    language: Option<&str>,
    meaning: &SentenceMeaning,
) -> Option<&'h str> {
    let room = asker_room(&house.names, context.room.as_deref())?;
    let mut elsewhere = context.clone();
    elsewhere.room = None;
    let (_, without_room) = understand(house, sentence, &elsewhere, language);
    (without_room != *meaning).then_some(room)
}

/// Puts the room that decided what was meant in front of an answer that does not say it.
fn tell_room(room: Option<&str>, text: String) -> String {
    match room {
        Some(room) if !squash(&text).contains(&squash(room)) => format!("{room}: {text}"),
        _ => text,
    }
}

/// Returns the text of a phrase that has no gaps to fill. For example, the phrase "away" says that the house
/// can't be reached.
pub(super) fn say(language: Option<&str>, phrase: &str) -> String {
    say_with(language, phrase, &[])
}

/// Fills the gaps of a phrase.
pub(super) fn say_with(language: Option<&str>, phrase: &str, fillings: speech::Fillings) -> String {
    lexicon_for(language).say(phrase, fillings)
}

/// Returns the names by which the control tool knows these devices.
fn control_names(house: &KnownHouse, devices: &[&Device]) -> Vec<String> {
    devices.iter().map(|device| house.facts(device).control_name.clone()).collect()
}

/// Returns the language of a sentence such as "never mind", which cancels the sentence that is being answered.
pub(super) fn cancel_language(sentence: &str) -> Option<&'static str> {
    language_of_phrase(WordList::Cancels, sentence, None).map(Lexicon::code)
}
