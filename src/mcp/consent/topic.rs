//! Asks a person on an MQTT topic, which an automation shows on a phone or a panel. The answers arrive on
//! `<topic>/answer`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::sync::{Semaphore, broadcast};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::bytes::Bytes;
use tokio_util::sync::CancellationToken;

use super::ANSWER_TIMEOUT;
use crate::crypto;
use crate::gateway::Gateways;
use crate::home::decide::ConsentQuestion;
use crate::lock::lock;
use crate::mcp::wording::NoConsent;

/// The length of an id, in hexadecimal digits: 128 bits.
const ID_DIGITS: usize = 32;

/// The time that a question stays open, and that a yes which came after the call can be used.
const LIFETIME: Duration = Duration::from_secs(60);

/// The time for which nobody is asked about a device after a no, or after a question that nobody answered.
const QUIET_TIME: Duration = Duration::from_secs(600);

/// The maximum number of open questions.
const MAX_OPEN: usize = 4;

/// The maximum number of questions in [`HOUR`].
const MAX_PER_HOUR: usize = 10;

const HOUR: Duration = Duration::from_secs(3600);

/// An answer to a question.
#[derive(Deserialize)]
struct TopicAnswer {
    id: String,
    #[serde(default)]
    allow: Json,
}

/// Waits for the answer to the question with this id. Only `true` is a yes.
async fn wait_for_answer(mut answers: broadcast::Receiver<Bytes>, id: &str) -> bool {
    loop {
        match answers
            .recv()
            .await
            .map(|payload| serde_json::from_slice::<TopicAnswer>(&payload))
        {
            Ok(Ok(answer)) if answer.id == id => return answer.allow == Json::Bool(true),
            Err(broadcast::error::RecvError::Closed) => return false,
            _ => {}
        }
    }
}

/// A question that was asked.
struct Question {
    id: String,
    /// The caller, as the only one who may use the yes.
    caller: String,
    subject: ConsentQuestion,
    asked_at: Instant,
    /// The person's yes, as a permit. The first call that waits for it acts. If none does, the same command may be sent
    /// again. Closed once the question has ended.
    yes: Semaphore,
    /// The number of calls that wait.
    waiting: AtomicUsize,
    /// Why no call may act any more, and until when nobody is asked about the device.
    end: OnceLock<(NoConsent, Instant)>,
}

/// The questions of one session on a topic. Cheap to clone.
#[derive(Clone)]
pub struct TopicQuestions {
    gateways: Gateways,
    ended: CancellationToken,
    /// The questions of the last hour, the oldest first.
    asked: Arc<Mutex<Vec<Arc<Question>>>>,
}

/// A person's yes, which one command uses.
pub struct TopicConsent {
    gateways: Gateways,
    id: String,
}

impl TopicConsent {
    /// Publishes the outcome of the command.
    pub fn tell_outcome(&self, is_done: bool, sentence: &str) {
        let state = if is_done { "done" } else { "failed" };
        let message = json!({ "id": self.id, "state": state, "sentence": sentence });
        // Without a connection, whoever shows the question learns no outcome.
        let _ = self.gateways.publish_question(&message);
    }
}

impl TopicQuestions {
    /// Creates the questions of a session, which lasts until `ended`.
    pub fn new(gateways: Gateways, ended: CancellationToken) -> Self {
        Self {
            gateways,
            ended,
            asked: Arc::default(),
        }
    }

    /// Asks a person. `text` is the question in words. Only the same `caller` may use a yes that comes after
    /// the call.
    pub async fn ask(
        &self,
        subject: &ConsentQuestion,
        text: &str,
        caller: &str,
        cancelled: &CancellationToken,
    ) -> Result<TopicConsent, NoConsent> {
        let question = self.begin(subject, text, caller)?;
        let waited = tokio::select! {
            biased;
            () = cancelled.cancelled() => None,
            waited = timeout(ANSWER_TIMEOUT, question.yes.acquire()) => Some(waited),
        };
        // No call may join a question that this one ends.
        let _asked = lock(&self.asked);
        let is_last = question.waiting.fetch_sub(1, Ordering::Relaxed) == 1;
        match waited {
            Some(Ok(Ok(_yes))) if self.end(&question, NoConsent::Used) => Ok(TopicConsent {
                gateways: self.gateways.clone(),
                id: question.id.clone(),
            }),
            Some(Ok(_)) => Err(question.end.get().map_or(NoConsent::NoAnswer, |(why, _)| *why)),
            // A yes may still come, for the same command.
            Some(Err(_)) => Err(NoConsent::NotYet),
            None => {
                if is_last {
                    self.end(&question, NoConsent::Dismissed);
                }
                Err(NoConsent::Dismissed)
            }
        }
    }

