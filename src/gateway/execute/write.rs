//! Sends a write, and waits for the gateway's reply.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::execution::{Delivery, Execution};
use crate::gateway::protocol::payloads;
use crate::gateway::session::Session;
use crate::home::model::ids::NodeId;
use crate::home::model::node::NodeStatus;
use crate::home::model::value::{ColorComponents, Reading, Write};
use crate::home::plan::Step;

/// How long a reply may still be on its way after the gateway, its driver or the broker went away.
pub(super) const GONE_GRACE: Duration = Duration::from_millis(500);

/// How long a reply may still be on its way after the node fell asleep. The node may have received the write
/// while it was awake.
const ASLEEP_GRACE: Duration = Duration::from_secs(1);

impl Execution {
    /// Sends one write that should reach the goals of all these steps, and waits for the reply. `sent` must
    /// be the current time. The caller also needs it later, to check whether the write was replaced.
    ///
    /// For a sleeping node, the gateway does not reply until the node wakes up. But if the gateway answers a
    /// `getInfo` that was sent after the write, it has received the write, too
    /// (`docs/dev/GATEWAY.md#dead-and-sleeping-nodes`). It keeps the write at least until its next life begins.
    pub(super) async fn deliver(
        &self,
        node: NodeId,
        write: &Write,
        steps: Vec<Step>,
        sent: Instant,
    ) -> Delivery {
        let life = self.life();
        let args = json!([
            payloads::id_json(node, &write.target),
            to_json(&write.value)
        ]);
        let write = write.clone();
        let reply = self.send("writeValue", args, move |session, _| {
            session.note_write(node, &write, None, sent);
            for step in &steps {
                session.note_write(step.node, &step.write, Some(step), sent);
                session.mark_unproven(step, sent);
            }
        });
        let limit = sent + self.reply_timeout();
        tokio::select! {
            biased;
            delivery = reply => delivery,
            () = sleep_until(limit) => {
                self.probe_after_timeout(sent, life).await;
                Delivery::NoReply
            }
            () = wait_until_queued(self, is_asleep_in(node, life), limit) => Delivery::Queued,
            () = wait_until_gone(self, limit) => Delivery::NoReply,
        }
    }
}

/// Waits until the gateway can't be reached, and then for `GONE_GRACE`: a reply may still be on its way.
async fn wait_until_gone(execution: &Execution, limit: Instant) {
    execution.wait_while(limit, Session::is_reachable).await;
    sleep(GONE_GRACE).await;
}

/// Waits until the write is queued: the node sleeps, the gateway has the write, and no reply can be on its way
/// any more. Never ends after `limit`.
async fn wait_until_queued(
    execution: &Execution,
    is_asleep: impl Fn(&Session) -> bool,
    limit: Instant,
) {
    // A node that was asleep before the write can't have received the write. Then no reply is on its way.
    let mut grace = Duration::ZERO;
    // From the limit on, `wait_while` does not wait, and this loop would send one request after another.
    while Instant::now() < limit {
        if execution.read_session(&is_asleep) != Some(true) {
            execution.wait_while(limit, |session| !is_asleep(session)).await;
            grace = ASLEEP_GRACE;
        }
        let gateway_has_write = async {
            let info = execution.send("getInfo", json!([]), |_, _| {}).await;
            if !matches!(info, Delivery::Reply(_)) {
                // This proves nothing: the request was not sent, or was lost.
                std::future::pending::<()>().await;
            }
        };
        let queued = async { tokio::join!(gateway_has_write, sleep(grace)) };
        tokio::select! {
            _ = queued => return,
            // The node woke up, or a new life began. Start over.
            () = execution.wait_while(limit, &is_asleep) => {}
        }
    }
    std::future::pending::<()>().await;
}

/// Returns a predicate that holds while the node sleeps and the session's life is `life`.
fn is_asleep_in(node: NodeId, life: u64) -> impl Fn(&Session) -> bool {
    move |session| {
        let node = session.node(node).filter(|_| session.life == life);
        node.is_some_and(|node| node.status == NodeStatus::Asleep && !node.frequently_listening)
    }
}

/// Converts a value to JSON, in the form that requests use.
fn to_json(value: &Reading) -> Json {
    match value {
        Reading::Bool(flag) => json!(flag),
        // zwave-js treats 50 and 50.0 alike, but people read 50 more easily in logs.
        Reading::Number(number) if number.fract() == 0.0 => json!(*number as i64),
        Reading::Number(number) => json!(number),
        Reading::Text(text) => json!(text),
        Reading::Components(lamps) => {
            let lamps = ColorComponents::NAMES
                .iter()
                .zip(lamps.0)
                .filter_map(|(name, lamp)| Some(((*name).to_owned(), json!(lamp?))));
            Json::Object(lamps.collect())
        }
        Reading::Other => Json::Null,
    }
}
