//! The one task that takes in what arrives, in the order in which it came, and hands it to the
//! session that it is about.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until};
use tokio_util::bytes::{Bytes, BytesMut};
use tracing::debug;

use super::Registry;
use super::bus::{Incoming, LargeMessage, Message};
use super::protocol::nodes::{NodesReader, NodesReply};
use super::protocol::topics::{DEFAULT_NAME, Route, route};
use super::protocol::{events, payloads};
use super::session::{Session, Status};

/// When a new connection has shown no gateway, the default one is asked; and again this often.
const FIRST_PROBE: std::time::Duration = std::time::Duration::from_millis(500);
const NEXT_PROBE: std::time::Duration = std::time::Duration::from_secs(5);

/// A large message that is neither nodes nor below this size is looked at by its topic alone.
const MAX_COLLECTED: usize = 16 * 1024 * 1024;

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
        match arrived {
            Some(Incoming::Large(large)) => registry.large(large).await,
            Some(arrived) => registry.take(arrived),
            None => {}
        }
    }
}

/// Collects a large message; none where the connection ended before it was whole.
async fn collect(mut large: LargeMessage) -> Option<Message> {
    let mut payload = BytesMut::with_capacity(large.length);
    while let Some(part) = large.parts.recv().await {
        payload.extend_from_slice(&part);
    }
    (payload.len() == large.length).then(|| Message {
        topic: large.topic,
        payload: payload.freeze(),
        retained: large.retained,
    })
}

/// Reads a `getNodes` reply as it arrives; none where it can't be read.
async fn read_nodes(mut large: LargeMessage) -> Option<NodesReply> {
    let mut reader = NodesReader::default();
    while let Some(part) = large.parts.recv().await {
        reader.feed(&part);
    }
    reader.finish()
}

impl Registry {
    /// Asks the rumours, and a gateway of the default name while none is known; when to do so again.
    fn next_probe(&self, probe_at: &mut Option<Instant>) -> Instant {
        let now = Instant::now();
        let rumours = self.ask_rumours(now);
        let default = self.next_default_probe(probe_at, now);
        rumours.map_or(default, |rumours| rumours.min(default))
    }

    /// Asks the rumours that are due; when to do so again.
    fn ask_rumours(&self, now: Instant) -> Option<Instant> {
        self.connection.up_since()?;
        let (batch, due) = {
            let mut known = self.known();
            (known.rumours.next_batch(now), known.rumours.due())
        };
        for name in batch {
            self.ask_whether_there(&name);
        }
        due
    }

    /// Asks for a sign of life. Its reply, whoever gets it, makes a gateway known, and its network.
    pub(super) fn ask_whether_there(&self, gateway: &str) {
        let payload = json!({ "args": [] }).to_string().into_bytes();
        if self
            .connection
            .request(gateway, "getInfo", payload)
            .is_err()
        {
            debug!("the bus shut before a gateway was found");
        }
    }

    fn next_default_probe(&self, probe_at: &mut Option<Instant>, now: Instant) -> Instant {
        let unknown = self.sessions().is_empty();
        let Some(up) = self.connection.up_since().filter(|_| unknown) else {
            *probe_at = None;
            return now + NEXT_PROBE;
        };
        let at = *probe_at.get_or_insert(up + FIRST_PROBE);
        if at > now {
            return at;
        }
        self.ask_whether_there(DEFAULT_NAME);
        *probe_at = Some(now + NEXT_PROBE);
        now + NEXT_PROBE
    }

    fn take(self: &Arc<Self>, arrived: Incoming) {
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
                let mut known = self.known();
                known.rumours.reconnected(at);
                known.driver = None;
                drop(known);
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
            // Taken in as it arrives.
            Incoming::Large(_) => {}
            // Calls wait for replies as ever, and say that none came.
            Incoming::Refused => {}
        }
    }

    /// Takes in a large message when all of it has come. Nothing else comes on the connection meanwhile.
    async fn large(self: &Arc<Self>, large: LargeMessage) {
        let (topic, retained) = (large.topic.clone(), large.retained);
        let message = |payload| Message {
            topic: topic.clone(),
            payload,
            retained,
        };
        match route(&self.connection.settings.prefix, &topic) {
            Route::Reply(name, "getNodes") => {
                let wanted = self
                    .session(name)
                    .is_some_and(|session| session.is_read_from());
                if wanted && let Some(reply) = read_nodes(large).await {
                    let at = Instant::now();
                    if let Some(session) = self.seen(name, at, retained) {
                        session.nodes_reply(reply, at);
                    }
                } else {
                    self.seen(name, Instant::now(), retained);
                }
            }
            Route::Reply(..) | Route::Event(..) if large.length <= MAX_COLLECTED => {
                if let Some(message) = collect(large).await {
                    self.message(&message, Instant::now());
                }
            }
            // What it is about is said by its topic.
            _ => self.message(&message(Bytes::new()), Instant::now()),
        }
    }

    fn message(self: &Arc<Self>, message: &Message, at: Instant) {
        let Message {
            topic,
            payload,
            retained,
        } = message;
        let retained = *retained;
        match route(&self.connection.settings.prefix, topic) {
            Route::GatewayStatus(name) => {
                // The broker says that it is gone, in its name.
                if let Some(alive) = payloads::alive(payload) {
                    match self.seen(name, at, retained || !alive) {
                        Some(session) => session.status(Status::Connected, alive, at, retained),
                        None => self.add_rumour(name, Some(alive), at),
                    }
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
                    if api == "getInfo" && !retained {
                        self.told_its_network(&session, payload);
                    }
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

    /// The session of a gateway that said something, unless others were asked for. What is retained
    /// makes an unknown one a rumour.
    fn seen(&self, name: &str, at: Instant, retained: bool) -> Option<Arc<Session>> {
        let session = match self.session(name) {
            Some(known) => known,
            None if retained => {
                self.add_rumour(name, None, at);
                return None;
            }
            None => self.found(name, at)?,
        };
        if !retained {
            session.heard(at);
        }
        Some(session)
    }

    fn add_rumour(&self, name: &str, online: Option<bool>, at: Instant) {
        if !name.is_empty() && !self.is_stranger(name) {
            self.known().rumours.add(name, online, at);
            self.connection.progressed();
        }
    }

    /// A gateway told which Z-Wave network it has. Another one that had the same network is asked
    /// whether it is still there: a gateway that is given another name leaves the old one behind.
    fn told_its_network(self: &Arc<Self>, session: &Arc<Session>, payload: &[u8]) {
        let Some(home) = payloads::home(payload) else {
            return;
        };
        if session.set_home(home) {
            return;
        }
        let named = !self.connection.settings.gateways.is_empty();
        for other in self.sessions() {
            if named || Arc::ptr_eq(&other, session) || other.home() != Some(home) {
                continue;
            }
            let registry = Arc::clone(self);
            tokio::spawn(async move {
                if other.is_gone().await {
                    registry.drop_renamed(&other, Instant::now());
                }
            });
        }
    }

    /// `driver/status` does not say whose driver: with several gateways it only means that each of
    /// them has to be asked.
    fn driver(&self, alive: bool, at: Instant, retained: bool) {
        let sessions = self.sessions();
        self.known().driver = Some(alive);
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
