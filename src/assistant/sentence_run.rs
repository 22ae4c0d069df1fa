//! Answers one sentence: makes its calls, and asks the models.

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

/// The error if there is nothing to offer to a small model.
const NOTHING_PLAIN: &str = "That does not plainly speak of one device and of something to \
do with it; say it as an order, such as \"turn on the kitchen light\".";

/// The beginning of an error if nothing was done before a model was needed.
const NOT_PLAIN: &str = "This is no plain command, and";

/// The limits of a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterLimits {
    /// The maximum number of replies of models to one sentence.
    pub rounds: usize,
    /// The maximum time of a sentence, including its calls.
    pub sentence: Duration,
    /// The number of times that a call with the same arguments may fail, or work, before the sentence ends.
    pub repeats: usize,
    /// The number of turns of a conversation that are kept.
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

/// The parts that answer sentences.
#[derive(Debug)]
pub(super) struct RouterParts {
    pub house: HouseReader,
    /// The people's language, if it is known.
    pub language: Option<String>,
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
    /// The reason why the house could not be read for the sentence, if so.
    pub(super) unread_because: Option<String>,
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

    /// Asks the models. `otherwise` is the text if none has an answer.
    pub async fn ask(
        &mut self,
        sentence: &str,
        otherwise: &str,
        on_text: OnText<'_>,
    ) -> SentenceAnswer {
        let tools = if self.parts.small {
            match self.tool_for_small_model(sentence).await {
                Ok(tool) => vec![tool],
                Err(why) => {
                    return self.answer_without_model(AnswerPath::Model(None), otherwise, &[why]);
                }
            }
        } else {
            self.parts.manager.tools()
        };
        let mut errors: Vec<String> = Vec::new();
        let mut rounds = 0;
        // The index of the first call of the latest reply. Until there is one, the calls of the plain
        // command count.
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
        if let Some(why) = self.unread_because.take().filter(|_| self.calls.is_empty()) {
            // The sentence may be a plain command: no model is missing then.
            errors = vec![why];
        } else if errors.is_empty() {
            errors.push(format!("{NOT_PLAIN} there is no model; give --model."));
        } else if self.calls.is_empty() {
            errors.insert(0, format!("{NOT_PLAIN} no model has answered."));
        }
        self.answer_without_model(AnswerPath::Model(None), otherwise, &errors)
    }

    /// Returns the one tool for a small model, narrowed to what the sentence speaks of, or why there is none.
    async fn tool_for_small_model(&self, sentence: &str) -> Result<Tool, String> {
        let house = self.house(RequiredFreshness::Names).await?;
        let tools = self.parts.manager.tools();
        narrow::narrow_tools(sentence, &tools, &house).ok_or_else(|| NOTHING_PLAIN.to_owned())
    }