    /// Joins the open question about the same command. If there is none, publishes a new question.
    fn begin(
        &self,
        subject: &ConsentQuestion,
        text: &str,
        caller: &str,
    ) -> Result<Arc<Question>, NoConsent> {
        let now = Instant::now();
        let mut asked = lock(&self.asked);
        asked.retain(|question| question.asked_at + HOUR > now);
        let is_same_device =
            |question: &&Arc<Question>| question.subject.device.id == subject.device.id;
        for question in asked.iter().filter(is_same_device) {
            match question.end.get() {
                Some((_, quiet_until)) if *quiet_until > now => return Err(NoConsent::AskedLately),
                Some(_) => {}
                None if question.caller == caller && question.subject.is_same_command(subject) => {
                    question.waiting.fetch_add(1, Ordering::Relaxed);
                    return Ok(Arc::clone(question));
                }
                None => return Err(NoConsent::BeingAsked),
            }
        }
        let is_open = |question: &&Arc<Question>| {
            question.end.get().is_none() && question.yes.available_permits() == 0
        };
        if asked.iter().filter(is_open).count() >= MAX_OPEN || asked.len() >= MAX_PER_HOUR {
            return Err(NoConsent::TooMany);
        }
        let mut id = crypto::secret().map_err(|_| NoConsent::CantAsk)?;
        id.truncate(ID_DIGITS);
        let expires = self.gateways.with_view(|view| view.now.0) + LIFETIME.as_millis() as u64;
        let expires = i64::try_from(expires).ok().and_then(DateTime::from_timestamp_millis);
        let message = json!({
            "id": id,
            "question": text,
            "device": subject.device.with_room(),
            "action": subject.intent.action().name(),
            "expires": expires.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)),
        });
        let answers = self.gateways.answers();
        self.gateways.publish_question(&message).map_err(|_| NoConsent::NotPublished)?;
        let question = Arc::new(Question {
            id,
            caller: caller.to_owned(),
            subject: subject.clone(),
            asked_at: now,
            yes: Semaphore::new(0),
            waiting: AtomicUsize::new(1),
            end: OnceLock::new(),
        });
        asked.push(Arc::clone(&question));
        tokio::spawn(self.clone().take_answer(Arc::clone(&question), answers));
        Ok(question)
    }

    /// Takes the answer to a question. Ends the question, or its unused yes, when its time is over.
    async fn take_answer(self, question: Arc<Question>, answers: broadcast::Receiver<Bytes>) {
        let answer = timeout(LIFETIME, wait_for_answer(answers, &question.id));
        let why = match self.ended.run_until_cancelled(answer).await {
            Some(Ok(true)) => {
                self.allow(&question);
                self.ended.run_until_cancelled(sleep(LIFETIME)).await;
                NoConsent::Dismissed
            }
            Some(Ok(false)) => NoConsent::Declined,
            _ => NoConsent::NoAnswer,
        };
        self.end(&question, why);
    }

    /// Lets one call act, unless the question has ended.
    fn allow(&self, question: &Question) {
        let _asked = lock(&self.asked);
        if question.end.get().is_none() {
            self.publish_state(question, "allowed");
            question.yes.add_permits(1);
        }
    }

    /// Ends a question. Returns false if it has ended already.
    fn end(&self, question: &Question, why: NoConsent) -> bool {
        let (state, quiet_time) = match why {
            // The state is the command's outcome.
            NoConsent::Used => (None, Duration::ZERO),
            NoConsent::Declined => (Some("refused"), QUIET_TIME),
            NoConsent::NoAnswer => (Some("expired"), QUIET_TIME),
            _ => (Some("expired"), Duration::ZERO),
        };
        let is_first = question.end.set((why, Instant::now() + quiet_time)).is_ok();
        if let Some(state) = state.filter(|_| is_first) {
            self.publish_state(question, state);
        }
        question.yes.close();
        is_first
    }

    /// Publishes what has become of a question. Without a connection, whoever shows it does not learn it.
    fn publish_state(&self, question: &Question, state: &str) {
        let message = json!({ "id": question.id, "state": state });
        let _ = self.gateways.publish_question(&message);
    }
}
