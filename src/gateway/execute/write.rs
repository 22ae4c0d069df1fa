//! One write on its way, and how it is answered.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::Performing;
use crate::gateway::Trouble;
use crate::gateway::protocol::payloads;
use crate::gateway::session::Session;
use crate::gateway::session::requests::{Reply, ReplyEffect};
use crate::gateway::session::writes::Watched;
use crate::home::model::ids::NodeId;
use crate::home::model::node::NodeStatus;
use crate::home::model::value::{Components, Reading, Write};

/// How long a reply may still come after its gateway, driver or broker is gone.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a reply may still come of a node that fell asleep after the write was sent: it may have
/// heard it.
const HEARD_LAST: Duration = Duration::from_secs(1);

/// A write that was sent, once.
pub(super) struct SentWrite {
    node: NodeId,
    reply: oneshot::Receiver<Reply>,
    /// Whether a later write takes its place.
    watched: Watched,
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
}

impl SentWrite {
    /// Sends a write, or says why nothing was sent.
    pub fn send(performing: &Performing<'_>, node: NodeId, write: &Write) -> Result<Self, Trouble> {
        let session = performing.session;
        let args = json!([payloads::id_json(node, &write.target), wire(&write.value)]);
        let watched = session.writes.watch(node, &write.target);
        let life = session.life();
        Ok(Self {
            node,
            at: Instant::now(),
            reply: session.send("writeValue", args, ReplyEffect::Call)?,
            watched,
            life,
        })
    }

    /// Waits for the reply. A sleeping node gives none until it wakes up; then an answered
    /// `getInfo`, sent after the write, proves that the gateway has the write
    /// (`docs/GATEWAY.md#dead-and-sleeping-nodes`); but only on the same connection and of the same
    /// life of the gateway.
    pub async fn answer(mut self, performing: &Performing<'_>) -> (Delivery, Watched) {
        let answer = self.wait(performing.session).await;
        (answer, self.watched)
    }

    async fn wait(&mut self, session: &Arc<Session>) -> Delivery {
        let limit = Instant::now() + session.reply_timeout();
        let mut node = session.listen(self.node);
        let mut lives = session.lives();
        let mut probe: Option<oneshot::Receiver<Reply>> = None;
        let mut probe_answered = false;
        let mut given_up = limit;
        let mut falls_silent = Instant::now();
        loop {
            // Who is gone does not answer any more; what it sent before may still be on its way.
            if given_up == limit && session.reachable().is_err() {
                given_up = limit.min(Instant::now() + LAST_WORDS);
            }
            let same_life = session.life() == self.life;
            let sleeps = same_life && asleep(session, self.node);
            if !sleeps {
                falls_silent = Instant::now() + HEARD_LAST;
            }
            if sleeps {
                if probe_answered && falls_silent <= Instant::now() {
                    return Delivery::Queued;
                }
                if probe.is_none() {
                    probe = session.send("getInfo", json!([]), ReplyEffect::Call).ok();
                }
            }
            tokio::select! {
                biased;
                reply = &mut self.reply => return reply.map_or(Delivery::None, Delivery::Reply),
                answered = wait(probe.as_mut()), if !probe_answered => {
                    probe_answered = answered;
                    if !answered {
                        probe = None;
                    }
                }
                woken = node.changed() => if woken.is_err() {
                    return Delivery::None;
                },
                woken = lives.changed() => if woken.is_err() {
                    return Delivery::None;
                },
                () = sleep_until(falls_silent), if sleeps && probe_answered => {}
                () = sleep_until(given_up) => {
                    if given_up == limit {
                        session.doubt(self.at, self.life).await;
                    }
                    return Delivery::None;
                }
            }
        }
    }
}

fn asleep(session: &Session, node: NodeId) -> bool {
    let node = session.node(node);
    node.is_some_and(|node| node.status == NodeStatus::Asleep && !node.frequently_listening)
}

/// Whether a probe was answered; never ready without one.
async fn wait(probe: Option<&mut oneshot::Receiver<Reply>>) -> bool {
    match probe {
        Some(probe) => probe.await.is_ok(),
        None => std::future::pending().await,
    }
}

fn wire(value: &Reading) -> Json {
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
