//! Sends a write, and waits for its answer.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::performing::Performing;
use crate::gateway::bus::NotSent;
use crate::gateway::protocol::payloads::{self, Reply};
use crate::gateway::session::Session;
use crate::home::model::ids::NodeId;
use crate::home::model::node::NodeStatus;
use crate::home::model::value::{Components, Reading, Write};
use crate::home::plan::Step;

/// The time in which a reply may still come after its gateway, driver or broker is gone.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The time in which a reply may still come if the node fell asleep after the write was sent: it may
/// have heard the write.
const HEARD_LAST: Duration = Duration::from_secs(1);

/// The answer to a write.
pub(super) enum Delivery {
    Reply(Reply),
    /// The node sleeps, and the gateway has the write.
    Queued,
    None,
    NotSent,
}

impl Performing {
    /// Sends a write once, that is to bring about these steps' states, and waits for the reply. `at` is now.
    ///
    /// A sleeping node gives none until it wakes up. While it sleeps, an answered `getInfo`, sent after the
    /// write, proves that the gateway has the write (`docs/GATEWAY.md#dead-and-sleeping-nodes`), but only in
    /// the same life of the session.
    pub(super) async fn deliver(
        &self,
        node: NodeId,
        write: &Write,
        steps: Vec<Step>,
        at: Instant,
    ) -> Delivery {
        let life = self.life();
        let target = write.target.clone();
        let args = json!([payloads::id_json(node, &target), to_json(&write.value)]);
        let reply = self.send("writeValue", args, move |session, _| {
            session.note_write(node, &target, at);
            for step in &steps {
                session.note_write(step.node, &step.write.target, at);
                session.expect(step, at);
            }
        });
        let limit = Instant::now() + self.reply_timeout();
        let is_asleep = is_asleep(node, life);
        tokio::select! {
            biased;
            reply = reply => match reply {
                Ok(Ok(reply)) => Delivery::Reply(reply),
                Ok(Err(NotSent)) => Delivery::NotSent,
                Err(_) => Delivery::None,
            },
            () = wait_until_queued(self, is_asleep, limit + HEARD_LAST) => Delivery::Queued,
            () = wait_until_gone(self, limit) => Delivery::None,
            () = sleep_until(limit) => {
                self.probe_after_timeout(at, life).await;
                Delivery::None
            }
        }
    }
}

/// Waits until a gateway that can't be reached any more has had the time for a last word: what it sent
/// before may still be on its way.
async fn wait_until_gone(performing: &Performing, limit: Instant) {
    performing.wait_while(limit, Session::is_reachable).await;
    sleep(LAST_WORDS).await;
}

/// Waits until the node sleeps, no reply can be on its way any more, and the gateway has the write.
async fn wait_until_queued(
    performing: &Performing,
    is_asleep: impl Fn(&Session) -> bool,
    limit: Instant,
) {
    let mut heard_last = Duration::ZERO;
    loop {
        if performing.of_session(&is_asleep) != Some(true) {
            performing.wait_while(limit, |session| !is_asleep(session)).await;
            heard_last = HEARD_LAST;
        }
        let gateway_has_write = async {
            let info = performing.send("getInfo", json!([]), |_, _| {}).await;
            if !matches!(info, Ok(Ok(_))) {
                std::future::pending::<()>().await;
            }
        };
        let queued = async { tokio::join!(gateway_has_write, sleep(heard_last)) };
        tokio::select! {
            _ = queued => return,
            () = performing.wait_while(limit, &is_asleep) => {}
        }
    }
}

/// Returns a predicate: the node sleeps, in that life of its gateway.
fn is_asleep(node: NodeId, life: u64) -> impl Fn(&Session) -> bool {
    move |session| {
        let node = session.node(node).filter(|_| session.life == life);
        node.is_some_and(|node| node.status == NodeStatus::Asleep && !node.frequently_listening)
    }
}

/// Converts a value to JSON, as requests spell it.
fn to_json(value: &Reading) -> Json {
    match value {
        Reading::Bool(flag) => json!(flag),
        // zwave-js treats 50 and 50.0 alike, but people read logs.
        Reading::Number(number) if number.fract() == 0.0 => json!(*number as i64),
        Reading::Number(number) => json!(number),
        Reading::Text(text) => json!(text),
        Reading::Components(lamps) => {
            let lamps = Components::NAMES
                .iter()
                .zip(lamps.0)
                .filter_map(|(name, lamp)| Some(((*name).to_owned(), json!(lamp?))));
            Json::Object(lamps.collect())
        }
        Reading::Other => Json::Null,
    }
}
