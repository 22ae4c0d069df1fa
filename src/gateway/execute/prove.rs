//! Questions to a device, and the proof that its answers give.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, timeout_at};
use tracing::debug;

use super::performing::Performing;
use crate::gateway::protocol::payloads::{self, Reply};
use crate::gateway::session::{SentQuery, Session};
use crate::home::goal::StateReport;
use crate::home::model::ids::{CommandClass, NodeId, ValueId};
use crate::home::model::node::NodeStatus;
use crate::home::model::value::{Components, Reading};
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{StateQuery, Step};
use crate::home::proof::{Manner, Next, Promise, Proof, Verdict};

/// The time after the time for proof in which the last answer may still come: a device that listens at
/// intervals takes about a second.
const LAST_ANSWER: Duration = Duration::from_millis(1500);

impl Performing {
    /// Asks a device for a value that tells its state; returns `None` if it gives no answer in time.
    pub(super) async fn ask(
        &self,
        node: NodeId,
        query: &StateQuery,
        state: &ValueId,
        until: Instant,
    ) -> Option<StateReport> {
        match query {
            StateQuery::Get { class, endpoint } => {
                let target =
                    json!({"nodeId": node.0, "commandClass": class.0, "endpoint": endpoint});
                let args = json!([target, "get", []]);
                self.query("sendCommand", args, node, state, until).await
            }
            StateQuery::Poll(id) => {
                let args = json!([payloads::id_json(node, id)]);
                self.query("pollValue", args, node, state, until).await
            }
            StateQuery::Lamps { endpoint, lamps } => {
                self.ask_lamps(node, *endpoint, *lamps, until).await
            }
        }
    }

    async fn query(
        &self,
        api: &'static str,
        args: Json,
        node: NodeId,
        state: &ValueId,
        until: Instant,
    ) -> Option<StateReport> {
        let query = SentQuery {
            node,
            state: state.clone(),
            asked: Instant::now(),
        };
        let reply = self.send(api, args, |session, number| {
            session.note_query(number, query);
        });
        match timeout_at(until, reply).await.ok()?.ok()?.ok()? {
            // A device that did not answer leaves no result.
            Reply::Ran(result) => result.as_ref().map(payloads::parse_report),
            Reply::NotRun(words) => {
                debug!(words, "the gateway could not ask");
                None
            }
        }
    }

    /// Asks for each lamp that matters. The answers count only if all of them came.
    async fn ask_lamps(
        &self,
        node: NodeId,
        endpoint: u8,
        lamps: Components,
        until: Instant,
    ) -> Option<StateReport> {
        let mut levels = Components::default();
        for (component, (wanted, lamp)) in (0_u32..).zip(lamps.0.iter().zip(&mut levels.0)) {
            if wanted.is_none() {
                continue;
            }
            let class = CommandClass::COLOR_SWITCH;
            let id = ValueId::with_key(class, endpoint, "currentColor", component);
            let args = json!([payloads::id_json(node, &id)]);
            let report = self.query("pollValue", args, node, &id, until).await?;
            let level = report.current.as_ref().and_then(Reading::number)?;
            *lamp = Some(level.clamp(0.0, 255.0) as u8);
        }
        Some(StateReport {
            current: Some(Reading::Components(levels)),
            ..StateReport::default()
        })
    }

    /// Looks for proof that a device obeyed a write that was sent at `sent`.
    pub(super) async fn prove(&self, step: &Step, promise: Promise, sent: Instant) -> Outcome {
        let start = Instant::now();
        let limit = self.gateways.inner.settings.confirm_timeout;
        let manner = self.of_session(|session| manner(session, step.node)).unwrap_or(Manner::Never);
        let mut proof = Proof::new(step.goal, manner, promise, limit);
        // A lock whose bolt jams after it reported success reports that by itself.
        let reports = (promise == Promise::Done).then_some(start);
        let verdict = loop {
            let at = match proof.next() {
                Next::Done(verdict) => break verdict,
                Next::Ask(at) => start + at,
            };
            match self.wait_to_ask(step, at, reports).await {
                Waited::IsTime => {}
                Waited::Reported(reading) => {
                    let report = StateReport {
                        current: Some(reading),
                        ..StateReport::default()
                    };
                    proof.record_answer(start.elapsed(), Some(report));
                    continue;
                }
                Waited::Never => {
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
                let (node, state) = (step.node, step.state.clone());
                self.tell(move |session, now| {
                    session.take_answer(node, &state, current, start + asked, now);
                });
            }
            proof.record_answer(asked, report);
        };
        let is_replaced = || self.is_replaced(step.node, &step.write.target, sent);
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
            Verdict::Elsewhere(_) | Verdict::Stopped(_) if is_replaced() => {
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

    /// Waits until it is time for a question, or until the device reports the state by itself, if
    /// reports since some time count.
    async fn wait_to_ask(&self, step: &Step, at: Instant, reports: Option<Instant>) -> Waited {
        let look = |session: &Session| match manner(session, step.node) {
            Manner::Never => Waited::Never,
            Manner::Prompt | Manner::Interval => reports
                .and_then(|since| session.report_since(step.node, &step.state, since))
                .map_or(Waited::IsTime, Waited::Reported),
        };
        let wait = async {
            // Even a time-out that is over fires only at the timer's next tick, a millisecond later.
            if Instant::now() < at {
                self.wait_while(at, |session| look(session) == Waited::IsTime).await;
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Waited::Never,
            () = wait => {}
        }
        self.of_session(look).unwrap_or(Waited::Never)
    }
}

/// The end of a wait for the next question.
#[derive(Clone, Debug, PartialEq)]
enum Waited {
    /// The time to ask has come.
    IsTime,
    /// The device reported the state by itself.
    Reported(Reading),
    /// The device stopped listening, or the call was cancelled.
    Never,
}

/// Returns how a node listens to questions.
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
