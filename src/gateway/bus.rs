//! The bus: an MQTT connection, reduced to what the gateways need.
//!
//! There are two implementations: [`super::mqtt`] for a real broker and [`super::memory`] for tests and the
//! demo house. The other modules do not know which one they use.

use std::sync::Arc;

use serde_json::Value as Json;
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
    /// True if the broker should keep the message for new subscribers.
    pub retain: bool,
    /// True for QoS 1, false for QoS 0. Requests use QoS 0, because they must not be delivered twice. Also,
    /// the acknowledgement of QoS 1 would delay the gateway's reply by 40 ms (`docs/dev/GATEWAY.md#timing`).
    pub acknowledged: bool,
}

impl Outgoing {
    /// Makes a message that is neither retained nor acknowledged.
    pub fn once(topic: String, payload: &Json) -> Self {
        Self {
            topic,
            payload: payload.to_string().into_bytes(),
            retain: false,
            acknowledged: false,
        }
    }
}

/// A message that was received.
#[derive(Clone, Debug)]
pub struct Message {
    /// The topic.
    pub topic: String,
    /// The payload.
    pub payload: Bytes,
    /// True if the broker had stored the message before we subscribed. The message may be old, or about
    /// something that no longer exists.
    pub retained: bool,
}

/// A large message, whose payload is received in parts, such as the `getNodes` reply of a large house.
#[derive(Debug)]
pub struct LargeMessage {
    /// The topic.
    pub topic: String,
    /// True if the broker had stored the message before we subscribed.
    pub retained: bool,
    /// The length of the payload, in bytes.
    pub length: usize,
    /// The parts of the payload, as they arrive. They end early if the connection ends. Nothing else is
    /// received until all parts have been taken, or this receiver is dropped.
    pub parts: Receiver<Bytes>,
}

/// A report of the bus. Reports come in the order in which things happen.
#[derive(Debug)]
pub enum Incoming {
    /// Connected. Nothing is subscribed yet, and messages published before are lost.
    Up,
    /// The broker refused a subscription, so the messages on its topics will never arrive.
    Refused,
    /// Not connected. The bus keeps trying to connect.
    Down(Outage),
    /// A message on a subscribed topic.
    Message(Message),
    /// A large message on a subscribed topic. It may be dropped unread.
    Large(LargeMessage),
}

/// A connection that was lost, or could not be established.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The broker's address, as shown to people: without user info.
    pub address: String,
    /// The reason.
    pub reason: Down,
}

/// The reason why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Down {
    /// The broker was not reached, or it refused us for a reason other than the login.
    Unreachable(String),
    /// The other end sent no CONNACK: it sent something else, or closed the connection. A broker that expects
    /// TLS reacts like this.
    NotGreeted,
    /// TLS failed.
    Tls(TlsTrouble),
    /// The broker requires a user name and a password, and we have none.
    LoginMissing,
    /// The broker did not accept the user name and password.
    LoginRefused,
    /// The connection was lost.
    Lost(String),
}

/// Nothing was sent, and nothing will be sent later, because the bus is not connected or its queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not connected to the MQTT broker; nothing was sent")]
pub struct NotSent;

/// The sending side of the bus. No method blocks.
pub trait Bus: Send + Sync {
    /// Publishes a message.
    ///
    /// # Errors
    /// Fails if nothing was sent.
    fn publish(&self, message: Outgoing) -> Result<(), NotSent>;

    /// Subscribes to a topic filter, with QoS 0, for this connection only.
    ///
    /// # Errors
    /// Fails if nothing was sent.
    fn subscribe(&self, filter: &str) -> Result<(), NotSent>;

    /// Returns the address of the broker that we use or try, as shown to people: without user info.
    fn address(&self) -> String;
}

/// One end of the bus: its sending and its receiving side. Dropping the receiving side ends the connection.
pub struct End {
    /// The sending side.
    pub bus: Arc<dyn Bus>,
    /// The receiving side.
    pub incoming: Receiver<Incoming>,
}
