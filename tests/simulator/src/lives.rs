//! Kills and restarts a simulated gateway, and unplugs its stick (`docs/dev/GATEWAY.md#liveness`).

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::simulator::{
    CallResult, DEAD_NODE_TIME, FutureResult, Id, Sim, SimNode, summary, write_result, write_status,
};

use super::{Layout, Simulation, Testing, set_field};

/// The time from the end of the driver to the end of the process.
const SHUTDOWN_TIME: Duration = Duration::from_millis(150);

impl Simulation {
    /// Publishes a message below the prefix, as another program might.
    pub fn publish_raw(&self, path: &str, payload: &Json, retain: bool) {
        let message = self.sim.message(path, payload, retain);
        if self.testing.link.bus.publish(message).is_err() {
            tracing::debug!(path, "not connected");
        }
    }

    /// Kills the gateway's process. Then publishes the last-will message that the broker would publish. The
    /// message about the driver's status stays on the broker unchanged.
    pub fn kill(&self) {
        self.sim.end_process();
        self.publish_gone();
    }

    /// Cuts the gateway off from its broker, which publishes the last will. The process goes on, and keeps what it
    /// would publish.
    pub fn cut_off(&self) {
        self.freeze();
        self.publish_gone();
    }

    /// Lets the gateway reach its broker again. It first publishes what it has kept, and then that it is alive. The
    /// requests from before are lost.
    pub fn reconnect(&self) {
        self.sim.publish_alive();
        self.testing.link.reconnect();
    }

    fn publish_gone(&self) {
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/status", self.sim.setup.name);
        self.publish_raw(&path, &json!({ "value": false }), true);
    }

    /// Ends the gateway's process as SIGTERM does: calls under way fail without a reason, and the driver's status
    /// becomes false a little later.
    pub async fn terminate(&self) {
        self.testing.extras().ending.cancel();
        sleep(SHUTDOWN_TIME).await;
        self.stop();
    }

    /// Writes the gateway's cache to its file, as the gateway does from time to time. A restart restores the
    /// values in this file.
    pub fn write_cache(&self) {
        let nodes = self.sim.state().nodes.clone();
        self.testing.extras().cache_file = nodes;
    }

    /// Makes the next `getNodes` reply lack these nodes, or only their values, as that of a gateway which has just
    /// started and not loaded all of its cache.
    pub fn load_late(&self, nodes: &[u16], only_values: bool) {
        let late = nodes.iter().map(|node| (*node, only_values));
        self.testing.extras().late_nodes.extend(late);
    }

    /// Starts the gateway again. It answers at once, but its driver is ready only after `driver_after`.
    pub fn restart(&self, driver_after: Duration) {
        let sim = &self.sim;
        {
            let cached_nodes = self.testing.extras().cache_file.clone();
            let mut state = sim.state();
            for (id, cached) in cached_nodes {
                if let Some(node) = state.nodes.get_mut(&id) {
                    node.values = cached.values;
                }
            }
            state.is_running = true;
            state.is_driver_ready = false;
            state.life = CancellationToken::new();
        }
        sim.publish_alive();
        let this = self.clone();
        sim.run_later(driver_after, move |sim| {
            sim.state().is_driver_ready = true;
            sim.publish_driver_status(true);
            this.ping_all();
        });
    }

    /// Restarts the gateway with this layout, as zwave-js-ui does when its settings are saved. The retained
    /// messages of the old layout stay on the broker.
    pub fn set_layout(&self, layout: Layout, driver_after: Duration) {
        self.stop();
        self.testing.layouts().layout = layout;
        self.restart(driver_after);
    }

    /// Unplugs the Z-Wave stick: the driver's status becomes false, but the gateway itself stays connected.
    pub fn lose_stick(&self) {
        let error = json!([{ "message": "Failed to open the serial port", "code": 100 }]);
        self.sim.publish_event("driver/driver_error", error);
        self.sim.state().is_driver_ready = false;
        self.sim.publish_driver_status(false);
    }

    /// Plugs the Z-Wave stick in again.
    pub fn find_stick(&self) {
        self.sim.state().is_driver_ready = true;
        self.sim.publish_driver_status(true);
    }

