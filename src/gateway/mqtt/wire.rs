//! One connection: the socket, TLS if configured, and the packets of MQTT 3.1.1.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rumqttc::{ConnAck, Connect, Packet, Publish, QoS, mqttbytes};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_util::bytes::{Buf, Bytes, BytesMut};

use super::quick_ack::{BrokerStream, QuickAckStream};
use super::why;
use super::{Broker, CONNECT_TIMEOUT, KEEP_ALIVE, look_up};
use crate::gateway::bus::Down;
use crate::gateway::tls::{self, TlsTrouble};

/// MQTT's maximum length of a packet (section 2.2.3). A `getNodes` reply of 4,000 nodes has about 100 MB.
const MAX_PACKET: usize = 268_435_455;

/// If at least this many bytes of a message are still missing, the message is passed on in parts.
const LARGE: usize = 256 * 1024;

/// The size of a read buffer.
const CHUNK: usize = 16 * 1024;

/// The size of a read buffer for the parts of a large message.
const LARGE_CHUNK: usize = 64 * 1024;

/// A connection that the broker has accepted.
pub struct Wire {
    /// The reading side.
    pub reader: PacketReader,
    /// The writing side.
    pub writer: PacketWriter,
}

/// The reading side of a connection.
pub struct PacketReader {
    stream: ReadHalf<Box<dyn BrokerStream>>,
    /// The bytes that were read but not yet taken.
    inbox: BytesMut,
    /// How many payload bytes of the current large message are yet to be taken.
    payload_left: usize,
}

/// A packet from a [`PacketReader`], or a piece of a large message.
#[derive(Debug, PartialEq)]
pub enum Taken {
    /// A packet.
    Packet(Packet),
    /// The head of a large message, without its payload, and the payload's length.
    Head(Publish, usize),
    /// The next part of a large message's payload, and whether it is the last.
    Part(Bytes, bool),
}

/// The writing side of a connection.
pub struct PacketWriter {
    stream: WriteHalf<Box<dyn BrokerStream>>,
    /// The packet identifier that was used last.
    last_id: u16,
}

impl Wire {
    /// Connects, with TLS if configured, and logs in.
    pub async fn open(broker: &Broker) -> Result<Self, Down> {
        // Done before the time limit starts, because a slow trust store is not the broker's fault.
        let config = match broker.tls.clone() {
            // Runs on a thread for blocking code, because some trust stores have hundreds of files.
            Some(tls) => Some(
                tokio::task::spawn_blocking(move || tls::client_config(&tls))
                    .await
                    .map_err(|panic| Down::Tls(TlsTrouble::Other(panic.to_string())))?
                    .map_err(Down::Tls)?,
            ),
            None => None,
        };
        let limit = Instant::now() + CONNECT_TIMEOUT;
        // An IPv6 address in `broker.host` has brackets. A lookup accepts them only in a `host:port` string.
        let addresses = look_up(&format!("{}:{}", broker.host, broker.port))
            .await
            .map_err(Down::Unreachable)?;
        let connected = timeout_at(limit, Self::connect(broker, &addresses, config)).await;
        connected.unwrap_or_else(|_| Err(Down::Unreachable(why::NO_ANSWER.to_owned())))
    }

    fn new(stream: Box<dyn BrokerStream>) -> Self {
        let (reader, writer) = split(stream);
        Self {
            reader: PacketReader {
                stream: reader,
                inbox: BytesMut::with_capacity(CHUNK),
                payload_left: 0,
            },
            writer: PacketWriter {
                stream: writer,
                last_id: 0,
            },
        }
    }

