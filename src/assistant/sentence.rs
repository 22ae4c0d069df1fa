//! Sentences that need no model.
//!
//! A sentence is understood if each of its words belongs to the order or the question, names something
//! in the house, or is a filler. The words of the languages are in `src/words`, those of the house come
//! from the resource `zwave://devices`, and [`names`](crate::home::names) finds them.

mod call;
mod clause;
mod context;
mod element;
mod fact;
mod hints;
mod house;
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
mod tokens;
mod understand;
mod value;

pub use context::Context;
pub(super) use hints::{Hints, hints};
pub(super) use house::DeviceFacts;
pub use house::KnownHouse;

use std::time::Instant;

use context::{Pending, plan_undo};
use lexicon::{LEXICONS, Lexicon, WordList};
use meaning::{Meaning, Step};
use outcome::CallOutcome;
use understand::{lexicon as language_of, understand};

use crate::client::ToolResult;
use crate::home::device::Device;
use call::CallRefusal;
use tokens::Sentence;

/// The freshness that the knowledge of the house must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequiredFreshness {
    /// Its devices' names and abilities, as last read.
    Names,
    /// The states of all devices as they are now.
    States,
    /// The states as they are now, and what changed.
    Changes,
}

/// A decision about a sentence.
#[derive(Debug)]
pub(super) enum Verdict<'h> {
    /// Calls to make, a group at a time: the calls of a group together, then those of the next group.
    Act(Act<'h>),
    /// A question, and how fresh the house must be for its answer.
    Ask(RequiredFreshness),
    /// Nothing is done: the answer, and the reason in words for the owner.
    Answer { text: String, owner: String },
    /// A model may understand it: what to say if there is none.
    Unknown(String),
}

/// Calls to make, with the device of each.
#[derive(Debug)]
pub(super) struct Act<'h> {
    lexicon: &'static Lexicon,
    steps: Vec<Step<'h>>,
    left: Vec<&'h Device>,
    /// A question to answer afterwards: how fresh the house must be for its answer.
    pub then_ask: Option<RequiredFreshness>,
    /// It takes back the last order, and cannot be taken back itself.
    is_undo: bool,
}

impl Act<'_> {
    /// Returns the arguments of the calls, in groups that are made one after the other.
    pub fn groups(&self) -> Vec<Vec<serde_json::Map<String, serde_json::Value>>> {
        let arguments = |step: &Step| step.call.arguments(&step.facts.control_name);
        self.steps
            .chunk_by(|one, other| one.call == other.call)
            .map(|group| group.iter().map(arguments).collect())
            .collect()
    }

    /// Notes the calls that take this order back, if all of it can be taken back.
    pub fn note(&self, context: &mut Context, results: &[ToolResult]) {
        let undos = self.steps.iter().zip(results).map(|(step, result)| plan_undo(step, result));
        context.undo = if self.is_undo {
            Vec::new()
        } else {
            undos.collect::<Option<_>>().unwrap_or_default()
        };
        context.has_undone = self.is_undo;
    }

    /// Returns the answer and the errors, given the results of the calls that were made.
    pub fn answer(&self, results: &[ToolResult]) -> (String, Option<String>) {
        let outcomes = self
            .steps
            .iter()
            .zip(results)
            .map(|(step, result)| (step, CallOutcome::read(result, step.facts)));
        let text = self.lexicon.tell(&outcomes.collect::<Vec<_>>(), &self.left);
        let failures: Vec<String> = results
            .iter()
            .filter(|result| result.is_error)
            .map(ToolResult::as_text)
            .collect();
        let error = (!failures.is_empty()).then(|| failures.join(" "));
        (text, error)
    }
}

/// Understands a sentence in a house, and notes in the context what it is about.
pub(super) fn judge<'h>(
    house: &'h KnownHouse,
    sentence: &str,
    context: &mut Context,
    language: Option<&str>,
    now: Instant,
) -> Verdict<'h> {
    context.forget_before(now);
    if let Some(lexicon) = language_with_all(WordList::Undo, sentence, language) {
        return undo(house, lexicon, context);
    }
    let (lexicon, meaning) = understand(house, sentence, context, language);
    context.language = Some(lexicon.code());
    match meaning {
        Meaning::Do(steps, left, question) => {
            let named = steps.iter().map(|step| step.facts.control_name.clone());
            context.note(named.collect(), now);
            Verdict::Act(Act {
                lexicon,
                steps,
                left,
                then_ask: question.map(|question| question.freshness()),
                is_undo: false,
            })
        }
        Meaning::Asked(question) => Verdict::Ask(question.freshness()),
        Meaning::Silent => Verdict::Unknown(lexicon.tell_unknown(&[], None)),
        Meaning::Unknown(words, None) => Verdict::Unknown(lexicon.tell_unknown(&words, None)),
        Meaning::Absent(words) => Verdict::Unknown(lexicon.tell_absent(&words)),
        Meaning::Unknown(words, excuse) => Verdict::answer(lexicon.tell_unknown(&words, excuse)),
        meaning => {
            if let Meaning::WhichOne(wish, devices) = &meaning {
                let pending = Pending {
                    wish: wish.clone(),
                    names: control_names(house, devices),
                    language: lexicon.code(),
                };
                context.ask(pending, now);
            }
            let text = lexicon.tell_refusal(&meaning);
            let owner = guard_advice(&meaning).unwrap_or_else(|| text.clone());
            Verdict::Answer { text, owner }
        }
    }
}

