//! Executes a plan that the guard has cleared: a write, a toggle, an adjustment, a group or a scene.

mod execution;
mod prove;
mod several;
mod write;

use std::sync::Arc;
use std::time::Duration;

use derive_more::From;
use serde_json::Value as Json;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::protocol::payloads::{Reply, WriteStatus, parse_write_status};
use super::queue::{QueuePlace, QueueTurn};
use super::session::{SCENES_MAX_AGE, Session};
use super::{Gateways, Need, Trouble};
use crate::home::goal::StateReport;
use crate::home::guard::Cleared;
use crate::home::model::ids::NodeId;
use crate::home::model::node::{Node, NodeStatus};
use crate::home::model::snapshot::Snapshot;
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{Adjust, Plan, Step};
use crate::home::proof::Promise;
use execution::{Delivery, Execution};
use write::GONE_GRACE;

/// After a wait of this length, the node's name and room are checked again before the write.
const LONG_WAIT: Duration = Duration::from_secs(2);

/// A plan that runs in its own task.
pub struct RunningPlan(JoinHandle<Result<Outcome, Trouble>>);

impl RunningPlan {
    /// Waits for the plan's outcome.
    pub async fn outcome(self) -> Result<Outcome, Trouble> {
        self.0.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a running plan ended unexpectedly");
            Ok(Outcome::Unknown)
        })
    }
}

impl Gateways {
    /// Starts plans, each in its own task. The places in the queues are taken before this returns, so
    /// writes to a node are sent in the order of the calls. Plans for dead nodes run last, one at a time,
    /// because each keeps the radio busy for three seconds (`docs/dev/GATEWAY.md#dead-and-sleeping-nodes`).
    /// Cancelling a plan ends its wait for proof. It also prevents the write, unless the write was already sent
    /// or is the command "stop".
    pub fn perform(&self, plans: Vec<Cleared>, cancel: &CancellationToken) -> Vec<RunningPlan> {
        // The plans for dead nodes pass this fair lock one by one. The others hold it together until the last of them
        // is done.
        let lock = Arc::new(Mutex::new(()));
        let others = Arc::new(Arc::clone(&lock).try_lock_owned().ok());
        let start = |cleared: Cleared| {
            let execution = Execution::new(self, cleared.planned(), cancel);
            let place = execution.take_place(&cleared.planned().plan);
            let lock = Arc::clone(&lock);
            let is_dead = |node: &Arc<Node>| node.status == NodeStatus::Dead;
            let is_for_dead_node = execution.seen_node.as_ref().is_some_and(is_dead);
            let others = (!is_for_dead_node).then(|| Arc::clone(&others));
            // The plan has its own task, because the next write to the node must wait for this plan's reply
            // even if the caller has given up.
            RunningPlan(tokio::spawn(async move {
                let alone = match &others {
                    Some(_) => None,
                    None => Some(lock.lock().await),
                };
                let result = execution.run(&cleared.planned().plan, place).await;
                drop((others, alone));
                result.or_else(|stop| match stop {
                    Stop::Trouble(trouble) => Err(trouble),
                    Stop::Outcome(outcome) => Ok(outcome),
                })
            }))
        };
        plans.into_iter().map(start).collect()
    }
}

/// The reason why a plan ends early.
#[derive(From)]
enum Stop {
    #[from]
    Trouble(Trouble),
    Outcome(Outcome),
}

impl From<CommandFailure> for Stop {
    fn from(failure: CommandFailure) -> Self {
        Self::Outcome(Outcome::Failed(failure))
    }
}

impl Execution {
    /// Waits for the plan's turn, if the plan has a place in a queue, and carries the plan out.
    async fn run(&self, plan: &Plan, place: Option<QueuePlace>) -> Result<Outcome, Stop> {
        self.check_reachable()?;
        let turn = match place {
            None => None,
            Some(place) => Some(self.wait_for_turn(place).await?),
        };
        match plan {
            Plan::Direct(step) => self.write(step, turn).await,
            Plan::Toggle { when_on, when_off } => self.toggle(when_on, when_off, turn).await,
            Plan::Adjust(adjust) => self.adjust(adjust, turn).await,
            Plan::Group {
                node,
                write,
                members,
            } => self.group(*node, write, members, turn).await,
            Plan::Scene { id, scene } => self.scene(*id, scene).await,
        }
    }

    async fn wait_for_turn(&self, place: QueuePlace) -> Result<QueueTurn, Stop> {
        let turn = tokio::select! {
            turn = place.wait() => turn,
            () = self.cancel.cancelled() => return Err(CommandFailure::Cancelled.into()),
        };
        // The gateway may have gone away during the wait.
        self.check_reachable()?;
        let turn = turn.ok_or(CommandFailure::NotSentInTime)?;
        self.check_name(self.understood_at).await?;
        self.check_not_cancelled()?;
        Ok(turn)
    }