    async fn connect(
        broker: &Broker,
        addresses: &[SocketAddr],
        config: Option<Arc<ClientConfig>>,
    ) -> Result<Self, Down> {
        let unreachable = |error: io::Error| Down::Unreachable(why::describe_error(&error));
        let tcp = TcpStream::connect(addresses).await.map_err(unreachable)?;
        tcp.set_nodelay(true).map_err(unreachable)?;
        let stream: Box<dyn BrokerStream> = match config {
            None => Box::new(QuickAckStream(tcp)),
            Some(config) => encrypt(QuickAckStream(tcp), config, broker).await?,
        };
        let mut wire = Self::new(stream);
        let greeting = wire.greet(broker).await;
        match greeting.map_err(|error| why::explain_missing_greeting(&error, broker))? {
            Packet::ConnAck(ConnAck { code, .. }) => match why::explain_refusal(code, broker) {
                None => Ok(wire),
                Some(refused) => Err(refused),
            },
            _ => Err(why::explain_missing_greeting(
                &not_mqtt("no greeting"),
                broker,
            )),
        }
    }

    async fn greet(&mut self, broker: &Broker) -> io::Result<Packet> {
        let mut connect = Connect::new(&broker.client_id);
        connect.keep_alive = u16::try_from(KEEP_ALIVE.as_secs()).unwrap_or_default();
        if let Some((user, password)) = &broker.login {
            connect.set_login(user, password);
        }
        self.writer.write([Packet::Connect(connect)]).await?;
        loop {
            // A CONNACK of MQTT 3.1.1 has two bytes behind its head. One of MQTT 5 has properties, too.
            if let [0x20, 3..=u8::MAX, ..] = *self.reader.inbox {
                return Err(io::ErrorKind::Unsupported.into());
            }
            match self.reader.take()? {
                Some(Taken::Packet(packet)) => return Ok(packet),
                Some(_) => return Err(not_mqtt("a message instead of a greeting")),
                None => self.reader.read().await?,
            }
        }
    }

    /// Closes a failed connection, and discards what the system has not delivered yet. Otherwise, the system
    /// would keep trying, and a command could arrive minutes later.
    pub fn abandon(self) {
        self.reader.stream.unsplit(self.writer.stream).discard_on_drop();
    }
}

impl PacketReader {
    /// Waits for bytes, and adds them to the buffer. Cancel safe.
    pub async fn read(&mut self) -> io::Result<()> {
        // The buffer is replaced only when full, so that messages share it. A queued message keeps its whole
        // buffer alive, however short the message is.
        if self.inbox.len() == self.inbox.capacity() {
            self.inbox.reserve(if self.payload_left > 0 {
                LARGE_CHUNK
            } else {
                CHUNK
            });
        }
        match self.stream.read_buf(&mut self.inbox).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Returns the next packet, if it has been read completely. A large message is returned as its head
    /// and then the parts of its payload.
    pub fn take(&mut self) -> io::Result<Option<Taken>> {
        if self.payload_left > 0 {
            return Ok(self.take_part());
        }
        match Packet::read(&mut self.inbox, MAX_PACKET) {
            Ok(packet) => Ok(Some(Taken::Packet(packet))),
            Err(mqttbytes::Error::InsufficientBytes(missing)) if missing < LARGE => {
                self.inbox.reserve(missing);
                Ok(None)
            }
            Err(mqttbytes::Error::InsufficientBytes(missing)) => self.take_head(missing),
            Err(error) => Err(malformed_packet(&error)),
        }
    }

    /// Takes the head of a large message, if the head has been read completely. `missing` is the number of
    /// bytes of the message that have not arrived yet.
    fn take_head(&mut self, missing: usize) -> io::Result<Option<Taken>> {
        let Some(head) = head_of(&self.inbox) else {
            return Ok(None);
        };
        if head.type_and_flags >> 4 != PUBLISH {
            return Err(not_mqtt("a packet that is too large for its kind"));
        }
        let topic = str::from_utf8(head.topic)
            .map_err(|_| malformed_packet(&mqttbytes::Error::TopicNotUtf8))?;
        let qos = mqttbytes::qos(head.type_and_flags >> 1 & 0b11);
        let qos = qos.map_err(|error| malformed_packet(&error))?;
        let mut publish = Publish::new(topic, qos, Vec::new());
        publish.retain = head.type_and_flags & 1 == 1;
        publish.pkid = head.identifier;
        self.inbox.advance(head.length);
        self.payload_left = self.inbox.len() + missing;
        Ok(Some(Taken::Head(publish, self.payload_left)))
    }

    fn take_part(&mut self) -> Option<Taken> {
        if self.inbox.is_empty() {
            return None;
        }
        let part = self.inbox.split_to(self.inbox.len().min(self.payload_left));
        self.payload_left -= part.len();
        Some(Taken::Part(part.freeze(), self.payload_left == 0))
    }
}

impl PacketWriter {
    /// Writes packets together. Assigns an identifier to each packet that needs one.
    pub async fn write(&mut self, packets: impl IntoIterator<Item = Packet>) -> io::Result<()> {
        let mut bytes = BytesMut::new();
        for mut packet in packets {
            match &mut packet {
                Packet::Publish(publish) if publish.qos != QoS::AtMostOnce => {
                    publish.pkid = self.next_identifier();
                }
                Packet::Subscribe(subscribe) => subscribe.pkid = self.next_identifier(),
                _ => {}
            }
            packet.write(&mut bytes, MAX_PACKET).map_err(io::Error::other)?;
        }
        let written = timeout(CONNECT_TIMEOUT, async {
            self.stream.write_all(&bytes).await?;
            self.stream.flush().await
        });
        written
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the broker no longer accepts data")))
    }

