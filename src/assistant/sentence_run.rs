//! Answers one sentence: asks the models, and makes the calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tracing::warn;

use super::answer::{AnswerPath, MadeCall, SentenceAnswer};
use super::conversation::{Conversation, Turn};
use super::house_reader::HouseReader;
use super::model::{AiClient, ModelError, ModelName, ModelReply, OnText};
use super::narrow;
use super::sentence::{self, KnownHouse, RequiredFreshness};
use crate::client::formats::ToolCall;
use crate::client::local::find_fault;
use crate::client::{Tool, ToolExecutor, ToolManager, ToolResult};

/// The error if there is no tool to offer to a small model.
const NO_TOOL_FITS: &str = "That does not plainly speak of one device and of something to \
do with it; say it as an order, such as \"turn on the kitchen light\".";

/// The beginning of the error if a sentence needs a model, and there is none or none has answered.
const NOT_PLAIN: &str = "This is no plain command, and";

/// The limits of a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterLimits {
    /// The maximum number of replies to one sentence, from all models together.
    pub rounds: usize,
    /// The time limit for answering a sentence, including its calls.
    pub sentence: Duration,
    /// A sentence ends when a call with the same arguments has failed, or succeeded, this many times.
    pub repeats: usize,
    /// The maximum number of turns that a conversation keeps.
    pub turns: usize,
}

impl Default for RouterLimits {
    fn default() -> Self {
        Self {
            rounds: 8,
            sentence: Duration::from_secs(60),
            repeats: 3,
            turns: 40,
        }
    }
}

/// What is needed to answer sentences.
#[derive(Debug)]
pub(super) struct RouterParts {
    pub house: HouseReader,
    /// The language that people speak, if it is known.
    pub language: Option<String>,
    /// True if the models are small: see [`AiRouter::for_small_models`](super::AiRouter::for_small_models).
    pub small: bool,
    pub models: Vec<Arc<dyn AiClient>>,
    pub manager: Arc<ToolManager>,
    pub executor: ToolExecutor,
    pub limits: RouterLimits,
}

/// A sentence that is being answered.
pub(super) struct SentenceRun<'a> {
    pub(super) parts: &'a RouterParts,
    pub(super) conversation: &'a mut Conversation,
    pub(super) calls: Vec<MadeCall>,
    pub(super) deadline: Instant,
    /// Why the house could not be read, if that is why the sentence goes to a model.
    pub(super) house_error: Option<String>,
}

