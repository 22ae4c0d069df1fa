//! Requests to gateways, and which reply is whose.
//!
//! Every reply goes to everybody, and only what the request carried tells them apart: the gateway
//! sends the whole request back in `origin` (`docs/GATEWAY.md#api-requests`). So each request has
//! an id that no other process has, and replies without it are not ours.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value as Json;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::home::model::ids::{NodeId, ValueId};

/// How many replies back a second one to the same request is known.
const REMEMBERED: usize = 64;

/// A gateway's reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The call ran; what it returned, if anything. It says nothing of success.
    Ran(Option<Json>),
    /// The call did not run; the gateway's words.
    NotRun(String),
}

/// What a reply is taken in for besides being handed over, in the order in which messages come.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyEffect {
    /// Nothing.
    Call,
    /// The nodes, by this reading.
    Nodes {
        /// Its number.
        number: u64,
        /// When it was asked for.
        sent: Instant,
    },
    /// A device's own word on a value, and when it was asked for.
    State(NodeId, ValueId, Instant),
}

/// The requests that wait for their replies.
#[derive(Debug)]
pub struct Requests {
    /// What all our ids start with.
    mark: String,
    waiting: Mutex<PendingRequests>,
}

#[derive(Debug, Default)]
struct PendingRequests {
    last: u64,
    replies: HashMap<u64, (oneshot::Sender<Reply>, ReplyEffect)>,
    /// The requests that were answered last.
    answered: VecDeque<u64>,
    /// One of them was answered again.
    executed_twice: bool,
}

/// A request to publish, and where its reply will be.
pub struct PreparedRequest {
    /// The payload.
    pub payload: Vec<u8>,
    /// The reply. Dropping it forgets the request.
    pub reply: oneshot::Receiver<Reply>,
}

impl Requests {
    /// Requests whose ids start with a number that no other process has.
    pub fn new(process: u64) -> Self {
        Self {
            mark: format!("zwave-mcp-{process:016x}-"),
            waiting: Mutex::default(),
        }
    }

    /// Makes a request with these arguments.
    pub fn prepare(&self, args: Json, purpose: ReplyEffect) -> PreparedRequest {
        let (sender, reply) = oneshot::channel();
        let mut waiting = self.waiting();
        waiting.replies.retain(|_, (sender, _)| !sender.is_closed());
        waiting.last += 1;
        let number = waiting.last;
        waiting.replies.insert(number, (sender, purpose));
        let id = format!("{}{number}", self.mark);
        let payload = serde_json::json!({ "args": args, "requestId": id });
        PreparedRequest {
            payload: payload.to_string().into_bytes(),
            reply,
        }
    }

    /// Whether a reply or request may be ours. Cheap: `origin` is a reply's last part, and another
    /// client's `getNodes` reply has megabytes.
    pub fn may_be_ours(&self, payload: &[u8]) -> bool {
        let mark = self.mark.as_bytes();
        payload.windows(mark.len()).rev().any(|part| part == mark)
    }

    /// Hands a reply to whoever waits for it; false where nobody does: it is another client's, it
    /// comes a second time, or its caller has given up.
    pub fn hand_over(&self, id: &str, reply: Reply) -> bool {
        let Some(number) = self.number(id) else {
            return false;
        };
        let mut waiting = self.waiting();
        let Some((sender, _)) = waiting.replies.remove(&number) else {
            return false;
        };
        waiting.answered.truncate(REMEMBERED - 1);
        waiting.answered.push_front(number);
        sender.send(reply).is_ok()
    }

    /// What the reply to this request is for; none where nobody waits for it. A second reply shows that
    /// requests are executed twice.
    pub fn purpose(&self, id: &str) -> Option<ReplyEffect> {
        let number = self.number(id)?;
        let mut waiting = self.waiting();
        if waiting.answered.contains(&number) {
            waiting.executed_twice = true;
        }
        let (sender, purpose) = waiting.replies.get(&number)?;
        (!sender.is_closed()).then(|| purpose.clone())
    }

    /// Whether a request was answered twice: the broker hands it over once for each of the gateway's
    /// subscriptions that match (MQTT 3.1.1, section 3.3.5), and the gateway executes each copy.
    pub fn executed_twice(&self) -> bool {
        self.waiting().executed_twice
    }

    fn number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(&self.mark)?.parse().ok()
    }

    fn waiting(&self) -> MutexGuard<'_, PendingRequests> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(prepared: &PreparedRequest) -> String {
        let json: Json = serde_json::from_slice(&prepared.payload).unwrap();
        json["requestId"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_reply_finds_its_request_once_and_only_there() {
        let ours = Requests::new(1);
        let others = Requests::new(2);
        let mut first = ours.prepare(Json::Array(Vec::new()), ReplyEffect::Call);
        let foreign = others.prepare(Json::Array(Vec::new()), ReplyEffect::Call);
        assert!(ours.may_be_ours(&first.payload));
        assert!(!ours.may_be_ours(&foreign.payload));
        assert!(!ours.hand_over(&id_of(&foreign), Reply::Ran(None)));
        assert!(ours.hand_over(&id_of(&first), Reply::Ran(None)));
        assert!(!ours.hand_over(&id_of(&first), Reply::NotRun("again".into())));
        assert_eq!(first.reply.try_recv(), Ok(Reply::Ran(None)));
    }

    #[test]
    fn only_a_second_reply_tells_that_requests_are_executed_twice() {
        let requests = Requests::new(1);
        let answered = requests.prepare(Json::Null, ReplyEffect::Call);
        let given_up = requests.prepare(Json::Null, ReplyEffect::Call);
        let (first, second) = (id_of(&answered), id_of(&given_up));
        drop(given_up);
        for id in [&first, &second] {
            requests.purpose(id);
            requests.hand_over(id, Reply::Ran(None));
        }
        assert!(!requests.executed_twice());
        assert_eq!(requests.purpose(&first), None);
        assert!(requests.executed_twice());
    }

    #[test]
    fn a_caller_who_gave_up_is_forgotten() {
        let requests = Requests::new(1);
        let prepared = requests.prepare(Json::Null, ReplyEffect::Call);
        let id = id_of(&prepared);
        drop(prepared);
        assert_eq!(requests.purpose(&id), None);
        assert!(!requests.hand_over(&id, Reply::Ran(None)));
    }
}
