//! Executes a cleared plan: a write, a toggle, an adjustment, a group or a scene.

mod group;
mod performing;
mod prove;
mod write;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::bus::NotSent;
use super::protocol::payloads::{Reply, WriteStatus, parse_write_status};
use super::queue::{QueuePlace, Turn};
use super::session::{NEW_SCENES, Session};
use super::{Gateways, Need, Trouble};
use crate::home::goal::StateReport;
use crate::home::guard::Cleared;
use crate::home::model::ids::{NodeId, SceneId};
use crate::home::model::node::{Node, NodeStatus};
use crate::home::model::snapshot::{Scene, Snapshot};
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{Adjust, Adjusted, Plan, Step};
use crate::home::proof::Promise;
use performing::Performing;
use write::Delivery;

/// A command that waited this long has its node checked again before it is sent.
const LONG_WAIT: Duration = Duration::from_secs(2);

/// A plan that is being performed.
pub struct Performance(JoinHandle<Result<Outcome, Trouble>>);

impl Performance {
    /// Waits for its outcome.
    pub async fn outcome(self) -> Result<Outcome, Trouble> {
        self.0.await.unwrap_or_else(|error| {
            tracing::error!(%error, "performing a plan ended unexpectedly");
            Ok(Outcome::Unknown)
        })
    }
}

impl Gateways {
    /// Starts to perform plans. Their places in the queues are taken at once: plans go out in the order
    /// in which this is called. Those for dead nodes go last, one after the other, because each of them
    /// keeps the radio busy for three seconds (`docs/GATEWAY.md#dead-and-sleeping-nodes`). A plan that
    /// is cancelled before its write is sent does nothing; after that, only the proof is given up.
    pub fn perform(&self, plans: Vec<Cleared>, cancel: &CancellationToken) -> Vec<Performance> {
        // Each running plan holds a sender: the receiver ends when all of them are done. The first for a
        // dead node waits for those for all others, and each further one for the one before it.
        let (running, mut done) = mpsc::channel::<Infallible>(1);
        let performances = plans.into_iter().map(|cleared| {
            let command = self.queue_command(cleared, cancel);
            if !command.is_for_dead_node() {
                return command.begin(None, running.clone());
            }
            let (running, next) = mpsc::channel(1);
            let before = std::mem::replace(&mut done, next);
            command.begin(Some(before), running)
        });
        performances.collect()
    }

    fn queue_command(&self, cleared: Cleared, cancel: &CancellationToken) -> QueuedCommand {
        let planned = cleared.planned();
        let node = planned.plan.queue_node();
        let gateway = planned.gateway.clone();
        let written = planned.plan.writes().into_iter().map(|(node, _)| node).collect();
        let performing = Performing {
            gateways: self.clone(),
            seen: node.and_then(|node| {
                self.of_session(&gateway, |session| session.node(node).cloned())?
            }),
            gateway,
            cancel: cancel.clone(),
        };
        performing.mark_written(written);
        QueuedCommand {
            understood: Instant::now(),
            place: node.map(|node| self.queues(&performing.gateway).take_place(node)),
            performing,
            cleared,
        }
    }
}

/// A command that has its place in the queue.
struct QueuedCommand {
    /// The time at which the command was understood.
    understood: Instant,
    /// None for stopping, which never waits for other commands, and for a scene, which is not one
    /// node's.
    place: Option<QueuePlace>,
    performing: Performing,
    cleared: Cleared,
}

impl QueuedCommand {
    fn is_for_dead_node(&self) -> bool {
        let seen = self.performing.seen.as_ref();
        seen.is_some_and(|seen| seen.status == NodeStatus::Dead)
    }

    /// Performs a plan in a task of its own: the next write must wait for this one's reply, even if
    /// nobody waits for the answer any more.
    fn begin(
        self,
        before: Option<mpsc::Receiver<Infallible>>,
        running: mpsc::Sender<Infallible>,
    ) -> Performance {
        Performance(tokio::spawn(async move {
            if let Some(mut before) = before {
                before.recv().await;
            }
            let plan = &self.cleared.planned().plan;
            let performed = self.performing.perform(plan, self.place, self.understood).await;
            drop(running);
            performed.or_else(|stop| match stop {
                Stop::Trouble(trouble) => Err(trouble),
                Stop::Outcome(outcome) => Ok(outcome),
            })
        }))
    }
}

