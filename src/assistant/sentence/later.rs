//! Orders and questions for a later time: which they are, what is kept of them, and whether their devices are still
//! the same when they are due.

use chrono::{Datelike, NaiveDateTime};
use serde::{Deserialize, Serialize};

use super::awaited::needs_person;
use super::call::DeviceCall;
use super::context::Context;
use super::element::TimeWord;
use super::house::KnownHouse;
use super::lexicon::{LEXICONS, Lexicon, WordList, lexicon_for};
use super::meaning::{OrderStep, SentenceMeaning, SentencePlan};
use super::understand::understand;
use super::when::{Split, TimedSentence, Timing, UNITS, WEEKDAYS};
use super::{PlannedCalls, SentenceKind, is_undo, judge, language_of_phrase, tell_room};
use crate::assistant::due::When;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::names::resolve;
use crate::home::only;

/// An order or a question that is kept until it is due.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::assistant) struct TimedOrder {
    /// The language's code.
    language: String,
    /// Tells what is to be done.
    pub text: String,
    /// The calls to make.
    steps: Vec<TimedStep>,
    /// The devices that a question is about.
    asked: Vec<KeptDevice>,
    /// The sentence with the question to answer, if there is one.
    pub question: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TimedStep {
    device: KeptDevice,
    call: DeviceCall,
    said: Option<String>,
}

/// What makes a device the same one later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptDevice {
    /// Has the tag, which changes when others get the same name. It decides only between several that fit.
    address: String,
    name: String,
    room: String,
    kind: String,
    gateway: Option<String>,
    node: Option<u16>,
    endpoint: Option<u8>,
    scene: Option<u32>,
}

impl KeptDevice {
    fn of(house: &KnownHouse, device: &Device) -> Self {
        let facts = house.facts(device);
        Self {
            address: facts.address.clone(),
            name: device.name.text.clone(),
            room: device.room.clone(),
            kind: facts.listed.kind.clone(),
            gateway: facts.gateway.clone(),
            node: facts.node,
            endpoint: facts.endpoint,
            scene: facts.scene,
        }
    }

    /// Finds the device. Returns `None` if it is gone, renamed, of another kind, or another node.
    fn find<'h>(&self, house: &'h KnownHouse) -> Option<&'h Device> {
        let is_same = |device: &&Device| {
            let address = self.address.clone();
            Self {
                address,
                ..Self::of(house, device)
            } == *self
        };
        let same: Vec<&Device> = house.names.devices().iter().filter(is_same).collect();
        let mut at_address =
            same.iter().filter(|device| house.facts(device).address == self.address);
        only(same.iter().copied()).or(at_address.next().copied())
    }
}

/// What to do with a sentence that has a time.
#[derive(Debug)]
pub(in crate::assistant) enum Later {
    /// Say this. Nothing is to be done.
    Answer(String),
    /// Do what `rest` says at this time, and what `first` says now. `time` has the words of the time.
    At {
        when: When,
        language: &'static str,
        time: String,
        first: Option<String>,
        rest: String,
    },
}

