//! The setup of a simulated gateway.

use std::time::Duration;

use crate::gateway::{Clock, system_clock};

/// The setup of a simulated gateway.
#[derive(Clone)]
pub struct Setup {
    /// The prefix of every topic.
    pub prefix: String,
    /// Its name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// The id of its Z-Wave network.
    pub home: u32,
    /// Values and statuses are retained.
    pub retain: bool,
    /// Events are sent. zwave-js-ui's default is that they are not.
    pub events: bool,
    /// The layout of topics and payloads.
    #[cfg(feature = "simulator")]
    pub layout: super::Layout,
    /// The time that the radio takes for one command to a device that answers.
    pub radio: Duration,
    /// The clock for the times in payloads.
    pub clock: Clock,
}

impl Default for Setup {
    /// A gateway by zwave-js-ui's default name, with the system's clock and without events.
    fn default() -> Self {
        Self {
            prefix: "zwave".to_owned(),
            name: "zwave-js-ui".to_owned(),
            home: 2_119_630_849,
            retain: true,
            events: false,
            #[cfg(feature = "simulator")]
            layout: super::Layout::default(),
            radio: Duration::from_millis(45),
            clock: system_clock(),
        }
    }
}

impl Setup {
    /// Returns the start of the topics of API calls.
    pub(super) fn calls(&self) -> String {
        format!("{}/_CLIENTS/ZWAVE_GATEWAY-{}/api/", self.prefix, self.name)
    }
}
