//! The bus: one end of an MQTT connection, as little of it as is needed.
//!
//! There are two makers: [`super::mqtt`] for a real broker and [`super::memory`] for tests and the
//! demo house. Nothing above knows which one it got.

use std::sync::Arc;

use tokio::sync::mpsc::Receiver;
use tokio_util::bytes::Bytes;

use super::tls::TlsTrouble;

/// A message to publish.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The topic; no wildcards.
    pub topic: String,
    /// The payload.
    pub payload: Vec<u8>,
    /// Whether the broker keeps it for later subscribers.
    pub retain: bool,
    /// QoS 1 instead of 0. Requests are QoS 0: they must not be delivered twice, and the
    /// gateway's acknowledgement of QoS 1 delays its reply by 40 ms (`docs/GATEWAY.md#timing`).
    pub acknowledged: bool,
}

/// A message that came.
#[derive(Clone, Debug)]
pub struct Message {
    /// The topic.
    pub topic: String,
    /// The payload.
    pub payload: Bytes,
    /// The broker had kept it from before the subscription: it may be old, or be about something
    /// that no longer exists.
    pub retained: bool,
}

/// A message that is too large to be kept whole, such as a house of many nodes.
#[derive(Debug)]
pub struct LargeMessage {
    /// The topic.
    pub topic: String,
    /// The broker had kept it from before the subscription.
    pub retained: bool,
    /// How many bytes the payload has.
    pub length: usize,
    /// The payload, in parts as they arrive. It ends early where the connection does. Nothing else is
    /// received until all of it was taken, or this is dropped.
    pub parts: Receiver<Bytes>,
}

/// What the bus reports, in the order it happened.
#[derive(Debug)]
pub enum Incoming {
    /// Connected; nothing is subscribed yet, and whatever was missed is lost.
    Up,
    /// The broker refused a subscription; what it would have delivered is never heard of.
    Refused,
    /// Not connected; it tries again by itself.
    Down(Outage),
    /// A message on a subscribed topic.
    Message(Message),
    /// A large message on a subscribed topic. Whoever reads none of its kind just drops it.
    Large(LargeMessage),
}

/// A connection that broke, or was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The broker that it is about, as people see it; without user info.
    pub address: String,
    /// Why.
    pub reason: Down,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Down {
    /// The broker was not reached.
    Unreachable(String),
    /// What answers hung up, or said what is no MQTT, before its greeting. A broker that expects
    /// TLS does.
    NotGreeted,
    /// TLS did not come about.
    Tls(TlsTrouble),
    /// The broker lets nobody in without a user name and a password.
    LoginMissing,
    /// The broker did not accept the user name and password.
    LoginRefused,
    /// The connection broke.
    Lost(String),
}

/// The bus is not connected: nothing was sent, and nothing will be sent later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shut;

impl std::fmt::Display for Shut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not connected to the MQTT broker; nothing was sent")
    }
}

impl std::error::Error for Shut {}

/// One end of the bus. No call ever waits.
pub trait Bus: Send + Sync {
    /// Publishes, or says that nothing was sent.
    fn publish(&self, message: Outgoing) -> Result<(), Shut>;

    /// Subscribes to a topic filter, with QoS 0, for this connection only.
    fn subscribe(&self, filter: &str) -> Result<(), Shut>;

    /// The broker at its other end, or the one that is tried now, as people see it; without user
    /// info.
    fn address(&self) -> String;
}

/// An end of the bus together with what arrives at it. Dropping the receiver ends the connection.
pub struct End {
    /// For sending.
    pub bus: Arc<dyn Bus>,
    /// For receiving.
    pub incoming: Receiver<Incoming>,
}
