//! Converts the times in a gateway's reply to our clock. The gateway's clock may be wrong by days, and a reply does
//! not say what it is. But the controller measures the noise every half minute, and nodes report all the time, so
//! the latest time in a reply is hardly older than the reply.

use std::sync::Arc;

use super::Session;
use crate::gateway::protocol::nodes::Nodes;
use crate::home::model::ids::Timestamp;

/// The latest time may be this many milliseconds in the future before the gateway's clock counts as wrong.
const MAX_AHEAD: i64 = 60_000;

/// The latest time may be this many milliseconds in the past: a house may be quiet for a night.
const MAX_BEHIND: i64 = 24 * 3_600_000;

impl Session {
    /// Shifts the times of last reports to our clock, if the gateway's clock is wrong. If the controller does not
    /// measure, the time at which a node was last heard from is shifted only if it is in the future. In the past, all
    /// nodes may be silent.
    pub(super) fn correct_times(&mut self, nodes: &mut Nodes, now: Timestamp) {
        let behind = now.0.cast_signed().saturating_sub(nodes.latest.0.cast_signed());
        let is_right = nodes.latest == Timestamp(0) || (-MAX_AHEAD..=MAX_BEHIND).contains(&behind);
        let grown = behind.saturating_sub(self.clock_error);
        self.clock_error = match self.clock_error {
            _ if is_right => 0,
            // Nothing was reported since the earlier reply, so the difference has grown by that time.
            error if error != 0 && (0..=MAX_BEHIND).contains(&grown) => error,
            _ => behind,
        };
        if self.clock_error == 0 {
            return;
        }
        let correct = |at: &mut Timestamp| at.0 = at.0.saturating_add_signed(self.clock_error);
        for node in nodes.nodes.values_mut() {
            let node = Arc::make_mut(node);
            node.last_reports.iter_mut().for_each(|(_, at)| correct(at));
            if self.clock_error < 0 || nodes.is_measured {
                node.last_active.iter_mut().for_each(correct);
            }
        }
    }
}
