//! A group: one write for several nodes, and the proof of each.

use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Stop;
use super::performing::Performing;
use crate::gateway::protocol::payloads::WriteStatus;
use crate::gateway::queue::Turn;
use crate::home::model::ids::NodeId;
use crate::home::model::value::Write;
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{Member, Step};
use crate::home::proof::Promise;

impl Performing {
    /// Writes to a group, and looks for proof from each member. The members are read once more first,
    /// because they may have changed since the guard judged them.
    pub(super) async fn group(
        &self,
        node: NodeId,
        write: &Write,
        members: &[Member],
        nodes: &[NodeId],
        turn: Option<Turn>,
    ) -> Result<Outcome, Stop> {
        self.check_unchanged(nodes, |snapshot| {
            snapshot.groups.get(&node).map(Vec::as_slice)
        })
        .await?;
        self.check_wanted()?;
        // A write to the group is the latest to each of its members.
        let steps = members.iter().filter_map(|member| member.step.clone());
        let sent = Instant::now();
        let delivery = self.deliver(node, write, steps.collect(), sent).await;
        self.mark_written(members.iter().map(|member| member.node).collect());
        drop(turn);
        match self.status(delivery)? {
            WriteStatus::Refused(words) => return Err(CommandFailure::Refused(words).into()),
            // The write's own second copy may have replaced it: each member's report decides.
            WriteStatus::Fail if self.executes_twice() => {}
            WriteStatus::Fail => {
                let is_replaced = self.is_replaced(node, &write.target, sent);
                return Err(self.why_failed(node, is_replaced).into());
            }
            // Even the success of a multicast proves nothing for a member.
            WriteStatus::Success | WriteStatus::Unsupervised | WriteStatus::Working(_) => {}
        }
        let proving: Vec<JoinHandle<Outcome>> = members
            .iter()
            .map(|member| self.prove_member(member.step.clone(), sent))
            .collect();
        let mut outcomes = Vec::with_capacity(members.len());
        for task in proving {
            outcomes.push(task.await.unwrap_or(Outcome::Unknown));
        }
        Ok(Outcome::Each(outcomes))
    }

    /// Looks for proof of a group's write from one member, in a task of its own.
    fn prove_member(&self, step: Option<Step>, sent: Instant) -> JoinHandle<Outcome> {
        let performing = self.clone();
        tokio::spawn(async move {
            match step {
                Some(step) => performing.prove(&step, Promise::Delivered, sent).await,
                None => Outcome::Accepted,
            }
        })
    }
}
