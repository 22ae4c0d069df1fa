//! Answers one sentence: asks the models, and makes the calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tracing::warn;

use super::answer::{AnswerPath, MadeCall, SentenceAnswer};
use super::conversation::{Conversation, Turn};
use super::house_reader::HouseReader;
use super::model::{AiClient, ModelError, ModelFailure, ModelName, ModelReply, OnText};
use super::narrow;
use super::sentence::{self, AwaitedOrder, KnownHouse, RequiredFreshness};
use super::timers::Timers;
use crate::client::formats::ToolCall;
use crate::client::local::find_fault;
use crate::client::{CallError, Tool, ToolExecutor, ToolResult};
use crate::home::decide::{ASK_THE_PERSON, ROOM, SAID};
use crate::home::published::CONTROL;

/// The error if there is no tool to offer to a small model.
const NO_TOOL_FITS: &str = "It is not clear which device is meant, or what to do with it; \
say it as an order, such as \"turn on the kitchen light\".";

/// The beginning of the error if a sentence needs a model, but there is no model or no model has answered.
const NOT_PLAIN: &str = "This is no plain command, and";

/// The maximum number of replies to one sentence, from all models together.
const MAX_ROUNDS: usize = 8;

/// The maximum number of failures, and also of successes, of the same call with the same arguments. Once one
/// of the two numbers is reached, no more calls are made for the sentence.
const MAX_REPEATS: usize = 3;

/// The time limit for answering a sentence, including its calls.
pub(super) const SENTENCE_TIMEOUT: Duration = Duration::from_secs(60);

/// The time limit of a control call for which a person may be asked.
const CONSENT_TIMEOUT: Duration = Duration::from_secs(60);

/// The parts of the router that are needed to answer a sentence.
#[derive(Debug)]
pub struct RouterParts {
    /// The models, in the order in which they are asked.
    pub models: Vec<Arc<dyn AiClient>>,
    /// Runs the tools of the servers, and the host's own.
    pub executor: ToolExecutor,
    /// The reader of the house. Also pass the result of [`HouseReader::listener`] to
    /// [`Host::with_listener`](crate::client::Host::with_listener). Otherwise, the house is read before
    /// each sentence.
    pub house: HouseReader,
    /// The language that people speak, such as "de". A sentence that fits several languages is understood in this
    /// language, if possible.
    pub language: Option<String>,
    /// True if every sentence goes to the models, even a plain command.
    pub skips_plain: bool,
    /// True if the models have fewer than about a billion parameters. A model is offered only one tool, narrowed to
    /// what the sentence mentions, and makes at most one call. The tool's result is the answer.
    pub has_small_models: bool,
    /// The timers, so that orders and questions can be for later. Also call
    /// [`AiRouter::run_timers`](super::AiRouter::run_timers).
    pub timers: Option<Timers>,
}

/// A sentence that is being answered.
pub(super) struct SentenceRun<'a> {
    pub(super) parts: &'a RouterParts,
    pub(super) conversation: &'a mut Conversation,
    pub(super) calls: Vec<MadeCall>,
    /// The phrase that names the one device that a small model was offered.
    pub(super) said: Option<String>,
    /// The order that a person has to allow, which is not carried out yet.
    pub(super) awaited: Option<AwaitedOrder>,
    pub(super) deadline: Instant,
}

/// The reason why a sentence goes to the models.
#[derive(Default)]
pub(super) struct NeedsModel {
    /// The answer if no model replies.
    pub(super) answer: String,
    /// Why the house could not be read, if the sentence goes to the models because of that.
    pub(super) house_error: Option<String>,
}

impl<'a> SentenceRun<'a> {
    pub(super) fn new(
        parts: &'a RouterParts,
        conversation: &'a mut Conversation,
        deadline: Instant,
    ) -> Self {
        Self {
            parts,
            conversation,
            calls: Vec::new(),
            said: None,
            awaited: None,
            deadline,
        }
    }

    /// Returns the house, within the sentence's time limit.
    pub(super) async fn house(
        &self,
        freshness: RequiredFreshness,
    ) -> Result<Arc<KnownHouse>, String> {
        let limit = self.deadline.saturating_duration_since(Instant::now());
        self.parts.house.house(&self.parts.executor.manager, freshness, limit).await
    }

