//! One connection: the bytes, TLS around them where it is asked for, and MQTT 3.1.1's greeting.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rumqttc::{ConnAck, Connect, ConnectReturnCode, Packet, mqttbytes};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_util::bytes::BytesMut;

use super::prompt::Prompt;
use super::why::{self, Asked};
use super::{Broker, CONNECT_SECONDS, KEEP_ALIVE};
use crate::gateway::bus::Down;
use crate::gateway::tls::{self, TlsTrouble};

/// The largest packet MQTT allows: a `getNodes` reply of 4,000 nodes has about 100 MB.
const LARGEST_PACKET: usize = 268_435_455;

/// How much is read at once, at least.
const CHUNK: usize = 16 * 1024;

/// How long a connection attempt, and any single write, may take.
const LIMIT: Duration = Duration::from_secs(CONNECT_SECONDS);

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection that the broker has greeted.
pub struct Wire {
    stream: Box<dyn Stream>,
    /// What was read and is not taken yet.
    inbox: BytesMut,
    /// The last packet identifier that was given.
    last: u16,
}

impl Wire {
    /// Connects, encrypted where that is asked for, and logs in.
    pub async fn open(broker: &Broker) -> Result<Self, Down> {
        let opened = timeout(LIMIT, Self::greeted(broker)).await;
        opened.unwrap_or_else(|_| Err(Down::Unreachable(why::NO_ANSWER.to_owned())))
    }

    async fn greeted(broker: &Broker) -> Result<Self, Down> {
        let asked = Asked::of(broker);
        let unreachable = |error: io::Error| Down::Unreachable(why::said_by_system(&error));
        let tls = match broker.tls.clone() {
            // On a thread of its own: the trust store has hundreds of files on some systems.
            Some(tls) => Some(
                tokio::task::spawn_blocking(move || tls::client_config(&tls))
                    .await
                    .map_err(|panic| Down::Tls(TlsTrouble::Other(panic.to_string())))?
                    .map_err(Down::Tls)?,
            ),
            None => None,
        };
        // As a text, because an IPv6 address is kept in its brackets.
        let tcp = TcpStream::connect(format!("{}:{}", broker.host, broker.port));
        let tcp = tcp.await.map_err(unreachable)?;
        tcp.set_nodelay(true).map_err(unreachable)?;
        let tcp = Prompt(tcp);
        let stream: Box<dyn Stream> = match tls {
            None => Box::new(tcp),
            Some(config) => encrypted(tcp, config, broker, asked).await?,
        };
        let mut wire = Self {
            stream,
            inbox: BytesMut::new(),
            last: 0,
        };
        let greeting = wire.greet(broker).await;
        match greeting.map_err(|error| why::not_greeted(&error, asked))? {
            Packet::ConnAck(ConnAck { code, .. }) => match code {
                ConnectReturnCode::Success => Ok(wire),
                code => Err(why::refused(code, asked)),
            },
            packet => Err(why::not_greeted(&no_mqtt(format!("{packet:?}")), asked)),
        }
    }

    async fn greet(&mut self, broker: &Broker) -> io::Result<Packet> {
        let mut connect = Connect::new(&broker.client_id);
        connect.keep_alive = u16::try_from(KEEP_ALIVE.as_secs()).unwrap_or_default();
        if let Some((user, password)) = &broker.login {
            connect.set_login(user, password);
        }
        self.write([Packet::Connect(connect)]).await?;
        loop {
            if let Some(packet) = self.taken()? {
                return Ok(packet);
            }
            self.read().await?;
        }
    }

    /// Waits for bytes. Safe to be cancelled.
    pub async fn read(&mut self) -> io::Result<()> {
        self.inbox.reserve(CHUNK);
        match self.stream.read_buf(&mut self.inbox).await? {
            0 => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the connection was closed",
            )),
            _ => Ok(()),
        }
    }

    /// The next packet of what was read, if it is there whole.
    pub fn taken(&mut self) -> io::Result<Option<Packet>> {
        let before = self.inbox.len();
        match Packet::read(&mut self.inbox, LARGEST_PACKET) {
            Ok(packet) => {
                if before - self.inbox.len() > CHUNK {
                    // The room of a large packet must not be kept once the packet is gone.
                    self.inbox = BytesMut::from(&*self.inbox);
                }
                Ok(Some(packet))
            }
            Err(mqttbytes::Error::InsufficientBytes(missing)) => {
                self.inbox.reserve(missing);
                Ok(None)
            }
            Err(error) => Err(no_mqtt(error)),
        }
    }

    /// Sends packets, as one write; gives an identifier to those that need one.
    pub async fn write(&mut self, packets: impl IntoIterator<Item = Packet>) -> io::Result<()> {
        let mut bytes = BytesMut::new();
        for mut packet in packets {
            match &mut packet {
                Packet::Publish(publish) if publish.qos != rumqttc::QoS::AtMostOnce => {
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
) -> Result<Box<dyn Stream>, Down> {
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
