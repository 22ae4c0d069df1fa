//! Runs a scene or writes to a group: one command for several devices.

use serde_json::{Value as Json, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::Stop;
use super::execution::{Delivery, Execution};
use crate::gateway::protocol::payloads::WriteStatus;
use crate::gateway::queue::QueueTurn;
use crate::home::model::ids::{NodeId, SceneId};
use crate::home::model::snapshot::Scene;
use crate::home::model::value::Write;
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::Member;
use crate::home::proof::Promise;

impl Execution {
    /// Runs a scene. The gateway returns `true` before it has done anything, so the best outcome is
    /// `Accepted`. Checks first that the scene has not changed since the guard judged it.
    pub(super) async fn scene(&self, id: SceneId, scene: &Scene) -> Result<Outcome, Stop> {
        self.check_unchanged(scene, |snapshot| snapshot.scenes.get(&id)).await?;
        self.check_not_cancelled()?;
        self.check_reachable()?;
        let (sent, life) = (Instant::now(), self.life());
        let reply = self.send("_activateScene", json!([id.0]), |_, _| {});
        let delivery = timeout(self.reply_timeout(), reply).await.unwrap_or(Delivery::NoReply);
        if !matches!(delivery, Delivery::NotSent) {
            let writes = scene.writes.clone();
            self.queue_change(move |session, now| {
                for (node, write) in &writes {
                    session.mark_scene_write(*node, &write.target, now.at);
                    session.mark_written(*node, now);
                }
            });
        }
        if matches!(delivery, Delivery::NoReply) {
            self.probe_after_timeout(sent, life).await;
        }
        match self.api_result(delivery)? {
            Some(Json::Bool(false)) => Err(CommandFailure::RefusedOrNoResponse.into()),
            _ => Ok(Outcome::Accepted),
        }
    }

    /// Writes to a group, and looks for proof from each member. Checks first that the members have not
    /// changed since the guard judged them.
    pub(super) async fn group(
        &self,
        node: NodeId,
        write: &Write,
        members: &[Member],
        turn: Option<QueueTurn>,
    ) -> Result<Outcome, Stop> {
        let nodes: Vec<NodeId> = members.iter().map(|member| member.node).collect();
        self.check_unchanged(&nodes, |snapshot| snapshot.groups.get(&node)).await?;
        self.check_not_cancelled()?;
        // The write to the group also counts as the latest write to each member.
        let steps = members.iter().filter_map(|member| member.step.clone());
        let (sent, life) = (Instant::now(), self.life());
        let delivery = self.deliver(node, write, steps.collect(), sent).await;
        let rewrite = self.rewrite_after(node, write, sent);
        self.mark_written(nodes);
        drop(turn);
        match self.write_status(delivery)? {
            WriteStatus::Refused(words) => return Err(CommandFailure::Refused(words).into()),
            // This gateway executes each request twice, and the second execution may have replaced the first.
            // Each member's report decides.
            WriteStatus::Fail if self.executes_twice() || rewrite == Some(true) => {}
            WriteStatus::Fail => {
                let failure = self.explain_failure(node, rewrite == Some(false));
                return Err(self.unless_ending(failure, life).await);
            }
            // Not even success proves anything about a single member, because the write was a multicast.
            WriteStatus::Success | WriteStatus::Unsupervised | WriteStatus::Working(_) => {}
        }
        let proofs = members.iter().map(|member| {
            let (execution, step) = (self.clone(), member.step.clone());
            tokio::spawn(async move {
                match step {
                    Some(step) => {
                        let outcome = execution.prove(&step, Promise::Delivered, sent).await;
                        execution.end_goal(&step, Some(&outcome));
                        outcome
                    }
                    // A member without a step can't be queried.
                    None => Outcome::Accepted,
                }
            })
        });
        // Collecting starts all tasks before the first is awaited.
        let proofs: Vec<JoinHandle<Outcome>> = proofs.collect();
        let mut outcomes = Vec::with_capacity(members.len());
        for proof in proofs {
            outcomes.push(proof.await.unwrap_or(Outcome::Unknown));
        }
        Ok(Outcome::Each(outcomes))
    }
}
