//! A group: one multicast write, and a proof for each member.

use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Stop;
use super::execution::Execution;
use crate::gateway::protocol::payloads::WriteStatus;
use crate::gateway::queue::Turn;
use crate::home::model::ids::NodeId;
use crate::home::model::value::Write;
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{Member, Step};
use crate::home::proof::Promise;

impl Execution {
    /// Writes to a group, and looks for proof from each member. Checks first that the members have not
    /// changed since the guard judged them.
    pub(super) async fn group(
        &self,
        node: NodeId,
        write: &Write,
        members: &[Member],
        turn: Option<Turn>,
    ) -> Result<Outcome, Stop> {
        let nodes: Vec<NodeId> = members.iter().map(|member| member.node).collect();
        self.check_unchanged(&nodes, |snapshot| snapshot.groups.get(&node)).await?;
        self.check_not_cancelled()?;
        // The write also counts as the latest write to each member.
        let steps = members.iter().filter_map(|member| member.step.clone());
        let sent = Instant::now();
        let delivery = self.deliver(node, write, steps.collect(), sent).await;
        self.mark_written(nodes);
        drop(turn);
        match self.status(delivery)? {
            WriteStatus::Refused(words) => return Err(CommandFailure::Refused(words).into()),
            // The second execution may have replaced the first. Each member's report decides.
            WriteStatus::Fail if self.executes_twice() => {}
            WriteStatus::Fail => {
                let is_replaced = self.is_replaced(node, &write.target, sent);
                return Err(self.why_failed(node, is_replaced).into());
            }
            // A multicast's status proves nothing about a single member, not even success.
            WriteStatus::Success | WriteStatus::Unsupervised | WriteStatus::Working(_) => {}
        }
        let proofs: Vec<JoinHandle<Outcome>> = members
            .iter()
            .map(|member| self.prove_member(member.step.clone(), sent))
            .collect();
        let mut outcomes = Vec::with_capacity(members.len());
        for proof in proofs {
            outcomes.push(proof.await.unwrap_or(Outcome::Unknown));
        }
        Ok(Outcome::Each(outcomes))
    }

    /// Looks for proof from one member, in its own task. A member without a step can't be queried.
    fn prove_member(&self, step: Option<Step>, sent: Instant) -> JoinHandle<Outcome> {
        let execution = self.clone();
        tokio::spawn(async move {
            match step {
                Some(step) => execution.prove(&step, Promise::Delivered, sent).await,
                None => Outcome::Accepted,
            }
        })
    }
}
