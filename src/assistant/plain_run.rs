//! Answers a sentence that needs no model.

use futures_util::future::join_all;

use super::answer::{AnswerPath, SentenceAnswer};
use super::conversation::Turn;
use super::house_reader::{CONTROL_TOOL, LIST_TOOL};
use super::sentence::{self, PlannedCalls, RequiredFreshness, Verdict};
use super::sentence_run::SentenceRun;
use crate::client::ToolResult;
use crate::client::formats::ToolCall;

impl SentenceRun<'_> {
    /// Carries out or answers a sentence that needs no model.
    ///
    /// # Errors
    /// If the sentence needs a model: what to say if no model answers.
    pub async fn answer_plainly(&mut self, sentence: &str) -> Result<SentenceAnswer, String> {
        let language = self.parts.language.as_deref();
        // The last order is not undone if a state has changed since, so the states must be read.
        let freshness = if sentence::is_undo(sentence, language) {
            RequiredFreshness::States
        } else {
            RequiredFreshness::Names
        };
        let house = match self.house(freshness).await {
            Ok(house) => house,
            Err(why) if !self.parts.models.is_empty() => {
                let has_house = self.parts.manager.server_of(LIST_TOOL).is_some();
                self.house_error = has_house.then_some(why);
                return Err(sentence::say(language, "away"));
            }
            Err(why) => return Ok(self.answer_locally(sentence::say(language, "away"), Some(why))),
        };
        let now = std::time::Instant::now();
        let context = &mut self.conversation.context;
        let answer = match sentence::judge(&house, sentence, context, language, now) {
            Verdict::PlannedCalls(act) => self.carry_out(&act, sentence).await,
            Verdict::Answer { text, owner } => self.answer_locally(text, Some(owner)),
            Verdict::Unknown(text) => return Err(text),
            Verdict::Question(freshness) => match self.answer_question(sentence, freshness).await {
                Ok(text) => self.answer_locally(text, None),
                Err((text, why)) => self.answer_locally(text, Some(why)),
            },
        };
        Ok(answer)
    }

    /// Answers the question in a sentence that was judged. The error holds what to say to the person, and the
    /// reason for the owner.
    async fn answer_question(
        &mut self,
        sentence: &str,
        freshness: RequiredFreshness,
    ) -> Result<String, (String, String)> {
        let away = || sentence::say(self.parts.language.as_deref(), "away");
        let house = self.house(freshness).await.map_err(|why| (away(), why))?;
        let now = std::time::Instant::now();
        let context = &mut self.conversation.context;
        match sentence::answer(&house, sentence, context, now) {
            Some(answer) => answer.map_err(|text| (text.clone(), text)),
            None => Err((away(), away())),
        }
    }

    fn answer_locally(&mut self, text: String, error: Option<String>) -> SentenceAnswer {
        self.answer(text, AnswerPath::Local, error)
    }

    /// Makes the calls of a plain order: those of a group concurrently, and the next group only if none of
    /// them failed. Then answers a question in the same sentence, from the house as it is by then.
    async fn carry_out(&mut self, act: &PlannedCalls<'_>, sentence: &str) -> SentenceAnswer {
        let mut results: Vec<ToolResult> = Vec::new();
        for group in act.groups() {
            let calls: Vec<ToolCall> = group
                .into_iter()
                .enumerate()
                .map(|(index, arguments)| ToolCall {
                    id: Some(format!("{}-{index}", self.call_id_prefix())),
                    name: CONTROL_TOOL.to_owned(),
                    arguments: arguments.into(),
                })
                .collect();
            self.conversation.turns.push(Turn::Model {
                text: String::new(),
                calls: calls.clone(),
            });
            let outcomes = join_all(calls.iter().map(|call| self.run_call(call))).await;
            for (call, (result, took)) in calls.into_iter().zip(outcomes) {
                self.record_call(call, result.clone(), took);
                results.push(result);
            }
            if results.iter().any(|result| result.is_error) {
                break;
            }
        }
        act.note(&mut self.conversation.context, &results);
        let (mut text, error) = act.answer(&results);
        let mut errors: Vec<String> = error.into_iter().collect();
        if let Some(freshness) = act.question_freshness() {
            let reply = self.answer_question(sentence, freshness).await;
            let reply = reply.unwrap_or_else(|(reply, why)| {
                errors.push(why);
                reply
            });
            text = format!("{text} {reply}");
        }
        let error = (!errors.is_empty()).then(|| errors.join(" "));
        self.answer_locally(text, error)
    }
}
