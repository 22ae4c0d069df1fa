//! The statistics of a node since the gateway started, reduced to what is told: a weak link.

use serde::Deserialize;

use super::values::lenient;
use crate::home::model::node::WeakLink;

/// The number of commands from which on the answers are counted.
const MIN_COMMANDS: f64 = 20.0;

/// The share of commands without an answer from which on a link is weak.
const MAX_LOST: f64 = 0.1;

/// The round trip in milliseconds above which a link is weak.
const MAX_ROUND_TRIP: f64 = 1000.0;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Statistics {
    #[serde(rename = "commandsTX", deserialize_with = "lenient")]
    sent: f64,
    #[serde(rename = "commandsDroppedTX", deserialize_with = "lenient")]
    dropped: f64,
    #[serde(deserialize_with = "lenient")]
    timeout_response: f64,
    #[serde(deserialize_with = "lenient")]
    rtt: f64,
    /// The noise that the controller hears. It measures every half minute.
    #[serde(rename = "backgroundRSSI", deserialize_with = "lenient")]
    pub(super) background: Background,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Background {
    /// The time of the controller's last measurement, or 0.
    #[serde(deserialize_with = "lenient")]
    pub(super) timestamp: f64,
}

impl Statistics {
    /// Returns the reason why the link is weak, if it is. Commands that were dropped before they were sent count
    /// among those without an answer (zwave-js, `NodeStatistics`).
    pub(super) fn weak_link(&self) -> Option<WeakLink> {
        let commands = self.sent + self.dropped;
        let lost = self.dropped + self.timeout_response;
        if commands >= MIN_COMMANDS && lost >= commands * MAX_LOST {
            return Some(WeakLink::Lossy((commands / lost).round().max(1.0) as u8));
        }
        (self.rtt > MAX_ROUND_TRIP).then_some(WeakLink::Slow((self.rtt / 100.0).round() as u32))
    }
}
