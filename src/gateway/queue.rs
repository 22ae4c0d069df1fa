//! Orders and limits writes: one at a time to each node, in the order of the calls, and at most eight
//! unanswered ones at a gateway.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender, WeakUnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::home::model::ids::NodeId;

/// The maximum number of unanswered writes at one gateway.
const MAX_UNANSWERED: usize = 8;

/// How long a command may wait for its turn. After that, it fails.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// The queues of one gateway's nodes. Each is a task that runs while somebody holds a place or a turn in it.
#[derive(Debug)]
pub struct CommandQueues {
    nodes: Mutex<HashMap<NodeId, WeakUnboundedSender<TurnSender>>>,
    slots: Arc<Semaphore>,
}

/// Gives a waiting command its turn.
type TurnSender = oneshot::Sender<Grant>;

/// A place in a node's queue. It is taken without waiting, so that writes go out in the order of the calls.
#[derive(Debug)]
pub struct QueuePlace {
    queue: UnboundedSender<TurnSender>,
    turn: oneshot::Receiver<Grant>,
    /// When to stop waiting.
    deadline: Instant,
}

/// The right to write to a node, until dropped.
#[derive(Debug)]
pub struct Turn {
    _grant: Grant,
    /// Keeps the queue's task running, so that the next command waits in the same queue.
    _queue: UnboundedSender<TurnSender>,
}

/// What a queue sends to the command whose turn it is.
#[derive(Debug)]
struct Grant {
    _slot: OwnedSemaphorePermit,
    /// Dropping it tells the queue that the turn is over.
    _over: oneshot::Sender<()>,
}

impl Default for CommandQueues {
    fn default() -> Self {
        Self {
            nodes: Mutex::default(),
            slots: Arc::new(Semaphore::new(MAX_UNANSWERED)),
        }
    }
}

impl CommandQueues {
    fn nodes(&self) -> MutexGuard<'_, HashMap<NodeId, WeakUnboundedSender<TurnSender>>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if a command to a node has its turn or waits for it.
    pub fn is_busy(&self, node: NodeId) -> bool {
        let nodes = self.nodes();
        nodes.get(&node).is_some_and(|queue| queue.upgrade().is_some())
    }

    /// Takes a place in a node's queue. Must be called within a tokio runtime.
    pub fn take_place(&self, node: NodeId) -> QueuePlace {
        let mut nodes = self.nodes();
        let queue = nodes.get(&node).and_then(WeakUnboundedSender::upgrade);
        let queue = queue.unwrap_or_else(|| {
            let (queue, commands) = mpsc::unbounded_channel();
            nodes.retain(|_, other| other.strong_count() > 0);
            nodes.insert(node, queue.downgrade());
            tokio::spawn(give_turns(commands, Arc::clone(&self.slots)));
            queue
        });
        let (sender, turn) = oneshot::channel();
        // Can't fail: the task runs while this sender exists.
        let _ = queue.send(sender);
        let deadline = Instant::now() + MAX_WAIT;
        QueuePlace {
            queue,
            turn,
            deadline,
        }
    }
}

/// Gives the commands their turns, one after the other.
async fn give_turns(mut commands: UnboundedReceiver<TurnSender>, slots: Arc<Semaphore>) {
    while let Some(command) = commands.recv().await {
        // The semaphore is never closed.
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
            return;
        };
        let (over, ended) = oneshot::channel();
        let grant = Grant {
            _slot: slot,
            _over: over,
        };
        // If the command gave up, this drops the grant, and the turn is over at once.
        let _ = command.send(grant);
        let _ = ended.await;
    }
}

impl QueuePlace {
    /// Waits for the turn, at most until 20 s after the place was taken; returns `None` if it did not come.
    pub async fn wait(self) -> Option<Turn> {
        // `timeout_at` accepts a turn that is ready at once, even after the deadline.
        if Instant::now() >= self.deadline {
            return None;
        }
        let grant = timeout_at(self.deadline, self.turn).await.ok()?.ok()?;
        Some(Turn {
            _grant: grant,
            _queue: self.queue,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_to_a_node_take_turns_in_their_order() {
        let queues = CommandQueues::default();
        let done = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for call in 0..20_u64 {
            let place = queues.take_place(NodeId(5));
            let done = Arc::clone(&done);
            tasks.push(tokio::spawn(async move {
                // Calls begin to wait in another order than that of their places.
                tokio::time::sleep(Duration::from_millis((call * 7) % 5)).await;
                let _turn = place.wait().await.unwrap();
                tokio::time::sleep(Duration::from_millis(20 - call)).await;
                done.lock().unwrap().push(call);
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*done.lock().unwrap(), (0..20).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_that_gives_up_does_not_block_the_others() {
        let queues = CommandQueues::default();
        let first = queues.take_place(NodeId(5)).wait().await.unwrap();
        let second = queues.take_place(NodeId(5));
        let third = queues.take_place(NodeId(5));
        drop(second);
        drop(first);
        drop(third.wait().await.unwrap());
        // A turn that a command gets just before it gives up is passed on.
        let first = queues.take_place(NodeId(5)).wait().await.unwrap();
        let second = queues.take_place(NodeId(5));
        let third = queues.take_place(NodeId(5));
        drop(first);
        tokio::task::yield_now().await;
        drop(second);
        assert!(third.wait().await.is_some());
        assert!(!queues.is_busy(NodeId(5)), "nothing is left behind");
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_eight_commands_have_a_turn_and_others_give_up_after_twenty_seconds() {
        let queues = CommandQueues::default();
        let mut turns = Vec::new();
        for node in 0..8 {
            turns.push(queues.take_place(NodeId(node)).wait().await.unwrap());
        }
        let start = tokio::time::Instant::now();
        assert!(queues.take_place(NodeId(8)).wait().await.is_none());
        assert_eq!(start.elapsed(), MAX_WAIT);
        turns.pop();
        assert!(queues.take_place(NodeId(8)).wait().await.is_some());
    }
}
