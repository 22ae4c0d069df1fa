//! The bus: one end of an MQTT connection, as little of it as is needed.
//!
//! There are two implementations: [`super::mqtt`] for a real broker and [`super::memory`] for tests and the
//! demo house. Nothing above knows which one it got.

use std::sync::Arc;

use thiserror::Error;
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
    /// True if the broker is to keep it for later subscribers.
    pub retain: bool,
    /// QoS 1 instead of 0. Requests are QoS 0: they must not be delivered twice, and the
    /// gateway's acknowledgement of QoS 1 delays its reply by 40 ms (`docs/GATEWAY.md#timing`).
    pub acknowledged: bool,
}

/// A message that was received.
#[derive(Clone, Debug)]
pub struct Message {
    /// The topic.
    pub topic: String,
    /// The payload.
    pub payload: Bytes,
    /// True if the broker had kept it from before the subscription: it may be old, or about something
    /// that no longer exists.
    pub retained: bool,
}

/// A message that is too large to be held whole, such as a house of many nodes.
#[derive(Debug)]
pub struct LargeMessage {
    /// The topic.
    pub topic: String,
    /// True if the broker had kept it from before the subscription.
    pub retained: bool,
    /// The length of the payload, in bytes.
    pub length: usize,
    /// The payload, in parts as they arrive. It ends early if the connection does. Nothing else is
    /// received until all parts have been taken, or this is dropped.
    pub parts: Receiver<Bytes>,
}

/// A report of the bus. Reports come in the order in which things happened.
#[derive(Debug)]
pub enum Incoming {
    /// Connected; nothing is subscribed yet, and whatever was missed is lost.
    Up,
    /// The broker refused a subscription, so its messages will never arrive.
    Refused,
    /// Not connected; it tries again by itself.
    Down(Outage),
    /// A message on a subscribed topic.
    Message(Message),
    /// A large message on a subscribed topic. A reader that has no use for it can just drop it.
    Large(LargeMessage),
}

/// A connection that broke, or could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The broker's address, in a form to show to people: without user info.
    pub address: String,
    /// The reason.
    pub reason: Down,
}

/// The reason why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Down {
    /// The broker was not reached.
    Unreachable(String),
    /// The other end hung up, or sent something other than MQTT, before any greeting. A broker that
    /// expects TLS does that.
    NotGreeted,
    /// TLS could not be set up.
    Tls(TlsTrouble),
    /// The broker lets nobody in without a user name and a password.
    LoginMissing,
    /// The broker did not accept the user name and password.
    LoginRefused,
    /// The connection broke.
    Lost(String),
}

/// Nothing was sent, and nothing will be sent later: the bus is not connected, or its queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not connected to the MQTT broker; nothing was sent")]
pub struct NotSent;

/// One end of the bus. No call ever waits.
pub trait Bus: Send + Sync {
    /// Publishes a message; fails if nothing was sent.
    fn publish(&self, message: Outgoing) -> Result<(), NotSent>;

    /// Subscribes to a topic filter, with QoS 0, for this connection only.
    fn subscribe(&self, filter: &str) -> Result<(), NotSent>;

    /// Returns the address of the broker at the other end, or of the one being tried now, in a form to
    /// show to people: without user info.
    fn address(&self) -> String;
}

/// An end of the bus together with what arrives at it. Dropping the receiver ends the connection.
pub struct End {
    /// The sending side.
    pub bus: Arc<dyn Bus>,
    /// The receiving side.
    pub incoming: Receiver<Incoming>,
}