    fn check_not_cancelled(&self) -> Result<(), CommandFailure> {
        if self.cancel.is_cancelled() {
            return Err(CommandFailure::Cancelled);
        }
        Ok(())
    }

    /// Checks that the node still has the name and the room by which the guard judged it. Does nothing
    /// if the wait that began at `wait_start` was shorter than `LONG_WAIT`.
    async fn check_name(&self, wait_start: Instant) -> Result<(), CommandFailure> {
        let Some(seen) = self.seen_node.as_ref().filter(|_| wait_start.elapsed() >= LONG_WAIT)
        else {
            return Ok(());
        };
        let now = Instant::now();
        let limit = now + self.reply_timeout();
        let (gateways, gateway) = (&self.gateways, &self.gateway);
        let is_current =
            gateways.settle_nodes(gateway, Need::Control, None, now, limit).await.is_ok()
                && self.check_reachable().is_ok();
        let is_same = |node: Arc<Node>| node.name == seen.name && node.room == seen.room;
        let is_unchanged = is_current && self.node(seen.id).is_some_and(is_same);
        is_unchanged.then_some(()).ok_or(CommandFailure::Changed)
    }

    /// Checks that a scene or a group has not changed since the command was understood. Reads scenes and
    /// groups again unless they are fresh.
    async fn check_unchanged<T: PartialEq + ?Sized>(
        &self,
        seen: &T,
        find: impl Fn(&Snapshot) -> Option<&T>,
    ) -> Result<(), CommandFailure> {
        let now = Instant::now();
        let fetch = self.read_session(|session| session.scenes_fetch).flatten();
        let is_fresh =
            fetch.is_some_and(|fetch| now.duration_since(fetch.received) < SCENES_MAX_AGE);
        if !is_fresh {
            let limit = now + self.reply_timeout() * 2;
            if !self.gateways.settle_scenes(&self.gateway, now, SCENES_MAX_AGE, limit).await {
                return Err(CommandFailure::Changed);
            }
        }
        match self.read_session(|session| find(&session.snapshot) == Some(seen)) {
            Some(true) => Ok(()),
            Some(false) | None => Err(CommandFailure::Changed),
        }
    }

    async fn toggle(
        &self,
        when_on: &Step,
        when_off: &Step,
        turn: Option<QueueTurn>,
    ) -> Result<Outcome, Stop> {
        let report = self.query_before_write(when_on).await?;
        match when_on.is_on(&report) {
            Some(true) => self.write(when_on, turn).await,
            Some(false) => self.write(when_off, turn).await,
            None => Err(CommandFailure::StateUnknown.into()),
        }
    }

    /// Queries the current state, and writes a higher or lower one. Query and write share one turn in the
    /// node's queue, so that two adjustments add up.
    async fn adjust(&self, adjust: &Adjust, turn: Option<QueueTurn>) -> Result<Outcome, Stop> {
        let report = self.query_before_write(&adjust.step).await?;
        let step = adjust.resolve(&report).map_err(Stop::Outcome)?;
        self.write(&step, turn).await
    }

    async fn query_before_write(&self, step: &Step) -> Result<StateReport, Stop> {
        let start = Instant::now();
        let status = self.node(step.node).map(|node| (node.status, node.sleeps()));
        match status {
            Some((NodeStatus::Dead, _)) => return Err(CommandFailure::NoResponse.into()),
            Some((NodeStatus::Awake, _)) => {}
            Some((NodeStatus::Asleep, _) | (_, true)) => {
                return Err(CommandFailure::Asleep.into());
            }
            _ => {}
        }
        let (until, life) = (start + self.reply_timeout(), self.life());
        let Some(report) = self.query_state(step, until).await else {
            if Instant::now() >= until {
                self.probe_after_timeout(start, life).await;
                self.check_reachable()?;
            }
            return Err(CommandFailure::StateUnknown.into());
        };
        self.check_name(start).await?;
        self.check_not_cancelled()?;
        Ok(report)
    }

    /// Sends one write, and looks for proof after the gateway's reply.
    async fn write(&self, step: &Step, turn: Option<QueueTurn>) -> Result<Outcome, Stop> {
        let result = self.write_and_prove(step, turn).await;
        self.end_goal(step, result.as_ref().ok());
        result
    }

    /// Notes that a step has this outcome, or that it failed. From then on, no change is attributed to the step,
    /// unless the device is still moving.
    fn end_goal(&self, step: &Step, outcome: Option<&Outcome>) {
        if !matches!(outcome, Some(Outcome::Moving { .. })) {
            let step = step.clone();
            self.queue_change(move |session, _| session.end_goal(&step));
        }
    }

