//! One write on its way, and how it is answered.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::Performing;
use crate::gateway::messages;
use crate::gateway::requests::Reply;
use crate::gateway::{Shared, Trouble};
use crate::home::ids::{NodeId, SiteId};
use crate::home::node::NodeStatus;
use crate::home::plan::Write;
use crate::home::value::{Components, Reading};

/// How long a reply may still come after its gateway, driver or broker is gone.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A write that was sent, once.
pub(super) struct Sent {
    node: NodeId,
    reply: oneshot::Receiver<Reply>,
    /// Its number among the writes to that value.
    pub number: u64,
    /// The connection and the gateway's life in which it was sent.
    life: (u64, u64),
}

/// How a write was answered.
pub(super) enum Answer {
    Reply(Reply),
    /// The node sleeps, and the gateway has the write.
    Queued,
    None,
}

impl Sent {
    /// Sends a write, or says why nothing was sent.
    pub fn send(performing: &Performing<'_>, node: NodeId, write: &Write) -> Result<Self, Trouble> {
        let Performing { shared, site, .. } = *performing;
        let args = json!([messages::id_json(node, &write.target), wire(&write.value)]);
        // Counted before it is sent, so that whatever is seen later is later.
        let (number, life) = {
            let mut hub = shared.hub();
            let number = hub.writes().count(site, node, &write.target);
            if let Some(link) = hub.link_mut(site) {
                link.commanded = true;
            }
            (number, hub.life(site))
        };
        let gateway = shared.gateway_name(site);
        let Ok(reply) = shared.send(&gateway, "writeValue", args) else {
            return Err(shared.cut_off());
        };
        Ok(Self {
            node,
            reply,
            number,
            life,
        })
    }

    /// Waits for the reply. A sleeping node gives none until it wakes up; then an answered
    /// `getInfo`, sent after the write, proves that the gateway has the write (captures, section 2);
    /// but only on the same connection and of the same life of the gateway.
    pub async fn answer(mut self, performing: &Performing<'_>) -> Answer {
        let Performing { shared, site, .. } = *performing;
        let limit = Instant::now() + shared.settings.reply_timeout;
        let mut changed = shared.changed.subscribe();
        let mut probe: Option<oneshot::Receiver<Reply>> = None;
        let mut probe_answered = false;
        let mut given_up = limit;
        loop {
            // Who is gone does not answer any more; what it sent before may still be on its way.
            if given_up == limit && shared.reachable(site).is_err() {
                given_up = limit.min(Instant::now() + LAST_WORDS);
            }
            let same_life = shared.hub().life(site) == self.life;
            if same_life && shared.asleep(site, self.node) {
                if probe_answered {
                    return Answer::Queued;
                }
                if probe.is_none() {
                    let gateway = shared.gateway_name(site);
                    probe = shared.send(&gateway, "getInfo", json!([])).ok();
                }
            }
            tokio::select! {
                biased;
                reply = &mut self.reply => return reply.map_or(Answer::None, Answer::Reply),
                answered = wait(probe.as_mut()), if !probe_answered => {
                    probe_answered = answered;
                    if !answered {
                        probe = None;
                    }
                }
                woken = changed.changed() => if woken.is_err() {
                    return Answer::None;
                },
                () = sleep_until(given_up) => return Answer::None,
            }
        }
    }
}

impl Shared {
    fn asleep(&self, site: SiteId, node: NodeId) -> bool {
        let asleep = self.node(site, node, |node| {
            node.status == NodeStatus::Asleep && !node.frequently_listening
        });
        asleep.unwrap_or_default()
    }
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
