//! The connection to the broker, which every session shares: whether it is up, what is sent over
//! it, and who is told that something changed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;

use super::GatewaySettings;
use super::bus::{Bus, Outage, Outgoing, Shut};
use super::protocol::topics;
use super::trouble::Trouble;
use crate::home::model::ids::Timestamp;

/// The one connection.
pub struct BrokerConnection {
    /// How to find the gateways and how long to wait for them.
    pub settings: GatewaySettings,
    bus: Arc<dyn Bus>,
    state: Mutex<ConnectionState>,
    /// Sent on when anything changed that a look at the house shows.
    changes: watch::Sender<()>,
    /// Sent on when it may be worth no longer to wait: a reading ended, a gateway came or went.
    progress: watch::Sender<()>,
}

#[derive(Clone, Debug)]
struct ConnectionState {
    phase: Phase,
    /// How often it came up.
    number: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    Connecting,
    Up(Instant),
    Down(Outage),
}

impl BrokerConnection {
    /// A connection that is not up yet.
    pub fn new(bus: Arc<dyn Bus>, settings: GatewaySettings) -> Self {
        Self {
            settings,
            bus,
            state: Mutex::new(ConnectionState {
                phase: Phase::Connecting,
                number: 0,
            }),
            changes: watch::Sender::new(()),
            progress: watch::Sender::new(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It came up.
    pub fn came_up(&self, at: Instant) {
        let mut state = self.state();
        state.phase = Phase::Up(at);
        state.number += 1;
    }

    /// It broke, or was not made.
    pub fn went_down(&self, outage: Outage) {
        self.state().phase = Phase::Down(outage);
    }

    /// When it came up; none while it is not.
    pub fn up_since(&self) -> Option<Instant> {
        match self.state().phase {
            Phase::Up(since) => Some(since),
            Phase::Connecting | Phase::Down(_) => None,
        }
    }

    /// Whether the first attempt has neither succeeded nor failed.
    pub fn is_connecting(&self) -> bool {
        self.state().phase == Phase::Connecting
    }

    /// Which connection this is: what was sent over an earlier one may have been lost.
    pub fn number(&self) -> u64 {
        self.state().number
    }

    /// What is wrong with it, if anything.
    pub fn trouble(&self) -> Option<Trouble> {
        match &self.state().phase {
            Phase::Up(_) => None,
            Phase::Connecting => Some(self.connecting()),
            Phase::Down(outage) => Some(Trouble::Broker {
                address: outage.address.clone(),
                reason: outage.reason.clone(),
            }),
        }
    }

    /// What a bus that is shut means, also where its own message has not come yet.
    pub fn cut_off(&self) -> Trouble {
        self.trouble().unwrap_or_else(|| self.connecting())
    }

    fn connecting(&self) -> Trouble {
        Trouble::Connecting {
            address: self.bus.address(),
        }
    }

    /// What the clock on the wall says.
    pub fn now(&self) -> Timestamp {
        (self.settings.clock)()
    }

    /// Sends a request to a gateway.
    ///
    /// # Errors
    /// The bus is shut; nothing was sent.
    pub fn request(&self, gateway: &str, api: &str, payload: Vec<u8>) -> Result<(), Shut> {
        self.bus.publish(Outgoing {
            topic: topics::request(&self.settings.prefix, gateway, api),
            payload,
            retain: false,
            acknowledged: false,
        })
    }

    /// Subscribes to everything under the prefix: the statuses first, because they must not wait
    /// behind thousands of retained values.
    ///
    /// # Errors
    /// The bus is shut; its own message follows, and all of this starts again.
    pub fn subscribe(&self) -> Result<(), Shut> {
        let prefix = &self.settings.prefix;
        let mut filters = ["_CLIENTS/+/status", "driver/status", "#"].into_iter();
        filters.try_for_each(|filter| self.bus.subscribe(&format!("{prefix}/{filter}")))
    }

    /// Something changed that a look at the house shows.
    pub fn changed(&self) {
        self.changes.send_replace(());
    }

    /// Something changed that may end a wait.
    pub fn progressed(&self) {
        self.progress.send_replace(());
        self.changed();
    }

    /// Changes whenever anything that a look shows may have changed.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Changes whenever a wait may be over.
    pub fn progress(&self) -> watch::Receiver<()> {
        self.progress.subscribe()
    }
}
