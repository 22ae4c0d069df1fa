//! Takes orders and questions for later, answers sentences about the timers, and does what is due.

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};

use super::answer::SentenceAnswer;
use super::due::{Due, next_due};
use super::sentence::{
    self, KnownHouse, LaterOrder, RequiredFreshness, SentenceKind, TimedOrder, TimerRequest, judge,
};
use super::sentence_run::SentenceRun;
use super::timers::{Timer, Timers};

/// The maximum number of timers to tell.
const MAX_TOLD: usize = 5;

/// For the owner, where nothing can be done later.
const NEEDS_OTHER_COMMAND: &str = "`ask` ends with its answer. For later, use `zwave-assistant chat` or `zwave-assistant listen`.";

impl SentenceRun<'_> {
    /// Answers a sentence that has a time, or is about the timers. Returns `None` if it is neither.
    pub(super) async fn answer_later(
        &mut self,
        house: &Arc<KnownHouse>,
        sentence: &str,
    ) -> Option<SentenceAnswer> {
        let language = self.parts.language.as_deref();
        let timers = self.parts.timers.as_ref();
        self.conversation.context.has_timers = timers.is_some();
        let context = &self.conversation.context;
        if let Some(timers) = timers
            && let Some(text) = answer_about_timers(timers, house, sentence, context, language)
        {
            self.conversation.context.forget_questions();
            return Some(self.answer_locally(text, None));
        }
        let order =
            match sentence::find_later(house, sentence, context, language, timers.is_some())? {
                Ok(order) => order,
                Err(text) => {
                    self.conversation.context.forget_questions();
                    let owner = timers.map_or(NEEDS_OTHER_COMMAND, |_| &text).to_owned();
                    return Some(self.answer_locally(text, Some(owner)));
                }
            };
        let Some(first) = &order.first else {
            return Some(self.keep_later(house, timers?, &order));
        };
        let context = &mut self.conversation.context;
        let SentenceKind::PlannedCalls(planned) =
            judge(house, first, context, Some(order.language), Instant::now())
        else {
            return None;
        };
        // What a person has to allow is said alone.
        if let Err(text) = planned.to_timed(house, first) {
            return Some(self.answer_locally(text.clone(), Some(text)));
        }
        let kept = self.keep_later(house, timers?, &order);
        if !kept.is_success() {
            return Some(kept);
        }
        let done = self.carry_out(&planned, first).await;
        let text = format!("{} {}", done.text, kept.text);
        Some(SentenceAnswer { text, ..done })
    }

    /// Keeps an order or a question until it is due, if it could be done now.
    fn keep_later(
        &mut self,
        house: &KnownHouse,
        timers: &Timers,
        order: &LaterOrder,
    ) -> SentenceAnswer {
        let (clock, language) = (&timers.clock, order.language);
        let due = match next_due(order.when, clock.now(), |time| clock.to_local(time)) {
            Ok(due) => due,
            Err(phrase) => return self.refuse(sentence::say(Some(language), phrase)),
        };
        let context = &mut self.conversation.context;
        let kind = judge(house, &order.rest, context, Some(language), Instant::now());
        context.note_later(due, &order.time, &order.rest);
        match kind {
            SentenceKind::PlannedCalls(planned) => {
                self.keep(due, planned.to_timed(house, &order.rest))
            }
            SentenceKind::Question(_) => {
                let question = sentence::timed_question(house, &order.rest, context);
                self.keep(due, Ok(question))
            }
            SentenceKind::Answer { text, owner } => self.answer_locally(text, owner),
            SentenceKind::Unknown(text) => self.refuse(text),
        }
    }

    /// Keeps what is due at a time, and tells it back. The error says why it can't be for later.
    pub(super) fn keep(&mut self, due: Due, order: Result<TimedOrder, String>) -> SentenceAnswer {
        let kept = order.and_then(|order| {
            let language = order.language();
            let say = |phrase| sentence::say(Some(language), phrase);
            let timers = self.parts.timers.as_ref().ok_or_else(|| say("later"))?;
            let time = tell_time(timers, language, due.time);
            let fillings = [("time", time.as_str()), ("text", order.text.as_str())];
            let text = sentence::say_with(Some(language), "noted", &fillings);
            timers.add(due, self.conversation, order).map_err(say)?;
            Ok(text)
        });
        match kept {
            Ok(text) => {
                self.conversation.context.forget_undo();
                self.answer_locally(text, None)
            }
            Err(text) => self.refuse(text),
        }
    }

    fn refuse(&mut self, text: String) -> SentenceAnswer {
        self.answer_locally(text.clone(), Some(text))
    }

    /// Does or answers what is due, or tells why not.
    pub(super) async fn answer_due(&mut self, timer: &Timer, is_late: bool) -> SentenceAnswer {
        let order = &timer.order;
        let language = order.language();
        let with_text = |phrase: &str, time: &str| {
            let fillings = [("time", time), ("text", &*order.text)];
            sentence::say_with(Some(language), phrase, &fillings)
        };
        if is_late {
            let timers = self.parts.timers.as_ref();
            let time = timers.map(|timers| tell_time(timers, language, timer.time()));
            let text = with_text("timer_late", &time.unwrap_or_default());
            return self.answer_locally(text.clone(), Some(text));
        }
        let house = match self.house(RequiredFreshness::Names).await {
            Ok(house) => house,
            Err(why) => {
                let text = format!("{} {}", with_text("away", ""), order.text);
                return self.answer_locally(text, Some(why));
            }
        };
        let (planned, gone) = order.plan(&house, &mut self.conversation.context);
        let mut texts = Vec::new();
        let mut errors = Vec::new();
        if planned.has_steps() {
            let done = self.carry_out(&planned, "").await;
            texts.push(done.text);
            errors.extend(done.error);
        }
        if !gone.is_empty() {
            let fillings = [("names", &*gone.join(", "))];
            let text = sentence::say_with(Some(language), "timer_changed", &fillings);
            errors.push(text.clone());
            texts.push(text);
        } else if let Some(question) = &order.question {
            let (text, error) = self.answer_question(question, RequiredFreshness::Changes).await;
            texts.push(text);
            errors.extend(error);
        }
        self.answer_locally(
            texts.join(" "),
            (!errors.is_empty()).then(|| errors.join(" ")),
        )
    }
}

