//! Orders and limits writes: one at a time to each node, in the order of the calls, and at most eight
//! unanswered writes at a gateway. Commands that run a scene or stop a device don't wait here.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::task::unconstrained;
use tokio::time::{Instant, timeout_at};

use crate::home::model::ids::NodeId;
use crate::lock::lock;

/// The maximum number of unanswered writes at one gateway.
const MAX_UNANSWERED: usize = 8;

/// The maximum time that a command waits for its turn. After this time, the command fails.
pub const MAX_WAIT: Duration = Duration::from_secs(20);

/// The lock of a node. Commands get the lock one by one, in the order in which they asked for it.
type NodeLock = tokio::sync::Mutex<()>;

/// The queues of one gateway's nodes.
#[derive(Debug)]
pub struct CommandQueues {
    /// The locks. Weak, so that a lock is dropped once no command holds it or waits for it.
    nodes: Mutex<HashMap<NodeId, Weak<NodeLock>>>,
    slots: Arc<Semaphore>,
}

/// A place in a node's queue. It is taken without waiting, so that writes go out in the order of the calls.
pub struct QueuePlace {
    turn: Pin<Box<dyn Future<Output = QueueTurn> + Send>>,
    /// The result of the first poll of `turn`.
    first_poll: Poll<QueueTurn>,
    /// When to stop waiting.
    deadline: Instant,
}

/// The right to write to a node. The right lasts until this value is dropped.
#[derive(Debug)]
pub struct QueueTurn {
    _node: OwnedMutexGuard<()>,
    /// Never `None`, because the semaphore is never closed.
    _slot: Option<OwnedSemaphorePermit>,
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
    /// Returns true if a command to a node has its turn or waits for it.
    pub fn is_busy(&self, node: NodeId) -> bool {
        lock(&self.nodes).get(&node).is_some_and(|lock| lock.strong_count() > 0)
    }

    /// Takes a place in a node's queue.
    pub fn take_place(&self, node: NodeId) -> QueuePlace {
        let mut nodes = lock(&self.nodes);
        let lock = nodes.get(&node).and_then(Weak::upgrade).unwrap_or_else(|| {
            let lock = Arc::new(NodeLock::default());
            nodes.retain(|_, lock| lock.strong_count() > 0);
            nodes.insert(node, Arc::downgrade(&lock));
            lock
        });
        let slots = Arc::clone(&self.slots);
        // The first poll takes the place in the lock's queue. In a busy task, tokio would put this poll off.
        // `unconstrained` prevents that.
        let mut turn = Box::pin(unconstrained(async move {
            QueueTurn {
                _node: lock.lock_owned().await,
                _slot: slots.acquire_owned().await.ok(),
            }
        }));
        let first_poll = turn.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        QueuePlace {
            turn,
            first_poll,
            deadline: Instant::now() + MAX_WAIT,
        }
    }
}

impl QueuePlace {
    /// Waits for the turn. Returns `None` if the turn did not come within `MAX_WAIT` after the place was taken.
    pub async fn wait(self) -> Option<QueueTurn> {
        // After the deadline, even a turn that is ready comes too late. `timeout_at` would accept it.
        if Instant::now() >= self.deadline {
            return None;
        }
        match self.first_poll {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => timeout_at(self.deadline, self.turn).await.ok(),
        }
    }
}
