//! Answers sentences, without a model if possible, otherwise with the first model that replies.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout, timeout_at};

use super::answer::{AnswerPath, SentenceAnswer};
use super::conversation::{Conversation, Turn};
use super::model::OnText;
use super::sentence::{self, AwaitedOrder, Context};
use super::sentence_run::{NeedsModel, RouterParts, SENTENCE_TIMEOUT, SentenceRun};
use super::servers::Servers;
use super::timers::Timer;

/// The maximum number of turns that a conversation keeps.
const MAX_TURNS: usize = 40;

/// The time limit for reading the house to know its rooms.
const ROOM_TIMEOUT: Duration = Duration::from_secs(5);

/// The time after which an order that a person has to allow counts as waiting for that person.
const ASK_DELAY: Duration = Duration::from_secs(1);

/// The system prompt for every model. It is short because small models do not follow long ones.
const SYSTEM_PROMPT: &str = "You control a house with tools. Call a tool for whatever the person \
wants of the house, with the device's name in the person's own words. Trust only the results of \
tools; without a result, never say that something was done. When a tool refuses, say why, and do \
nothing else instead. When nothing is asked of the house, call no tool. Answer in one short \
sentence without formatting, in the person's language.";

/// Answers sentences. Plain commands and questions need no model. Any other sentence goes to the first model.
/// If a model gives no reply, the sentence goes to the next model, along with the results of all calls so far,
/// so that nothing is done twice.
#[derive(Debug)]
pub struct AiRouter {
    /// The servers whose tools the models can call. The router reconnects to servers that are gone.
    pub servers: Servers,
    /// The models, the tools, and the settings.
    pub parts: RouterParts,
}

impl AiRouter {
    /// Does and answers what is due, as long as the future runs. `deliver` receives the room from which the sentence
    /// came, as it was given, and the answer.
    pub async fn run_timers(&self, mut deliver: impl FnMut(Option<String>, SentenceAnswer)) {
        let Some(timers) = &self.parts.timers else {
            return std::future::pending().await;
        };
        let mut running = FuturesUnordered::new();
        loop {
            tokio::select! {
                due = timers.wait_due() => {
                    let due = due.into_iter().map(|timer| (timers.is_late(&timer), timer));
                    running.extend(due.map(|(is_late, timer)| self.answer_due(timer, is_late)));
                }
                Some((origin, answer)) = running.next() => deliver(origin, answer),
            }
        }
    }

    async fn answer_due(&self, timer: Timer, is_late: bool) -> (Option<String>, SentenceAnswer) {
        let deadline = Instant::now() + SENTENCE_TIMEOUT;
        if !is_late {
            self.reconnect(deadline).await;
        }
        let mut conversation = Self::conversation_in(timer.room.clone());
        let mut run = SentenceRun::new(&self.parts, &mut conversation, deadline);
        let answer = run.answer_due(&timer, is_late).await;
        (timer.origin, answer)
    }

    /// Reconnects to servers that are gone. If a server is not back in time, a call of its tools fails and says so.
    async fn reconnect(&self, deadline: Instant) {
        let _ = timeout_at(
            deadline,
            self.servers.reconnect(&self.parts.executor.manager),
        )
        .await;
    }

    /// Returns the answer to a sentence that is too long, or that arrives while too many sentences wait.
    pub fn refusal(&self) -> SentenceAnswer {
        let text = sentence::say(self.parts.language.as_deref(), "too_much");
        SentenceAnswer {
            error: Some(text.clone()),
            text,
            path: AnswerPath::Local,
            calls: Vec::new(),
        }
    }

    /// Returns the answer to a cancellation such as "stop", in the language of `transcript`.
    pub fn cancellation_answer(transcript: &str) -> String {
        sentence::say(sentence::cancel_language(transcript), "cancelled")
    }

    /// Creates a conversation that holds only the system prompt. It is held in this room, if the room is known.
    pub fn conversation_in(room: Option<String>) -> Conversation {
        Conversation {
            system: SYSTEM_PROMPT.to_owned(),
            context: Context::in_room(room),
            ..Conversation::default()
        }
    }

    /// Returns the name of the room that somebody says to be in, as the house writes it. Returns `None` if the house
    /// has no such room, or can't be read.
    pub async fn room_of(&self, said: &str) -> Option<String> {
        let house = self
            .parts
            .house
            .last_known(&self.parts.executor.manager, ROOM_TIMEOUT)
            .await
            .ok()?;
        house.room_of(said).map(str::to_owned)
    }

    /// Answers a sentence, and appends the sentence, its calls and its answer to the conversation. `on_text`
    /// receives a model's text as it arrives, and the sentence that a person was asked to allow the order. Dropping
    /// the future cancels the running call.
    pub async fn answer(
        &self,
        conversation: &mut Conversation,
        sentence: &str,
        on_text: OnText<'_>,
    ) -> SentenceAnswer {
        let (asked, awaited) = self.begin(conversation, sentence, on_text).await;
        let Some(order) = awaited else { return asked };
        let (answer, turns) = self.finish(&order, || on_text(&format!("{}\n", asked.text))).await;
        // The outcome replaces what `begin` noted.
        conversation.turns.pop();
        conversation.turns.extend(turns);
        answer
    }

    /// Carries out an order that a person has to allow. Returns the answer, and the turns to add to the conversation. If
    /// the person takes time to allow it, calls `on_asked`.
    pub(super) async fn finish(
        &self,
        order: &AwaitedOrder,
        on_asked: impl FnOnce(),
    ) -> (SentenceAnswer, Vec<Turn>) {
        let mut conversation = Self::conversation_in(order.room.clone());
        let deadline = Instant::now() + SENTENCE_TIMEOUT;
        let answer = {
            let mut run = SentenceRun::new(&self.parts, &mut conversation, deadline);
            let planned = order.plan();
            let mut running = std::pin::pin!(run.carry_out(&planned, ""));
            if let Ok(answer) = timeout(ASK_DELAY, &mut running).await {
                answer
            } else {
                on_asked();
                running.await
            }
        };
        conversation.add_text(&answer.text);
        (answer, conversation.turns)
    }

    /// Answers a sentence as [`answer`](Self::answer) does, but leaves an order that a person has to allow to
    /// [`finish`](Self::finish). The answer then says that somebody was asked.
    pub(super) async fn begin(
        &self,
        conversation: &mut Conversation,
        sentence: &str,
        on_text: OnText<'_>,
    ) -> (SentenceAnswer, Option<AwaitedOrder>) {
        let deadline = Instant::now() + SENTENCE_TIMEOUT;
        self.reconnect(deadline).await;
        conversation.close_cancelled();
        conversation.keep_last(MAX_TURNS);
        let start = conversation.turns.len();
        conversation.turns.push(Turn::Person(sentence.to_owned()));
        let mut run = SentenceRun::new(&self.parts, conversation, deadline);
        let plain_answer = if self.parts.skips_plain {
            Err(NeedsModel::default())
        } else {
            run.answer_plainly(sentence).await
        };
        let answer = match plain_answer {
            Ok(answer) => answer,
            Err(reason) => {
                // A model may use the tools of every server.
                let _ = timeout_at(deadline, self.servers.wait_for_all()).await;
                run.ask(sentence, reason, on_text).await
            }
        };
        let awaited = run.awaited;
        if answer.calls.is_empty() && !answer.is_success() {
            // No call was made, so later requests need not contain the sentence.
            conversation.turns.truncate(start);
        } else {
            conversation.add_text(&answer.text);
        }
        (answer, awaited)
    }
}