/// Finds out what to do with a sentence that has a time. Returns `None` if it has no time, or if it is understood
/// without one. `has_timers` is false if nothing can be done later.
pub(in crate::assistant) fn find_later(
    house: &KnownHouse,
    sentence: &str,
    context: &Context,
    language: Option<&str>,
    has_timers: bool,
) -> Option<Later> {
    let mut readings: Vec<(&Lexicon, TimedSentence)> = LEXICONS
        .iter()
        .filter_map(|lexicon| Some((lexicon, lexicon.read_time(sentence)?)))
        .collect();
    let has = |lexicon: &Lexicon, list| {
        let tokens = super::Sentence::read(sentence)
            .map(|sentence| sentence.tokens)
            .unwrap_or_default();
        (0..tokens.len()).any(|at| lexicon.has_at(list, &tokens, at))
    };
    if readings.is_empty() {
        // "Set a timer."
        LEXICONS.iter().find(|lexicon| has_timers && has(lexicon, WordList::Timer))?;
        let (lexicon, meaning) = understand(house, sentence, context, language);
        return (!is_understood(&meaning)).then(|| Later::Answer(lexicon.say("timer_alone", &[])));
    }
    let preferred = language.or(context.language);
    readings.sort_by_key(|(lexicon, _)| preferred != Some(lexicon.code()));
    let as_said = understand(house, sentence, context, language).1;
    if is_understood(&as_said) {
        let (lexicon, _) = readings.iter().find(|(_, said)| is_bare(said))?;
        let is_amount = matches!(as_said, SentenceMeaning::Do(plan)
            if plan.steps.iter().any(|step| step.call.value.is_some()));
        return is_amount.then(|| Later::Answer(lexicon.say("time_or_amount", &[])));
    }
    let meaning_in = |(lexicon, said): &(&Lexicon, TimedSentence)| {
        let (used, meaning) = understand(house, &said.rest, context, Some(lexicon.code()));
        is_understood(&meaning).then_some((used.code() != lexicon.code(), meaning))
    };
    let mut understood: Vec<_> =
        readings.iter().map(|reading| (reading, meaning_in(reading))).collect();
    understood.sort_by_key(|(_, meaning)| {
        meaning.as_ref().map_or(2, |(is_other, _)| u8::from(*is_other))
    });
    let ((lexicon, said), meaning) = understood.into_iter().next()?;
    let answer = |phrase| Some(Later::Answer(lexicon.say(phrase, &[])));
    if !has_timers {
        return meaning.and_then(|_| answer("later"));
    }
    let meaning = meaning.map(|(_, meaning)| meaning);
    let has_order = meaning.is_some();
    if !has_order && (said.rest.trim().is_empty() || has(lexicon, WordList::Timer)) {
        return answer("timer_alone");
    }
    let (when, is_bare) = match said.timing {
        Timing::At { when, is_bare } => (when, is_bare),
        // "What a day" is about no order.
        Timing::For => return meaning.and_then(|_| answer("for_a_while")),
        Timing::Unclear => return meaning.and_then(|_| answer("time_unclear")),
        Timing::Several => return meaning.and_then(|_| answer("ambiguous")),
    };
    match &meaning {
        Some(SentenceMeaning::Do(plan)) if is_bare && plan.steps.iter().any(lacks_amount) => {
            return answer("time_or_amount");
        }
        Some(SentenceMeaning::Question(_)) if has(lexicon, WordList::Was) => {
            return answer("later_how");
        }
        Some(meaning @ (SentenceMeaning::Do(_) | SentenceMeaning::Unclear)) if !said.is_first => {
            let is_several = matches!(meaning, SentenceMeaning::Do(plan)
                if plan.question.is_some() || !plan.steps.windows(2).all(have_same_action));
            match said.splits.iter().find(|split| are_clauses(house, lexicon, context, split)) {
                // "Turn it on, and turn it off in ten minutes."
                Some(split) if *meaning == SentenceMeaning::Unclear && split.has_time_second => {
                    let first = Some(split.first.clone());
                    return Some(at(when, lexicon, said, first, split.second.clone()));
                }
                Some(_) if is_several => return answer("ambiguous"),
                _ => {}
            }
        }
        _ => {}
    }
    Some(at(when, lexicon, said, None, said.rest.clone()))
}

/// Returns true if the first part of a sentence is an order, and the second one is an order or a question.
fn are_clauses(house: &KnownHouse, lexicon: &Lexicon, context: &Context, split: &Split) -> bool {
    let mut context = context.clone();
    let (code, now) = (Some(lexicon.code()), std::time::Instant::now());
    let mut judge = |sentence: &str| judge(house, sentence, &mut context, code, now);
    let is_order = matches!(judge(&split.first), SentenceKind::PlannedCalls(_));
    let second = judge(&split.second);
    is_order
        && matches!(
            second,
            SentenceKind::PlannedCalls(_) | SentenceKind::Question(_)
        )
}

/// Returns true if an order needs an amount and has none.
fn lacks_amount(step: &OrderStep) -> bool {
    use Action::{Decrease, Dim, Increase, SetTemperature};

    let takes_amount = matches!(step.call.action, Dim | SetTemperature | Increase | Decrease);
    step.call.value.is_none() && takes_amount
}

fn have_same_action(steps: &[OrderStep]) -> bool {
    matches!(steps, [one, other] if one.call.action == other.call.action)
}

