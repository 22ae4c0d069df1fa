//! Executing a cleared plan: one write, the other of two, a group, a scene.

mod group;
mod prove;
mod write;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::protocol::payloads::WriteStatus;
use super::session::Session;
use super::session::queue::{Pass, Ticket};
use super::session::requests::{Reply, ReplyEffect};
use super::session::writes::Watched;
use super::{Gateways, Trouble};
use crate::home::goal::StateReport;
use crate::home::guard::Cleared;
use crate::home::model::ids::{NodeId, SceneId};
use crate::home::model::node::{Node, NodeStatus};
use crate::home::model::snapshot::Scene;
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{Adjust, Adjusted, Plan, Step};
use crate::home::proof::Promise;
use write::{Delivery, SentWrite};

/// A command that waited so long is looked at once more before it is sent.
const LONG: Duration = Duration::from_secs(2);

/// A plan that is being performed.
pub struct Performance(JoinHandle<Result<Outcome, Trouble>>);

impl Performance {
    /// What became of it.
    pub async fn outcome(self) -> Result<Outcome, Trouble> {
        self.0.await.unwrap_or_else(|error| {
            tracing::error!(%error, "performing a plan ended unexpectedly");
            Ok(Outcome::Unknown)
        })
    }
}

impl Gateways {
    /// Begins to perform plans. Their places in the queues are taken at once: plans go out in the
    /// order in which this is called. Those for dead nodes go last, one after the other, because
    /// each of them keeps the radio for three seconds (`docs/GATEWAY.md#dead-and-sleeping-nodes`).
    /// What is taken back before its write is sent does nothing; after that, only the proof is
    /// given up.
    pub fn perform(&self, plans: Vec<Cleared>, cancel: &CancellationToken) -> Vec<Performance> {
        let dead = |session: &Session, plan: &Cleared| {
            let node = session.node(plan.planned().plan.queue_node()?)?;
            Some(node.status == NodeStatus::Dead)
        };
        // Who runs holds a sender; a receiver's end tells that all those are done.
        let (running, mut done) = mpsc::channel::<Infallible>(1);
        let mut performances: Vec<Option<Performance>> = Vec::new();
        let mut last = Vec::new();
        for (index, cleared) in plans.into_iter().enumerate() {
            let planned = cleared.planned();
            let Some(session) = self.registry.session(planned.gateway.as_str()) else {
                let prefix = self.registry.connection.settings.prefix.clone();
                let gone = async { Err(Trouble::NoGateway { prefix }) };
                performances.push(Some(Performance(tokio::spawn(gone))));
                continue;
            };
            let ticket = planned
                .plan
                .queue_node()
                .map(|node| session.queue.queue(node));
            for (node, _) in planned.plan.writes() {
                session.wrote(node);
            }
            if dead(&session, &cleared) == Some(true) {
                last.push((index, session, cleared, ticket));
                performances.push(None);
            } else {
                let performance = begin(session, cleared, ticket, cancel, None, running.clone());
                performances.push(Some(performance));
            }
        }
        drop(running);
        for (index, session, cleared, ticket) in last {
            let (running, next) = mpsc::channel(1);
            let before = std::mem::replace(&mut done, next);
            let performance = begin(session, cleared, ticket, cancel, Some(before), running);
            if let Some(place) = performances.get_mut(index) {
                *place = Some(performance);
            }
        }
        performances.into_iter().flatten().collect()
    }
}

/// Performs a plan in a task of its own: the next write must wait for this one's reply, also where
/// nobody waits for the answer any more.
fn begin(
    session: Arc<Session>,
    cleared: Cleared,
    ticket: Option<Ticket>,
    cancel: &CancellationToken,
    before: Option<mpsc::Receiver<Infallible>>,
    running: mpsc::Sender<Infallible>,
) -> Performance {
    let cancel = cancel.clone();
    let node = cleared.planned().plan.queue_node();
    let seen = node.and_then(|node| session.node(node));
    Performance(tokio::spawn(async move {
        if let Some(mut before) = before {
            before.recv().await;
        }
        let performed = perform(&session, &cleared, ticket, seen, &cancel).await;
        drop(running);
        performed
    }))
}

