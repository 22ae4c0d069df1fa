//! Troubles that stand between a call and the house.

use std::time::Duration;

use super::bus::Down;

/// The reason why the house can't be reached. The protocol face words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The broker can't be reached, or refused.
    Broker {
        /// Host and port as people see them; without user info.
        address: String,
        /// The reason.
        reason: Down,
    },
    /// There is no connection to the broker, and no attempt to make one has failed yet.
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
        /// The time since then, if it was seen.
        since: Option<Duration>,
    },
    /// The gateway runs, but its Z-Wave driver does not.
    DriverNotReady {
        /// The gateway's name.
        gateway: String,
        /// The time since then, if it was seen.
        since: Option<Duration>,
    },
    /// The gateway does not answer.
    GatewaySilent {
        /// Its name.
        gateway: String,
        /// Others that are there, but are not served.
        others: Vec<String>,
    },
    /// No gateway's nodes were read yet.
    StillReading,
    /// The target of a command changes again and again while the command is understood.
    Changing,
    /// The gateway answers, but did not send its nodes in time, or they can't be read.
    NodesUnread {
        /// Its name.
        gateway: String,
    },
}

impl Trouble {
    /// Returns the trouble without its duration.
    #[must_use]
    pub fn without_duration(&self) -> Self {
        let mut undated = self.clone();
        if let Self::GatewayOffline { since, .. } | Self::DriverNotReady { since, .. } =
            &mut undated
        {
            *since = None;
        }
        undated
    }
}
