//! Sentences for a later time: which they are, and those about the timers.

use super::context::Context;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon, WordList};
use super::meaning::{OrderStep, SentenceMeaning};
use super::tokens::Sentence;
use super::understand::understand;
use super::when::{TimeText, TimedSentence, may_be_amount};
use super::{SentenceKind, is_undo, judge, language_of_phrase};
use crate::assistant::due::When;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::names::resolve;

/// What to do at a later time.
#[derive(Debug)]
pub(in crate::assistant) struct LaterOrder {
    pub when: When,
    /// The language's code.
    pub language: &'static str,
    /// The words of the time.
    pub time: String,
    /// The order to carry out now.
    pub first: Option<String>,
    /// The order or the question for later.
    pub rest: String,
}

/// Finds out what to do with a sentence that has a time. The error says why nothing is to be done. Returns `None` if the
/// sentence has no time, or is understood without one. `has_timers` is false if nothing can be done later.
pub(in crate::assistant) fn find_later(
    house: &KnownHouse,
    sentence: &str,
    context: &Context,
    language: Option<&str>,
    has_timers: bool,
) -> Option<Result<LaterOrder, String>> {
    let preferred = language.or(context.language);
    let meaning_of = |text: &str, language| {
        let (lexicon, meaning) = understand(house, text, context, language);
        is_understood(&meaning).then_some((lexicon.code(), meaning))
    };
    let text = TimeText::read(sentence)?;
    let readings = LEXICONS.iter().filter_map(|lexicon| {
        let said = lexicon.find_time(&text)?;
        let meaning = meaning_of(&said.rest, Some(lexicon.code()));
        // Words for a time are none in a sentence of another language: "alle zwei Lampen aus".
        if meaning.as_ref().is_some_and(|(code, _)| *code != lexicon.code()) {
            return None;
        }
        let is_preferred = preferred == Some(lexicon.code());
        Some((
            (meaning.is_none(), !is_preferred),
            lexicon,
            said,
            meaning.map(|(_, meaning)| meaning),
        ))
    });
    let Some((_, lexicon, said, meaning)) = readings.min_by_key(|(rank, ..)| *rank) else {
        // "Set a timer."
        let has_timer = |lexicon: &&Lexicon| has_timers && has(lexicon, WordList::Timer, sentence);
        let lexicon = LEXICONS.iter().find(has_timer)?;
        let is_other = meaning_of(sentence, language).is_some();
        return (!is_other).then(|| Err(lexicon.say("timer_alone", &[])));
    };
    let found = match meaning_of(sentence, language) {
        Some((_, SentenceMeaning::Do(plan)))
            if may_be_amount(&said.when)
                && has(lexicon, WordList::At, &said.time)
                && plan.steps.iter().any(|step| step.call.value.is_some()) =>
        {
            Err("time_or_amount")
        }
        Some(_) => return None,
        None if has_timers => divide(house, lexicon, context, sentence, &said, meaning)?,
        None => meaning.and(Some(Err("later")))?,
    };
    Some(found.map_err(|phrase| lexicon.say(phrase, &[])))
}

/// Divides a sentence into what to do now and what to do later. The error is the name of the phrase that says why nothing
/// is to be done. Returns `None` if the sentence is about no order: "what a day".
fn divide(
    house: &KnownHouse,
    lexicon: &'static Lexicon,
    context: &Context,
    sentence: &str,
    said: &TimedSentence,
    meaning: Option<SentenceMeaning>,
) -> Option<Result<LaterOrder, &'static str>> {
    let rest = said.rest.clone();
    let order = |when, first, rest| LaterOrder {
        when,
        language: lexicon.code(),
        time: said.time.clone(),
        first,
        rest,
    };
    let Some(meaning) = meaning else {
        if rest.is_empty() || has(lexicon, WordList::Timer, sentence) {
            return Some(Err("timer_alone"));
        }
        let when = said.when.ok().filter(|_| !may_be_amount(&said.when));
        return when.map(|when| Ok(order(when, None, rest)));
    };
    let when = match said.when {
        Ok(when) => when,
        Err(phrase) => return Some(Err(phrase)),
    };
    match &meaning {
        SentenceMeaning::Do(plan)
            if may_be_amount(&said.when) && plan.steps.iter().any(lacks_amount) =>
        {
            return Some(Err("time_or_amount"));
        }
        SentenceMeaning::Question(_) if has(lexicon, WordList::Was, sentence) => {
            return Some(Err("later_how"));
        }
        _ => {}
    }
    let says_now = has(lexicon, WordList::Now, &rest);
    // A time before everything is for all of it.
    let is_for_all = !says_now && (said.is_first || !may_be_two(&meaning));
    let clauses = lexicon
        .parts_at_joints(sentence)
        .into_iter()
        .find(|(first, second)| !is_for_all && are_clauses(house, lexicon, context, first, second));
    Some(match clauses {
        None if !says_now => Ok(order(when, None, rest)),
        // "Turn it on, and turn it off in ten minutes." "Turn on the lamp now, and turn on the fan in ten minutes."
        Some((first, second))
            if (meaning == SentenceMeaning::Unclear || has(lexicon, WordList::Now, &first))
                && lexicon.read_time(&first).is_none() =>
        {
            Ok(order(when, Some(first), without_time(lexicon, &second)))
        }
        _ => Err("ambiguous"),
    })
}

