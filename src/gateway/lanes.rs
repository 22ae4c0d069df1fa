//! The order and the number of writes: one at a time to a node, in the order of the calls, and at
//! most eight unanswered at a gateway.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as FairMutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::home::ids::{NodeId, SiteId};

/// Writes that may be unanswered at one gateway.
const UNANSWERED: usize = 8;

/// What could not be sent within this time has failed.
pub const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The queues before the nodes. Both kinds of lock serve in the order in which they were asked.
#[derive(Debug, Default)]
pub struct Lanes(Mutex<Queues>);

#[derive(Debug, Default)]
struct Queues {
    nodes: HashMap<(SiteId, NodeId), Arc<FairMutex<()>>>,
    gateways: HashMap<SiteId, Arc<Semaphore>>,
}

/// The right to write to a node until it is dropped.
pub struct Pass {
    _node: OwnedMutexGuard<()>,
    _gateway: OwnedSemaphorePermit,
}

impl Lanes {
    /// Waits for the node's turn, at most 20 s; none where it did not come.
    pub async fn enter(&self, site: SiteId, node: NodeId) -> Option<Pass> {
        let (lane, slots) = {
            let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let lane = Arc::clone(queues.nodes.entry((site, node)).or_default());
            let slots = queues
                .gateways
                .entry(site)
                .or_insert_with(|| Arc::new(Semaphore::new(UNANSWERED)));
            (lane, Arc::clone(slots))
        };
        let turn = async {
            let node = lane.lock_owned().await;
            let gateway = slots.acquire_owned().await.ok()?;
            Some(Pass {
                _node: node,
                _gateway: gateway,
            })
        };
        timeout(LONGEST_WAIT, turn).await.ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_to_a_node_take_turns_in_their_order() {
        let lanes = Arc::new(Lanes::default());
        let done = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for call in 0..20_u64 {
            let (lanes, done) = (Arc::clone(&lanes), Arc::clone(&done));
            tasks.push(tokio::spawn(async move {
                let _pass = lanes.enter(SiteId(0), NodeId(5)).await.unwrap();
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
    async fn at_most_eight_are_at_a_gateway_and_the_rest_gives_up_after_twenty_seconds() {
        let lanes = Lanes::default();
        let mut passes = Vec::new();
        for node in 0..8 {
            passes.push(lanes.enter(SiteId(0), NodeId(node)).await.unwrap());
        }
        let start = tokio::time::Instant::now();
        assert!(lanes.enter(SiteId(0), NodeId(8)).await.is_none());
        assert_eq!(start.elapsed(), LONGEST_WAIT);
        assert!(
            lanes.enter(SiteId(1), NodeId(8)).await.is_some(),
            "another gateway"
        );
        passes.pop();
        assert!(lanes.enter(SiteId(0), NodeId(8)).await.is_some());
    }
}
