//! Asks a person on an MQTT topic, which an automation shows on a phone or a panel. The answers arrive on
//! `<topic>/answer`.

use std::sync::{Arc, Mutex};

use chrono::{DateTime, SecondsFormat};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::sync::Notify;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::ANSWER_TIMEOUT;
use super::ledger::{Asked, LIFETIME, Ledger, QuestionState};
use crate::crypto;
use crate::gateway::Gateways;
use crate::home::decide::ConsentQuestion;
use crate::lock::lock;
use crate::mcp::wording::NoConsent;

/// The length of an id, in hexadecimal digits: 128 bits.
const ID_DIGITS: usize = 32;

/// An answer to a question.
#[derive(Deserialize)]
struct TopicAnswer {
    id: String,
    #[serde(default)]
    allow: Json,
}

/// The questions of one session on a topic. Cheap to clone.
#[derive(Clone)]
pub struct TopicQuestions {
    gateways: Gateways,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    ledger: Mutex<Ledger>,
    /// Notified when a question was asked or has ended.
    changed: Notify,
}

/// A person's yes, which one command uses.
pub struct TopicConsent {
    questions: TopicQuestions,
    id: String,
}

impl TopicConsent {
    /// Publishes the outcome of the command.
    pub fn tell_outcome(&self, is_done: bool, sentence: &str) {
        let state = if is_done {
            QuestionState::Done
        } else {
            QuestionState::Failed
        };
        let message = json!({ "id": self.id, "state": state, "sentence": sentence });
        // Without a connection, whoever shows the question learns no outcome.
        let _ = self.questions.gateways.publish_question(&message);
    }
}

impl TopicQuestions {
    /// Starts to take answers until `ended`. Must be called in a tokio runtime.
    pub fn start(gateways: &Gateways, ended: CancellationToken) -> Self {
        let questions = Self {
            gateways: gateways.clone(),
            shared: Arc::default(),
        };
        tokio::spawn(questions.clone().take_answers(ended));
        questions
    }

    async fn take_answers(self, ended: CancellationToken) {
        let mut answers = self.gateways.answers();
        loop {
            let due = lock(&self.shared.ledger).due();
            tokio::select! {
                () = ended.cancelled() => {
                    lock(&self.shared.ledger).end();
                    self.publish_notices();
                    return;
                }
                answer = answers.recv() => match answer {
                    Ok(payload) => self.take(&payload),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                () = self.shared.changed.notified() => {}
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    lock(&self.shared.ledger).expire(Instant::now());
                }
            }
            self.publish_notices();
        }
    }

    fn take(&self, payload: &[u8]) {
        if let Ok(TopicAnswer { id, allow }) = serde_json::from_slice(payload) {
            let is_allowed = allow == Json::Bool(true);
            lock(&self.shared.ledger).answer(&id, is_allowed, Instant::now());
        }
    }

    /// Publishes the new states of questions. Without a connection, whoever shows them learns none.
    fn publish_notices(&self) {
        for (id, state) in std::mem::take(&mut lock(&self.shared.ledger).notices) {
            let message = json!({ "id": id, "state": state });
            let _ = self.gateways.publish_question(&message);
        }
    }

    /// Asks a person. `text` is the question in words. Only the same `caller` may use a yes that comes after
    /// the call. `cancelled` is resolved when the call is cancelled.
    pub async fn ask(
        &self,
        question: &ConsentQuestion,
        text: &str,
        caller: &str,
        cancelled: impl Future<Output = ()>,
    ) -> Result<TopicConsent, NoConsent> {
        let consent = |id| TopicConsent {
            questions: self.clone(),
            id,
        };
        let Asked { id, verdict, .. } = self.begin(question, text, caller)?;
        let Some(mut verdict) = verdict else {
            return Ok(consent(id));
        };
        let answered = tokio::select! {
            biased;
            () = cancelled => None,
            answered = timeout(ANSWER_TIMEOUT, &mut verdict) => Some(answered),
        };
        match answered {
            Some(Ok(Ok(verdict))) => verdict.map(consent),
            Some(Ok(Err(_))) => Err(NoConsent::NoAnswer),
            // A yes may still come, for the same command.
            Some(Err(_)) => Err(NoConsent::NotYet),
            None => {
                drop(verdict);
                lock(&self.shared.ledger).cancel(&id);
                self.shared.changed.notify_one();
                Err(NoConsent::Dismissed)
            }
        }
    }

    /// Asks the ledger, and publishes the question if it is a new one.
    fn begin(
        &self,
        question: &ConsentQuestion,
        text: &str,
        caller: &str,
    ) -> Result<Asked, NoConsent> {
        let mut id = crypto::secret().map_err(|_| NoConsent::CantAsk)?;
        id.truncate(ID_DIGITS);
        let now = self.gateways.with_view(|view| view.now);
        let mut ledger = lock(&self.shared.ledger);
        let asked = ledger.ask(question, caller, id, Instant::now())?;
        if !asked.is_new {
            return Ok(asked);
        }
        let expires = now.0 + LIFETIME.as_millis() as u64;
        let expires = i64::try_from(expires).ok().and_then(DateTime::from_timestamp_millis);
        let message = json!({
            "id": asked.id,
            "question": text,
            "device": question.device.with_room(),
            "action": question.intent.action().name(),
            "expires": expires.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)),
        });
        if self.gateways.publish_question(&message).is_err() {
            ledger.forget_last();
            return Err(NoConsent::NotPublished);
        }
        drop(ledger);
        self.shared.changed.notify_one();
        Ok(asked)
    }
}
