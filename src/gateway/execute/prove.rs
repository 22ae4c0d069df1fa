//! Questions to a device, and the proof that its answers make.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout_at};
use tracing::debug;

use super::Performing;
use crate::gateway::protocol::payloads;
use crate::gateway::session::Session;
use crate::gateway::session::requests::{Reply, ReplyEffect};
use crate::gateway::session::writes::Watched;
use crate::home::goal::StateReport;
use crate::home::model::ids::{CommandClass, NodeId, ValueId};
use crate::home::model::node::NodeStatus;
use crate::home::model::value::{Components, Reading};
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{StateQuery, Step};
use crate::home::proof::{Manner, Next, Promise, Proof, Verdict};

/// How long after the time for proof the answer to the last question may still come: a device that
/// listens at intervals takes about a second.
const LAST_ANSWER: Duration = Duration::from_millis(1500);

impl Performing<'_> {
    /// Asks a device for a value that tells its state; none where it gives no answer in time.
    pub(super) async fn ask(
        &self,
        node: NodeId,
        query: &StateQuery,
        state: &ValueId,
        until: Instant,
    ) -> Option<StateReport> {
        let purpose = ReplyEffect::State(node, state.clone(), Instant::now());
        match query {
            StateQuery::Get { class, endpoint } => {
                let target =
                    json!({"nodeId": node.0, "commandClass": class.0, "endpoint": endpoint});
                self.asked("sendCommand", json!([target, "get", []]), purpose, until)
                    .await
            }
            StateQuery::Poll(id) => {
                let args = json!([payloads::id_json(node, id)]);
                self.asked("pollValue", args, purpose, until).await
            }
            StateQuery::Lamps { endpoint, lamps } => {
                self.ask_lamps(node, *endpoint, *lamps, until).await
            }
        }
    }

    async fn asked(
        &self,
        api: &str,
        args: serde_json::Value,
        purpose: ReplyEffect,
        until: Instant,
    ) -> Option<StateReport> {
        let left = until.saturating_duration_since(Instant::now());
        match self.session.call(api, args, purpose, left).await? {
            // A device that did not answer leaves no result.
            Reply::Ran(result) => result.as_ref().map(payloads::report),
            Reply::NotRun(words) => {
                debug!(words, "the gateway could not ask");
                None
            }
        }
    }

    /// Asks for each lamp that matters. An answer is one only with all of them.
    async fn ask_lamps(
        &self,
        node: NodeId,
        endpoint: u8,
        lamps: Components,
        until: Instant,
    ) -> Option<StateReport> {
        let mut shine = Components::default();
        for (component, (wanted, lamp)) in (0_u32..).zip(lamps.0.iter().zip(&mut shine.0)) {
            if wanted.is_none() {
                continue;
            }
            let class = CommandClass::COLOR_SWITCH;
            let id = ValueId::keyed(class, endpoint, "currentColor", component);
            let args = json!([payloads::id_json(node, &id)]);
            let purpose = ReplyEffect::State(node, id, Instant::now());
            let report = self.asked("pollValue", args, purpose, until).await?;
            let level = report.current.as_ref().and_then(Reading::number)?;
            *lamp = Some(level.clamp(0.0, 255.0) as u8);
        }
        Some(StateReport {
            current: Some(Reading::Components(shine)),
            ..StateReport::default()
        })
    }

    /// Looks for proof that a device obeyed.
    pub(super) async fn prove(&self, step: &Step, promise: Promise, watched: &Watched) -> Outcome {
        let start = Instant::now();
        let limit = self.session.confirm_timeout();
        let manner = manner(self.session, step.node);
        let mut proof = Proof::new(step.goal, manner, promise, limit);
        let verdict = loop {
            let at = match proof.next() {
                Next::Done(verdict) => break verdict,
                Next::Ask(at) => start + at,
            };
            // A bolt that jams after the lock said that it is done reports that by itself.
            let reports = (promise == Promise::Done).then_some(start);
            match self.moment(step, at, reports).await {
                Moment::Come => {}
                Moment::Reported(reading) => {
                    let current = Some(reading);
                    let report = StateReport {
                        current,
                        ..StateReport::default()
                    };
                    proof.answered(start.elapsed(), Some(report));
                    continue;
                }
                Moment::Never => {
                    proof.stop();
                    continue;
                }
            }
            let asked = start.elapsed();
            let until = start + proof.patience(asked, LAST_ANSWER);
            let report = tokio::select! {
                report = self.ask(step.node, &step.query, &step.state, until) => report,
                () = self.cancel.cancelled() => None,
            };
            if let StateQuery::Lamps { .. } = step.query
                && let Some(current) = report.as_ref().and_then(|report| report.current.clone())
            {
                self.session.answered(step, current, start + asked);
            }
            proof.answered(asked, report);
        };
        match verdict {
            Verdict::Reached(Some(reading)) => Outcome::Confirmed(step.fact(&reading)),
            Verdict::Reached(None) => Outcome::Confirmed(step.goal_fact()),
            Verdict::Moving { now, target } => {
                let target = target.as_ref().map(|target| step.fact(target));
                Outcome::Moving {
                    now: now.and_then(|now| step.fact(&now)),
                    target: target
                        .unwrap_or_else(|| step.goal.level().and_then(|_| step.goal_fact())),
                }
            }
            Verdict::Silent => Outcome::Accepted,
            Verdict::Elsewhere(_) | Verdict::Stopped(_) if watched.replaced() => {
                Outcome::Failed(CommandFailure::Replaced)
            }
            Verdict::Elsewhere(reading) => {
                Outcome::Failed(CommandFailure::StillReports(step.fact(&reading)))
            }
            Verdict::Stopped(reading) => {
                Outcome::Failed(CommandFailure::Stopped(step.fact(&reading)))
            }
        }
    }

    /// Waits for the moment of a question, or until the device reports the state by itself where
    /// reports since some time count.
    async fn moment(&self, step: &Step, at: Instant, reports: Option<Instant>) -> Moment {
        let mut changed = self.session.listen(step.node);
        loop {
            let never = manner(self.session, step.node) == Manner::Never;
            if never || self.cancel.is_cancelled() {
                return Moment::Never;
            }
            let reported =
                reports.and_then(|since| self.session.reported(step.node, &step.state, since));
            if let Some(reading) = reported {
                return Moment::Reported(reading);
            }
            let woken = tokio::select! {
                woken = timeout_at(at, changed.changed()) => woken,
                () = self.cancel.cancelled() => return Moment::Never,
            };
            match woken {
                Err(_) => return Moment::Come,
                Ok(Err(_)) => return Moment::Never,
                Ok(Ok(())) => {}
            }
        }
    }
}

/// How the wait for a question ended.
enum Moment {
    /// It is time to ask.
    Come,
    /// The device reported the state by itself.
    Reported(Reading),
    /// The device stopped listening, or the call was taken back.
    Never,
}

/// How a node listens to questions.
fn manner(session: &Session, node: NodeId) -> Manner {
    match session.node(node) {
        None => Manner::Never,
        Some(node) => match node.status {
            NodeStatus::Dead => Manner::Never,
            NodeStatus::Asleep if !node.frequently_listening => Manner::Never,
            _ if node.frequently_listening => Manner::Interval,
            _ => Manner::Prompt,
        },
    }
}
