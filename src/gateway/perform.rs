//! Performing a cleared plan: the write, its reply, the questions after it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::lanes::Pass;
use super::messages::{self, WriteStatus};
use super::requests::Reply;
use super::{Gateway, Shared, Trouble};
use crate::home::goal::{Goal, Report};
use crate::home::guard::Cleared;
use crate::home::ids::{DeviceId, SiteId};
use crate::home::node::{Node, NodeStatus};
use crate::home::outcome::{Failure, Outcome, Seen};
use crate::home::plan::{Plan, Question, Step};
use crate::home::proof::{Manner, Next, Promise, Proof, Verdict};
use crate::home::value::Reading;

/// How long after the time for proof the answer to the last question may still come: a device that
/// listens at intervals takes about a second.
const LAST_ANSWER: Duration = Duration::from_millis(1500);

impl Gateway {
    /// Performs a plan. A call that is taken back before its write is sent does nothing; after
    /// that, only the proof is given up.
    pub async fn perform(
        &self,
        cleared: Cleared,
        cancel: CancellationToken,
    ) -> Result<Outcome, Trouble> {
        let shared = Arc::clone(&self.shared);
        let site = cleared.planned().device.site;
        // A task of its own: the next write must wait for this one's reply, also where nobody
        // waits for the answer any more.
        let performing = tokio::spawn(async move { perform(&shared, &cleared, &cancel).await });
        match performing.await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::error!(%error, ?site, "performing a plan ended unexpectedly");
                Ok(Outcome::Unknown)
            }
        }
    }
}

impl Gateway {
    /// Performs several plans side by side, started in their order; the outcomes in that order.
    pub async fn perform_all(
        &self,
        plans: Vec<Cleared>,
        cancel: &CancellationToken,
    ) -> Vec<Result<Outcome, Trouble>> {
        let started: Vec<_> = plans
            .into_iter()
            .map(|plan| {
                let (gateway, cancel) = (self.clone(), cancel.clone());
                tokio::spawn(async move { gateway.perform(plan, cancel).await })
            })
            .collect();
        let mut outcomes = Vec::with_capacity(started.len());
        for task in started {
            outcomes.push(task.await.unwrap_or(Ok(Outcome::Unknown)));
        }
        outcomes
    }
}

async fn perform(
    shared: &Shared,
    cleared: &Cleared,
    cancel: &CancellationToken,
) -> Result<Outcome, Trouble> {
    let planned = cleared.planned();
    let device = planned.device;
    shared.reachable(device.site)?;
    let entered = tokio::select! {
        entered = shared.lanes.enter(device.site, device.node) => entered,
        () = cancel.cancelled() => return Ok(Outcome::Failed(Failure::Cancelled)),
    };
    let Some(pass) = entered else {
        return Ok(Outcome::Failed(Failure::NotSentInTime));
    };
    // The wait may have been long.
    shared.reachable(device.site)?;
    let step = match &planned.plan {
        Plan::Direct(step) => step,
        Plan::Toggle {
            question,
            when_on,
            when_off,
        } => match shared.state_to_toggle(device, question).await {
            Ok(true) => when_on,
            Ok(false) => when_off,
            Err(failure) => return Ok(Outcome::Failed(failure)),
        },
    };
    if cancel.is_cancelled() {
        return Ok(Outcome::Failed(Failure::Cancelled));
    }
    Write {
        shared,
        device,
        step,
    }
    .run(pass, cancel)
    .await
}

impl Shared {
    fn reachable(&self, site: SiteId) -> Result<(), Trouble> {
        let now = self.now();
        self.hub().trouble(site, now).map_or(Ok(()), Err)
    }

    fn node<R>(&self, device: DeviceId, look: impl FnOnce(&Node) -> R) -> Option<R> {
        self.hub().house().node_of(device).map(look)
    }

    /// Whether a device is on, by its own word.
    async fn state_to_toggle(
        &self,
        device: DeviceId,
        question: &Question,
    ) -> Result<bool, Failure> {
        let status = self.node(device, |node| (node.status, node.sleeps()));
        match status {
            Some((NodeStatus::Dead, _)) => return Err(Failure::NoResponse),
            Some((NodeStatus::Awake, _)) => {}
            Some((NodeStatus::Asleep, _) | (_, true)) => return Err(Failure::Asleep),
            _ => {}
        }
        let until = Instant::now() + self.settings.reply_timeout;
        let report = self.ask(device, question, until).await;
        match report.and_then(|report| report.current) {
            Some(Reading::Bool(on)) => Ok(on),
            Some(Reading::Number(level)) => Ok(level > 0.0),
            _ => Err(Failure::StateUnknown),
        }
    }

