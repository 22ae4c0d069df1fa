//! Looks for proof that a device obeyed, by querying the device's state.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, timeout_at};
use tracing::debug;

use super::execution::{Delivery, Execution};
use crate::gateway::protocol::payloads::{self, Reply};
use crate::gateway::session::{SentQuery, Session};
use crate::home::goal::{Goal, StateReport};
use crate::home::model::ids::{CommandClass as Cc, NodeId, ValueId};
use crate::home::model::node::NodeStatus;
use crate::home::model::value::{ColorComponents, Reading};
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::Step;
use crate::home::proof::{Next, Polling, Promise, Proof, Verdict};

/// The time after the confirm timeout during which the last answer may still arrive. A device that listens at
/// intervals takes about a second.
const LAST_ANSWER_GRACE: Duration = Duration::from_millis(1500);

impl Execution {
    /// Queries a device's state. Returns `None` if no answer arrives before `until`.
    pub(super) async fn query_state(&self, step: &Step, until: Instant) -> Option<StateReport> {
        let (node, state) = (step.node, &step.state);
        let endpoint = state.endpoint;
        match (step.goal, state.class) {
            (Goal::Color(lamps), _) => self.query_lamps(node, endpoint, lamps, until).await,
            // `sendCommand` also returns the target and the time left (`docs/dev/GATEWAY.md#asking-the-device`).
            (
                _,
                class @ (Cc::MULTILEVEL_SWITCH
                | Cc::WINDOW_COVERING
                | Cc::DOOR_LOCK
                | Cc::BARRIER_OPERATOR),
            ) => {
                let target =
                    json!({"nodeId": node.0, "commandClass": class.0, "endpoint": endpoint});
                // Window Covering needs the number of a parameter, which is the value's key.
                let args = json!([target, "get", Vec::from_iter(&state.key)]);
                self.query("sendCommand", args, node, state, until).await
            }
            _ => {
                let args = json!([payloads::id_json(node, state)]);
                self.query("pollValue", args, node, state, until).await
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
            sent: Instant::now(),
        };
        let reply = self.send(api, args, |session, number| {
            session.note_query(number, query);
        });
        match timeout_at(until, reply).await {
            Ok(Delivery::Reply(Reply::NotRun(words))) => {
                debug!(words, "the gateway could not ask");
                None
            }
            // There is no result if the device did not answer.
            Ok(Delivery::Reply(reply)) => reply.result().as_ref().map(payloads::parse_report),
            _ => None,
        }
    }

    /// Queries each color component that has a level in `lamps`. Returns `None` unless the device answers all queries.
    async fn query_lamps(
        &self,
        node: NodeId,
        endpoint: u8,
        lamps: ColorComponents,
        until: Instant,
    ) -> Option<StateReport> {
        let mut levels = ColorComponents::default();
        for (component, (wanted, lamp)) in (0_u32..).zip(lamps.0.iter().zip(&mut levels.0)) {
            if wanted.is_none() {
                continue;
            }
            let id = ValueId::with_key(Cc::COLOR_SWITCH, endpoint, "currentColor", component);
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

    /// Looks for proof that the device obeyed the write that was sent at `sent`.
    pub(super) async fn prove(&self, step: &Step, promise: Promise, sent: Instant) -> Outcome {
        let start = Instant::now();
        let limit = self.gateways.inner.settings.confirm_timeout;
        let polling = self
            .read_session(|session| polling_of(session, step.node))
            .unwrap_or(Polling::Never);
        let mut proof = Proof::new(step.goal, polling, promise, limit);
        // If the device has said that it is done, unasked reports are accepted, too: a lock may report that
        // its bolt has jammed.
        let reports_since = (promise == Promise::Done).then_some(start);
        let verdict = loop {
            let at = match proof.next() {
                Next::Done(verdict) => break verdict,
                Next::Ask(delay) => start + delay,
            };
            match self.wait_to_ask(step, at, reports_since).await {
                Waited::AskNow => {}
                Waited::Reported(reading) => {
                    let report = StateReport {
                        current: Some(reading),
                        ..StateReport::default()
                    };
                    proof.record_answer(start.elapsed(), Some(report));
                    continue;
                }
                Waited::GiveUp => {
                    proof.stop();
                    continue;
                }
            }
            let asked_after = start.elapsed();
            let until = start + proof.answer_deadline(asked_after, LAST_ANSWER_GRACE);
            let report = tokio::select! {
                report = self.query_state(step, until) => report,
                () = self.cancel.cancelled() => None,
            };
            // The answers have set the values of the single color components. Set the value of the whole color,
            // too.
            if let Goal::Color(_) = step.goal
                && let Some(current) = report.as_ref().and_then(|report| report.current.clone())
            {
                let query = SentQuery {
                    node: step.node,
                    state: step.state.clone(),
                    sent: start + asked_after,
                };
                self.queue_change(move |session, now| session.take_answer(&query, current, now));
            }
            proof.record_answer(asked_after, report);
        };
        self.outcome_of(step, verdict, sent)
    }

    /// Returns the outcome of a write, according to the verdict on it. The write was sent at `sent`.
    fn outcome_of(&self, step: &Step, verdict: Verdict, sent: Instant) -> Outcome {
        let is_replaced = || self.rewrite_after(step.node, &step.write, sent) == Some(false);
        match verdict {
            Verdict::Reached(Some(reading)) => Outcome::Confirmed(step.fact(&reading)),
            Verdict::Reached(None) => Outcome::Confirmed(step.goal_fact()),
            Verdict::Moving { current, target } => {
                let target = target.as_ref().map(|target| step.fact(target));
                Outcome::Moving {
                    current: current.and_then(|current| step.fact(&current)),
                    target: target
                        .unwrap_or_else(|| step.goal.level().and_then(|_| step.goal_fact())),
                }
            }
            Verdict::Unproven => Outcome::Accepted,
            Verdict::OtherState(_) | Verdict::Stopped(_) if is_replaced() => {
                Outcome::Failed(CommandFailure::Replaced)
            }
            Verdict::OtherState(reading) => {
                Outcome::Failed(CommandFailure::StillReports(step.fact(&reading)))
            }
            Verdict::Stopped(reading) => {
                Outcome::Failed(CommandFailure::Stopped(step.fact(&reading)))
            }
        }
    }

    /// Waits until `at`, when it is time for a query. Ends earlier if the device can no longer be queried, if the
    /// call is cancelled, or if the device has reported its state after `reports_since`.
    async fn wait_to_ask(
        &self,
        step: &Step,
        at: Instant,
        reports_since: Option<Instant>,
    ) -> Waited {
        let check = |session: &Session| match polling_of(session, step.node) {
            Polling::Never => Waited::GiveUp,
            Polling::Anytime | Polling::Once => reports_since
                .and_then(|since| session.report_since(step.node, &step.state, since))
                .map_or(Waited::AskNow, Waited::Reported),
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Waited::GiveUp,
            () = self.wait_while(at, |session| check(session) == Waited::AskNow) => {}
        }
        self.read_session(check).unwrap_or(Waited::GiveUp)
    }
}

/// The result of waiting for the time of a query.
#[derive(Clone, Debug, PartialEq)]
enum Waited {
    /// It is time for the query.
    AskNow,
    /// The device reported its state unasked.
    Reported(Reading),
    /// The device can no longer be queried, or the call was cancelled.
    GiveUp,
}

/// Returns how a node can be queried.
fn polling_of(session: &Session, node: NodeId) -> Polling {
    match session.node(node) {
        None => Polling::Never,
        Some(node) => match node.status {
            NodeStatus::Dead => Polling::Never,
            NodeStatus::Asleep if !node.frequently_listening => Polling::Never,
            _ if node.frequently_listening => Polling::Once,
            _ => Polling::Anytime,
        },
    }
}