impl KnownHouse {
    /// Returns true if a sentence needs no model: it is an order, a question, or something that gets an
    /// answer at once.
    pub fn understands(&self, sentence: &str) -> bool {
        let mut context = Context::default();
        let verdict = judge(self, sentence, &mut context, None, Instant::now());
        !matches!(verdict, Verdict::Unknown(_))
    }
}

impl Verdict<'_> {
    fn answer(text: String) -> Self {
        Self::Answer {
            owner: text.clone(),
            text,
        }
    }
}

/// Tells the owner how to allow a guarded action, if the guard is why nothing is done.
fn guard_advice(meaning: &Meaning) -> Option<String> {
    let Meaning::Cannot(CallRefusal::Guarded(_), devices) = meaning else {
        return None;
    };
    let names: Vec<String> = devices.iter().map(|device| device.listed_name()).collect();
    let names = names.join(", ");
    Some(format!(
        "Guarded: {names}. The owner can allow it with ZWAVE_GUARD=allow, or name in ZWAVE_UNGUARDED what is \
         no door, gate or lock."
    ))
}

/// Returns true if a sentence takes the last order back.
pub(super) fn is_undo(sentence: &str, language: Option<&str>) -> bool {
    language_with_all(WordList::Undo, sentence, language).is_some()
}

/// Returns the language in which a sentence, however it is punctuated, is a phrase of a list.
fn language_with_all(
    list: WordList,
    sentence: &str,
    preferred: Option<&str>,
) -> Option<&'static Lexicon> {
    let mut tokens = Sentence::read(sentence)?.tokens;
    tokens.retain(|token| !token.is_break());
    let first = Some(language_of(preferred));
    first
        .into_iter()
        .chain(LEXICONS.iter())
        .find(|lexicon| lexicon.is_all(list, &tokens))
}

/// Brings back the state before the last order.
fn undo<'h>(
    house: &'h KnownHouse,
    lexicon: &'static Lexicon,
    context: &mut Context,
) -> Verdict<'h> {
    let mut steps = Vec::new();
    for undo in std::mem::take(&mut context.undo) {
        let Some(device) = house.device(&undo.name) else {
            return Verdict::answer(lexicon.say("no_undo", &[]));
        };
        let facts = house.facts(device);
        let refuse =
            |phrase| Verdict::answer(lexicon.say_of(phrase, &lexicon.subject(device), &[]));
        if facts.guarded {
            return refuse("guarded_undo");
        }
        if !undo.is_as_left(&facts.current) {
            return refuse("changed_since");
        }
        let call = undo.call;
        steps.push(Step {
            device,
            facts,
            call,
        });
    }
    if steps.is_empty() {
        let phrase = if context.has_undone {
            "nothing_more_to_undo"
        } else {
            "no_undo"
        };
        return Verdict::answer(lexicon.say(phrase, &[]));
    }
    Verdict::Act(Act {
        lexicon,
        steps,
        left: Vec::new(),
        then_ask: None,
        is_undo: true,
    })
}

/// Answers the question of a sentence that was judged before, in the same language, from the states as they
/// were just read. The error says that nothing is known about it. Returns `None` if the sentence no longer
/// asks anything.
pub(super) fn answer(
    house: &KnownHouse,
    sentence: &str,
    context: &mut Context,
    now: Instant,
) -> Option<Result<String, String>> {
    let (lexicon, meaning) = understand(house, sentence, context, context.language);
    let (Meaning::Asked(question) | Meaning::Do(_, _, Some(question))) = meaning else {
        return None;
    };
    let names = control_names(house, &question.mentioned_devices(house));
    if !names.is_empty() {
        context.note(names, now);
    }
    Some(lexicon.answer(house, &question))
}

/// Returns a phrase without gaps in a language, such as "away" for a house that is out of reach.
pub(super) fn say(language: Option<&str>, phrase: &str) -> String {
    language_of(language).say(phrase, &[])
}

/// Returns the names that devices are controlled by.
fn control_names(house: &KnownHouse, devices: &[&Device]) -> Vec<String> {
    devices.iter().map(|device| house.facts(device).control_name.clone()).collect()
}

/// Returns the language in which a sentence cancels the one being answered, if it does.
pub(super) fn cancel_language(sentence: &str) -> Option<&'static str> {
    language_with_all(WordList::Cancels, sentence, None).map(Lexicon::code)
}
