//! The questions that were asked on a topic: which are open, which were answered, and whether another may be asked.
//!
//! The ledger sends nothing and reads no clock. The time and the random ids are parameters.

use std::collections::VecDeque;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::home::decide::ConsentQuestion;
use crate::home::model::ids::DeviceId;
use crate::mcp::wording::NoConsent;

/// The time that a question stays open, and that a yes which came after the call can be used.
pub const LIFETIME: Duration = Duration::from_secs(60);

/// The time for which nobody is asked about a device after a no, or after a question that nobody answered.
const QUIET_TIME: Duration = Duration::from_secs(600);

/// The maximum number of open questions.
const MAX_OPEN: usize = 4;

/// The maximum number of questions in [`HOUR`].
const MAX_PER_HOUR: usize = 10;

const HOUR: Duration = Duration::from_secs(3600);

/// The answer to a waiting call: the id of the question whose yes the call may use, or the reason why it may not act.
pub type ConsentVerdict = Result<String, NoConsent>;

/// The question about a call's command.
#[derive(Debug)]
pub struct Asked {
    /// The question's id.
    pub id: String,
    /// Receives the verdict; `None` if a person has said yes already, so that the call may act.
    pub verdict: Option<oneshot::Receiver<ConsentVerdict>>,
    /// True if the question has to be published.
    pub is_new: bool,
}

/// What has become of a question, for those who showed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionState {
    /// A person said yes.
    Allowed,
    /// A person said no.
    Refused,
    /// Nobody answered, the call was cancelled, or nobody used the yes.
    Expired,
    /// The command was carried out.
    Done,
    /// The command failed, or was not sent.
    Failed,
}

struct Record {
    id: String,
    /// The caller, as the only one who may use the yes.
    caller: String,
    question: ConsentQuestion,
    /// When the question, or its unused yes, expires.
    until: Instant,
    /// The calls that wait, the oldest first; `None` once a person has said yes.
    waiting: Option<VecDeque<oneshot::Sender<ConsentVerdict>>>,
}

impl Record {
    fn is_open(&self) -> bool {
        self.waiting.is_some()
    }

    /// Gives all waiting calls the same reason.
    fn refuse_all(&mut self, why: NoConsent) {
        for call in self.waiting.iter_mut().flat_map(|calls| calls.drain(..)) {
            let _ = call.send(Err(why));
        }
    }
}

/// The questions of one session.
#[derive(Default)]
pub struct Ledger {
    records: Vec<Record>,
    /// When each question of the last hour was asked.
    asked_at: VecDeque<Instant>,
    /// The devices that nobody is asked about until a time.
    quiet: Vec<(DeviceId, Instant)>,
    /// The states to publish, each with the question's id.
    pub notices: Vec<(String, QuestionState)>,
}

impl Ledger {
    /// Takes a call's request for consent. `id` is the id of the question if it becomes a new one.
    ///
    /// # Errors
    /// Fails with the reason why nobody may be asked.
    pub fn ask(
        &mut self,
        question: &ConsentQuestion,
        caller: &str,
        id: String,
        now: Instant,
    ) -> Result<Asked, NoConsent> {
        self.expire(now);
        let (sender, receiver) = oneshot::channel();
        let mut asked = Asked {
            id,
            verdict: Some(receiver),
            is_new: true,
        };
        let device = &question.device.id;
        let mut records = self.records.iter_mut().enumerate();
        if let Some((at, record)) = records.find(|(_, record)| record.question.device.id == *device)
        {
            if record.caller != caller || !record.question.is_same_command(question) {
                return Err(NoConsent::BeingAsked);
            }
            asked.id.clone_from(&record.id);
            asked.is_new = false;
            if let Some(waiting) = &mut record.waiting {
                waiting.push_back(sender);
            } else {
                self.records.remove(at);
                asked.verdict = None;
            }
            return Ok(asked);
        }
        if self.quiet.iter().any(|(quiet, _)| quiet == device) {
            return Err(NoConsent::AskedLately);
        }
        let open = self.records.iter().filter(|record| record.is_open()).count();
        if open >= MAX_OPEN || self.asked_at.len() >= MAX_PER_HOUR {
            return Err(NoConsent::TooMany);
        }
        self.asked_at.push_back(now);
        self.records.push(Record {
            id: asked.id.clone(),
            caller: caller.to_owned(),
            question: question.clone(),
            until: now + LIFETIME,
            waiting: Some(VecDeque::from([sender])),
        });
        Ok(asked)
    }

    /// Forgets the question that was asked last, because it could not be published.
    pub fn forget_last(&mut self) {
        self.records.pop();
        self.asked_at.pop_back();
    }

    /// Takes a person's answer. Does nothing if no question with this id is open.
    pub fn answer(&mut self, id: &str, is_allowed: bool, now: Instant) {
        self.expire(now);
        let is_answered = |record: &Record| record.id == id && record.is_open();
        let Some(at) = self.records.iter().position(is_answered) else {
            return;
        };
        let mut record = self.records.remove(at);
        if !is_allowed {
            record.refuse_all(NoConsent::Declined);
            self.quiet.push((record.question.device.id, now + QUIET_TIME));
            self.notices.push((record.id, QuestionState::Refused));
            return;
        }
        self.notices.push((record.id.clone(), QuestionState::Allowed));
        // The first call that still waits acts. If none does, the same command may be sent again.
        while let Some(call) = record.waiting.as_mut().and_then(VecDeque::pop_front) {
            if call.send(Ok(record.id.clone())).is_ok() {
                record.refuse_all(NoConsent::Used);
                return;
            }
        }
        record.waiting = None;
        record.until = now + LIFETIME;
        self.records.push(record);
    }

    /// Ends the question of a call that was cancelled, unless other calls wait for it. The call must have dropped its
    /// receiver.
    pub fn cancel(&mut self, id: &str) {
        if let Some(record) = self.records.iter_mut().find(|record| record.id == id) {
            let waiting = record.waiting.get_or_insert_default();
            waiting.retain(|call| !call.is_closed());
            if !waiting.is_empty() {
                return;
            }
        }
        // Without a record, the answer came at the same time as the cancellation.
        self.records.retain(|record| record.id != id);
        self.notices.push((id.to_owned(), QuestionState::Expired));
    }

    /// Ends all questions.
    pub fn end(&mut self) {
        for mut record in self.records.drain(..) {
            record.refuse_all(NoConsent::NoAnswer);
            self.notices.push((record.id, QuestionState::Expired));
        }
    }

    /// Ends the questions whose time is over, and forgets what no longer counts.
    pub fn expire(&mut self, now: Instant) {
        self.asked_at.retain(|at| *at + HOUR > now);
        self.quiet.retain(|(_, until)| *until > now);
        for mut record in self.records.extract_if(.., |record| record.until <= now) {
            if record.is_open() {
                record.refuse_all(NoConsent::NoAnswer);
                let device = record.question.device.id;
                self.quiet.push((device, record.until + QUIET_TIME));
            }
            self.notices.push((record.id, QuestionState::Expired));
        }
    }

    /// Returns when the next question expires.
    pub fn due(&self) -> Option<Instant> {
        self.records.iter().map(|record| record.until).min()
    }
}
