//! Answers a sentence that needs no model.

use futures_util::future::join_all;

use super::answer::{AnswerPath, SentenceAnswer};
use super::sentence::{
    self, AwaitedOrder, OrderStep, PlannedCalls, RequiredFreshness, SentenceKind,
};
use super::sentence_run::{NeedsModel, SentenceRun};
use crate::client::ToolResult;
use crate::client::formats::ToolCall;
use crate::home::published::{CONTROL, LIST};

impl SentenceRun<'_> {
    /// Carries out or answers a sentence that needs no model. Leaves an order that a person has to allow in
    /// `awaited`.
    ///
    /// # Errors
    /// The sentence needs a model. If there is a model to ask, a house that can't be read is an error, too.
    pub async fn answer_plainly(&mut self, sentence: &str) -> Result<SentenceAnswer, NeedsModel> {
        let language = self.parts.language.as_deref();
        let now = std::time::Instant::now();
        let offered = sentence::accepted(&mut self.conversation.context, sentence, now);
        let sentence = offered.as_deref().unwrap_or(sentence);
        // An undo needs current states, because the undo checks that no state has changed since the order.
        let freshness = if sentence::is_undo(sentence, language) {
            RequiredFreshness::States
        } else {
            RequiredFreshness::Names
        };
        let house = match self.house(freshness).await {
            Ok(house) => house,
            Err(why) if !self.parts.models.is_empty() => {
                // Without a server that lists devices, this is no error: the sentence may be for other tools.
                let has_house = self.parts.executor.manager.server_of(LIST).is_some();
                return Err(NeedsModel {
                    answer: sentence::say(language, "away"),
                    house_error: has_house.then_some(why),
                });
            }
            Err(why) => return Ok(self.answer_locally(sentence::say(language, "away"), Some(why))),
        };
        if let Some(answer) = self.answer_later(&house, sentence).await {
            return Ok(answer);
        }
        let context = &mut self.conversation.context;
        let answer = match sentence::judge(&house, sentence, context, language, now) {
            SentenceKind::PlannedCalls(planned) => {
                if let Some((due, said)) = &planned.later {
                    let order = planned.to_timed(&house, said);
                    return Ok(self.keep(*due, order));
                }
                self.awaited = AwaitedOrder::of(&planned, &house, context.room.clone());
                if self.awaited.is_some() {
                    context.forget_undo();
                    return Ok(self.answer_locally(planned.tell_asked(), None));
                }
                self.carry_out(&planned, sentence).await
            }
            SentenceKind::Answer { text, owner } => self.answer_locally(text, owner),
            SentenceKind::Unknown(answer) => {
                return Err(NeedsModel {
                    answer,
                    house_error: None,
                });
            }
            SentenceKind::Question(freshness) => {
                let (text, error) = self.answer_question(sentence, freshness).await;
                self.answer_locally(text, error)
            }
        };
        Ok(answer)
    }

    /// Returns the answer to the question in a sentence. If there is no answer, the first text says so to the
    /// person, and the second text gives the owner the reason.
    pub(super) async fn answer_question(
        &mut self,
        sentence: &str,
        freshness: RequiredFreshness,
    ) -> (String, Option<String>) {
        let away = sentence::say(self.parts.language.as_deref(), "away");
        let house = match self.house(freshness).await {
            Ok(house) => house,
            Err(why) => return (away, Some(why)),
        };
        let now = std::time::Instant::now();
        let (context, turns) = (&mut self.conversation.context, &self.conversation.turns);
        match sentence::answer(&house, sentence, context, turns, now).unwrap_or(Err(away)) {
            Ok(text) => (text, None),
            Err(text) => (text.clone(), Some(text)),
        }
    }

    pub(super) fn answer_locally(&mut self, text: String, error: Option<String>) -> SentenceAnswer {
        self.answer(text, AnswerPath::Local, error)
    }

    /// Makes the calls of an order. The calls of a group run concurrently. If a call fails, the next groups
    /// are not started. If the sentence also contains a question, answers it from newly read states.
    pub(super) async fn carry_out(
        &mut self,
        planned: &PlannedCalls<'_>,
        sentence: &str,
    ) -> SentenceAnswer {
        for group in planned.groups() {
            let call = |step: &OrderStep| ToolCall {
                id: None,
                name: CONTROL.to_owned(),
                arguments: step.call.arguments(&step.facts.control_name).into(),
            };
            let calls = self.begin_calls(String::new(), group.iter().map(call).collect());
            let running = calls.into_iter().zip(group);
            let running = running.map(|(call, step)| self.run_call(call, step.said.as_deref()));
            let made = join_all(running).await;
            let has_failed = made.iter().any(|made| made.result.is_error);
            for made in made {
                self.record_call(made);
            }
            if has_failed {
                break;
            }
        }
        let results: Vec<ToolResult> = self.calls.iter().map(|made| made.result.clone()).collect();
        planned.store_undo(&mut self.conversation.context, &results);
        let (mut text, mut error) = (planned.answer(&results), self.failures(0));
        if let Some(freshness) = planned.question_freshness() {
            let (reply, why) = self.answer_question(sentence, freshness).await;
            text = format!("{text} {reply}");
            let errors: Vec<String> = error.into_iter().chain(why).collect();
            error = (!errors.is_empty()).then(|| errors.join(" "));
        }
        self.answer_locally(text, error)
    }
}
