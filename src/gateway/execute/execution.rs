//! The context of a running plan: access to its gateway's session, and to sending requests.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::gateway::bus::NotSent;
use crate::gateway::network::task::{Command, Request};
use crate::gateway::protocol::payloads::Reply;
use crate::gateway::session::probe::PROBE_TIMEOUT;
use crate::gateway::session::{Moment, Session};
use crate::gateway::{Gateways, Trouble, in_session};
use crate::home::model::ids::{GatewayName, NodeId, ValueId};
use crate::home::model::node::Node;

/// The context of a running plan.
#[derive(Clone)]
pub(super) struct Execution {
    pub gateways: Gateways,
    pub gateway: GatewayName,
    /// The node that is written to, as it was when the command was understood.
    pub seen: Option<Arc<Node>>,
    pub cancel: CancellationToken,
}

impl Execution {
    /// Sends a request. The receiver yields the reply, however late, or `NotSent`. `on_sent` runs on the
    /// session when the request was sent, and gets the request's number.
    pub fn send(
        &self,
        api: &'static str,
        args: Json,
        on_sent: impl FnOnce(&mut Session, u64) + Send + 'static,
    ) -> oneshot::Receiver<Result<Reply, NotSent>> {
        let (sender, reply) = oneshot::channel();
        // Fails only if the network's task has ended. Then `reply` fails, too.
        let _ = self.gateways.inner.commands.send(Command::Send(Request {
            gateway: self.gateway.clone(),
            api,
            args,
            on_sent: Box::new(on_sent),
            reply: sender,
        }));
        reply
    }

    /// Probes the gateway after a request that was sent at `sent` in `life` was not answered, and waits
    /// for the result.
    pub async fn probe_after_timeout(&self, sent: Instant, life: u64) {
        self.change(move |session, now| session.probe_after_timeout(sent, life, now))
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

    /// Changes the session without waiting for that.
    pub fn tell(&self, change: impl FnOnce(&mut Session, Moment) + Send + 'static) {
        self.gateways.queue_change(in_session(&self.gateway, change));
    }

    /// Changes the session, and waits until that is done.
    pub async fn change(&self, change: impl FnOnce(&mut Session, Moment) + Send + 'static) {
        self.gateways.change_session(&self.gateway, change).await;
    }

    pub fn mark_written(&self, nodes: Vec<NodeId>) {
        self.tell(move |session, now| {
            for node in nodes {
                session.mark_written(node, now);
            }
        });
    }

    pub fn of_session<R>(&self, read: impl FnOnce(&Session) -> R) -> Option<R> {
        self.gateways.read_session(&self.gateway, read)
    }

    pub fn node(&self, node: NodeId) -> Option<Arc<Node>> {
        self.of_session(|session| session.node(node).cloned())?
    }

    pub fn life(&self) -> u64 {
        self.of_session(|session| session.life).unwrap_or_default()
    }

    /// Returns true if a later write to the value was seen than the one sent at `sent`.
    pub fn is_replaced(&self, node: NodeId, target: &ValueId, sent: Instant) -> bool {
        self.of_session(|session| session.is_replaced(node, target, sent)) == Some(true)
    }

    pub fn executes_twice(&self) -> bool {
        self.of_session(|session| session.executes_twice) == Some(true)
    }

    pub fn check_reachable(&self) -> Result<(), Trouble> {
        self.gateways.check_reachable(&self.gateway)
    }

    /// Returns the reason why nothing was sent: `Connecting` if the bus has not reported one yet.
    pub fn cut_off(&self) -> Trouble {
        let trouble = self.check_reachable().err();
        trouble.unwrap_or_else(|| self.gateways.connecting())
    }

    pub fn reply_timeout(&self) -> Duration {
        self.gateways.inner.settings.reply_timeout
    }
}
