//! What `doctor` checks, and what a check finds.

/// What is checked, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The broker's name has an address.
    Name,
    /// Something listens there.
    Tcp,
    /// It proves who it is.
    Tls,
    /// It lets us in.
    Login,
    /// A zwave-js-ui publishes under the prefix.
    Prefix,
    /// The gateways are connected and answer.
    Gateway,
    /// Their Z-Wave drivers run.
    Driver,
    /// There is something to list.
    Devices,
    /// What of it opens something. Never wrong.
    Guarded,
    /// Changes arrive.
    Values,
    /// zwave-js-ui is set up as recommended. Never wrong: there are hints at most.
    Settings,
}

impl Check {
    /// Every check, in order.
    pub const ALL: [Self; 11] = [
        Self::Name,
        Self::Tcp,
        Self::Tls,
        Self::Login,
        Self::Prefix,
        Self::Gateway,
        Self::Driver,
        Self::Devices,
        Self::Guarded,
        Self::Values,
        Self::Settings,
    ];

    /// What it is called in JSON, and for people.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Name => ("name", "Broker name"),
            Self::Tcp => ("tcp", "TCP"),
            Self::Tls => ("tls", "TLS"),
            Self::Login => ("login", "MQTT login"),
            Self::Prefix => ("prefix", "Prefix"),
            Self::Gateway => ("gateway", "Gateway"),
            Self::Driver => ("driver", "Driver"),
            Self::Devices => ("devices", "Devices"),
            Self::Guarded => ("guarded", "Guarded"),
            Self::Values => ("values", "Values"),
            Self::Settings => ("settings", "zwave-js-ui's settings"),
        }
    }
}

/// What a check found, and what the next ones need of it; where something is wrong, what to do.
pub type Finding<T> = Result<(String, T), String>;
