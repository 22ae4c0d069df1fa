//! The order and the number of writes: one at a time to a node, in the order of the calls, and at
//! most eight unanswered at a gateway.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::home::ids::{NodeId, SiteId};

/// Writes that may be unanswered at one gateway.
const UNANSWERED: usize = 8;

/// What could not be sent within this time has failed.
pub const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The queues before the nodes.
#[derive(Debug, Default)]
pub struct Lanes(Arc<Mutex<Queues>>);

#[derive(Debug, Default)]
struct Queues {
    /// A node that is being written to, and who waits for it, first come first served.
    nodes: HashMap<(SiteId, NodeId), VecDeque<oneshot::Sender<()>>>,
    gateways: HashMap<SiteId, Arc<Semaphore>>,
}

/// A place in a node's queue. It is taken at once, without waiting, so that the order of the calls
/// is the order of the writes.
pub struct Ticket {
    lane: Lane,
    slots: Arc<Semaphore>,
    /// When it is no longer worth waiting.
    until: Instant,
}

/// The right to write to a node until it is dropped.
pub struct Pass {
    _lane: Lane,
    _slot: OwnedSemaphorePermit,
}

/// A node that is taken, or will be when the turn comes.
struct Lane {
    queues: Arc<Mutex<Queues>>,
    node: (SiteId, NodeId),
    /// Where the turn will be announced; none where it is ours already.
    turn: Option<oneshot::Receiver<()>>,
}

impl Lanes {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place in a node's queue.
    pub fn queue(&self, site: SiteId, node: NodeId) -> Ticket {
        let mut queues = self.queues();
        let slots = queues
            .gateways
            .entry(site)
            .or_insert_with(|| Arc::new(Semaphore::new(UNANSWERED)));
        let slots = Arc::clone(slots);
        let key = (site, node);
        let turn = if let Some(waiting) = queues.nodes.get_mut(&key) {
            let (sender, turn) = oneshot::channel();
            waiting.push_back(sender);
            Some(turn)
        } else {
            queues.nodes.insert(key, VecDeque::new());
            None
        };
        let lane = Lane {
            queues: Arc::clone(&self.0),
            node: key,
            turn,
        };
        Ticket {
            lane,
            slots,
            until: Instant::now() + LONGEST_WAIT,
        }
    }
}

impl Ticket {
    /// Waits for the turn, until 20 s after the place was taken; none where it did not come.
    pub async fn wait(self) -> Option<Pass> {
        let Self {
            mut lane,
            slots,
            until,
        } = self;
        let come = async {
            if let Some(turn) = &mut lane.turn {
                turn.await.ok()?;
                lane.turn = None;
            }
            slots.acquire_owned().await.ok()
        };
        let slot = timeout_at(until, come).await.ok().flatten()?;
        Some(Pass {
            _lane: lane,
            _slot: slot,
        })
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // A turn may have come that nobody waited for any more: it is passed on too.
        let ours = match &mut self.turn {
            None => true,
            Some(turn) => turn.try_recv().is_ok(),
        };
        if !ours {
            return;
        }
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiting) = queues.nodes.get_mut(&self.node) else {
            return;
        };
        while let Some(next) = waiting.pop_front() {
            // Who gave up has dropped the other end.
            if next.send(()).is_ok() {
                return;
            }
        }
        queues.nodes.remove(&self.node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_to_a_node_take_turns_in_their_order() {
        let lanes = Lanes::default();
        let done = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for call in 0..20_u64 {
            let ticket = lanes.queue(SiteId(0), NodeId(5));
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
        let lanes = Lanes::default();
        let first = lanes.queue(SiteId(0), NodeId(5)).wait().await.unwrap();
        let second = lanes.queue(SiteId(0), NodeId(5));
        let third = lanes.queue(SiteId(0), NodeId(5));
        drop(second);
        drop(first);
        let third = third.wait().await.unwrap();
        drop(third);
        // A turn that came to somebody who had just left is passed on.
        let first = lanes.queue(SiteId(0), NodeId(5)).wait().await.unwrap();
        let second = lanes.queue(SiteId(0), NodeId(5));
        let third = lanes.queue(SiteId(0), NodeId(5));
        drop(first);
        drop(second);
        assert!(third.wait().await.is_some());
        assert!(lanes.queues().nodes.is_empty(), "nothing is left behind");
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_eight_are_at_a_gateway_and_the_rest_gives_up_after_twenty_seconds() {
        let lanes = Lanes::default();
        let mut passes = Vec::new();
        for node in 0..8 {
            passes.push(lanes.queue(SiteId(0), NodeId(node)).wait().await.unwrap());
        }
        let start = tokio::time::Instant::now();
        assert!(lanes.queue(SiteId(0), NodeId(8)).wait().await.is_none());
        assert_eq!(start.elapsed(), LONGEST_WAIT);
        let other = lanes.queue(SiteId(1), NodeId(8)).wait().await;
        assert!(other.is_some(), "another gateway");
        passes.pop();
        assert!(lanes.queue(SiteId(0), NodeId(8)).wait().await.is_some());
    }
}
