//! What stands between a call and the house.

use std::time::Duration;

use super::bus::Down;

/// Why the house can't be reached. What to say about it is the protocol face's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The broker can't be reached, or refused.
    Broker {
        /// Host and port as people see them; without user info.
        address: String,
        /// Why.
        reason: Down,
    },
    /// The first connection to the broker is not made yet.
    Connecting {
        /// Host and port as people see them; without user info.
        address: String,
    },
    /// No gateway was found under the prefix.
    NoGateway {
        /// The prefix.
        prefix: String,
    },
    /// No gateway answers; several are known by a retained status alone.
    OnlyRumours {
        /// Their names.
        gateways: Vec<String>,
    },
    /// The gateway is not connected to the broker.
    GatewayOffline {
        /// Its name.
        gateway: String,
        /// For how long, where that was seen.
        since: Option<Duration>,
    },
    /// The gateway runs, but its Z-Wave driver does not.
    DriverNotReady {
        /// The gateway's name.
        gateway: String,
        /// For how long, where that was seen.
        since: Option<Duration>,
    },
    /// The gateway does not answer.
    GatewaySilent {
        /// Its name.
        gateway: String,
        /// Others that are there, and that were not asked for.
        others: Vec<String>,
    },
    /// No gateway's nodes were read yet.
    StillReading,
    /// What a command is for changes again and again while it is understood.
    Changing,
    /// The gateway answers, but did not tell its nodes in time, or not in a way that can be read.
    NodesUnread {
        /// Its name.
        gateway: String,
    },
}

impl Trouble {
    /// The same without for how long it has been so.
    #[must_use]
    pub fn undated(&self) -> Self {
        let mut undated = self.clone();
        if let Self::GatewayOffline { since, .. } | Self::DriverNotReady { since, .. } =
            &mut undated
        {
            *since = None;
        }
        undated
    }
}