fn at(
    when: When,
    lexicon: &'static Lexicon,
    said: &TimedSentence,
    first: Option<String>,
    rest: String,
) -> Later {
    Later::At {
        when,
        language: lexicon.code(),
        time: said.time.clone(),
        first,
        rest,
    }
}

fn is_bare(said: &TimedSentence) -> bool {
    matches!(said.timing, Timing::At { is_bare: true, .. })
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

impl PlannedCalls<'_> {
    /// Returns true if there is anything to do.
    pub fn has_steps(&self) -> bool {
        !self.plan.steps.is_empty()
    }

    /// Returns what to keep of this order until it is due. `sentence` is needed for its question.
    ///
    /// # Errors
    /// The order can't be for later, because it is an undo or a person has to allow it. The error is a sentence that says
    /// so.
    pub fn to_timed(&self, house: &KnownHouse, sentence: &str) -> Result<TimedOrder, String> {
        if self.is_undo {
            return Err(self.lexicon.say("later_how", &[]));
        }
        let SentencePlan {
            steps, question, ..
        } = &self.plan;
        if let Some(step) = steps.iter().find(|step| needs_person(house, step)) {
            return Err(self.lexicon.tell(&[(step, "guarded")], &[]));
        }
        let done: Vec<_> = steps.iter().map(|step| (step, "done")).collect();
        let kept = |step: &OrderStep| TimedStep {
            device: KeptDevice::of(house, step.device),
            call: step.call.clone(),
            said: step.said.clone(),
        };
        let question = question.as_ref();
        let asked = question.map(|question| question.mentioned_devices(house)).unwrap_or_default();
        Ok(TimedOrder {
            language: self.lexicon.code().to_owned(),
            text: tell_room(self.room, self.lexicon.tell(&done, &self.plan.left_alone)),
            steps: steps.iter().map(kept).collect(),
            asked: asked.into_iter().map(|device| KeptDevice::of(house, device)).collect(),
            question: question.map(|_| sentence.to_owned()),
        })
    }
}

/// Returns what to keep of a question until it is due. The sentence must have gone through [`judge`].
pub(in crate::assistant) fn timed_question(
    house: &KnownHouse,
    sentence: &str,
    context: &Context,
) -> TimedOrder {
    let (lexicon, meaning) = understand(house, sentence, context, context.language);
    let asked = match meaning {
        SentenceMeaning::Question(question) if question.names_one => question.devices,
        _ => Vec::new(),
    };
    TimedOrder {
        language: lexicon.code().to_owned(),
        text: format!("\"{sentence}\""),
        asked: asked.into_iter().map(|device| KeptDevice::of(house, device)).collect(),
        question: Some(sentence.to_owned()),
        ..TimedOrder::default()
    }
}

impl TimedOrder {
    /// Returns the language's code.
    pub fn language(&self) -> &'static str {
        lexicon_for(Some(&self.language)).code()
    }

    /// Returns the calls for the devices that are still the same, and the names of the others. The context refers to the
    /// devices of the question.
    pub fn plan<'h>(
        &self,
        house: &'h KnownHouse,
        context: &mut Context,
    ) -> (PlannedCalls<'h>, Vec<String>) {
        let lexicon = lexicon_for(Some(&self.language));
        let mut gone = Vec::new();
        let mut find = |kept: &KeptDevice| {
            let device = kept.find(house);
            if device.is_none() && !gone.contains(&kept.name) {
                gone.push(kept.name.clone());
            }
            device
        };
        let steps = self.steps.iter().filter_map(|step| {
            let device = find(&step.device)?;
            Some(OrderStep {
                device,
                facts: house.facts(device),
                call: step.call.clone(),
                said: step.said.clone(),
            })
        });
        let plan = SentencePlan {
            steps: steps.collect(),
            ..SentencePlan::default()
        };
        let asked: Vec<&Device> = self.asked.iter().filter_map(&mut find).collect();
        context.language = Some(lexicon.code());
        context.note(
            super::control_names(house, &asked),
            std::time::Instant::now(),
        );
        let planned = PlannedCalls {
            lexicon,
            plan,
            is_undo: false,
            room: None,
            due: None,
        };
        (planned, gone)
    }

    /// Returns true if the order or the question is for one of these devices.
    fn is_for(&self, house: &KnownHouse, devices: &[&Device]) -> bool {
        let mut kept = self.steps.iter().map(|step| &step.device).chain(&self.asked);
        kept.any(|kept| kept.find(house).is_some_and(|device| devices.contains(&device)))
    }
}