/// Returns true if a sentence may be two, of which only one is for later.
fn may_be_two(meaning: &SentenceMeaning) -> bool {
    let have_same_action =
        |steps: &[OrderStep]| matches!(steps, [one, other] if one.call.action == other.call.action);
    match meaning {
        SentenceMeaning::Do(plan) => {
            plan.question.is_some() || !plan.steps.windows(2).all(have_same_action)
        }
        meaning => *meaning == SentenceMeaning::Unclear,
    }
}

fn without_time(lexicon: &Lexicon, text: &str) -> String {
    lexicon.read_time(text).map_or_else(|| text.to_owned(), |said| said.rest)
}

/// Returns true if the first part of a sentence is an order without its time, and the second one an order or a question.
fn are_clauses(
    house: &KnownHouse,
    lexicon: &Lexicon,
    context: &Context,
    first: &str,
    second: &str,
) -> bool {
    let mut context = context.clone();
    let now = std::time::Instant::now();
    let mut judge = |part| {
        let part = without_time(lexicon, part);
        judge(house, &part, &mut context, Some(lexicon.code()), now)
    };
    matches!(judge(first), SentenceKind::PlannedCalls(_))
        && matches!(
            judge(second),
            SentenceKind::PlannedCalls(_) | SentenceKind::Question(_)
        )
}

/// Returns true if an order needs an amount and has none.
fn lacks_amount(step: &OrderStep) -> bool {
    use Action::{Decrease, Dim, Increase, SetTemperature};

    let takes_amount = matches!(step.call.action, Dim | SetTemperature | Increase | Decrease);
    step.call.value.is_none() && takes_amount
}

fn is_understood(meaning: &SentenceMeaning) -> bool {
    !matches!(
        meaning,
        SentenceMeaning::Unknown(..)
            | SentenceMeaning::Absent(_)
            | SentenceMeaning::Near(..)
            | SentenceMeaning::Silent
    )
}

/// Returns true if a sentence contains a phrase of this list.
fn has(lexicon: &Lexicon, list: WordList, sentence: &str) -> bool {
    let tokens = Sentence::read(sentence).unwrap_or_default().tokens;
    (0..tokens.len()).any(|at| lexicon.has_at(list, &tokens, at))
}

impl Lexicon {
    /// Returns the two parts of a sentence at each of its conjunctions, commas and stops.
    fn parts_at_joints(&self, sentence: &str) -> Vec<(String, String)> {
        let pieces: Vec<&str> = sentence.split_whitespace().collect();
        let parts = (1..pieces.len()).filter_map(|at| {
            let (before, after) = pieces.split_at(at);
            let tokens = Sentence::read(&after.join(" "))?.tokens;
            let conjunction = self.length_at(WordList::Conjunctions, &tokens, 0);
            let has_stop = before.last()?.ends_with([',', ';', '.']);
            let second = after.get(conjunction.or(has_stop.then_some(0))?..)?;
            Some((before.join(" "), second.join(" ")))
        });
        parts.collect()
    }
}

/// A sentence about the timers.
#[derive(Debug)]
pub(in crate::assistant) enum TimerRequest<'h> {
    List,
    HowLong,
    /// Cancels the only timer.
    Cancel,
    /// Cancels the timer for these devices.
    CancelFor(Vec<&'h Device>),
    CancelAll,
    /// Cancels the timer that was just set.
    Withdraw,
}

/// Reads a sentence about the timers. Returns its language.
pub(in crate::assistant) fn timer_request<'h>(
    house: &'h KnownHouse,
    sentence: &str,
    context: &Context,
    language: Option<&str>,
) -> Option<(TimerRequest<'h>, &'static str)> {
    let find = |list| language_of_phrase(list, sentence, language.or(context.language));
    // "Cancel that" ends the question that was asked. What also says to undo undoes what was done since.
    let has_other_use = context.pending.is_some()
        || context.offered.is_some()
        || !context.undo.is_empty() && is_undo(sentence, language);
    if let Some(lexicon) = find(WordList::Withdraws).filter(|_| !has_other_use) {
        return Some((TimerRequest::Withdraw, lexicon.code()));
    }
    for (list, request) in [
        (WordList::WhichTimers, TimerRequest::List),
        (WordList::HowLong, TimerRequest::HowLong),
        (WordList::CancelTimer, TimerRequest::Cancel),
        (WordList::CancelTimers, TimerRequest::CancelAll),
    ] {
        if let Some(lexicon) = find(list) {
            return Some((request, lexicon.code()));
        }
    }
    let tokens = Sentence::read(sentence)?.tokens;
    LEXICONS.iter().find_map(|lexicon| {
        let length = lexicon.length_at(WordList::CancelTimerFor, &tokens, 0)?;
        let name: Vec<&str> = tokens.iter().skip(length).map(|token| token.said.as_str()).collect();
        let room = context.room.as_deref();
        let devices = resolve(&house.names, &name.join(" "), None, room, Action::Off).devices();
        (!name.is_empty()).then_some((TimerRequest::CancelFor(devices), lexicon.code()))
    })
}
