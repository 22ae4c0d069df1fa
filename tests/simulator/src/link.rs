//! The link between a simulated gateway and the broker. It simulates faulty replies, a frozen process and a
//! slow connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::gateway::bus::{Bus, End, Incoming, Message, NotSent, Outgoing};

use super::Simulation;

/// The maximum number of waiting messages. No test reaches it.
const QUEUE_CAPACITY: usize = 1 << 20;

/// A fault in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The reply is never sent.
    Drop,
    /// The reply is sent late, with its original content, and other replies may overtake it.
    Delay(Duration),
    /// The reply is sent twice.
    Double,
    /// The reply is cut off in the middle.
    Garble,
    /// The reply is followed by this text.
    Trail(&'static str),
    /// The reply begins with a byte order mark.
    Mark,
    /// The reply is in UTF-16.
    Utf16,
}

/// Faults of replies, by the name of an API; `*` is any API. The first match counts.
#[derive(Clone, Debug, Default)]
pub struct Faults(pub Vec<(&'static str, Fault)>);

impl Simulation {
    /// Sets the faults of the gateway's later replies.
    pub fn set_faults(&self, faults: Faults) {
        self.testing.link.state().faults = faults;
    }

    /// Freezes the gateway's process, as SIGSTOP does: the broker does not notice, requests queue up, and
    /// nothing is published. A command that is already on the air reaches its device.
    pub fn freeze(&self) {
        self.testing.link.state().is_frozen = true;
    }

    /// Lets the frozen process continue: the process publishes the waiting messages, and serves the requests
    /// that queued up, in order.
    pub fn thaw(&self) {
        self.testing.link.thaw();
    }

    /// Returns how many requests wait for a frozen gateway.
    pub fn held_requests(&self) -> usize {
        self.testing.link.state().held.len()
    }

    /// Limits the link from the gateway to the broker to this many bytes per second; each message waits for
    /// the earlier ones. `None` removes the limit.
    pub fn set_link(&self, bytes_per_second: Option<u64>) {
        self.testing.link.state().bytes_per_second = bytes_per_second;
    }

    /// Makes the broker deliver each message to the gateway twice, as some brokers do if two subscriptions
    /// match the message (MQTT 3.1.1, section 3.3.5).
    pub fn set_delivered_twice(&self, twice: bool) {
        self.testing.link.state().delivered_twice = twice;
    }
}

pub(super) struct Link {
    /// The broker's side.
    pub(super) bus: Arc<dyn Bus>,
    /// The prefix of reply topics.
    reply_prefix: String,
    /// The messages that wait to be sent, each with the `life` of its process.
    outbox: Sender<(CancellationToken, Outgoing)>,
    /// Notified when a frozen process continues or dies.
    thawed: Notify,
    state: Mutex<LinkState>,
}

#[derive(Default)]
struct LinkState {
    faults: Faults,
    is_frozen: bool,
    /// The requests that wait to be delivered to the process.
    held: Vec<Message>,
    /// The limit of the link from the gateway to the broker, if any.
    bytes_per_second: Option<u64>,
    /// The number of messages in the outbox, including the one that is being sent.
    outbox_length: usize,
    /// True if each message to the gateway arrives twice.
    delivered_twice: bool,
    /// Cancelled when the current process dies.
    life: CancellationToken,
}

/// Puts a link between a gateway and the broker; the returned end is the gateway's side.
pub(super) fn insert(end: End, reply_prefix: String) -> (Arc<Link>, End) {
    let (outbox, outbox_receiver) = mpsc::channel(QUEUE_CAPACITY);
    let (sender, incoming) = mpsc::channel(QUEUE_CAPACITY);
    let link = Arc::new(Link {
        bus: end.bus,
        reply_prefix,
        outbox,
        thawed: Notify::new(),
        state: Mutex::default(),
    });
    tokio::spawn(drain(Arc::downgrade(&link), outbox_receiver));
    tokio::spawn(deliver(Arc::clone(&link), end.incoming, sender));
    let bus = Arc::new(GatewaySide(Arc::clone(&link)));
    (link, End { bus, incoming })
}

/// The gateway's side of a link.
struct GatewaySide(Arc<Link>);

impl Bus for GatewaySide {
    fn publish(&self, message: Outgoing) -> Result<(), NotSent> {
        let Self(link) = self;
        match message.topic.strip_prefix(&link.reply_prefix) {
            Some(api) => {
                let Faults(faults) = link.state().faults.clone();
                let fault = faults.iter().find(|(name, _)| *name == api || *name == "*");
                link.reply(message, fault.map(|(_, fault)| *fault))
            }
            None => link.send(message),
        }
    }

    fn subscribe(&self, filter: &str) -> Result<(), NotSent> {
        self.0.bus.subscribe(filter)
    }

    fn address(&self) -> String {
        self.0.bus.address()
    }
}

impl Link {
    fn state(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the process has died. Drops the waiting requests and messages.
    pub(super) fn note_death(&self) {
        let mut state = self.state();
        state.held.clear();
        std::mem::take(&mut state.life).cancel();
        drop(state);
        self.thaw();
    }

    /// Connects a process that was cut off. The requests that came meanwhile are lost.
    pub(super) fn reconnect(&self) {
        self.state().held.clear();
        self.thaw();
    }

    fn thaw(&self) {
        self.state().is_frozen = false;
        self.thawed.notify_waiters();
    }

    fn reply(self: &Arc<Self>, mut message: Outgoing, fault: Option<Fault>) -> Result<(), NotSent> {
        match fault {
            Some(Fault::Drop) => return Ok(()),
            Some(Fault::Delay(time)) => {
                let (link, life) = (Arc::clone(self), self.state().life.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        () = sleep(time) => if link.send(message).is_err() {
                            tracing::debug!("the simulated gateway can't reply");
                        },
                        () = life.cancelled() => {}
                    }
                });
                return Ok(());
            }
            Some(Fault::Garble) => message.payload.truncate(message.payload.len() / 2),
            Some(Fault::Trail(text)) => message.payload.extend_from_slice(text.as_bytes()),
            Some(Fault::Mark) => {
                message.payload.splice(0..0, "\u{feff}".bytes());
            }
            Some(Fault::Utf16) => {
                let text = String::from_utf8_lossy(&message.payload);
                message.payload = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            }
            Some(Fault::Double) => self.send(message.clone())?,
            None => {}
        }
        self.send(message)
    }

    /// Sends a message, after the waiting ones if there are any.
    fn send(&self, message: Outgoing) -> Result<(), NotSent> {
        {
            let mut state = self.state();
            if state.is_frozen || state.bytes_per_second.is_some() || state.outbox_length > 0 {
                let entry = (state.life.clone(), message);
                self.outbox.try_send(entry).map_err(|_| NotSent)?;
                state.outbox_length += 1;
                return Ok(());
            }
        }
        self.bus.publish(message)
    }

    async fn wait_until_thawed(&self) {
        loop {
            let thawed = self.thawed.notified();
            if !self.state().is_frozen {
                return;
            }
            thawed.await;
        }
    }
}

/// Sends the waiting messages of living processes in order, for as long as the simulation exists.
async fn drain(link: Weak<Link>, mut outbox: Receiver<(CancellationToken, Outgoing)>) {
    while let Some((life, message)) = outbox.recv().await {
        let Some(link) = link.upgrade() else {
            return;
        };
        let bytes_per_second = link.state().bytes_per_second;
        if let Some(bytes_per_second) = bytes_per_second {
            let bytes = message.topic.len() + message.payload.len();
            sleep(Duration::from_secs_f64(
                bytes as f64 / bytes_per_second.max(1) as f64,
            ))
            .await;
        }
        link.wait_until_thawed().await;
        if !life.is_cancelled() && link.bus.publish(message).is_err() {
            tracing::debug!("the simulated gateway is not connected");
        }
        link.state().outbox_length -= 1;
    }
}

/// Delivers arriving messages. A frozen process gets them when it continues. Each message waits in `held`
/// until a round of the loop in which the process is not frozen.
async fn deliver(link: Arc<Link>, mut from: Receiver<Incoming>, to: Sender<Incoming>) {
    loop {
        // Created before the check, so that no notification is missed.
        let thawed = link.thawed.notified();
        let released = {
            let mut state = link.state();
            if state.is_frozen {
                Vec::new()
            } else {
                std::mem::take(&mut state.held)
            }
        };
        for message in released {
            if to.send(Incoming::Message(message)).await.is_err() {
                return;
            }
        }
        tokio::select! {
            biased;
            () = thawed => {}
            incoming = from.recv() => match incoming {
                Some(Incoming::Message(message)) => {
                    let mut state = link.state();
                    if state.delivered_twice {
                        state.held.push(message.clone());
                    }
                    state.held.push(message);
                }
                Some(report) => if to.send(report).await.is_err() {
                    return;
                },
                None => return,
            },
        }
    }
}
