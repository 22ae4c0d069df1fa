//! The path of a write through a simulated gateway, and its timing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::sleep;

use super::Sim;
use super::calls::CallResult;
use super::id::Id;
use super::refusals::{check_value, device_refuses, status};

/// The time for which a dead node keeps the radio (`docs/GATEWAY.md#dead-and-sleeping-nodes`).
pub(super) const DEAD: Duration = Duration::from_secs(3);

/// The time after which the gateway asks a device that refused a setpoint, or one that refused something else.
const SETPOINT_REFUSED: Duration = Duration::from_millis(3050);
const REFUSED: Duration = Duration::from_millis(1050);

impl Sim {
    pub(super) async fn write_value(&self, json: &Json, value: Option<Json>) -> CallResult {
        let Some(id) = Id::read(json) else {
            return CallResult::Ran(Some(status(2)));
        };
        #[cfg(feature = "simulator")]
        if let Some(members) = self.members(id.node) {
            return self.multicast(&id, &members, value).await;
        }
        CallResult::Ran(Some(self.write(&id, value).await))
    }

    /// Writes a value of one node, and returns the result.
    async fn write(&self, id: &Id, value: Option<Json>) -> Json {
        let key = id.key();
        let (number, value) = {
            let mut state = self.state();
            let Some(node) = state.nodes.get(&id.node) else {
                return status(2);
            };
            let value = match check_value(node, id, value) {
                Ok(value) => value,
                Err(result) => return result,
            };
            #[cfg(feature = "simulator")]
            self.testing.note_write(id, &value);
            state.writes += 1;
            let number = state.writes;
            state.latest.insert((id.node, key.clone()), number);
            (number, value)
        };
        let _on_air = if self.wait_until_awake(id.node, &key, number).await {
            self.radio.lock().await
        } else {
            return status(2);
        };
        if self.is_replaced(id.node, &key, number) {
            return status(2);
        }
        if self.status(id.node) == "Dead" {
            sleep(DEAD).await;
            return status(2);
        }
        sleep(self.setup.radio).await;
        if let Some(result) = self.refusal(id, &value) {
            return result;
        }
        self.carry_out(id, &value)
    }

    /// Returns the result of a write that the device itself refuses. The gateway asks the device afterwards,
    /// unless refusing is its habit.
    fn refusal(&self, id: &Id, value: &Json) -> Option<Json> {
        let (habit, refuses) = self.look(id.node, |node| {
            (node.habits.refuses, device_refuses(node, id, value))
        })?;
        match habit {
            Some((number, "")) => Some(status(number)),
            Some((number, message)) => Some(json!({ "status": number, "message": message })),
            None if refuses => {
                let (node, key) = (id.node, id.state());
                let after = match id.class {
                    67 => SETPOINT_REFUSED,
                    _ => REFUSED,
                };
                self.run_later(after, move |sim| sim.report(node, &key));
                Some(status(2))
            }
            None => None,
        }
    }

    /// Waits until a sleeping node wakes up; returns false if a later write to the value takes this one's
    /// place meanwhile.
    async fn wait_until_awake(&self, node: u16, key: &str, number: u64) -> bool {
        while self.status(node) == "Asleep" {
            if self.is_replaced(node, key, number) {
                return false;
            }
            sleep(Duration::from_millis(20)).await;
        }
        true
    }

    /// Returns true if a later write to the same value has taken the place of this one.
    fn is_replaced(&self, node: u16, key: &str, number: u64) -> bool {
        let latest = self.state().latest.get(&(node, key.to_owned())).copied();
        latest.is_some_and(|latest| latest > number)
    }

    pub(super) fn status(&self, node: u16) -> String {
        self.look(node, |node| node.text("status").to_owned()).unwrap_or_default()
    }

    /// Runs something in a task of its own, until the gateway's process ends.
    pub(super) fn spawn<F>(&self, act: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let life = self.state().life.clone();
        let Some(sim) = self.this.upgrade() else {
            return;
        };
        let act = act(sim);
        tokio::spawn(async move {
            tokio::select! {
                () = act => {}
                () = life.cancelled() => {}
            }
        });
    }

    /// Runs something later, unless the gateway's process has ended by then.
    pub(super) fn run_later(&self, time: Duration, act: impl FnOnce(&Self) + Send + 'static) {
        self.spawn(async move |sim| {
            sleep(time).await;
            act(&sim);
        });
    }
}