/// A sentence about the timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assistant) enum TimerRequest {
    List,
    HowLong,
    Cancel,
    CancelAll,
    /// Cancels the timer that was just set.
    Withdraw,
}

/// Reads a sentence about the timers. Returns its language.
pub(in crate::assistant) fn timer_request(
    sentence: &str,
    context: &Context,
    language: Option<&str>,
) -> Option<(TimerRequest, &'static str)> {
    let requests = [
        (WordList::WhichTimers, TimerRequest::List),
        (WordList::HowLong, TimerRequest::HowLong),
        (WordList::CancelTimer, TimerRequest::Cancel),
        (WordList::CancelTimers, TimerRequest::CancelAll),
        (WordList::Withdraws, TimerRequest::Withdraw),
    ];
    let was_asked = context.pending.is_some() || context.offered.is_some();
    requests.into_iter().find_map(|(list, request)| {
        // "Cancel that" ends the question that was asked. What also says to undo undoes what was done since.
        let is_undo = !context.undo.is_empty() && is_undo(sentence, language);
        if request == TimerRequest::Withdraw && (was_asked || is_undo) {
            return None;
        }
        let lexicon = language_of_phrase(list, sentence, language.or(context.language))?;
        Some((request, lexicon.code()))
    })
}

/// Reads a sentence that cancels the timer of a device. Returns its language, and a function that says whether an order
/// is for the device.
pub(in crate::assistant) fn timer_to_cancel<'h>(
    house: &'h KnownHouse,
    sentence: &str,
    context: &Context,
) -> Option<(&'static str, impl Fn(&TimedOrder) -> bool + use<'h>)> {
    let tokens = super::Sentence::read(sentence)?.tokens;
    let (lexicon, length) = LEXICONS.iter().find_map(|lexicon| {
        Some((
            lexicon,
            lexicon.length_at(WordList::CancelTimerFor, &tokens, 0)?,
        ))
    })?;
    let name: Vec<&str> = tokens.iter().skip(length).map(|token| token.said.as_str()).collect();
    let asker = context.room.as_deref();
    let devices = resolve(&house.names, &name.join(" "), None, asker, Action::Off).devices();
    (!name.is_empty()).then_some((lexicon.code(), move |order: &TimedOrder| {
        order.is_for(house, &devices)
    }))
}

/// Tells a time: "19:00", "tomorrow, 07:00". Without a known zone, the times are in UTC.
pub(in crate::assistant) fn tell_time(
    language: &str,
    due: NaiveDateTime,
    now: NaiveDateTime,
    is_zone_known: bool,
) -> String {
    let lexicon = lexicon_for(Some(language));
    let is_soon = (due - now).num_seconds().abs() < 120;
    let clock = due.format(if is_soon { "%H:%M:%S" } else { "%H:%M" });
    let zone = if is_zone_known { "" } else { " UTC" };
    let weekday = WEEKDAYS.get(due.weekday().num_days_from_monday() as usize);
    let day = match (due.date() - now.date()).num_days() {
        0 => return format!("{clock}{zone}"),
        1 => lexicon.time_word(TimeWord::Tomorrow),
        _ => weekday.map(|day| lexicon.time_word(*day)).unwrap_or_default(),
    };
    format!("{day}, {clock}{zone}")
}

/// Tells a span: "12 minutes".
pub(in crate::assistant) fn tell_span(language: &str, seconds: u32) -> String {
    let lexicon = lexicon_for(Some(language));
    // Two hours are told in minutes no more.
    let unit = UNITS.iter().find(|(_, unit)| seconds >= 2 * unit || *unit == 1);
    let (word, unit) = unit.unwrap_or(&(TimeWord::Seconds, 1));
    let number = (seconds + unit / 2) / unit;
    let pattern = lexicon.table.when.get(word).and_then(|patterns| patterns.first());
    let mut words = pattern.map(String::as_str).unwrap_or_default().split('/');
    let (plural, singular) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    format!("{number} {}", if number == 1 { singular } else { plural })
}
