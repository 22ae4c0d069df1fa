//! Handles writes to a simulated gateway, with the delays of the recorded one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::sleep;

use super::Sim;
use super::id::Id;
use super::refusals::{check_value, device_refuses, write_result, write_status};
use crate::home::model::ids::CommandClass as Cc;

/// The time for which the radio is occupied by a command, request or ping to a dead node
/// (`docs/dev/GATEWAY.md#dead-and-sleeping-nodes`).
pub const DEAD_NODE_TIME: Duration = Duration::from_secs(3);

/// The delay after which the gateway asks for the state of a device that refused a setpoint.
const REFUSED_SETPOINT_DELAY: Duration = Duration::from_millis(3050);
/// The delay after which the gateway asks for the state of a device that refused any other value.
const REFUSED_VALUE_DELAY: Duration = Duration::from_millis(1050);

impl Sim {
    /// Writes a value of one node, and returns the result.
    pub async fn write(&self, id: &Id, value: Option<Json>) -> Json {
        let key = id.key();
        let checked = self.with_node(id.node, |node| check_value(node, id, value));
        let value = match checked.unwrap_or_else(|| Err(write_result(write_status::FAIL))) {
            Ok(value) => value,
            Err(result) => return result,
        };
        self.extension.note_write(id, &value);
        let number = {
            let mut state = self.state();
            state.last_number += 1;
            let number = state.last_number;
            state.latest_writes.insert((id.node, key.clone()), number);
            number
        };
        if !self.wait_until_awake(id.node, &key, number).await {
            return write_result(write_status::FAIL);
        }
        let _on_air = self.radio.lock().await;
        if self.is_replaced(id.node, &key, number) {
            return write_result(write_status::FAIL);
        }
        if self.node_status(id.node) == "Dead" {
            sleep(DEAD_NODE_TIME).await;
            return write_result(write_status::FAIL);
        }
        sleep(self.setup.radio).await;
        if let Some(result) = self.refusal(id, &value) {
            return result;
        }
        self.carry_out(id, &value)
    }

    /// Returns the write's result if the device itself refuses the write. Later, the gateway asks the device
    /// for its state, unless the refusal comes from `Habits::refuses`.
    fn refusal(&self, id: &Id, value: &Json) -> Option<Json> {
        let (habit, refuses) = self.with_node(id.node, |node| {
            (node.habits.refuses, device_refuses(node, id, value))
        })?;
        match habit {
            Some((number, "")) => Some(write_result(number)),
            Some((number, message)) => Some(json!({ "status": number, "message": message })),
            None if refuses => {
                let (node, key) = (id.node, id.state_key());
                let delay = match id.class {
                    Cc::THERMOSTAT_SETPOINT => REFUSED_SETPOINT_DELAY,
                    _ => REFUSED_VALUE_DELAY,
                };
                self.run_later(delay, move |sim| sim.report(node, &key));
                Some(write_result(write_status::FAIL))
            }
            None => None,
        }
    }

    /// Waits while a node sleeps. Returns false as soon as a later write to the value replaces this write.
    async fn wait_until_awake(&self, node: u16, key: &str, number: u64) -> bool {
        while self.node_status(node) == "Asleep" {
            if self.is_replaced(node, key, number) {
                return false;
            }
            sleep(Duration::from_millis(20)).await;
        }
        true
    }

    /// Returns true if a later write to the value has replaced the write `number`.
    fn is_replaced(&self, node: u16, key: &str, number: u64) -> bool {
        self.latest_write(node, key).is_some_and(|latest| latest > number)
    }

    pub(super) fn latest_write(&self, node: u16, key: &str) -> Option<u64> {
        self.state().latest_writes.get(&(node, key.to_owned())).copied()
    }

    /// Returns a node's status; empty if the node does not exist.
    pub fn node_status(&self, node: u16) -> String {
        self.with_node(node, |node| node.text("status").to_owned()).unwrap_or_default()
    }

    /// Spawns a task that is dropped when the gateway's process ends.
    pub fn spawn<F>(&self, task: impl FnOnce(Arc<Self>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let life = self.state().life.clone();
        let Some(sim) = self.this.upgrade() else {
            return;
        };
        let task = task(sim);
        tokio::spawn(async move {
            tokio::select! {
                () = task => {}
                () = life.cancelled() => {}
            }
        });
    }

    /// Runs a function after a delay, unless the gateway's process has ended by then.
    pub fn run_later(&self, delay: Duration, function: impl FnOnce(&Self) + Send + 'static) {
        self.spawn(async move |sim| {
            sleep(delay).await;
            function(&sim);
        });
    }
}
