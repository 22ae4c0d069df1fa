//! The context of a running plan: reads and changes its gateway's session, and sends requests.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::gateway::bus::NotSent;
use crate::gateway::network::task::{ApiRequest, TaskCommand};
use crate::gateway::protocol::payloads::Reply;
use crate::gateway::queue::QueuePlace;
use crate::gateway::session::liveness::PROBE_TIMEOUT;
use crate::gateway::session::{Moment, Session};
use crate::gateway::{Gateways, Trouble, in_session};
use crate::home::model::ids::{GatewayName, NodeId};
use crate::home::model::node::Node;
use crate::home::model::value::Write;
use crate::home::plan::{Plan, Planned};

/// The result of sending a request.
pub(super) enum Delivery {
    Reply(Reply),
    /// The node sleeps, and the gateway has the write.
    Queued,
    /// No reply came in time. The request was probably sent.
    NoReply,
    NotSent,
}

/// The context of a running plan.
#[derive(Clone)]
pub(super) struct Execution {
    pub gateways: Gateways,
    pub gateway: GatewayName,
    /// When the command was understood.
    pub understood_at: Instant,
    /// The node in whose queue the plan waits, as it was when the command was understood.
    pub seen_node: Option<Arc<Node>>,
    pub cancel: CancellationToken,
}

impl Execution {
    /// Creates the context of a plan that begins now. Marks the plan's nodes as written to.
    pub fn new(gateways: &Gateways, planned: &Planned, cancel: &CancellationToken) -> Self {
        let gateway = planned.gateway.clone();
        let node = planned.plan.queue_node();
        let queue_node = |session: &Session| session.node(node?).cloned();
        let execution = Self {
            gateways: gateways.clone(),
            understood_at: Instant::now(),
            seen_node: gateways.read_session(&gateway, queue_node).flatten(),
            gateway,
            cancel: cancel.clone(),
        };
        execution.mark_written(planned.plan.writes().into_iter().map(|(node, _)| node).collect());
        execution
    }

    /// Takes the plan's place in the queue of its node. Returns `None` for a stop, which never waits for other
    /// commands, and for a scene, which writes to several nodes.
    pub fn take_place(&self, plan: &Plan) -> Option<QueuePlace> {
        Some(self.gateways.queues(&self.gateway).take_place(plan.queue_node()?))
    }

    /// Sends a request at once. The future yields the reply, and has no time limit. After sending, `on_sent`
    /// is called with the session and the request's number. `on_sent` may change the session.
    pub fn send(
        &self,
        api: &'static str,
        args: Json,
        on_sent: impl FnOnce(&mut Session, u64) + Send + 'static,
    ) -> impl Future<Output = Delivery> {
        let (sender, reply) = oneshot::channel();
        // Fails only if the network's task has ended. Then `reply` fails, too.
        let _ = self.gateways.inner.commands.send(TaskCommand::Send(ApiRequest {
            gateway: self.gateway.clone(),
            api,
            args,
            on_sent: Box::new(on_sent),
            reply: sender,
        }));
        async {
            match reply.await {
                Ok(Ok(reply)) => Delivery::Reply(reply),
                Ok(Err(NotSent)) => Delivery::NotSent,
                Err(_) => Delivery::NoReply,
            }
        }
    }

    /// Probes the gateway because it did not answer a request, and waits for the result. The request was sent
    /// at `sent`, when [`Session::life`] was `life`.
    pub async fn probe_after_timeout(&self, sent: Instant, life: u64) {
        self.change_session(move |session, now| session.probe_after_timeout(sent, life, now))
            .await;
        let limit = Instant::now() + PROBE_TIMEOUT * 2;
        self.wait_while(limit, Session::is_probed).await;
    }

    /// Waits while `predicate` holds for the session, at most until `limit`.
    pub async fn wait_while(&self, limit: Instant, predicate: impl Fn(&Session) -> bool) {
        let gateway = self.gateway.as_str();
        self.gateways
            .wait(limit, |network, _| {
                network.session(gateway).filter(|session| predicate(session)).map(|_| limit)
            })
            .await;
    }

    /// Changes the session, without waiting until the change is made.
    pub fn queue_change(&self, change: impl FnOnce(&mut Session, Moment) + Send + 'static) {
        self.gateways.queue_change(in_session(&self.gateway, change));
    }

    /// Changes the session, and waits until the change is made.
    pub async fn change_session(&self, change: impl FnOnce(&mut Session, Moment) + Send + 'static) {
        self.gateways.change_session(&self.gateway, change).await;
    }

    /// Marks nodes as written to, so that they are read again before a later decision relies on them.
    pub fn mark_written(&self, nodes: Vec<NodeId>) {
        self.queue_change(move |session, now| {
            for node in nodes {
                session.mark_written(node, now);
            }
        });
    }

    pub fn read_session<R>(&self, read: impl FnOnce(&Session) -> R) -> Option<R> {
        self.gateways.read_session(&self.gateway, read)
    }

    pub fn node(&self, node: NodeId) -> Option<Arc<Node>> {
        self.read_session(|session| session.node(node).cloned())?
    }

    pub fn life(&self) -> u64 {
        self.read_session(|session| session.life).unwrap_or_default()
    }

    /// Returns true if the same value was written again after the write that was sent at `sent`, false if it was
    /// another value, and `None` if nothing was written.
    pub fn rewrite_after(&self, node: NodeId, write: &Write, sent: Instant) -> Option<bool> {
        self.read_session(|session| session.is_rewritten(node, write, sent)).flatten()
    }

    pub fn executes_twice(&self) -> bool {
        self.read_session(|session| session.executes_twice) == Some(true)
    }

    pub fn check_reachable(&self) -> Result<(), Trouble> {
        self.gateways.check_reachable(&self.gateway)
    }

    pub fn reply_timeout(&self) -> Duration {
        self.gateways.inner.settings.rules.reply_timeout
    }
}
