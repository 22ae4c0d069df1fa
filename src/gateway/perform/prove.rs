//! Questions to a device, and the proof that its answers make.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout_at};
use tracing::debug;

use super::Performing;
use crate::gateway::Shared;
use crate::gateway::messages;
use crate::gateway::requests::Reply;
use crate::home::goal::{Goal, Report};
use crate::home::ids::{CommandClass, NodeId, SiteId, ValueId};
use crate::home::node::NodeStatus;
use crate::home::outcome::{Failure, Outcome, Seen};
use crate::home::plan::{Question, Step};
use crate::home::proof::{Manner, Next, Promise, Proof, Verdict};
use crate::home::value::{Components, Reading};

/// How long after the time for proof the answer to the last question may still come: a device that
/// listens at intervals takes about a second.
const LAST_ANSWER: Duration = Duration::from_millis(1500);

impl Shared {
    /// Asks a device; none where it gives no answer in time.
    pub(super) async fn ask(
        &self,
        site: SiteId,
        node: NodeId,
        question: &Question,
        until: Instant,
    ) -> Option<Report> {
        match question {
            Question::Get { class, endpoint } => {
                let target =
                    json!({"nodeId": node.0, "commandClass": class.0, "endpoint": endpoint});
                self.asked(site, "sendCommand", json!([target, "get", []]), until)
                    .await
            }
            Question::Poll(id) => {
                let args = json!([messages::id_json(node, id)]);
                self.asked(site, "pollValue", args, until).await
            }
            Question::Lamps { endpoint, lamps } => {
                self.ask_lamps(site, node, *endpoint, *lamps, until).await
            }
        }
    }

    async fn asked(
        &self,
        site: SiteId,
        api: &str,
        args: serde_json::Value,
        until: Instant,
    ) -> Option<Report> {
        let left = until.saturating_duration_since(Instant::now());
        match self.call(site, api, args, left).await? {
            // A device that did not answer leaves no result.
            Reply::Ran(result) => result.as_ref().map(messages::report),
            Reply::NotRun(words) => {
                debug!(words, "the gateway could not ask");
                None
            }
        }
    }

    /// Asks for each lamp that matters. An answer is one only with all of them.
    async fn ask_lamps(
        &self,
        site: SiteId,
        node: NodeId,
        endpoint: u8,
        lamps: Components,
        until: Instant,
    ) -> Option<Report> {
        let mut shine = Components::default();
        for (component, (wanted, lamp)) in (0_u32..).zip(lamps.0.iter().zip(&mut shine.0)) {
            if wanted.is_none() {
                continue;
            }
            let class = CommandClass::COLOR_SWITCH;
            let id = ValueId::keyed(class, endpoint, "currentColor", component);
            let args = json!([messages::id_json(node, &id)]);
            let report = self.asked(site, "pollValue", args, until).await?;
            let level = report.current.as_ref().and_then(Reading::number)?;
            *lamp = Some(level.clamp(0.0, 255.0) as u8);
        }
        Some(Report {
            current: Some(Reading::Components(shine)),
            ..Report::default()
        })
    }

    fn manner(&self, site: SiteId, node: NodeId) -> Manner {
        let manner = self.node(site, node, |node| match node.status {
            NodeStatus::Dead => Manner::Never,
            NodeStatus::Asleep if !node.frequently_listening => Manner::Never,
            _ if node.frequently_listening => Manner::Interval,
            _ => Manner::Prompt,
        });
        manner.unwrap_or(Manner::Never)
    }
}

impl Performing<'_> {
    /// Looks for proof that a device obeyed.
    pub(super) async fn prove(&self, step: &Step, promise: Promise, number: u64) -> Outcome {
        let start = Instant::now();
        let limit = self.shared.settings.confirm_timeout;
        let manner = self.shared.manner(self.site, step.node);
        let mut proof = Proof::new(step.goal, manner, promise, limit);
        let verdict = loop {
            let at = match proof.next() {
                Next::Done(verdict) => break verdict,
                Next::Ask(at) => start + at,
            };
            if !self.listens_until(step.node, at).await {
                proof.stop();
                continue;
            }
            let asked = start.elapsed();
            let until = start + proof.patience(asked, LAST_ANSWER);
            let report = tokio::select! {
                report = self.shared.ask(self.site, step.node, &step.question, until) => report,
                () = self.cancel.cancelled() => None,
            };
            if let Some(current) = report.as_ref().and_then(|report| report.current.clone()) {
                self.shared
                    .learn(|hub| hub.answered(self.site, step.node, &step.state, current));
            }
            proof.answered(asked, report);
        };
        let replaced = || {
            let mut hub = self.shared.hub();
            let target = &step.write.target;
            hub.writes().replaced(self.site, step.node, target, number)
        };
        match verdict {
            Verdict::Reached(Some(reading)) => Outcome::Confirmed(Seen::Reported(reading)),
            Verdict::Reached(None) => Outcome::Confirmed(Seen::AsAsked(step.goal)),
            Verdict::Moving { now, target } => Outcome::Moving {
                now,
                target: target.or_else(|| wanted(step.goal)),
            },
            Verdict::Silent => Outcome::Accepted,
            Verdict::Elsewhere(_) if replaced() => Outcome::Failed(Failure::Replaced),
            Verdict::Elsewhere(reading) => Outcome::Failed(Failure::StillReports(reading)),
        }
    }

    /// Waits for the moment of a question; false where the device stops listening before it, or
    /// the call is taken back.
    async fn listens_until(&self, node: NodeId, at: Instant) -> bool {
        let mut changed = self.shared.changed.subscribe();
        loop {
            let never = self.shared.manner(self.site, node) == Manner::Never;
            if never || self.cancel.is_cancelled() {
                return false;
            }
            let woken = tokio::select! {
                woken = timeout_at(at, changed.changed()) => woken,
                () = self.cancel.cancelled() => return false,
            };
            match woken {
                Err(_) => return true,
                Ok(Err(_)) => return false,
                Ok(Ok(())) => {}
            }
        }
    }
}

/// The position that a goal means, for a device that does not say where it goes.
fn wanted(goal: Goal) -> Option<Reading> {
    goal.level().map(|level| Reading::Number(f64::from(level)))
}
