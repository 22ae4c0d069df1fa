//! One connection: the bytes, TLS around them where it is asked for, and MQTT 3.1.1's greeting.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rumqttc::{ConnAck, Connect, Packet, QoS, mqttbytes};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_util::bytes::BytesMut;

use super::prompt::{BrokerStream, Prompt};
use super::why::{self, Asked};
use super::{Broker, CONNECT_SECONDS, KEEP_ALIVE, look_up};
use crate::gateway::bus::Down;
use crate::gateway::tls::{self, TlsTrouble};

/// The largest packet MQTT allows: a `getNodes` reply of 4,000 nodes has about 100 MB.
const LARGEST_PACKET: usize = 268_435_455;

/// A large packet gets so much room, of which only what it fills costs memory. Allocators give room of
/// this size back to the system at once; glibc's keeps what is smaller for the next packet, once it
/// has seen one (`M_MMAP_THRESHOLD`, mallopt(3)).
const OWN_PAGES: usize = 33 * 1024 * 1024;

/// The room for what is read.
const CHUNK: usize = 16 * 1024;

/// How long a connection attempt, and any single write, may take.
const LIMIT: Duration = Duration::from_secs(CONNECT_SECONDS);

/// A connection that the broker has greeted.
pub struct Wire {
    /// What comes.
    pub reader: PacketReader,
    /// What goes.
    pub writer: PacketWriter,
}

/// The side that reads.
pub struct PacketReader {
    stream: ReadHalf<Box<dyn BrokerStream>>,
    /// What was read and is not taken yet.
    inbox: BytesMut,
}

/// The side that writes.
pub struct PacketWriter {
    stream: WriteHalf<Box<dyn BrokerStream>>,
    /// The last packet identifier that was given.
    last: u16,
}

impl Wire {
    /// Connects, encrypted where that is asked for, and logs in.
    pub async fn open(broker: &Broker) -> Result<Self, Down> {
        // Before the clock runs: a slow trust store is not the broker's fault.
        let config = match broker.tls.clone() {
            // On a thread of its own: the trust store has hundreds of files on some systems.
            Some(tls) => Some(
                tokio::task::spawn_blocking(move || tls::client_config(&tls))
                    .await
                    .map_err(|panic| Down::Tls(TlsTrouble::Other(panic.to_string())))?
                    .map_err(Down::Tls)?,
            ),
            None => None,
        };
        let limit = Instant::now() + LIMIT;
        // As a text, because an IPv6 address is kept in its brackets.
        let addresses = look_up(&format!("{}:{}", broker.host, broker.port)).await;
        let addresses = addresses.map_err(Down::Unreachable)?;
        let greeted = timeout_at(limit, Self::greeted(broker, &addresses, config)).await;
        greeted.unwrap_or_else(|_| Err(Down::Unreachable(why::NO_ANSWER.to_owned())))
    }

    fn on(stream: Box<dyn BrokerStream>) -> Self {
        let (reader, writer) = split(stream);
        Self {
            reader: PacketReader {
                stream: reader,
                inbox: BytesMut::with_capacity(CHUNK),
            },
            writer: PacketWriter {
                stream: writer,
                last: 0,
            },
        }
    }

    async fn greeted(
        broker: &Broker,
        addresses: &[SocketAddr],
        config: Option<Arc<ClientConfig>>,
    ) -> Result<Self, Down> {
        let asked = Asked::of(broker);
        let unreachable = |error: io::Error| Down::Unreachable(why::said_by_system(&error));
        let tcp = TcpStream::connect(addresses).await.map_err(unreachable)?;
        tcp.set_nodelay(true).map_err(unreachable)?;
        let stream: Box<dyn BrokerStream> = match config {
            None => Box::new(Prompt(tcp)),
            Some(config) => encrypted(Prompt(tcp), config, broker, asked).await?,
        };
        let mut wire = Self::on(stream);
        let greeting = wire.greet(broker).await;
        match greeting.map_err(|error| why::not_greeted(&error, asked))? {
            Packet::ConnAck(ConnAck { code, .. }) => match why::refused(code, asked) {
                None => Ok(wire),
                Some(refused) => Err(refused),
            },
            _ => Err(why::not_greeted(&no_mqtt("no greeting"), asked)),
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
            if let Some(packet) = self.reader.taken()? {
                return Ok(packet);
            }
            self.reader.read().await?;
        }
    }

    /// Ends a connection that failed. What the system has not delivered yet is thrown away: it would
    /// go on trying, and a command must not arrive minutes later.
    pub fn abandon(self) {
        self.reader.stream.unsplit(self.writer.stream).abandon();
    }
}

