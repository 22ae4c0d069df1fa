//! The one task that takes in what arrives, in the order in which it came, and hands it to the
//! session that it is about.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until};
use tracing::debug;

use super::Registry;
use super::bus::{Incoming, Message};
use super::protocol::topics::{Route, route};
use super::protocol::{events, payloads};
use super::session::{Session, Status};

/// What zwave-js-ui calls itself where nobody changed it (`docs/GATEWAY.md#settings`).
const DEFAULT_NAME: &str = "zwave-js-ui";

/// When a new connection has shown no gateway, the default one is asked; and again this often.
const FIRST_PROBE: std::time::Duration = std::time::Duration::from_millis(500);
const NEXT_PROBE: std::time::Duration = std::time::Duration::from_secs(5);

/// Runs until the bus ends or nobody uses the gateways any more.
pub async fn receive(registry: Arc<Registry>, mut incoming: Receiver<Incoming>) {
    let weak = Arc::downgrade(&registry);
    drop(registry);
    let mut probe_at = None;
    loop {
        let Some(probe) = weak
            .upgrade()
            .map(|registry| registry.next_probe(&mut probe_at))
        else {
            return;
        };
        let arrived = tokio::select! {
            arrived = incoming.recv() => match arrived {
                Some(arrived) => Some(arrived),
                None => return,
            },
            () = sleep_until(probe) => None,
        };
        let Some(registry) = weak.upgrade() else {
            return;
        };
        if let Some(arrived) = arrived {
            registry.take(arrived);
        }
    }
}

impl Registry {
    /// Asks for a gateway of the default name while none is known; when to do so again.
    fn next_probe(&self, probe_at: &mut Option<Instant>) -> Instant {
        let now = Instant::now();
        let unknown = self.sessions().is_empty();
        let Some(up) = self.connection.up_since().filter(|_| unknown) else {
            *probe_at = None;
            return now + NEXT_PROBE;
        };
        let at = *probe_at.get_or_insert(up + FIRST_PROBE);
        if at > now {
            return at;
        }
        // Its reply, whoever gets it, makes it known.
        let payload = json!({ "args": [] }).to_string().into_bytes();
        let sent = self.connection.request(DEFAULT_NAME, "getInfo", payload);
        if sent.is_err() {
            debug!("the bus shut before a gateway was found");
        }
        *probe_at = Some(now + NEXT_PROBE);
        now + NEXT_PROBE
    }

    fn take(&self, arrived: Incoming) {
        let at = Instant::now();
        match arrived {
            Incoming::Up => {
                self.connection.came_up(at);
                if self.connection.subscribe().is_err() {
                    debug!("the bus shut before everything was subscribed");
                }
                for session in self.sessions() {
                    session.connected(at);
                }
                self.connection.progressed();
            }
            Incoming::Down(reason) => {
                self.connection.went_down(reason);
                for session in self.sessions() {
                    session.disconnected();
                }
                self.connection.progressed();
            }
            Incoming::Message(message) => self.message(&message, at),
        }
    }

    fn message(&self, message: &Message, at: Instant) {
        let Message {
            topic,
            payload,
            retained,
        } = message;
        let retained = *retained;
        match route(&self.connection.settings.prefix, topic) {
            Route::GatewayStatus(name) => {
                // The broker says that it is gone, in its name.
                if let Some(alive) = payloads::alive(payload)
                    && let Some(session) = self.seen(name, at, retained || !alive)
                {
                    session.status(Status::Connected, alive, at, retained);
                }
            }
            Route::GatewayVersion(name) => {
                if let Some(session) = self.seen(name, at, retained).filter(|_| !retained) {
                    session.started(at);
                }
            }
            Route::DriverStatus => {
                if let Some(alive) = payloads::alive(payload) {
                    self.driver(alive, at, retained);
                }
            }
            // The reply to a probe is how a gateway without retained topics is found.
            Route::Reply(name, api) => {
                if let Some(session) = self.seen(name, at, retained) {
                    session.reply(api, payload, at);
                }
            }
            // It says nothing of whether there is such a gateway.
            Route::Request(name, api) => {
                if let Some(session) = self.session(name) {
                    session.request(api, payload);
                }
            }
            Route::Gateway(name) => {
                self.seen(name, at, retained);
            }
            // A retained one tells nothing of this life.
            Route::Event(name, event) => {
                if let Some(session) = self.seen(name, at, retained).filter(|_| !retained) {
                    session.event(events::event(event, payload), at);
                }
            }
            // A retained one was published before anything was read.
            Route::House(_) if !retained => {
                for session in self.sessions() {
                    session.changed();
                }
            }
            Route::House(_) | Route::Other => {}
        }
    }

    /// The session of a gateway that showed itself, unless others were asked for.
    fn seen(&self, name: &str, at: Instant, retained: bool) -> Option<Arc<Session>> {
        let session = match self.session(name) {
            Some(known) => known,
            None => self.found(name, at)?,
        };
        if !retained {
            session.heard(at);
        }
        Some(session)
    }

    /// `driver/status` does not say whose driver: with several gateways it only means that each of
    /// them has to be asked.
    fn driver(&self, alive: bool, at: Instant, retained: bool) {
        let sessions = self.sessions();
        match sessions.as_slice() {
            [only] if self.strangers().is_empty() => {
                only.status(Status::Driver, alive, at, retained);
            }
            several => {
                for session in several {
                    session.some_driver(at, retained);
                }
            }
        }
    }
}
