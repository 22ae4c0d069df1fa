//! One write on its way, and how it is answered.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};

use super::performing::Performing;
use crate::gateway::bus::NotSent;
use crate::gateway::protocol::payloads::{self, Reply};
use crate::gateway::session::Session;
use crate::home::model::ids::NodeId;
use crate::home::model::node::NodeStatus;
use crate::home::model::value::{Components, Reading, Write};
use crate::home::plan::Step;

/// How long a reply may still come after its gateway, driver or broker is gone.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a reply may still come of a node that fell asleep after the write was sent: it may have
/// heard it.
const HEARD_LAST: Duration = Duration::from_secs(1);

/// A write that is sent, once.
pub(super) struct SentWrite {
    node: NodeId,
    reply: oneshot::Receiver<Result<Reply, NotSent>>,
    /// When it was sent.
    pub at: Instant,
    /// The connection and the gateway's life in which it was sent.
    life: (u64, u64),
}

/// How a write was answered.
pub(super) enum Delivery {
    Reply(Reply),
    /// The node sleeps, and the gateway has the write.
    Queued,
    None,
    NotSent,
}

impl SentWrite {
    /// Sends a write that is to lead to these steps' states.
    pub fn send(performing: &Performing, node: NodeId, write: &Write, steps: Vec<Step>) -> Self {
        let args = json!([
            payloads::id_json(node, &write.target),
            to_json(&write.value)
        ]);
        let (at, life) = (Instant::now(), performing.life());
        let target = write.target.clone();
        let reply = performing.send("writeValue", args, move |session, _| {
            session.note_write(node, &target, at);
            for step in &steps {
                session.note_write(step.node, &step.write.target, at);
                session.expect(step, at);
            }
        });
        Self {
            node,
            reply,
            at,
            life,
        }
    }

    /// Waits for the reply. A sleeping node gives none until it wakes up; then an answered
    /// `getInfo`, sent after the write, proves that the gateway has the write
    /// (`docs/GATEWAY.md#dead-and-sleeping-nodes`); but only on the same connection and of the same
    /// life of the gateway.
    pub async fn wait(&mut self, performing: &Performing) -> Delivery {
        let limit = Instant::now() + performing.reply_timeout();
        let is_asleep = is_asleep(self.node, self.life);
        let replied = tokio::select! {
            biased;
            reply = &mut self.reply => reply,
            () = queued(performing, is_asleep, limit + HEARD_LAST) => return Delivery::Queued,
            () = gone(performing, limit) => return Delivery::None,
            () = sleep_until(limit) => {
                performing.doubt(self.at, self.life).await;
                return Delivery::None;
            }
        };
        match replied {
            Ok(Ok(reply)) => Delivery::Reply(reply),
            Ok(Err(NotSent)) => Delivery::NotSent,
            Err(_) => Delivery::None,
        }
    }
}

/// Waits until a gateway that can't be reached any more has had the time for a last word: what it sent
/// before may still be on its way.
async fn gone(performing: &Performing, limit: Instant) {
    performing.wait_while(limit, Session::is_reachable).await;
    sleep(LAST_WORDS).await;
}

/// Waits until the node sleeps, may not answer any more, and the gateway has the write for it.
async fn queued(performing: &Performing, is_asleep: impl Fn(&Session) -> bool, limit: Instant) {
    let mut heard_last = Duration::ZERO;
    loop {
        if performing.of_session(&is_asleep) != Some(true) {
            performing
                .wait_while(limit, |session| !is_asleep(session))
                .await;
            heard_last = HEARD_LAST;
        }
        let has_it = async {
            let info = performing.send("getInfo", json!([]), |_, _| {}).await;
            if !matches!(info, Ok(Ok(_))) {
                std::future::pending::<()>().await;
            }
        };
        let kept = async { tokio::join!(has_it, sleep(heard_last)) };
        tokio::select! {
            _ = kept => return,
            () = performing.wait_while(limit, &is_asleep) => {}
        }
    }
}

/// Tells whether a node sleeps in that life of its gateway.
fn is_asleep(node: NodeId, life: (u64, u64)) -> impl Fn(&Session) -> bool {
    move |session| {
        let node = session.node(node).filter(|_| session.life() == life);
        node.is_some_and(|node| node.status == NodeStatus::Asleep && !node.frequently_listening)
    }
}

/// A value as requests spell it.
fn to_json(value: &Reading) -> Json {
    match value {
        Reading::Bool(flag) => json!(flag),
        // zwave-js takes 50 and 50.0 for the same, but people read logs.
        Reading::Number(number) if number.fract() == 0.0 => json!(*number as i64),
        Reading::Number(number) => json!(number),
        Reading::Text(text) => json!(text),
        Reading::Components(lamps) => {
            let lamps = Components::NAMES.iter().zip(lamps.0);
            let lamps = lamps.filter_map(|(name, lamp)| Some(((*name).to_owned(), json!(lamp?))));
            Json::Object(lamps.collect())
        }
        Reading::Other => Json::Null,
    }
}