    /// Makes the first call of a small model that it was offered. Its text is left out, because it is
    /// made up.
    async fn run_offered_call(
        &mut self,
        model: &ModelName,
        mut reply: ModelReply,
        offered: &[Tool],
    ) -> SentenceAnswer {
        let is_offered = |call: &ToolCall| {
            offered.iter().any(|tool| {
                let arguments = call.arguments.as_object();
                let fits = |arguments| find_fault(&tool.input_schema, arguments).is_none();
                tool.name == call.name && arguments.is_some_and(fits)
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

    /// Returns a model's reply, within its share of the time that is left for it and the models after it.
    async fn reply(
        &self,
        model: &Arc<dyn AiClient>,
        models_left: usize,
        tools: &[Tool],
        on_text: OnText<'_>,
    ) -> Result<ModelReply, ModelError> {
        let time = self.deadline.saturating_duration_since(Instant::now());
        let limit = time / u32::try_from(models_left).unwrap_or(u32::MAX).max(1);
        let mut has_text = false;
        let mut hear = |text: &str| {
            // The words of a small model are made up.
            if !self.parts.small {
                has_text = true;
                on_text(text);
            }
        };
        let reply = model.reply(self.conversation, tools, &mut hear);
        let reply = timeout(limit, reply).await.unwrap_or_else(|_| {
            Err(ModelError::TimedOut {
                model: model.name().clone(),
                limit,
            })
        });
        if has_text && reply.is_err() {
            // The words that follow are another model's.
            on_text("\n");
        }
        reply
    }

    /// Makes the calls of a reply, in their order. Returns the error that ends the sentence, if there is one.
    async fn run_calls(&mut self, reply: ModelReply) -> Option<String> {
        let ModelReply { text, mut calls } = reply;
        self.conversation.context.forget_undo();
        for (index, call) in calls.iter_mut().enumerate() {
            let id = call.id.take().filter(|id| !id.is_empty());
            call.id = Some(id.unwrap_or_else(|| format!("{}-{index}", self.fresh_id())));
        }
        self.conversation.turns.push(Turn::Model {
            text,
            calls: calls.clone(),
        });
        let mut end = None;
        for call in calls {
            if end.is_some() {
                // Every call needs a result.
                let result = Box::new(ToolResult::failure("Not called."));
                self.conversation.turns.push(Turn::Called { call, result });
                continue;
            }
            let (name, arguments) = (call.name.clone(), call.arguments.clone());
            let (result, took) = self.run_call(&call).await;
            self.note(call, result.clone(), took);
            if Instant::now() >= self.deadline {
                let seconds = self.parts.limits.sentence.as_secs();
                end = Some(format!("There was no answer within {seconds} s."));
            }
            let same = |made: &&MadeCall| {
                let is_same = made.call.name == name && made.call.arguments == arguments;
                is_same && made.result.is_error == result.is_error
            };
            let times = self.calls.iter().filter(same).count();
            if times >= self.parts.limits.repeats {
                let what = if result.is_error {
                    "failed"
                } else {
                    "was called"
                };
                end = Some(format!("{name} {what} {times} times: {}", result.as_text()));
            }
        }
        end
    }

    /// Adds a call that was made, with its result.
    pub(super) fn note(&mut self, call: ToolCall, result: ToolResult, took: Duration) {
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
            let cancelled = |_| {
                let fate = "it may or may not have been done";
                let why = format!("{name} was cancelled when the sentence's time was up; {fate}.");
                Ok(ToolResult::failure(why))
            };
            let result = self.parts.executor.call(name, call.arguments.clone());
            let result = timeout_at(self.deadline, result).await;
            let result = result.unwrap_or_else(cancelled).unwrap_or_else(ToolResult::from);
            self.parts.executor.without_secrets(result)
        };
        (result, start.elapsed())
    }

    /// Returns the answer after a model's last reply. If that has no text, the results are the answer.
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

    /// Returns the answer of a sentence that ends early: the results of the calls from one on, and the error.
    fn end_early(&mut self, from: usize, path: AnswerPath, error: String) -> SentenceAnswer {
        let text = self.result_texts(from, |_| true);
        self.answer(text, path, Some(error))
    }

    /// Returns the answer if no model gave one: what was done, or why a plain command was not understood.
    fn answer_without_model(
        &mut self,
        path: AnswerPath,
        otherwise: &str,
        errors: &[String],
    ) -> SentenceAnswer {
        let done = self.result_texts(0, |made| !made.result.is_error);
        let text = if done.is_empty() {
            otherwise.to_owned()
        } else {
            done
        };
        // If a part was done, the error says what was not.
        let missed = self.failures(0).filter(|missed| *missed != text);
        let errors: Vec<&str> = missed.iter().chain(errors).map(String::as_str).collect();
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
            // An error is for the owner; the person hears that there is no answer.
            text: if text.is_empty() { sorry() } else { text },
            path,
            calls: std::mem::take(&mut self.calls),
            error,
        }
    }

    /// Returns the results of the wanted calls from one on, as one text.
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

    /// Returns the failures of the calls from one on, if there were any.
    fn failures(&self, from: usize) -> Option<String> {
        let failed = self.result_texts(from, |made| made.result.is_error);
        Some(failed).filter(|text| !text.is_empty())
    }

    /// Returns an id that no other call since the person's sentence has.
    pub(super) fn fresh_id(&self) -> String {
        format!("call-{}", self.conversation.turns.len())
    }
}
