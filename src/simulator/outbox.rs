//! What a simulated gateway says, on its way to the broker: at once, over a slow link, or not
//! before it is no longer frozen.

use std::sync::Weak;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Sim;
#[cfg(feature = "simulator")]
use super::Simulation;
use crate::gateway::bus::{Outgoing, Shut};

/// How many messages may wait; more than a test lets wait.
pub(super) const QUEUE: usize = 1 << 20;

/// A message that waits, and the life of the process whose buffer it is in.
pub(super) type HeldMessage = (CancellationToken, Outgoing);

#[cfg(feature = "simulator")]
impl Simulation {
    /// The gateway's process freezes, as by SIGSTOP: the broker sees nothing of it, requests queue
    /// up, and nothing is said. What was on the air already reaches its device.
    pub fn freeze(&self) {
        self.sim.state().frozen = true;
    }

    /// The frozen process runs on: it says what it had to say, then serves every request that
    /// queued up meanwhile, in their order.
    pub fn thaw(&self) {
        let held = {
            let mut state = self.sim.state();
            state.frozen = false;
            std::mem::take(&mut state.held)
        };
        self.sim.thawed.notify_waiters();
        for message in held {
            self.sim.receive(message);
        }
    }

    /// How many requests wait for a frozen gateway.
    pub fn held(&self) -> usize {
        self.sim.state().held.len()
    }

    /// The link between the gateway and the broker carries so many bytes a second from now on; all
    /// that the gateway says waits for what it said before. `None` is a link without a limit.
    pub fn set_link(&self, bytes_per_second: Option<u64>) {
        self.sim.state().link = bytes_per_second;
    }
}

impl Sim {
    /// Sends a message, behind those that wait already; a process that has ended sends nothing.
    pub(super) fn send(&self, message: Outgoing) -> Result<(), Shut> {
        {
            let mut state = self.state();
            if !state.running {
                return Err(Shut);
            }
            if state.frozen || state.link.is_some() || state.waiting > 0 {
                let waiting = (state.life.clone(), message);
                self.outbox.try_send(waiting).map_err(|_| Shut)?;
                state.waiting += 1;
                return Ok(());
            }
        }
        self.bus.publish(message)
    }

    /// Sleeps until the process is not frozen.
    async fn thawed(&self) {
        loop {
            let thawed = self.thawed.notified();
            if !self.state().frozen {
                return;
            }
            thawed.await;
        }
    }
}

/// Sends what waits, one message after the other, for as long as the simulation is there.
pub(super) async fn drain(sim: Weak<Sim>, mut outbox: Receiver<HeldMessage>) {
    while let Some((life, message)) = outbox.recv().await {
        let Some(sim) = sim.upgrade() else {
            return;
        };
        let link = sim.state().link;
        if let Some(rate) = link {
            let bytes = message.topic.len() + message.payload.len();
            sleep(Duration::from_secs_f64(bytes as f64 / rate.max(1) as f64)).await;
        }
        sim.thawed().await;
        if !life.is_cancelled() && sim.bus.publish(message).is_err() {
            tracing::debug!("the simulated gateway is not connected");
        }
        sim.state().waiting -= 1;
    }
}