    /// Asks the first model. If its reply has calls, makes the calls and asks the model again. If a model
    /// gives no reply, asks the next model.
    pub async fn ask(
        &mut self,
        sentence: &str,
        reason: NeedsModel,
        on_text: OnText<'_>,
    ) -> SentenceAnswer {
        let tools = if self.parts.has_small_models {
            match self.tool_for_small_model(sentence).await {
                Ok(tool) => vec![tool],
                Err(why) => return self.answer_with_errors(None, &reason.answer, &[why]),
            }
        } else {
            self.parts.executor.manager.tools()
        };
        let mut errors: Vec<String> = Vec::new();
        let mut rounds = 0;
        // The index in `self.calls` at which the calls of the latest round begin.
        let mut round_start = 0;
        let models = &self.parts.models;
        for (index, model) in models.iter().enumerate() {
            loop {
                let models_left = models.len() - index;
                let reply = match self.reply(model, models_left, &tools, on_text).await {
                    Ok(reply) => reply,
                    Err(error) => {
                        warn!(model = %model.name(), %error, "the model gave no reply");
                        errors.push(error.to_string());
                        break;
                    }
                };
                rounds += 1;
                if self.parts.has_small_models {
                    return self.run_offered_call(model.name(), reply, &tools).await;
                }
                if reply.calls.is_empty() {
                    return self.answer_with_results(model.name(), &reply.text, round_start, None);
                }
                if !reply.text.is_empty() {
                    on_text("\n");
                }
                round_start = self.calls.len();
                let mut end_reason = self.run_calls(reply).await;
                if end_reason.is_none() && rounds == MAX_ROUNDS {
                    let name = model.name();
                    end_reason = Some(format!("{name} did not finish in {rounds} rounds."));
                }
                if end_reason.is_some() {
                    return self.answer_with_results(model.name(), "", round_start, end_reason);
                }
            }
        }
        self.answer_without_reply(reason, errors)
    }

    /// Answers a sentence that no model could answer. `errors` has the error of each model.
    fn answer_without_reply(
        &mut self,
        reason: NeedsModel,
        mut errors: Vec<String>,
    ) -> SentenceAnswer {
        let has_called = !self.calls.is_empty();
        match reason.house_error {
            // The sentence may be a plain command, so report the unreadable house, not the models.
            Some(why) if !has_called => errors = vec![why],
            _ if self.parts.models.is_empty() => {
                errors.push(format!("{NOT_PLAIN} there is no model; give --model."));
            }
            _ if !has_called => errors.insert(0, format!("{NOT_PLAIN} no model has answered.")),
            _ => {}
        }
        self.answer_with_errors(None, &reason.answer, &errors)
    }

    /// Returns the one tool for a small model, narrowed to what the sentence mentions. The error says why there
    /// is no such tool.
    async fn tool_for_small_model(&mut self, sentence: &str) -> Result<Tool, String> {
        let house = self.house(RequiredFreshness::Names).await?;
        let tools = self.parts.executor.manager.tools();
        let room = self.conversation.context.room.as_deref();
        let narrowed = narrow::narrow_tools(sentence, &tools, &house, room);
        let (tool, said) = narrowed.ok_or(NO_TOOL_FITS)?;
        self.said = said;
        Ok(tool)
    }

