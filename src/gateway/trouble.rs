//! Troubles that keep a call from reading or controlling the house.

use std::time::Duration;

use super::bus::Outage;

/// The reason why the house can't be read or controlled. `mcp::wording` turns it into a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The broker can't be reached, or refused the connection.
    Broker(Outage),
    /// There is no connection to the broker yet, and no attempt has failed.
    Connecting {
        /// Host and port, as shown to people: without user info.
        address: String,
    },
    /// No gateway was found under the prefix.
    NoGateway {
        /// The prefix.
        prefix: String,
    },
    /// No gateway answers, but retained messages name several (see [`super::network`]).
    OnlyUnconfirmed {
        /// Their names.
        gateways: Vec<String>,
    },
    /// The gateway is not connected to the broker.
    GatewayOffline {
        /// Its name.
        gateway: String,
        /// How long it has been offline, if we saw it go offline.
        since: Option<Duration>,
    },
    /// The gateway runs, but its Z-Wave driver does not.
    DriverNotReady {
        /// The gateway's name.
        gateway: String,
        /// How long the driver has been down, if we saw it go down.
        since: Option<Duration>,
    },
    /// The gateway does not answer.
    GatewaySilent {
        /// Its name.
        gateway: String,
        /// Other gateways that were found, but that this server is set not to use.
        others: Vec<String>,
    },
    /// Two gateways with different networks use one name, so a command would reach both.
    NameShared {
        /// The name.
        gateway: String,
    },
    /// No gateway's nodes have been read yet.
    StillReading,
    /// The target of a command keeps changing while the command is being resolved.
    Changing,
    /// The gateway answers, but its nodes did not arrive in time or can't be read.
    NodesUnread {
        /// Its name.
        gateway: String,
    },
}

impl Trouble {
    /// Returns the trouble with a silent gateway. Leaves `others` empty.
    pub(super) fn silent(gateway: String) -> Self {
        let others = Vec::new();
        Self::GatewaySilent { gateway, others }
    }

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