    /// Returns the next packet identifier, which is never 0 (MQTT 3.1.1, section 2.3.1).
    fn next_identifier(&mut self) -> u16 {
        self.last_id = self.last_id.checked_add(1).unwrap_or(1);
        self.last_id
    }
}

async fn encrypt(
    tcp: QuickAckStream,
    config: Arc<ClientConfig>,
    broker: &Broker,
) -> Result<Box<dyn BrokerStream>, Down> {
    let name = ServerName::try_from(broker.host.clone())
        .map_err(|error| Down::Tls(TlsTrouble::Other(error.to_string())))?;
    match TlsConnector::from(config).connect(name, tcp).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) => Err(Down::Tls(why::explain_handshake(&error, broker))),
    }
}

fn malformed_packet(error: &mqttbytes::Error) -> io::Error {
    not_mqtt(format!(
        "the broker sent something that is not MQTT: {error}"
    ))
}

fn not_mqtt(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The type of a PUBLISH packet, in the upper half of its first byte.
const PUBLISH: u8 = 3;

/// The head of a PUBLISH packet (MQTT 3.1.1, section 3.3): everything before the payload.
struct Head<'a> {
    /// The packet's first byte.
    type_and_flags: u8,
    topic: &'a [u8],
    /// The packet identifier; 0 with QoS 0.
    identifier: u16,
    /// The length of the head.
    length: usize,
}

/// Reads the head of a packet as if it were a PUBLISH; returns `None` if the head is incomplete.
fn head_of(bytes: &[u8]) -> Option<Head<'_>> {
    let (type_and_flags, rest) = bytes.split_first()?;
    // In the last byte of the packet's length, the highest bit is 0.
    let length_bytes = 1 + rest.iter().position(|byte| byte & 0x80 == 0)?;
    let (topic_length, rest) = rest.get(length_bytes..)?.split_first_chunk()?;
    let (topic, rest) = rest.split_at_checked(u16::from_be_bytes(*topic_length).into())?;
    // Only a packet with a QoS above 0 has an identifier.
    let has_identifier = type_and_flags & 0b110 != 0;
    let identifier = if has_identifier {
        *rest.first_chunk()?
    } else {
        [0, 0]
    };
    Some(Head {
        type_and_flags: *type_and_flags,
        topic,
        identifier: u16::from_be_bytes(identifier),
        length: 1 + length_bytes + 2 + topic.len() + 2 * usize::from(has_identifier),
    })
}

#[cfg(test)]
#[path = "../../../tests/unit/gateway/mqtt/wire.rs"]
mod tests;