    /// Makes only one of the calls in a small model's reply: the first that fits an offered tool. Drops the
    /// reply's text, because small models make things up.
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
        if reply.calls.is_empty() {
            let why = format!("{model} called no tool that was offered.");
            return self.answer_with_errors(Some(model), "", &[why]);
        }
        let end_reason = self.run_calls(reply).await;
        self.answer_with_results(model, "", 0, end_reason)
    }

    /// Requests a model's reply. The time limit is the remaining time, divided by the number of models left.
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
            if !self.parts.has_small_models {
                has_text = true;
                on_text(text);
            }
        };
        let reply = model.reply(self.conversation, tools, &mut pass_on);
        let reply = timeout(limit, reply).await.unwrap_or_else(|_| {
            Err(ModelError {
                model: model.name().clone(),
                address: String::new(),
                failure: ModelFailure::TimedOut(limit),
            })
        });
        if has_text && reply.is_err() {
            // The next model's text begins on a new line.
            on_text("\n");
        }
        reply
    }

    /// Makes the calls of a reply, in order. Returns the reason, if any, why no more calls may be made for
    /// the sentence.
    async fn run_calls(&mut self, reply: ModelReply) -> Option<String> {
        self.conversation.context.forget_undo();
        let mut end_reason = None;
        for call in self.begin_calls(reply.text, reply.calls) {
            let made = self.run_call(call, self.said.as_deref()).await;
            if Instant::now() >= self.deadline {
                let seconds = SENTENCE_TIMEOUT.as_secs();
                end_reason = Some(format!("There was no answer within {seconds} s."));
            }
            let is_repeat = |earlier: &&MadeCall| {
                let is_same_call = earlier.call.name == made.call.name
                    && earlier.call.arguments == made.call.arguments;
                is_same_call && earlier.result.is_error == made.result.is_error
            };
            let times = self.calls.iter().filter(is_repeat).count() + 1;
            if times >= MAX_REPEATS {
                let name = &made.call.name;
                let verb = if made.result.is_error {
                    "failed"
                } else {
                    "was called"
                };
                let text = made.result.as_text();
                end_reason = Some(format!("{name} {verb} {times} times: {text}"));
            }
            self.record_call(made);
            if end_reason.is_some() {
                break;
            }
        }
        end_reason
    }

    /// Adds calls to the conversation, and returns them. A call without an id gets one that no earlier call for this
    /// sentence has.
    pub(super) fn begin_calls(&mut self, text: String, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let turn = self.conversation.turns.len();
        for (index, call) in calls.iter_mut().enumerate() {
            let id = call.id.take().filter(|id| !id.is_empty());
            call.id = Some(id.unwrap_or_else(|| format!("call-{turn}-{index}")));
        }
        let made = calls.clone();
        self.conversation.turns.push(Turn::Model { text, calls: made });
        calls
    }

    /// Adds a call and its result to the conversation and to the answer.
    pub(super) fn record_call(&mut self, made: MadeCall) {
        self.conversation.turns.push(Turn::Called {
            call: made.call.clone(),
            result: Box::new(made.result.clone()),
        });
        self.calls.push(made);
    }

    /// Makes a call, if there is time left. `said` is the phrase that it came from, if it is known.
    pub(super) async fn run_call(&self, call: ToolCall, said: Option<&str>) -> MadeCall {
        let start = Instant::now();
        let name = call.name.as_str();
        let result = if start >= self.deadline {
            let why = format!("{name} was not called: the sentence's time was up.");
            ToolResult::failure(why)
        } else {
            let result = match timeout_at(self.deadline, self.run_tool(&call, said)).await {
                Ok(result) => result.unwrap_or_else(ToolResult::from),
                Err(_) => ToolResult::failure(format!(
                    "{name} was cancelled when the sentence's time was up; \
                     it may or may not have been done."
                )),
            };
            self.parts.executor.without_secrets(result)
        };
        let took = start.elapsed();
        MadeCall { call, result, took }
    }

    /// Runs the tool of a call, with the phrase and the room that the call came from, as far as they are known. Where a
    /// person may be asked first, a control call has longer than other calls.
    async fn run_tool(&self, call: &ToolCall, said: Option<&str>) -> Result<ToolResult, CallError> {
        let executor = &self.parts.executor;
        let room = self.conversation.context.room.as_deref();
        let meta = [(SAID, said), (ROOM, room)].into_iter();
        let meta = meta.filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
        let (meta, arguments) = (meta.collect(), call.arguments.clone());
        let limit = if call.name == CONTROL && self.parts.house.confirms_guarded() {
            CONSENT_TIMEOUT
        } else {
            executor.limits.call
        };
        executor.call_with_meta(&call.name, arguments, meta, limit).await
    }

    /// Answers with the text of a model's last reply or, if the text is blank, with the results of the calls
    /// from index `from`. `end_reason` is the reason, if any, why no more calls may be made for the sentence.
    fn answer_with_results(
        &mut self,
        model: &ModelName,
        text: &str,
        from: usize,
        end_reason: Option<String>,
    ) -> SentenceAnswer {
        let text = match text.trim() {
            "" => self.result_texts(from, |_| true),
            text => text.to_owned(),
        };
        let error = end_reason
            .or_else(|| self.failures(from))
            .or_else(|| text.is_empty().then(|| format!("{model} said nothing.")));
        self.answer(text, AnswerPath::Model(Some(model.clone())), error)
    }

    /// Answers with the results of the calls that succeeded or, if there are none, with `fallback`. The error
    /// has the results of the calls that failed, and `errors`. `model` is the model that replied, if any.
    fn answer_with_errors(
        &mut self,
        model: Option<&ModelName>,
        fallback: &str,
        errors: &[String],
    ) -> SentenceAnswer {
        let mut text = self.result_texts(0, |made| !made.result.is_error);
        if text.is_empty() {
            fallback.clone_into(&mut text);
        }
        let failures = self.failures(0).filter(|failures| *failures != text);
        let errors: Vec<&str> = failures.iter().chain(errors).map(String::as_str).collect();
        let path = AnswerPath::Model(model.cloned());
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
            // Without a text, the person gets an apology. The error is for the owner.
            text: if text.is_empty() { sorry() } else { text },
            path,
            calls: std::mem::take(&mut self.calls),
            error,
        }
    }

    /// Joins the results of the calls from index `from` for which `is_wanted` is true.
    fn result_texts(&self, from: usize, is_wanted: impl Fn(&&MadeCall) -> bool) -> String {
        let texts: Vec<String> = self
            .calls
            .iter()
            .skip(from)
            .filter(is_wanted)
            .map(|made| made.result.as_text().replace(ASK_THE_PERSON, ""))
            .collect();
        texts.join(" ")
    }

    /// Joins the results of the failed calls from index `from`. Returns `None` if no call failed.
    pub(super) fn failures(&self, from: usize) -> Option<String> {
        let has_failed = self.calls.iter().skip(from).any(|made| made.result.is_error);
        has_failed.then(|| self.result_texts(from, |made| made.result.is_error))
    }
}