    /// Asks a device; none where it gives no answer in time.
    async fn ask(&self, device: DeviceId, question: &Question, until: Instant) -> Option<Report> {
        let node = device.node;
        let (api, args) = match question {
            Question::Get { class, endpoint } => {
                let target =
                    json!({"nodeId": node.0, "commandClass": class.0, "endpoint": endpoint});
                ("sendCommand", json!([target, "get", []]))
            }
            Question::Poll(id) => ("pollValue", json!([messages::id_json(node, id)])),
        };
        let left = until.saturating_duration_since(Instant::now());
        match self.call(device.site, api, args, left).await? {
            // A device that did not answer leaves no result.
            Reply::Ran(result) => result.as_ref().map(messages::report),
            Reply::NotRun(words) => {
                debug!(words, "the gateway could not ask");
                None
            }
        }
    }
}

/// One write on its way.
struct Write<'a> {
    shared: &'a Shared,
    device: DeviceId,
    step: &'a Step,
}

/// How a write was answered.
enum Answer {
    Reply(Reply),
    Queued,
    None,
}

impl Write<'_> {
    async fn run(self, pass: Pass, cancel: &CancellationToken) -> Result<Outcome, Trouble> {
        let DeviceId { site, node, .. } = self.device;
        let target = &self.step.write.target;
        let args = json!([
            messages::id_json(node, target),
            wire(&self.step.write.value)
        ]);
        let gateway = self.gateway().unwrap_or_default();
        // Counted before it is sent, so that whatever is seen later is later.
        let number = self.shared.hub().writes().count(site, node, target);
        let Ok(reply) = self.shared.send(&gateway, "writeValue", args) else {
            let trouble = self.shared.hub().connection_trouble();
            return trouble.map_or(Ok(Outcome::Failed(Failure::NotSentInTime)), Err);
        };
        let answer = self.answer(reply).await;
        drop(pass);
        let result = match answer {
            Answer::Queued => return Ok(Outcome::Queued),
            Answer::None => return Ok(Outcome::Unknown),
            Answer::Reply(Reply::NotRun(words)) => {
                // The driver was gone: the hub has heard it, and it has the better sentence.
                self.shared.reachable(site)?;
                return Ok(Outcome::Failed(Failure::Refused(words)));
            }
            Answer::Reply(Reply::Ran(result)) => result,
        };
        let Some(status) = result.as_ref().and_then(messages::write_status) else {
            return Ok(Outcome::Unknown);
        };
        Ok(match status {
            WriteStatus::Success => Outcome::Confirmed(Seen::AsAsked(self.step.goal)),
            WriteStatus::Refused(words) => Outcome::Failed(Failure::Refused(words)),
            WriteStatus::Fail => Outcome::Failed(self.why_failed(number)),
            WriteStatus::Unsupervised => {
                let goal = self.step.goal;
                self.shared
                    .hub()
                    .guess(site, node, &self.step.state, |reading| {
                        goal.reached(reading)
                    });
                self.prove(Promise::Delivered, number, cancel).await
            }
            WriteStatus::Working(left) => self.prove(Promise::Working(left), number, cancel).await,
        })
    }

    fn gateway(&self) -> Option<String> {
        let hub = self.shared.hub();
        hub.links()
            .get(self.device.site.0)
            .map(|link| link.name.clone())
    }

    fn status(&self) -> NodeStatus {
        self.shared
            .node(self.device, |node| node.status)
            .unwrap_or_default()
    }

    fn asleep(&self) -> bool {
        self.shared
            .node(self.device, |node| {
                node.status == NodeStatus::Asleep && !node.frequently_listening
            })
            .unwrap_or_default()
    }

    /// Waits for the reply. A sleeping node gives none until it wakes up; then an answered
    /// `getInfo`, sent after the write, proves that the gateway has the write (captures, section 2).
    async fn answer(&self, mut reply: oneshot::Receiver<Reply>) -> Answer {
        let limit = Instant::now() + self.shared.settings.reply_timeout;
        let mut changed = self.shared.changed.subscribe();
        let mut probe: Option<oneshot::Receiver<Reply>> = None;
        let mut probe_answered = false;
        loop {
            if self.asleep() {
                if probe_answered {
                    return Answer::Queued;
                }
                if probe.is_none() {
                    let gateway = self.gateway().unwrap_or_default();
                    probe = self.shared.send(&gateway, "getInfo", json!([])).ok();
                }
            }
            tokio::select! {
                biased;
                reply = &mut reply => return reply.map_or(Answer::None, Answer::Reply),
                answered = wait(probe.as_mut()), if !probe_answered => {
                    probe_answered = answered;
                    if !answered {
                        probe = None;
                    }
                }
                woken = changed.changed() => if woken.is_err() {
                    return Answer::None;
                },
                () = sleep_until(limit) => return Answer::None,
            }
        }
    }

    fn why_failed(&self, number: u64) -> Failure {
        if self.replaced(number) {
            Failure::Replaced
        } else if self.status() == NodeStatus::Dead {
            Failure::NoResponse
        } else {
            Failure::RefusedOrNoResponse
        }
    }

    fn replaced(&self, number: u64) -> bool {
        let DeviceId { site, node, .. } = self.device;
        let mut hub = self.shared.hub();
        hub.writes()
            .replaced(site, node, &self.step.write.target, number)
    }

    /// Looks for proof that the device obeyed.
    async fn prove(&self, promise: Promise, number: u64, cancel: &CancellationToken) -> Outcome {
        let start = Instant::now();
        let limit = self.shared.settings.confirm_timeout;
        let mut proof = Proof::new(self.step.goal, self.manner(), promise, limit);
        let verdict = loop {
            let at = match proof.next() {
                Next::Done(verdict) => break verdict,
                Next::Ask(at) => start + at,
            };
            if !self.listens_until(at, cancel).await {
                proof.stop();
                continue;
            }
            let asked = start.elapsed();
            let until = start + limit + LAST_ANSWER;
            let question = self.shared.ask(self.device, &self.step.question, until);
            let report = tokio::select! {
                report = question => report,
                () = cancel.cancelled() => None,
            };
            if let Some(current) = report.as_ref().and_then(|report| report.current.clone()) {
                let DeviceId { site, node, .. } = self.device;
                let mut hub = self.shared.hub();
                hub.answered(site, node, &self.step.state, current);
            }
            proof.answered(asked, report);
        };
        match verdict {
            Verdict::Reached(Some(reading)) => Outcome::Confirmed(Seen::Reported(reading)),
            Verdict::Reached(None) => Outcome::Confirmed(Seen::AsAsked(self.step.goal)),
            Verdict::Moving { now, target } => Outcome::Moving {
                now,
                target: target.or_else(|| wanted(self.step.goal)),
            },
            Verdict::Silent => Outcome::Accepted,
            Verdict::Elsewhere(_) if self.replaced(number) => Outcome::Failed(Failure::Replaced),
            Verdict::Elsewhere(reading) => Outcome::Failed(Failure::StillReports(reading)),
        }
    }

    fn manner(&self) -> Manner {
        self.shared
            .node(self.device, |node| match node.status {
                NodeStatus::Dead | NodeStatus::Asleep if !node.frequently_listening => {
                    Manner::Never
                }
                _ if node.frequently_listening => Manner::Interval,
                _ => Manner::Prompt,
            })
            .unwrap_or(Manner::Never)
    }

    /// Waits for the moment of a question; false where the device stops listening before it, or
    /// the call is taken back.
    async fn listens_until(&self, at: Instant, cancel: &CancellationToken) -> bool {
        let mut changed = self.shared.changed.subscribe();
        loop {
            if cancel.is_cancelled() || matches!(self.manner(), Manner::Never) {
                return false;
            }
            let woken = tokio::select! {
                woken = timeout_at(at, changed.changed()) => woken,
                () = cancel.cancelled() => return false,
            };
            match woken {
                Err(_) => return true,
                Ok(Err(_)) => return false,
                Ok(Ok(())) => {}
            }
        }
    }
}

/// Whether a probe was answered; never ready without one.
async fn wait(probe: Option<&mut oneshot::Receiver<Reply>>) -> bool {
    match probe {
        Some(probe) => probe.await.is_ok(),
        None => std::future::pending().await,
    }
}

/// The position that a goal means, for a device that does not say where it goes.
fn wanted(goal: Goal) -> Option<Reading> {
    goal.level().map(|level| Reading::Number(f64::from(level)))
}

fn wire(value: &Reading) -> Json {
    match value {
        Reading::Bool(flag) => json!(flag),
        // zwave-js takes 50 and 50.0 for the same, but people read logs.
        Reading::Number(number) if number.fract() == 0.0 => json!(*number as i64),
        Reading::Number(number) => json!(number),
        Reading::Text(text) => json!(text),
        Reading::Other => Json::Null,
    }
}