async fn perform(
    session: &Arc<Session>,
    cleared: &Cleared,
    ticket: Option<Ticket>,
    seen: Option<Arc<Node>>,
    cancel: &CancellationToken,
) -> Result<Outcome, Trouble> {
    let planned = cleared.planned();
    let performing = Performing {
        session,
        seen,
        cancel,
    };
    session.reachable()?;
    let pass = match ticket {
        // Stopping never waits behind anything, and a scene is not one node's.
        None => None,
        Some(ticket) => match performing.turn(ticket).await? {
            Ok(pass) => Some(pass),
            Err(failure) => return Ok(Outcome::Failed(failure)),
        },
    };
    match &planned.plan {
        Plan::Direct(step) => performing.write(step, pass).await,
        Plan::Toggle { when_on, when_off } => performing.toggle(when_on, when_off, pass).await,
        Plan::Adjust(adjust) => performing.adjust(adjust, pass).await,
        Plan::Group {
            node,
            write,
            members,
            nodes,
        } => performing.group(*node, write, members, nodes, pass).await,
        Plan::Scene { id, scene } => performing.scene(*id, scene).await,
    }
}

/// What every kind of plan needs while it is performed.
struct Performing<'a> {
    session: &'a Arc<Session>,
    /// The node that is written to, as it was when the command was understood.
    seen: Option<Arc<Node>>,
    cancel: &'a CancellationToken,
}