    /// Pings all nodes, as a gateway does when its driver is ready. A node has the status "Unknown" until its
    /// ping ends. For the controller and for sleeping nodes, the ping ends at once. All other nodes are
    /// pinged one by one. A node that is reached keeps the values that `restart` has restored.
    fn ping_all(&self) {
        let mut nodes: Vec<SimNode> = self.sim.state().nodes.values().cloned().collect();
        nodes.retain(|node| !node.is_virtual());
        for node in &nodes {
            let mut unknown = node.clone();
            set_field(&mut unknown, "status", json!("Unknown"));
            set_field(&mut unknown, "available", json!(true));
            self.sim.publish_status(&unknown);
        }
        let driver = json!({
            "homeid": self.sim.setup.home, "name": "0x7e570001", "controllerId": 1,
        });
        self.sim.publish_event("driver/driver_ready", json!([driver]));
        let ends_at_once = |node: &SimNode| !node.is_device() || node.text("status") == "Asleep";
        let (at_once, pinged): (Vec<SimNode>, Vec<SimNode>) =
            nodes.into_iter().partition(ends_at_once);
        for node in at_once {
            self.finish_ping(node.id());
        }
        let this = self.clone();
        self.sim.spawn(|sim| async move {
            for node in pinged {
                let takes = match node.text("status") {
                    "Dead" => DEAD_NODE_TIME,
                    _ => sim.setup.radio,
                };
                {
                    let _on_air = sim.radio.lock().await;
                    sleep(takes).await;
                }
                this.finish_ping(node.id());
            }
            sim.publish_event("driver/all_nodes_ready", json!([]));
        });
    }

    /// Lets the gateway handle the outcome of a ping. The node is ready unless it is dead.
    fn finish_ping(&self, id: u16) {
        let status = self.sim.node_status(id);
        self.set_status(id, &status);
        if status == "Dead" {
            // The cache is used only for nodes that are reached.
            self.sim.change_node(id, |node| {
                node.is_forgotten = true;
                set_field(node, "ready", json!(false));
            });
        } else {
            self.mark_ready(id);
        }
    }

    /// Publishes a node's values and status, and an event that the node is ready.
    pub(super) fn mark_ready(&self, id: u16) {
        let changed = self.sim.change_node(id, |node| {
            if std::mem::take(&mut node.is_forgotten) {
                set_field(node, "ready", json!(true));
            }
            node.clone()
        });
        if let Some(node) = changed {
            for key in node.values.keys() {
                self.sim.publish_topic(&node, key);
            }
            self.sim.publish_status(&node);
            self.sim.publish_event("node/node_ready", json!([summary(&node)]));
        }
    }
}

impl Testing {
    /// Serves a call as a gateway that has just started, or that may end during the call. Returns `None` for any
    /// other call.
    pub(super) fn call_in_transition<'a>(
        &'a self,
        sim: &'a Sim,
        api: &str,
        args: &[Json],
    ) -> Option<FutureResult<'a>> {
        match api {
            "getNodes" if !self.extras().late_nodes.is_empty() => {
                let late = std::mem::take(&mut self.extras().late_nodes);
                let mut nodes = sim.state().nodes.clone();
                nodes.retain(|id, _| late.get(id) != Some(&false));
                for node in nodes.values_mut() {
                    node.is_forgotten |= late.contains_key(&node.id());
                }
                let documents = nodes.values().map(SimNode::full_document).collect();
                Some(Box::pin(std::future::ready(CallResult::Ran(Some(
                    documents,
                )))))
            }
            "writeValue" => {
                let (id, value) = (Id::read(args.first()?)?, args.get(1).cloned());
                let ending = self.extras().ending.clone();
                Some(Box::pin(async move {
                    let result = tokio::select! {
                        result = sim.write(&id, value.clone()) => result,
                        () = ending.cancelled() => {
                            // The call fails, although the command reaches its device.
                            let state = id.state_key();
                            let value = value.unwrap_or_default();
                            sim.change_node(id.node, |node| node.put(&state, value));
                            write_result(write_status::FAIL)
                        }
                    };
                    CallResult::Ran(Some(result))
                }))
            }
            _ => None,
        }
    }
}
