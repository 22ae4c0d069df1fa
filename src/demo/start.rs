//! How a simulated gateway begins and ends, and what it says then (captures, section 5).

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Layout, Sim, SimNode, Simulation};

impl Simulation {
    /// The gateway's process is killed: the broker publishes its will; the driver's status stays.
    pub fn kill(&self) {
        self.sim.end_process();
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/status", self.sim.setup.name);
        self.publish_raw(&path, &json!({ "value": false }), true);
    }

    /// The gateway is stopped cleanly: the driver's status goes, its own stays.
    pub fn stop(&self) {
        self.sim.end_process();
        self.publish_raw("driver/status", &json!(false), true);
    }

    /// The gateway is started again: it answers at once, its driver is ready after `driver_after`.
    pub fn restart(&self, driver_after: Duration) {
        let sim = Arc::clone(&self.sim);
        {
            let mut state = sim.state();
            state.running = true;
            state.driver = false;
            state.life = CancellationToken::new();
        }
        sim.say_alive();
        self.sim.later(driver_after, |sim| {
            sim.state().driver = true;
            sim.driver_status(true);
            sim.ping_all();
        });
    }

    /// The gateway's settings are saved: it closes, and starts again with this layout. What the old
    /// one left on the broker stays there.
    pub fn set_layout(&self, layout: Layout, driver_after: Duration) {
        self.stop();
        self.sim.state().layout = layout;
        self.restart(driver_after);
    }

    /// The stick is pulled out: the driver's status goes, the gateway itself stays.
    pub fn lose_stick(&self) {
        let error = json!([{ "message": "Failed to open the serial port", "code": 100 }]);
        self.sim.event("driver/driver_error", error);
        self.sim.state().driver = false;
        self.sim.driver_status(false);
    }

    /// The stick is back.
    pub fn find_stick(&self) {
        self.sim.state().driver = true;
        self.sim.driver_status(true);
    }
}

impl Sim {
    fn end_process(&self) {
        let mut state = self.state();
        state.running = false;
        state.driver = false;
        state.frozen = false;
        state.held.clear();
        state.life.cancel();
        drop(state);
        self.moves.notify_waiters();
    }

    /// After a start every node is unknown until it was pinged.
    pub(super) fn ping_all(&self) {
        self.event("driver/driver_ready", json!([{}]));
        let nodes: Vec<SimNode> = self.state().nodes.values().cloned().collect();
        for mut node in nodes.into_iter().filter(SimNode::is_device) {
            let status = node.text("status").to_owned();
            node.set("status", json!("Unknown"));
            self.publish_status(&node);
            self.set_status(node.id(), &status);
        }
        self.event("driver/all_nodes_ready", json!([]));
    }
}