/// The reason why a plan is not performed any further.
enum Stop {
    Trouble(Trouble),
    Outcome(Outcome),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<CommandFailure> for Stop {
    fn from(failure: CommandFailure) -> Self {
        Self::Outcome(Outcome::Failed(failure))
    }
}

impl Performing {
    async fn perform(
        &self,
        plan: &Plan,
        place: Option<QueuePlace>,
        understood: Instant,
    ) -> Result<Outcome, Stop> {
        self.check_reachable()?;
        let turn = match place {
            None => None,
            Some(place) => Some(self.wait_for_turn(place, understood).await?),
        };
        match plan {
            Plan::Direct(step) => self.write(step, turn).await,
            Plan::Toggle { when_on, when_off } => self.toggle(when_on, when_off, turn).await,
            Plan::Adjust(adjust) => self.adjust(adjust, turn).await,
            Plan::Group {
                node,
                write,
                members,
                nodes,
            } => self.group(*node, write, members, nodes, turn).await,
            Plan::Scene { id, scene } => self.scene(*id, scene).await,
        }
    }

    async fn wait_for_turn(&self, place: QueuePlace, understood: Instant) -> Result<Turn, Stop> {
        let turn = tokio::select! {
            turn = place.wait() => turn,
            () = self.cancel.cancelled() => return Err(CommandFailure::Cancelled.into()),
        };
        // The wait may have been long.
        self.check_reachable()?;
        let turn = turn.ok_or(CommandFailure::NotSentInTime)?;
        self.check_name(understood).await?;
        self.check_wanted()?;
        Ok(turn)
    }

    fn check_wanted(&self) -> Result<(), CommandFailure> {
        if self.cancel.is_cancelled() {
            return Err(CommandFailure::Cancelled);
        }
        Ok(())
    }

    /// Checks that the node still has the name and the room by which the guard judged it, if the
    /// command was understood some time ago.
    async fn check_name(&self, since: Instant) -> Result<(), CommandFailure> {
        let Some(seen) = self.seen.as_ref().filter(|_| since.elapsed() >= LONG_WAIT) else {
            return Ok(());
        };
        let asked = Instant::now();
        let limit = asked + self.reply_timeout();
        let (gateways, gateway) = (&self.gateways, &self.gateway);
        let is_current =
            gateways.settle_nodes(gateway, Need::Control, None, asked, limit).await.is_ok()
                && self.check_reachable().is_ok();
        let is_same = |now: Arc<Node>| now.name == seen.name && now.room == seen.room;
        if is_current && self.node(seen.id).is_some_and(is_same) {
            return Ok(());
        }
        Err(CommandFailure::Changed)
    }

    /// Checks that a scene or a group is still as it was when the command was understood: the command
    /// may have waited since.
    async fn check_unchanged<T: PartialEq + ?Sized>(
        &self,
        seen: &T,
        look: impl Fn(&Snapshot) -> Option<&T>,
    ) -> Result<(), CommandFailure> {
        let now = Instant::now();
        let came = self.of_session(Session::scenes_read_at).flatten();
        let is_new = came.is_some_and(|came| now.duration_since(came) < NEW_SCENES);
        if !is_new {
            let limit = now + self.reply_timeout() * 2;
            if !self.gateways.settle_scenes(&self.gateway, now, NEW_SCENES, limit).await {
                return Err(CommandFailure::Changed);
            }
        }
        match self.of_session(|session| look(&session.snapshot) == Some(seen)) {
            Some(true) => Ok(()),
            Some(false) | None => Err(CommandFailure::Changed),
        }
    }

    async fn toggle(
        &self,
        when_on: &Step,
        when_off: &Step,
        turn: Option<Turn>,
    ) -> Result<Outcome, Stop> {
        let report = self.report_before_write(when_on).await?;
        match when_on.is_on(&report) {
            Some(true) => self.write(when_on, turn).await,
            Some(false) => self.write(when_off, turn).await,
            None => Err(CommandFailure::StateUnknown.into()),
        }
    }

    /// Writes a step up or down from what the device reports. Question and write share one turn in the
    /// node's queue, so that two steps add up.
    async fn adjust(&self, adjust: &Adjust, turn: Option<Turn>) -> Result<Outcome, Stop> {
        let report = self.report_before_write(&adjust.step).await?;
        match adjust.from(&report)? {
            Adjusted::Write(step) => self.write(&step, turn).await,
            Adjusted::AtEnd(fact) => Ok(Outcome::Confirmed(Some(fact))),
        }
    }

    /// Asks a device for its state before a write that depends on it.
    async fn report_before_write(&self, step: &Step) -> Result<StateReport, CommandFailure> {
        let start = Instant::now();
        let node = step.node;
        let status = self.node(node).map(|node| (node.status, node.sleeps()));
        match status {
            Some((NodeStatus::Dead, _)) => return Err(CommandFailure::NoResponse),
            Some((NodeStatus::Awake, _)) => {}
            Some((NodeStatus::Asleep, _) | (_, true)) => return Err(CommandFailure::Asleep),
            _ => {}
        }
        let until = Instant::now() + self.reply_timeout();
        let report = self
            .ask(node, &step.query, &step.state, until)
            .await
            .ok_or(CommandFailure::StateUnknown)?;
        self.check_name(start).await?;
        self.check_wanted()?;
        Ok(report)
    }

