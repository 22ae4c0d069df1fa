//! Answers sentences: plain commands first, then the models in their order.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::answer::{AnswerPath, SentenceAnswer};
use super::conversation::{Conversation, Turn};
use super::house_reader::HouseReader;
use super::model::{AiClient, OnText};
use super::sentence;
use super::sentence_run::{RouterLimits, RouterParts, SentenceRun};
use super::servers::Servers;
use crate::client::{ToolExecutor, ToolManager};

/// The instructions of every model. Short, because a small model loses the thread of a long one.
const SYSTEM: &str = "You control a house with tools. Call a tool for whatever the person wants of the \
house, with the device's name in the person's own words. Only what a tool's result says is true; never \
say that something was done without one. When a tool refuses, say why, and do nothing else instead. When \
nothing is asked of the house, call no tool. Answer in one short sentence without formatting, in the \
person's language.";

/// Answers sentences. A plain command is obeyed without any model. Every other sentence goes to the
/// first model, and to the next one if a model gives no reply. The next one gets the conversation
/// with the results of all calls, so that nothing is done twice.
#[derive(Debug)]
pub struct AiRouter {
    plain: bool,
    servers: Servers,
    parts: RouterParts,
}

impl AiRouter {
    /// Makes a router for these models, in the order in which they are asked. `servers` are those whose tools
    /// the manager has; the router reconnects to a server that is gone.
    pub fn new(
        models: Vec<Arc<dyn AiClient>>,
        servers: Servers,
        manager: Arc<ToolManager>,
        executor: ToolExecutor,
        limits: RouterLimits,
    ) -> Self {
        Self {
            plain: true,
            servers,
            parts: RouterParts {
                small: false,
                house: HouseReader::default(),
                language: None,
                models,
                manager,
                executor,
                limits,
            },
        }
    }

    /// Makes a router that leaves every sentence to the models.
    #[must_use]
    pub fn without_plain_commands(mut self) -> Self {
        self.plain = false;
        self
    }

    /// Makes a router for models of under about a billion parameters: each is offered one tool,
    /// narrowed to what the sentence speaks of. No other call is made, and the tool's own words are the answer.
    #[must_use]
    pub fn for_small_models(mut self) -> Self {
        self.parts.small = true;
        self
    }

    /// Uses a house that its server's notifications keep current.
    #[must_use]
    pub fn with_house(mut self, house: HouseReader) -> Self {
        self.parts.house = house;
        self
    }

    /// Sets the people's language ("de"), which decides if a sentence fits two languages.
    #[must_use]
    pub fn in_language(mut self, language: &str) -> Self {
        self.parts.language = Some(language.to_owned());
        self
    }

    /// Its servers.
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Returns the answer to a sentence that is too long, or that comes while too many wait.
    pub fn refusal(&self) -> SentenceAnswer {
        let text = sentence::say(self.parts.language.as_deref(), "too_much");
        SentenceAnswer {
            text: text.clone(),
            path: AnswerPath::Local,
            calls: Vec::new(),
            error: Some(text),
        }
    }

    /// Returns the answer to a sentence that cancels, in its language.
    pub fn word_cancellation(transcript: &str) -> String {
        sentence::say(sentence::cancel_language(transcript), "cancelled")
    }

    /// Starts a conversation that holds only the instructions.
    pub fn conversation() -> Conversation {
        Conversation {
            system: SYSTEM.to_owned(),
            ..Conversation::default()
        }
    }

    /// Answers a sentence in a conversation, and adds what was said and done to it. A model's text is
    /// handed out as it comes. Dropping the future cancels the call that is being made.
    pub async fn answer(
        &self,
        conversation: &mut Conversation,
        sentence: &str,
        on_text: OnText<'_>,
    ) -> SentenceAnswer {
        let deadline = Instant::now() + self.parts.limits.sentence;
        // If a server is not back in time, the call to it fails and says so.
        let _ = timeout_at(deadline, self.servers.revive(&self.parts.manager)).await;
        conversation.settle();
        conversation.keep_last(self.parts.limits.turns);
        let start = conversation.turns.len();
        conversation.turns.push(Turn::Person(sentence.to_owned()));
        let mut run = SentenceRun {
            parts: &self.parts,
            conversation,
            calls: Vec::new(),
            deadline,
            unread_because: None,
        };
        let obeyed = if self.plain {
            run.answer_plainly(sentence).await
        } else {
            Err(String::new())
        };
        let answer = match obeyed {
            Ok(answer) => answer,
            Err(text) => run.ask(sentence, &text, on_text).await,
        };
        if answer.calls.is_empty() && !answer.is_well() {
            // It led to nothing, so later requests need not carry it.
            conversation.turns.truncate(start);
        } else {
            conversation.turns.push(Turn::Model {
                text: answer.text.clone(),
                calls: Vec::new(),
            });
        }
        answer
    }
}