impl PacketReader {
    /// Waits for bytes. Safe to be cancelled.
    pub async fn read(&mut self) -> io::Result<()> {
        // Only when it is full: messages that wait to be looked at keep the room that they came in.
        if self.inbox.len() == self.inbox.capacity() {
            self.inbox.reserve(CHUNK);
        }
        match self.stream.read_buf(&mut self.inbox).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// The next packet of what was read, if it is there whole.
    pub fn taken(&mut self) -> io::Result<Option<Packet>> {
        let before = self.inbox.len();
        match Packet::read(&mut self.inbox, LARGEST_PACKET) {
            Ok(packet) => {
                let rest = self.inbox.len();
                if before - rest > CHUNK {
                    // The room of a large packet must not be kept once the packet is gone.
                    let mut inbox = BytesMut::with_capacity(CHUNK.max(rest));
                    inbox.extend_from_slice(&self.inbox);
                    self.inbox = inbox;
                }
                Ok(Some(packet))
            }
            Err(mqttbytes::Error::InsufficientBytes(missing)) => {
                let room = if missing > CHUNK {
                    missing.max(OWN_PAGES)
                } else {
                    missing
                };
                self.inbox.reserve(room);
                Ok(None)
            }
            Err(error) => Err(no_mqtt(format!("the broker sent what is no MQTT: {error}"))),
        }
    }
}

impl PacketWriter {
    /// Sends packets, as one write; gives an identifier to those that need one.
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
            packet
                .write(&mut bytes, LARGEST_PACKET)
                .map_err(io::Error::other)?;
        }
        let written = timeout(LIMIT, async {
            self.stream.write_all(&bytes).await?;
            self.stream.flush().await
        });
        written
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the broker takes nothing any more")))
    }

    /// Never 0 (MQTT 3.1.1, section 2.3.1).
    fn next_identifier(&mut self) -> u16 {
        self.last = self.last.checked_add(1).unwrap_or(1);
        self.last
    }
}

async fn encrypted(
    tcp: Prompt,
    config: Arc<ClientConfig>,
    broker: &Broker,
    asked: Asked,
) -> Result<Box<dyn BrokerStream>, Down> {
    let name = ServerName::try_from(broker.host.clone())
        .map_err(|error| Down::Tls(TlsTrouble::Other(error.to_string())))?;
    match TlsConnector::from(config).connect(name, tcp).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) => Err(Down::Tls(why::handshake(&error, asked))),
    }
}

fn no_mqtt(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rumqttc::Publish;
    use tokio::io::DuplexStream;

    use super::*;

    impl BrokerStream for DuplexStream {
        fn abandon(&self) {}
    }

    async fn next(reader: &mut PacketReader) -> io::Result<Packet> {
        loop {
            if let Some(packet) = reader.taken()? {
                return Ok(packet);
            }
            reader.read().await?;
        }
    }

    /// What comes out of a wire that takes so many bytes at a time.
    async fn carried(payloads: &[Vec<u8>], bytes: usize) -> Vec<Vec<u8>> {
        let (near, far) = tokio::io::duplex(bytes);
        let (mut near, mut far) = (Wire::on(Box::new(near)), Wire::on(Box::new(far)));
        let publish = |payload: &Vec<u8>| {
            Packet::Publish(Publish::new("a/b", QoS::AtLeastOnce, payload.clone()))
        };
        let written = near.writer.write(payloads.iter().map(publish));
        let read = async {
            let mut all = Vec::new();
            for pkid in 1..=payloads.len() {
                match next(&mut far.reader).await.unwrap() {
                    Packet::Publish(publish) => {
                        assert_eq!(usize::from(publish.pkid), pkid);
                        all.push(publish.payload.to_vec());
                    }
                    packet => panic!("{packet:?}"),
                }
            }
            all
        };
        let (written, read) = tokio::join!(written, read);
        written.unwrap();
        read
    }

    proptest! {
        #[test]
        fn packets_come_whole_and_in_order_however_they_are_cut(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..20),
            large in prop::option::of(CHUNK..5 * CHUNK),
            bytes in 1..2000_usize,
        ) {
            let mut payloads = payloads;
            if let Some(large) = large {
                payloads.insert(payloads.len() / 2, vec![7; large]);
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            prop_assert_eq!(runtime.block_on(carried(&payloads, bytes)), payloads);
        }

        #[test]
        fn what_is_no_mqtt_is_an_error_and_never_more(noise: Vec<u8>) {
            let (near, far) = tokio::io::duplex(1 << 16);
            let mut far = Wire::on(Box::new(far));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let mut near = near;
                near.write_all(&noise).await.unwrap();
                drop(near);
                while next(&mut far.reader).await.is_ok() {}
            });
        }
    }
}
