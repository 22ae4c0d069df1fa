//! The order and the number of writes: one at a time to a node, in the order of the calls, and at
//! most eight unanswered at a gateway.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::home::model::ids::NodeId;

/// Writes that may be unanswered at one gateway.
const UNANSWERED: usize = 8;

/// What could not be sent within this time has failed.
pub const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The commands to one gateway, in order.
#[derive(Debug)]
pub struct CommandQueue {
    nodes: NodeQueues,
    /// As many commands as may still be sent to the gateway.
    slots: Arc<Semaphore>,
}

/// The nodes that are being written to, and who waits for each, first come first served.
type NodeQueues = Arc<Mutex<HashMap<NodeId, VecDeque<oneshot::Sender<()>>>>>;

fn locked(nodes: &NodeQueues) -> MutexGuard<'_, HashMap<NodeId, VecDeque<oneshot::Sender<()>>>> {
    nodes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A place in a node's queue. It is taken at once, without waiting, so that the order of the calls
/// is the order of the writes.
pub struct Ticket {
    turn: QueuePlace,
    slots: Arc<Semaphore>,
    /// When it is no longer worth waiting.
    until: Instant,
}

/// The right to write to a node until it is dropped.
pub struct Pass {
    _turn: QueuePlace,
    _slot: OwnedSemaphorePermit,
}

/// A node that is taken, or will be when the turn comes.
struct QueuePlace {
    nodes: NodeQueues,
    node: NodeId,
    /// Where the turn will be announced; none where it is ours already.
    announced: Option<oneshot::Receiver<()>>,
}

impl Default for CommandQueue {
    fn default() -> Self {
        Self {
            nodes: NodeQueues::default(),
            slots: Arc::new(Semaphore::new(UNANSWERED)),
        }
    }
}

impl CommandQueue {
    /// Returns true if a command is on its way to a node, or waits for its turn.
    pub fn is_busy(&self, node: NodeId) -> bool {
        locked(&self.nodes).contains_key(&node)
    }

    /// Takes a place in a node's queue.
    pub fn queue(&self, node: NodeId) -> Ticket {
        let mut nodes = locked(&self.nodes);
        let announced = if let Some(waiting) = nodes.get_mut(&node) {
            let (sender, announced) = oneshot::channel();
            waiting.push_back(sender);
            Some(announced)
        } else {
            nodes.insert(node, VecDeque::new());
            None
        };
        let turn = QueuePlace {
            nodes: Arc::clone(&self.nodes),
            node,
            announced,
        };
        Ticket {
            turn,
            slots: Arc::clone(&self.slots),
            until: Instant::now() + LONGEST_WAIT,
        }
    }
}

impl Ticket {
    /// Waits for the turn, until 20 s after the place was taken; none where it did not come.
    pub async fn wait(self) -> Option<Pass> {
        let Self {
            mut turn,
            slots,
            until,
        } = self;
        let come = async {
            if let Some(announced) = &mut turn.announced {
                announced.await.ok()?;
                turn.announced = None;
            }
            slots.acquire_owned().await.ok()
        };
        // A turn that comes at once may still come too late.
        if Instant::now() >= until {
            return None;
        }
        let slot = timeout_at(until, come).await.ok().flatten()?;
        Some(Pass {
            _turn: turn,
            _slot: slot,
        })
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        // A turn may have come that nobody waited for any more: it is passed on too.
        let ours = match &mut self.announced {
            None => true,
            Some(announced) => announced.try_recv().is_ok(),
        };
        if !ours {
            return;
        }
        let mut nodes = locked(&self.nodes);
        let Some(waiting) = nodes.get_mut(&self.node) else {
            return;
        };
        while let Some(next) = waiting.pop_front() {
            // Who gave up has dropped the other end.
            if next.send(()).is_ok() {
                return;
            }
        }
        nodes.remove(&self.node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_to_a_node_take_turns_in_their_order() {
        let queue = CommandQueue::default();
        let done = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for call in 0..20_u64 {
            let ticket = queue.queue(NodeId(5));
            let done = Arc::clone(&done);
            tasks.push(tokio::spawn(async move {
                // Late or early: the place in the queue counts.
                tokio::time::sleep(Duration::from_millis((call * 7) % 5)).await;
                let _pass = ticket.wait().await.unwrap();
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
        let queue = CommandQueue::default();
        let first = queue.queue(NodeId(5)).wait().await.unwrap();
        let second = queue.queue(NodeId(5));
        let third = queue.queue(NodeId(5));
        drop(second);
        drop(first);
        let third = third.wait().await.unwrap();
        drop(third);
        // A turn that came to somebody who had just left is passed on.
        let first = queue.queue(NodeId(5)).wait().await.unwrap();
        let second = queue.queue(NodeId(5));
        let third = queue.queue(NodeId(5));
        drop(first);
        drop(second);
        assert!(third.wait().await.is_some());
        assert!(locked(&queue.nodes).is_empty(), "nothing is left behind");
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_eight_are_at_a_gateway_and_the_rest_gives_up_after_twenty_seconds() {
        let queue = CommandQueue::default();
        let mut passes = Vec::new();
        for node in 0..8 {
            passes.push(queue.queue(NodeId(node)).wait().await.unwrap());
        }
        let start = tokio::time::Instant::now();
        assert!(queue.queue(NodeId(8)).wait().await.is_none());
        assert_eq!(start.elapsed(), LONGEST_WAIT);
        passes.pop();
        assert!(queue.queue(NodeId(8)).wait().await.is_some());
    }
}