    async fn write_and_prove(&self, step: &Step, turn: Option<QueueTurn>) -> Result<Outcome, Stop> {
        let (sent, life) = (Instant::now(), self.life());
        let steps = vec![step.clone()];
        let delivery = self.deliver(step.node, &step.write, steps, sent).await;
        self.mark_written(vec![step.node]);
        // Check this before our turn ends. After our turn, the next write in the queue is sent, which would
        // look like a replacement of ours.
        let rewrite = self.rewrite_after(step.node, &step.write, sent);
        let is_replaced = rewrite == Some(false);
        drop(turn);
        let written = step.clone();
        let promise = match self.write_status(delivery)? {
            WriteStatus::Success if is_replaced => return Err(CommandFailure::Replaced.into()),
            WriteStatus::Success => {
                // `prove` begins after this change. Otherwise, `prove` could take the change for a report of the
                // device.
                self.change_session(move |session, now| session.mark_proven(&written, sent, now))
                    .await;
                Promise::Done
            }
            WriteStatus::Refused(words) => return Err(CommandFailure::Refused(words).into()),
            WriteStatus::Fail => match self.explain_failure(step.node, is_replaced) {
                // The same write came again, because this gateway executes each request twice or because
                // another client wants the same, and it may have replaced ours. The device's report decides.
                CommandFailure::RefusedOrNoResponse
                    if self.executes_twice() || rewrite == Some(true) =>
                {
                    Promise::Delivered
                }
                failure => return Err(self.unless_ending(failure, life).await),
            },
            WriteStatus::Unsupervised => {
                // From the reply on, the gateway may report a guess. Only answers to queries sent after the
                // reply are facts.
                let replied = Instant::now();
                self.queue_change(move |session, _| session.mark_unproven(&written, replied));
                Promise::Delivered
            }
            WriteStatus::Working(left) => {
                // The device confirmed that it has begun, so the gateway's reports are not guesses.
                self.queue_change(move |session, now| {
                    session.mark_working(&written, sent, left, now);
                });
                Promise::Working(left)
            }
        };
        let mut outcome = self.prove(step, promise, sent).await;
        let mut sent = sent;
        // A later adjustment started from the target of this one, so both count.
        while outcome == Outcome::Failed(CommandFailure::Replaced)
            && let Some(Some((later, later_sent))) =
                self.read_session(|session| session.later_adjustment(step, sent))
        {
            outcome = self.prove(&later, Promise::Delivered, later_sent).await;
            sent = later_sent;
        }
        Ok(outcome)
    }

    /// Returns the status of a write from the reply, or the reason to stop if there is no status.
    fn write_status(&self, delivery: Delivery) -> Result<WriteStatus, Stop> {
        let result = self.api_result(delivery)?;
        let status = result.as_ref().and_then(parse_write_status);
        status.ok_or(Stop::Outcome(Outcome::Unknown))
    }

    /// Returns the API's result from the reply. If no reply says that the API ran, returns the reason to
    /// stop.
    fn api_result(&self, delivery: Delivery) -> Result<Option<Json>, Stop> {
        match delivery {
            // The bus may not have reported a reason yet.
            Delivery::NotSent => {
                self.check_reachable()?;
                Err(self.gateways.connecting().into())
            }
            Delivery::Queued => Err(Stop::Outcome(Outcome::Queued)),
            Delivery::NoReply => Err(Stop::Outcome(Outcome::Unknown)),
            Delivery::Reply(Reply::NotRun(words)) => {
                // If the driver is down, the session has learned that from this reply. Then the session's
                // trouble explains more than the words do.
                self.check_reachable()?;
                Err(CommandFailure::Refused(words).into())
            }
            Delivery::Reply(reply) => Ok(reply.result()),
        }
    }

    /// Returns the reason to stop after a failure without a reason. A gateway that ends answers like this, whether
    /// the device obeys or not, and then goes away. `life` is the life in which the write was sent.
    async fn unless_ending(&self, failure: CommandFailure, life: u64) -> Stop {
        if failure != CommandFailure::RefusedOrNoResponse {
            return failure.into();
        }
        let is_running = move |session: &Session| session.life == life && session.is_reachable();
        self.wait_while(Instant::now() + GONE_GRACE, is_running).await;
        match self.read_session(is_running) {
            Some(true) => failure.into(),
            Some(false) | None => Stop::Outcome(Outcome::Unknown),
        }
    }

    fn explain_failure(&self, node: NodeId, is_replaced: bool) -> CommandFailure {
        let is_dead = |node: Arc<Node>| node.status == NodeStatus::Dead;
        if self.node(node).is_some_and(is_dead) {
            CommandFailure::NoResponse
        } else if is_replaced {
            CommandFailure::Replaced
        } else {
            CommandFailure::RefusedOrNoResponse
        }
    }
}
