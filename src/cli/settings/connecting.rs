//! Turns settings into a connection to the brokers, and into settings for the gateways.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::{BrokerSettings, Settings};
use crate::gateway::bus::End;
use crate::gateway::{GatewaySettings, memory, mqtt, system_clock, system_zone};
use crate::simulator::{Setup, Simulation, demo_house};

/// Returns a random number, different in each process.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Connects to a cluster's brokers in turn, as a client with this id. Must be called in a tokio
/// runtime.
pub fn connect(brokers: &[BrokerSettings], client_id: &str) -> End {
    let brokers = brokers.iter().cloned().map(|broker| mqtt::Broker {
        host: broker.host,
        port: broker.port,
        login: broker.login,
        tls: broker.tls,
        client_id: client_id.to_owned(),
        seed: random(),
    });
    mqtt::connect(brokers.collect())
}

impl Settings {
    /// Connects to these brokers as the server of a process does, or to the demo house if there are
    /// none. Must be called in a tokio runtime.
    pub fn connect(&self, brokers: &[BrokerSettings], process: u64) -> End {
        if !brokers.is_empty() {
            return connect(brokers, &format!("zwave-mcp-{process:016x}"));
        }
        let (near, far) = memory::pair();
        Simulation::start(far, self.simulated("demo"), demo_house());
        near
    }

    /// Returns the settings for the gateways that a process serves.
    pub fn gateway_settings(&self, process: u64) -> GatewaySettings {
        GatewaySettings {
            prefix: self.prefix.clone(),
            gateways: self.gateways.clone(),
            exposure: self.exposure.clone(),
            reply_timeout: self.reply_timeout,
            confirm_timeout: self.confirm_timeout,
            clock: system_clock(),
            zone: system_zone(),
            process,
        }
    }

    /// Returns the setup of a simulated gateway under the prefix.
    pub fn simulated(&self, name: &str) -> Setup {
        Setup {
            prefix: self.prefix.clone(),
            name: name.to_owned(),
            events: true,
            ..Setup::default()
        }
    }
}
