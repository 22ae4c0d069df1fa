//! Takes orders and questions for later, answers sentences about the timers, and does what is due.

use std::sync::Arc;

use super::answer::SentenceAnswer;
use super::due::{Due, When};
use super::sentence::{
    self, KnownHouse, Later, RequiredFreshness, SentenceKind, TimedOrder, TimerRequest, judge,
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
        if let Some(timers) = timers
            && let Some(text) = self.answer_about_timers(timers, house, sentence)
        {
            self.conversation.context.forget_questions();
            return Some(self.answer_locally(text, None));
        }
        let context = &self.conversation.context;
        match sentence::find_later(house, sentence, context, language, timers.is_some())? {
            Later::Answer(text) => {
                self.conversation.context.forget_questions();
                let owner = if timers.is_some() {
                    text.clone()
                } else {
                    NEEDS_OTHER_COMMAND.to_owned()
                };
                Some(self.answer_locally(text, Some(owner)))
            }
            Later::At {
                when,
                language,
                time,
                first,
                rest,
            } => {
                let first =
                    match first.map(|first| (self.judge_now(house, &first, language), first)) {
                        Some((SentenceKind::PlannedCalls(planned), first)) => {
                            // What a person has to allow is said alone.
                            if let Err(text) = planned.to_timed(house, &first) {
                                return Some(self.answer_locally(text.clone(), Some(text)));
                            }
                            Some((planned, first))
                        }
                        _ => None,
                    };
                let kept = self.keep_later(house, timers?, when, language, &time, &rest);
                let Some((planned, first)) = first.filter(|_| kept.is_success()) else {
                    return Some(kept);
                };
                let done = self.carry_out(&planned, &first).await;
                let text = format!("{} {}", done.text, kept.text);
                Some(SentenceAnswer { text, ..done })
            }
        }
    }

    fn judge_now<'h>(
        &mut self,
        house: &'h KnownHouse,
        sentence: &str,
        language: &str,
    ) -> SentenceKind<'h> {
        let context = &mut self.conversation.context;
        judge(
            house,
            sentence,
            context,
            Some(language),
            std::time::Instant::now(),
        )
    }

    /// Keeps an order or a question until it is due, if it could be done now.
    fn keep_later(
        &mut self,
        house: &KnownHouse,
        timers: &Timers,
        when: When,
        language: &str,
        time: &str,
        sentence: &str,
    ) -> SentenceAnswer {
        let due = match timers.next_due(when) {
            Ok(due) => due,
            Err(why) => return self.refuse(language, &why.to_string()),
        };
        let kind = self.judge_now(house, sentence, language);
        let context = &mut self.conversation.context;
        context.note_later(due, time);
        match kind {
            SentenceKind::PlannedCalls(planned) => {
                self.keep(due, planned.to_timed(house, sentence))
            }
            SentenceKind::Question(_) => {
                let order = sentence::timed_question(house, sentence, context);
                self.keep(due, Ok(order))
            }
            SentenceKind::Answer { text, owner } => self.answer_locally(text, owner),
            SentenceKind::Unknown(text) => self.answer_locally(text.clone(), Some(text)),
        }
    }

    /// Keeps what is due at a time, and tells it back. The error says why it can't be for later.
    pub(super) fn keep(&mut self, due: Due, order: Result<TimedOrder, String>) -> SentenceAnswer {
        let Some(timers) = &self.parts.timers else {
            return self.refuse(self.parts.language.as_deref().unwrap_or_default(), "later");
        };
        let order = match order {
            Ok(order) => order,
            Err(text) => return self.answer_locally(text.clone(), Some(text)),
        };
        let language = order.language();
        let time = tell_time(timers, language, due.time);
        let fillings = [("time", time.as_str()), ("text", order.text.as_str())];
        let text = sentence::say_with(Some(language), "noted", &fillings);
        match timers.add(due, self.conversation, order) {
            Ok(()) => {
                self.conversation.context.forget_undo();
                self.answer_locally(text, None)
            }
            Err(why) => self.refuse(language, &why.to_string()),
        }
    }

    fn refuse(&mut self, language: &str, phrase: &str) -> SentenceAnswer {
        let text = sentence::say(Some(language), phrase);
        self.answer_locally(text.clone(), Some(text))
    }

    /// Answers a sentence about the timers. Returns `None` if it is not about them.
    fn answer_about_timers(
        &self,
        timers: &Timers,
        house: &KnownHouse,
        sentence: &str,
    ) -> Option<String> {
        let (context, language) = (&self.conversation.context, self.parts.language.as_deref());
        let room = context.room.as_deref();
        let all = timers.list();
        let tell = |language, phrase: &str, timer: &Timer| {
            let (_, due, seconds) = all.iter().find(|(other, ..)| other.id == timer.id)?;
            let time = tell_time(timers, language, *due);
            let span = sentence::tell_span(language, *seconds);
            let text = timer.order.text.as_str();
            let fillings = [("time", time.as_str()), ("span", &span), ("text", text)];
            Some(sentence::say_with(Some(language), phrase, &fillings))
        };
        let tell_all = |language, phrase: &str, timers: &[Timer]| {
            let told: Vec<String> = timers
                .iter()
                .take(MAX_TOLD)
                .filter_map(|timer| tell(language, phrase, timer))
                .collect();
            let more = timers.len().saturating_sub(MAX_TOLD).to_string();
            let more = sentence::say_with(Some(language), "and_more", &[("N", &more)]);
            let more = (timers.len() > MAX_TOLD).then_some(more);
            told.into_iter().chain(more).collect::<Vec<_>>().join(" ")
        };
        let cancel = |language, found: &[Timer]| {
            let ids: Vec<u64> = found.iter().map(|timer| timer.id).collect();
            tell_all(language, "timer_cancelled", &timers.cancel(&ids))
        };
        let say = |language, phrase| Some(sentence::say(Some(language), phrase));
        let every: Vec<Timer> = all.iter().map(|(timer, ..)| timer.clone()).collect();
        let mut of_room = every.clone();
        of_room.retain(|timer| timer.room.as_deref() == room);
        let cancel_one = |language, found: &[Timer]| match found {
            [] => say(language, "no_timer"),
            [_] => Some(cancel(language, found)),
            several => {
                let text = tell_all(language, "timer_item", several);
                Some(sentence::say_with(
                    Some(language),
                    "which_timer",
                    &[("text", &text)],
                ))
            }
        };
        let Some((request, language)) = sentence::timer_request(sentence, context, language) else {
            let (language, is_for) = sentence::timer_to_cancel(house, sentence, context)?;
            let mut found = every;
            found.retain(|timer| is_for(&timer.order));
            return cancel_one(language, &found);
        };
        if timers.problem().is_some() && request != TimerRequest::Withdraw {
            return say(language, "no_timers");
        }
        match request {
            TimerRequest::Withdraw => {
                let timer = timers.just_set(room)?;
                Some(cancel(language, &[timer]))
            }
            _ if every.is_empty() => say(language, "timers_none"),
            TimerRequest::List => Some(tell_all(language, "timer_item", &every)),
            TimerRequest::HowLong => Some(tell_all(
                language,
                "still",
                if of_room.is_empty() { &every } else { &of_room },
            )),
            TimerRequest::Cancel => {
                cancel_one(language, if of_room.is_empty() { &every } else { &of_room })
            }
            TimerRequest::CancelAll => Some(cancel(language, &every)),
        }
    }

    /// Does or answers what is due, or tells why not.
    pub(super) async fn answer_due(&mut self, timer: &Timer, is_late: bool) -> SentenceAnswer {
        let order = &timer.order;
        let language = order.language();
        let with_text = |phrase: &str, time: &str| {
            sentence::say_with(
                Some(language),
                phrase,
                &[("time", time), ("text", &order.text)],
            )
        };
        if is_late {
            let time = self
                .parts
                .timers
                .as_ref()
                .map(|timers| tell_time(timers, language, timer.time()));
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
            let fillings = [("names", gone.join(", "))];
            let fillings = fillings.each_ref().map(|(gap, text)| (*gap, text.as_str()));
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

/// Tells a time in a language.
fn tell_time(timers: &Timers, language: &str, due: chrono::DateTime<chrono::Utc>) -> String {
    let (due, now, is_zone_known) = timers.local_times(due);
    sentence::tell_time(language, due, now, is_zone_known)
}