impl SentenceRun<'_> {
    /// Reads the house.
    pub(super) async fn house(
        &self,
        freshness: RequiredFreshness,
    ) -> Result<Arc<KnownHouse>, String> {
        let limit = self.deadline.saturating_duration_since(Instant::now());
        self.parts.house.house(&self.parts.manager, freshness, limit).await
    }

    /// Asks the models in order. `fallback` is the text if none has an answer.
    pub async fn ask(
        &mut self,
        sentence: &str,
        fallback: &str,
        on_text: OnText<'_>,
    ) -> SentenceAnswer {
        let tools = if self.parts.small {
            match self.tool_for_small_model(sentence).await {
                Ok(tool) => vec![tool],
                Err(why) => {
                    return self.answer_without_model(AnswerPath::Model(None), fallback, &[why]);
                }
            }
        } else {
            self.parts.manager.tools()
        };
        let mut errors: Vec<String> = Vec::new();
        let mut rounds = 0;
        // The index in `self.calls` of the latest reply's first call.
        let mut latest = 0;
        let models = &self.parts.models;
        for (index, model) in models.iter().enumerate() {
            let path = || AnswerPath::Model(Some(model.name().clone()));
            while rounds < self.parts.limits.rounds {
                let reply = self.reply(model, models.len() - index, &tools, on_text);
                let reply = match reply.await {
                    Ok(reply) => reply,
                    Err(error) => {
                        warn!(model = %model.name(), %error, "the model gave no reply");
                        errors.push(error.to_string());
                        break;
                    }
                };
                rounds += 1;
                if self.parts.small {
                    return self.run_offered_call(model.name(), reply, &tools).await;
                }
                if reply.calls.is_empty() {
                    return self.answer_with_reply(model.name(), reply.text, latest);
                }
                if !reply.text.is_empty() {
                    on_text("\n");
                }
                latest = self.calls.len();
                if let Some(error) = self.run_calls(reply).await {
                    return self.end_early(latest, path(), error);
                }
            }
            if rounds >= self.parts.limits.rounds {
                let error = format!("{} came to no end in {rounds} rounds.", model.name());
                return self.end_early(latest, path(), error);
            }
        }
        if let Some(why) = self.house_error.take().filter(|_| self.calls.is_empty()) {
            // The sentence may be a plain command, so report the unreadable house, not the models.
            errors = vec![why];
        } else if errors.is_empty() {
            errors.push(format!("{NOT_PLAIN} there is no model; give --model."));
        } else if self.calls.is_empty() {
            errors.insert(0, format!("{NOT_PLAIN} no model has answered."));
        }
        self.answer_without_model(AnswerPath::Model(None), fallback, &errors)
    }

    /// Returns the one tool for a small model, narrowed to what the sentence mentions, or why there is none.
    async fn tool_for_small_model(&self, sentence: &str) -> Result<Tool, String> {
        let house = self.house(RequiredFreshness::Names).await?;
        let tools = self.parts.manager.tools();
        narrow::narrow_tools(sentence, &tools, &house).ok_or_else(|| NO_TOOL_FITS.to_owned())
    }

    /// Makes the first call in a small model's reply that fits an offered tool. The text is dropped, because
    /// small models make things up.
    async fn run_offered_call(
        &mut self,
        model: &ModelName,
        mut reply: ModelReply,
        offered: &[Tool],
    ) -> SentenceAnswer {
        let is_offered = |call: &ToolCall| {
            let Some(arguments) = call.arguments.as_object() else {
                return false;
            };
            offered.iter().any(|tool| {
                tool.name == call.name && find_fault(&tool.input_schema, arguments).is_none()
            })
        };
        reply.calls.retain(is_offered);
        reply.calls.truncate(1);
        reply.text.clear();
        let path = AnswerPath::Model(Some(model.clone()));
        if reply.calls.is_empty() {
            let why = format!("{model} called nothing that was offered.");
            return self.answer_without_model(path, "", &[why]);
        }
        let latest = self.calls.len();
        match self.run_calls(reply).await {
            Some(error) => self.end_early(latest, path, error),
            None => self.answer_with_reply(model, String::new(), latest),
        }
    }

    /// Requests a model's reply. The remaining time is divided equally among this model and those after it.
    async fn reply(
        &self,
        model: &Arc<dyn AiClient>,
        models_left: usize,
        tools: &[Tool],
        on_text: OnText<'_>,
    ) -> Result<ModelReply, ModelError> {
        let time_left = self.deadline.saturating_duration_since(Instant::now());
        let limit = time_left / u32::try_from(models_left).unwrap_or(u32::MAX).max(1);
        let mut has_text = false;
        let mut pass_on = |text: &str| {
            // A small model's text is dropped.
            if !self.parts.small {
                has_text = true;
                on_text(text);
            }
        };
        let reply = model.reply(self.conversation, tools, &mut pass_on);
        let reply = timeout(limit, reply).await.unwrap_or_else(|_| {
            Err(ModelError::TimedOut {
                model: model.name().clone(),
                limit,
            })
        });
        if has_text && reply.is_err() {
            // The text of the next model begins on a new line.
            on_text("\n");
        }
        reply
    }

    /// Makes the calls of a reply, in order. Returns an error if the sentence must end.
    async fn run_calls(&mut self, reply: ModelReply) -> Option<String> {
        let ModelReply { text, mut calls } = reply;
        self.conversation.context.forget_undo();
        for (index, call) in calls.iter_mut().enumerate() {
            let id = call.id.take().filter(|id| !id.is_empty());
            call.id = Some(id.unwrap_or_else(|| format!("{}-{index}", self.call_id_prefix())));
        }
        self.conversation.turns.push(Turn::Model {
            text,
            calls: calls.clone(),
        });
        let mut end_reason = None;
        for call in calls {
            if end_reason.is_some() {
                // Every call needs a result.
                let result = Box::new(ToolResult::failure("Not called."));
                self.conversation.turns.push(Turn::Called { call, result });
                continue;
            }
            let (name, arguments) = (call.name.clone(), call.arguments.clone());
            let (result, took) = self.run_call(&call).await;
            self.record_call(call, result.clone(), took);
            if Instant::now() >= self.deadline {
                let seconds = self.parts.limits.sentence.as_secs();
                end_reason = Some(format!("There was no answer within {seconds} s."));
            }
            let is_repeat = |made: &&MadeCall| {
                let is_same_call = made.call.name == name && made.call.arguments == arguments;
                is_same_call && made.result.is_error == result.is_error
            };
            let times = self.calls.iter().filter(is_repeat).count();
            if times >= self.parts.limits.repeats {
                let what = if result.is_error {
                    "failed"
                } else {
                    "was called"
                };
                end_reason = Some(format!("{name} {what} {times} times: {}", result.as_text()));
            }
        }
        end_reason
    }

    /// Adds a call and its result to the conversation and to the answer.
    pub(super) fn record_call(&mut self, call: ToolCall, result: ToolResult, took: Duration) {
        self.conversation.turns.push(Turn::Called {
            call: call.clone(),
            result: Box::new(result.clone()),
        });
        self.calls.push(MadeCall { call, result, took });
    }

    /// Makes a call, and returns its result and how long it took.
    pub(super) async fn run_call(&self, call: &ToolCall) -> (ToolResult, Duration) {
        let start = Instant::now();
        let name = call.name.as_str();
        let result = if start >= self.deadline {
            let why = format!("{name} was not called: the sentence's time was up.");
            ToolResult::failure(why)
        } else {
            let running = self.parts.executor.call(name, call.arguments.clone());
            let result = match timeout_at(self.deadline, running).await {
                Ok(result) => result.unwrap_or_else(ToolResult::from),
                Err(_) => ToolResult::failure(format!(
                    "{name} was cancelled when the sentence's time was up; \
                     it may or may not have been done."
                )),
            };
            self.parts.executor.without_secrets(result)
        };
        (result, start.elapsed())
    }

    /// Answers with the text of a model's last reply or, if it has none, with the results of the calls from
    /// index `latest`.
    fn answer_with_reply(
        &mut self,
        model: &ModelName,
        text: String,
        latest: usize,
    ) -> SentenceAnswer {
        let text = text.trim();
        let error = self.failures(latest);
        let text = match text {
            "" => self.result_texts(latest, |_| true),
            text => text.to_owned(),
        };
        let error = error.or_else(|| text.is_empty().then(|| format!("{model} said nothing.")));
        self.answer(text, AnswerPath::Model(Some(model.clone())), error)
    }

    /// Answers a sentence that ends early, with the results of the calls from index `from`, and the error.
    fn end_early(&mut self, from: usize, path: AnswerPath, error: String) -> SentenceAnswer {
        let text = self.result_texts(from, |_| true);
        self.answer(text, path, Some(error))
    }

    /// Answers if no model did: with the results of the calls that succeeded or, if there are none, with
    /// `fallback`. The error includes the calls that failed.
    fn answer_without_model(
        &mut self,
        path: AnswerPath,
        fallback: &str,
        errors: &[String],
    ) -> SentenceAnswer {
        let done = self.result_texts(0, |made| !made.result.is_error);
        let text = if done.is_empty() {
            fallback.to_owned()
        } else {
            done
        };
        let failures = self.failures(0).filter(|failures| *failures != text);
        let errors: Vec<&str> = failures.iter().chain(errors).map(String::as_str).collect();
        self.answer(text, path, Some(errors.join(" ")))
    }

    pub(super) fn answer(
        &mut self,
        text: String,
        path: AnswerPath,
        error: Option<String>,
    ) -> SentenceAnswer {
        let sorry = || sentence::say(self.parts.language.as_deref(), "sorry");
        SentenceAnswer {
            // The error is for the owner; the person gets an apology.
            text: if text.is_empty() { sorry() } else { text },
            path,
            calls: std::mem::take(&mut self.calls),
            error,
        }
    }

    /// Joins the results of those calls from index `from` that `wanted` selects.
    fn result_texts(&self, from: usize, wanted: impl Fn(&&MadeCall) -> bool) -> String {
        let texts: Vec<String> = self
            .calls
            .iter()
            .skip(from)
            .filter(wanted)
            .map(|made| made.result.as_text())
            .collect();
        texts.join(" ")
    }

    /// Joins the results of the failed calls from index `from`. Returns `None` if there are none.
    fn failures(&self, from: usize) -> Option<String> {
        let failed = self.result_texts(from, |made| made.result.is_error);
        Some(failed).filter(|text| !text.is_empty())
    }

    /// Returns a prefix for the ids of the next calls, which no earlier call for this sentence has.
    pub(super) fn call_id_prefix(&self) -> String {
        format!("call-{}", self.conversation.turns.len())
    }
}