    /// Sends one write, and looks for proof after the gateway's reply.
    async fn write(&self, step: &Step, turn: Option<Turn>) -> Result<Outcome, Stop> {
        let at = Instant::now();
        let steps = vec![step.clone()];
        let delivery = self.deliver(step.node, &step.write, steps, at).await;
        self.mark_written(vec![step.node]);
        // Checked before the next write may be sent.
        let is_replaced = self.is_replaced(step.node, &step.write.target, at);
        drop(turn);
        let written = step.clone();
        let promise = match self.status(delivery)? {
            WriteStatus::Success if is_replaced => return Err(CommandFailure::Replaced.into()),
            WriteStatus::Success => {
                // Events after this are the device's own reports.
                self.change(move |session, now| session.take_as_proven(&written, at, now)).await;
                Promise::Done
            }
            WriteStatus::Refused(words) => return Err(CommandFailure::Refused(words).into()),
            WriteStatus::Fail => match self.why_failed(step.node, is_replaced) {
                // The write's own second copy may have replaced it: the device's report decides.
                CommandFailure::RefusedOrNoResponse if self.executes_twice() => Promise::Delivered,
                failure => return Err(failure.into()),
            },
            WriteStatus::Unsupervised => {
                // The gateway guesses from its reply on; the answer to a later question is no guess.
                let replied = Instant::now();
                self.tell(move |session, _| session.expect(&written, replied));
                Promise::Delivered
            }
            WriteStatus::Working(left) => {
                // The device works on it: what the gateway reports is no guess.
                self.tell(move |session, _| session.mark_working(&written, at));
                Promise::Working(left)
            }
        };
        Ok(self.prove(step, promise, at).await)
    }

    /// Returns the status in a reply, or the reason to stop if there is none.
    fn status(&self, delivery: Delivery) -> Result<WriteStatus, Stop> {
        match delivery {
            Delivery::NotSent => Err(self.cut_off().into()),
            Delivery::Queued => Err(Stop::Outcome(Outcome::Queued)),
            Delivery::None => Err(Stop::Outcome(Outcome::Unknown)),
            Delivery::Reply(Reply::NotRun(words)) => {
                // The driver was gone: the session knows, and its trouble explains more.
                self.check_reachable()?;
                Err(CommandFailure::Refused(words).into())
            }
            Delivery::Reply(Reply::Ran(result)) => {
                let status = result.as_ref().and_then(parse_write_status);
                status.ok_or(Stop::Outcome(Outcome::Unknown))
            }
        }
    }

    fn why_failed(&self, node: NodeId, is_replaced: bool) -> CommandFailure {
        let is_dead = |node: Arc<Node>| node.status == NodeStatus::Dead;
        if self.node(node).is_some_and(is_dead) {
            CommandFailure::NoResponse
        } else if is_replaced {
            CommandFailure::Replaced
        } else {
            CommandFailure::RefusedOrNoResponse
        }
    }

    /// Runs a scene. The gateway says `true` before it has done anything, so the scene is at best
    /// accepted. It is read once more first, because it may have changed since the guard judged it.
    async fn scene(&self, id: SceneId, scene: &Scene) -> Result<Outcome, Stop> {
        self.check_unchanged(scene, |snapshot| snapshot.scenes.get(&id)).await?;
        self.check_wanted()?;
        self.check_reachable()?;
        let (sent, life) = (Instant::now(), self.life());
        let reply = self.send("_activateScene", json!([id.0]), |_, _| {});
        let reply = timeout(self.reply_timeout(), reply).await;
        if let Ok(Ok(Err(NotSent))) = reply {
            return Err(self.cut_off().into());
        }
        let writes = scene.writes.clone();
        self.tell(move |session, now| {
            for (node, write) in &writes {
                session.mark_scene_write(*node, &write.target, now.at);
                session.mark_written(*node, now);
            }
        });
        match reply {
            Ok(Ok(Ok(Reply::NotRun(words)))) => {
                self.check_reachable()?;
                Err(CommandFailure::Refused(words).into())
            }
            Ok(Ok(Ok(Reply::Ran(Some(Json::Bool(false)))))) => {
                Err(CommandFailure::RefusedOrNoResponse.into())
            }
            Ok(Ok(Ok(Reply::Ran(_)))) => Ok(Outcome::Accepted),
            Err(_) | Ok(Err(_) | Ok(Err(NotSent))) => {
                self.probe_after_timeout(sent, life).await;
                Ok(Outcome::Unknown)
            }
        }
    }
}