impl Performing<'_> {
    /// Waits for the turn.
    async fn turn(&self, ticket: Ticket) -> Result<Result<Pass, CommandFailure>, Trouble> {
        let start = Instant::now();
        let come = tokio::select! {
            come = ticket.wait() => come,
            () = self.cancel.cancelled() => return Ok(Err(CommandFailure::Cancelled)),
        };
        // The wait may have been long.
        self.session.reachable()?;
        let Some(pass) = come else {
            return Ok(Err(CommandFailure::NotSentInTime));
        };
        if let Err(failure) = self.still_meant(start).await {
            return Ok(Err(failure));
        }
        if self.cancel.is_cancelled() {
            return Ok(Err(CommandFailure::Cancelled));
        }
        Ok(Ok(pass))
    }

    /// Whether what is written to is still what was meant, where that was understood some time ago:
    /// its name may be another one's now, and the guard judged it by its name.
    async fn still_meant(&self, since: Instant) -> Result<(), CommandFailure> {
        match &self.seen {
            Some(seen) if since.elapsed() >= LONG => self.session.still_called(seen).await,
            _ => Ok(()),
        }
    }

    async fn toggle(
        &self,
        when_on: &Step,
        when_off: &Step,
        pass: Option<Pass>,
    ) -> Result<Outcome, Trouble> {
        let report = match self.report_before(when_on).await {
            Ok(report) => report,
            Err(failure) => return Ok(Outcome::Failed(failure)),
        };
        match Plan::is_on(when_on, &report) {
            Some(true) => self.write(when_on, pass).await,
            Some(false) => self.write(when_off, pass).await,
            None => Ok(Outcome::Failed(CommandFailure::StateUnknown)),
        }
    }

    /// Writes a step up or down from what the device says. Question and write are one entry of the
    /// node's queue, so that two steps add up.
    async fn adjust(&self, adjust: &Adjust, pass: Option<Pass>) -> Result<Outcome, Trouble> {
        let adjusted = match self.report_before(&adjust.step).await {
            Ok(report) => adjust.from(&report),
            Err(failure) => Err(failure),
        };
        match adjusted {
            Ok(Adjusted::Write(step)) => self.write(&step, pass).await,
            Ok(Adjusted::AtEnd(fact)) => Ok(Outcome::Confirmed(Some(fact))),
            Err(failure) => Ok(Outcome::Failed(failure)),
        }
    }

    /// Asks a device for its state before a write that depends on it.
    async fn report_before(&self, step: &Step) -> Result<StateReport, CommandFailure> {
        let start = Instant::now();
        let node = step.node;
        let status = self.session.node(node);
        let status = status.map(|node| (node.status, node.sleeps()));
        match status {
            Some((NodeStatus::Dead, _)) => return Err(CommandFailure::NoResponse),
            Some((NodeStatus::Awake, _)) => {}
            Some((NodeStatus::Asleep, _) | (_, true)) => return Err(CommandFailure::Asleep),
            _ => {}
        }
        let until = Instant::now() + self.session.reply_timeout();
        let report = self.ask(node, &step.query, &step.state, until).await;
        let report = report.ok_or(CommandFailure::StateUnknown)?;
        self.still_meant(start).await?;
        if self.cancel.is_cancelled() {
            return Err(CommandFailure::Cancelled);
        }
        Ok(report)
    }

    /// One write, its reply, and the questions after it.
    async fn write(&self, step: &Step, pass: Option<Pass>) -> Result<Outcome, Trouble> {
        let sent = SentWrite::send(self, step.node, &step.write)?;
        let sent_at = sent.at;
        self.session.writing(step, sent_at);
        let (answer, watched) = sent.answer(self).await;
        self.session.wrote(step.node);
        // Looked at before the next one may be sent.
        let replaced = watched.replaced();
        drop(pass);
        let status = match self.status(answer)? {
            Ok(status) => status,
            Err(outcome) => return Ok(outcome),
        };
        Ok(match status {
            WriteStatus::Success if replaced => Outcome::Failed(CommandFailure::Replaced),
            WriteStatus::Success => {
                self.session.proven(step, sent_at);
                self.prove(step, Promise::Done, &watched).await
            }
            WriteStatus::Refused(words) => Outcome::Failed(CommandFailure::Refused(words)),
            WriteStatus::Fail => match self.why_failed(step.node, &watched) {
                // Its own second copy may have replaced it: what the device reports decides.
                CommandFailure::RefusedOrNoResponse if self.session.executes_twice() => {
                    self.prove(step, Promise::Delivered, &watched).await
                }
                failure => Outcome::Failed(failure),
            },
            WriteStatus::Unsupervised => {
                // The gateway guesses from its reply on.
                self.session.writing(step, Instant::now());
                self.prove(step, Promise::Delivered, &watched).await
            }
            WriteStatus::Working(left) => {
                // The device works on it: what the gateway tells of it is no guess.
                self.session.working(step, sent_at);
                self.prove(step, Promise::Working(left), &watched).await
            }
        })
    }

    /// The status in a reply, or what there is to say without one.
    fn status(&self, answer: Delivery) -> Result<Result<WriteStatus, Outcome>, Trouble> {
        Ok(match answer {
            Delivery::Queued => Err(Outcome::Queued),
            Delivery::None => Err(Outcome::Unknown),
            Delivery::Reply(Reply::NotRun(words)) => {
                // The driver was gone: the session has heard it, and it has the better sentence.
                self.session.reachable()?;
                Err(Outcome::Failed(CommandFailure::Refused(words)))
            }
            Delivery::Reply(Reply::Ran(result)) => {
                let status = result
                    .as_ref()
                    .and_then(super::protocol::payloads::write_status);
                status.ok_or(Outcome::Unknown)
            }
        })
    }

    fn why_failed(&self, node: NodeId, watched: &Watched) -> CommandFailure {
        let dead = |node: Arc<Node>| node.status == NodeStatus::Dead;
        if self.session.node(node).is_some_and(dead) {
            CommandFailure::NoResponse
        } else if watched.replaced() {
            CommandFailure::Replaced
        } else {
            CommandFailure::RefusedOrNoResponse
        }
    }

    /// A scene: the gateway says `true` before it has done anything, so it is accepted at the most.
    /// What it writes is asked for once more, because it may have changed since the guard looked.
    async fn scene(&self, id: SceneId, scene: &Scene) -> Result<Outcome, Trouble> {
        let still = self
            .session
            .still(scene, |snapshot| snapshot.scenes.get(&id))
            .await;
        if let Err(failure) = still {
            return Ok(Outcome::Failed(failure));
        }
        if self.cancel.is_cancelled() {
            return Ok(Outcome::Failed(CommandFailure::Cancelled));
        }
        self.session.reachable()?;
        let limit = self.session.reply_timeout();
        let (sent, life) = (Instant::now(), self.session.life());
        let run = self
            .session
            .call("_activateScene", json!([id.0]), ReplyEffect::Call, limit);
        let ran = run.await;
        for (node, write) in &scene.writes {
            self.session.ran(*node, &write.target, Instant::now());
            self.session.wrote(*node);
        }
        Ok(match ran {
            None => {
                self.session.doubt(sent, life).await;
                Outcome::Unknown
            }
            Some(Reply::NotRun(words)) => {
                self.session.reachable()?;
                Outcome::Failed(CommandFailure::Refused(words))
            }
            Some(Reply::Ran(Some(Json::Bool(false)))) => {
                Outcome::Failed(CommandFailure::RefusedOrNoResponse)
            }
            Some(Reply::Ran(_)) => Outcome::Accepted,
        })
    }
}
