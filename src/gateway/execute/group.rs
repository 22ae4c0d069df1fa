//! A group: one write for several nodes, and the proof of each.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::Performing;
use super::write::SentWrite;
use crate::gateway::Trouble;
use crate::gateway::protocol::payloads::WriteStatus;
use crate::gateway::session::queue::Pass;
use crate::gateway::session::writes::Watched;
use crate::home::model::ids::NodeId;
use crate::home::model::value::Write;
use crate::home::outcome::{CommandFailure, Outcome};
use crate::home::plan::{Member, Step};
use crate::home::proof::Promise;

impl Performing<'_> {
    /// Writes to a group and proves it of each member. The members are asked for once more, because
    /// they may have changed since the guard looked at them.
    pub(super) async fn group(
        &self,
        node: NodeId,
        write: &Write,
        members: &[Member],
        nodes: &[NodeId],
        pass: Option<Pass>,
    ) -> Result<Outcome, Trouble> {
        let still = self
            .session
            .still(nodes, |snapshot| {
                snapshot.groups.get(&node).map(Vec::as_slice)
            })
            .await;
        if let Err(failure) = still {
            return Ok(Outcome::Failed(failure));
        }
        if self.cancel.is_cancelled() {
            return Ok(Outcome::Failed(CommandFailure::Cancelled));
        }
        // A write to the group is the latest to each of its members.
        let steps = members.iter().map(|member| {
            let step = member.step.clone()?;
            let watched = self.session.writes.watch(step.node, &step.write.target);
            Some((step, watched))
        });
        let steps: Vec<Option<(Step, Watched)>> = steps.collect();
        let sent = SentWrite::send(self, node, write)?;
        for (step, _) in steps.iter().flatten() {
            self.session.writing(step, sent.at);
        }
        let (answer, watched) = sent.answer(self).await;
        for member in members {
            self.session.wrote(member.node);
        }
        drop(pass);
        match self.status(answer)? {
            Err(outcome) => return Ok(outcome),
            Ok(WriteStatus::Refused(words)) => {
                return Ok(Outcome::Failed(CommandFailure::Refused(words)));
            }
            // Its own second copy may have replaced it: what each member reports decides.
            Ok(WriteStatus::Fail) if self.session.executes_twice() => {}
            Ok(WriteStatus::Fail) => {
                return Ok(Outcome::Failed(self.why_failed(node, &watched)));
            }
            // Of a multicast, even success proves nothing for a member.
            Ok(WriteStatus::Success | WriteStatus::Unsupervised | WriteStatus::Working(_)) => {}
        }
        let proving = steps.into_iter().map(|step| self.prove_member(step));
        let proving: Vec<JoinHandle<Outcome>> = proving.collect();
        let mut outcomes = Vec::with_capacity(members.len());
        for task in proving {
            outcomes.push(task.await.unwrap_or(Outcome::Unknown));
        }
        Ok(Outcome::Each(outcomes))
    }

    /// Proves what a group's write was for one member, beside the others.
    fn prove_member(&self, step: Option<(Step, Watched)>) -> JoinHandle<Outcome> {
        let (session, cancel) = (Arc::clone(self.session), self.cancel.clone());
        tokio::spawn(async move {
            let Some((step, watched)) = step else {
                return Outcome::Accepted;
            };
            let performing = Performing {
                session: &session,
                seen: None,
                cancel: &cancel,
            };
            performing.prove(&step, Promise::Delivered, &watched).await
        })
    }
}