/// Answers a sentence about the timers. Returns `None` if it is not about them.
fn answer_about_timers(
    timers: &Timers,
    house: &KnownHouse,
    sentence: &str,
    context: &sentence::Context,
    language: Option<&str>,
) -> Option<String> {
    let (request, language) = sentence::timer_request(house, sentence, context, language)?;
    let say = |phrase| Some(sentence::say(Some(language), phrase));
    let is_of_room = |timer: &Timer| timer.room == context.room;
    let mut found = timers.list();
    match &request {
        TimerRequest::Withdraw => found = vec![timers.just_set(context.room.as_deref())?],
        _ if timers.problem().is_some() => return say("no_timers"),
        _ if found.is_empty() => return say("timers_none"),
        TimerRequest::HowLong | TimerRequest::Cancel if found.iter().any(is_of_room) => {
            found.retain(is_of_room);
        }
        TimerRequest::CancelFor(devices) => {
            found.retain(|timer| timer.order.is_for(house, devices));
        }
        _ => {}
    }
    let is_for_one = matches!(request, TimerRequest::Cancel | TimerRequest::CancelFor(_));
    match (request, found.as_slice()) {
        (_, []) => say("no_timer"),
        (TimerRequest::List, _) => Some(tell_timers(timers, language, "timer_item", &found)),
        (TimerRequest::HowLong, _) => Some(tell_timers(timers, language, "still", &found)),
        (_, [_, _, ..]) if is_for_one => {
            let text = tell_timers(timers, language, "timer_item", &found);
            let fillings = [("text", text.as_str())];
            Some(sentence::say_with(Some(language), "which_timer", &fillings))
        }
        _ => {
            let cancelled = timers.cancel(&found);
            Some(tell_timers(timers, language, "timer_cancelled", &cancelled))
        }
    }
}

/// Tells each of these timers with a phrase. Of many, tells how many more there are.
fn tell_timers(timers: &Timers, language: &str, phrase: &str, told: &[Timer]) -> String {
    let tell = |timer: &Timer| {
        let time = tell_time(timers, language, timer.time());
        let left = (timer.time() - timers.clock.now()).num_seconds();
        let span = sentence::tell_span(language, u32::try_from(left).unwrap_or(0));
        let fillings = [
            ("time", &*time),
            ("span", &*span),
            ("text", &*timer.order.text),
        ];
        sentence::say_with(Some(language), phrase, &fillings)
    };
    let mut texts: Vec<String> = told.iter().take(MAX_TOLD).map(tell).collect();
    if told.len() > MAX_TOLD {
        let more = (told.len() - MAX_TOLD).to_string();
        texts.push(sentence::say_with(
            Some(language),
            "and_more",
            &[("N", &more)],
        ));
    }
    texts.join(" ")
}

/// Tells a time in a language.
fn tell_time(timers: &Timers, language: &str, due: DateTime<Utc>) -> String {
    let clock = &timers.clock;
    let (due, now) = (clock.to_local(due), clock.to_local(clock.now()));
    sentence::tell_time(language, due, now, clock.is_zone_known())
}
