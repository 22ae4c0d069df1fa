//! The order and the number of writes: one at a time to a node, in the order of the calls, and at
//! most eight unanswered at a gateway.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender, WeakUnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::home::model::ids::NodeId;

/// The maximum number of unanswered writes at one gateway.
const UNANSWERED: usize = 8;

/// A command that could not be sent within this time has failed.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The queues of the nodes of one gateway. Each is a task that lives as long as somebody has a place in
/// it.
#[derive(Debug)]
pub struct CommandQueues {
    nodes: Mutex<HashMap<NodeId, WeakUnboundedSender<TurnSender>>>,
    slots: Arc<Semaphore>,
}

/// The sender that gives a command its turn.
type TurnSender = oneshot::Sender<Grant>;

/// A place in a node's queue. It is taken at once, without waiting, so that the order of the calls is the
/// order of the writes.
#[derive(Debug)]
pub struct QueuePlace {
    queue: UnboundedSender<TurnSender>,
    turn: oneshot::Receiver<Grant>,
    /// When the wait is given up.
    until: Instant,
}

/// The right to write to a node until this is dropped.
#[derive(Debug)]
pub struct Turn {
    _grant: Grant,
    /// Keeps the queue alive: the next command has to wait in the same one.
    _queue: UnboundedSender<TurnSender>,
}

/// The turn that a queue gives to a command.
#[derive(Debug)]
struct Grant {
    _slot: OwnedSemaphorePermit,
    /// Its drop tells the queue that the turn is over.
    _over: oneshot::Sender<()>,
}

impl Default for CommandQueues {
    fn default() -> Self {
        Self {
            nodes: Mutex::default(),
            slots: Arc::new(Semaphore::new(UNANSWERED)),
        }
    }
}

impl CommandQueues {
    fn nodes(&self) -> MutexGuard<'_, HashMap<NodeId, WeakUnboundedSender<TurnSender>>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if a command is on its way to a node, or waits for its turn.
    pub fn is_busy(&self, node: NodeId) -> bool {
        let nodes = self.nodes();
        nodes.get(&node).is_some_and(|queue| queue.upgrade().is_some())
    }

    /// Takes a place in a node's queue. Must be called in a tokio runtime.
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
        // The task lives as long as this place.
        let _ = queue.send(sender);
        let until = Instant::now() + LONGEST_WAIT;
        QueuePlace { queue, turn, until }
    }
}

/// Gives one command after the other its turn.
async fn give_turns(mut commands: UnboundedReceiver<TurnSender>, slots: Arc<Semaphore>) {
    while let Some(command) = commands.recv().await {
        // Nobody closes the semaphore.
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
            return;
        };
        let (over, ended) = oneshot::channel();
        let grant = Grant {
            _slot: slot,
            _over: over,
        };
        // A command that gave up has dropped the other end, and its turn is over at once.
        let _ = command.send(grant);
        let _ = ended.await;
    }
}

impl QueuePlace {
    /// Waits for the turn, until 20 s after the place was taken; returns `None` if it did not come.
    pub async fn wait(self) -> Option<Turn> {
        // A turn that comes at once may still come too late.
        if Instant::now() >= self.until {
            return None;
        }
        let grant = timeout_at(self.until, self.turn).await.ok()?.ok()?;
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
                // Late or early: the place in the queue counts.
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
    async fn who_gives_up_does_not_hold_up_the_others() {
        let queues = CommandQueues::default();
        let first = queues.take_place(NodeId(5)).wait().await.unwrap();
        let second = queues.take_place(NodeId(5));
        let third = queues.take_place(NodeId(5));
        drop(second);
        drop(first);
        drop(third.wait().await.unwrap());
        // A turn that came to somebody who had just left is passed on.
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
    async fn at_most_eight_are_at_a_gateway_and_the_rest_gives_up_after_twenty_seconds() {
        let queues = CommandQueues::default();
        let mut turns = Vec::new();
        for node in 0..8 {
            turns.push(queues.take_place(NodeId(node)).wait().await.unwrap());
        }
        let start = tokio::time::Instant::now();
        assert!(queues.take_place(NodeId(8)).wait().await.is_none());
        assert_eq!(start.elapsed(), LONGEST_WAIT);
        turns.pop();
        assert!(queues.take_place(NodeId(8)).wait().await.is_some());
    }
}
