//! The bus over a real broker. Uses rumqttc's packets, but not its event loop, which gives no control
//! over the socket.
//!
//! Each connection has its own queue, which is created at the broker's CONNACK and dropped at the first error.
//! So nothing that was queued is sent after a reconnect: a garage must not open minutes late.

pub mod backoff;
mod look_up;
mod quick_ack;
mod why;
mod wire;

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rumqttc::{Packet, PubAck, PubComp, PubRec, Publish, QoS, Subscribe, SubscribeReasonCode};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use tracing::{debug, info, warn};

use super::bus::{Bus, Down, End, Incoming, LargeMessage, Message, NotSent, Outage, Outgoing};
use super::tls::Tls;
use crate::lock::lock;
use backoff::Backoff;
pub use look_up::look_up;
pub use why::{NO_ANSWER, describe_error};
use wire::{PacketReader, PacketWriter, Taken, Wire};

/// A broker's address, and our credentials. The password is sent only to the broker.
#[derive(Clone, PartialEq, Eq)]
pub struct Broker {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password.
    pub login: Option<(String, String)>,
    /// The settings for TLS; if none, plain MQTT.
    pub tls: Option<Tls>,
    /// The client id. It must be unique: a broker drops a client when another one connects with the same id. It also
    /// makes our reconnect delays differ from other clients'.
    pub client_id: String,
}

/// The maximum length of each of two queues. One queue has messages that wait to be written. If it is full,
/// further messages are refused. The other has received messages that wait to be processed. If it is full,
/// further messages wait in the socket and at the broker.
const MAX_QUEUED: usize = 4096;

/// The maximum number of parts of a large message that wait to be processed.
const MAX_PARTS: usize = 2;

/// The maximum number of packets that are written at once.
const MAX_BATCH: usize = 64;

/// The interval between pings. A broker that stalls is given up within two intervals plus `UNREAD_GRACE`.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The time to read packets that have already arrived, before a silent broker is given up.
const UNREAD_GRACE: Duration = Duration::from_millis(200);

/// A connection that held this long was a good one: if it breaks, the delays start over.
const MIN_UPTIME: Duration = Duration::from_secs(10);

/// The maximum time for a connection attempt, and for any single write.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

impl Broker {
    /// Returns host and port, as shown to people.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Returns the address of one of several brokers, as shown to people.
    fn address_of_one(&self, brokers: usize) -> String {
        match brokers {
            1 => self.address(),
            _ => format!("{} (one of {brokers}, tried in turn)", self.address()),
        }
    }

    /// Returns true if we have a client certificate for the broker.
    fn has_identity(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.identity.is_some())
    }
}

/// Connects to the brokers of a cluster in turn, one at a time, until one accepts. When the connection
/// is lost, goes on with the next broker. Ends when the receiver is dropped. Must be called in a tokio runtime.
pub fn connect(brokers: Vec<Broker>) -> End {
    let (sender, incoming) = mpsc::channel(MAX_QUEUED);
    let bus = Arc::new(MqttBus::default());
    if let Some(first) = brokers.first() {
        lock(&bus.0).address = first.address_of_one(brokers.len());
    }
    tokio::spawn(stay_connected(brokers, Arc::clone(&bus), sender));
    End { bus, incoming }
}

/// The sending side, across connections.
#[derive(Default)]
struct MqttBus(Mutex<BusState>);

#[derive(Default)]
struct BusState {
    /// The queue of the current connection, if one is up.
    queue: Option<Sender<Packet>>,
    /// The address of the broker, as shown to people.
    address: String,
}

impl MqttBus {
    fn send(&self, packet: Packet) -> Result<(), NotSent> {
        let state = lock(&self.0);
        state.queue.as_ref().ok_or(NotSent)?.try_send(packet).map_err(|_| NotSent)
    }
}

impl Bus for MqttBus {
    fn publish(&self, message: Outgoing) -> Result<(), NotSent> {
        let qos = if message.acknowledged {
            QoS::AtLeastOnce
        } else {
            QoS::AtMostOnce
        };
        let mut publish = Publish::new(message.topic, qos, message.payload);
        publish.retain = message.retain;
        self.send(Packet::Publish(publish))
    }

    fn subscribe(&self, filter: &str) -> Result<(), NotSent> {
        self.send(Packet::Subscribe(Subscribe::new(filter, QoS::AtMostOnce)))
    }

    fn address(&self) -> String {
        lock(&self.0).address.clone()
    }
}

async fn stay_connected(brokers: Vec<Broker>, bus: Arc<MqttBus>, sender: Sender<Incoming>) {
    let mut seed = DefaultHasher::new();
    brokers.first().map(|broker| &broker.client_id).hash(&mut seed);
    let mut backoff = Backoff::new(brokers.len(), seed.finish());
    for broker in brokers.iter().cycle() {
        if sender.is_closed() {
            return;
        }
        let address = broker.address_of_one(brokers.len());
        lock(&bus.0).address.clone_from(&address);
        // The connection has its own task, so that a panic in the library counts as a lost connection.
        let started = Instant::now();
        let connection = run_connection(broker.clone(), Arc::clone(&bus), sender.clone());
        let ended = tokio::spawn(connection).await;
        // After a panic, the queue is still set if the connection was up.
        let has_queue = lock(&bus.0).queue.take().is_some();
        let (was_up, reason) = match ended {
            Ok(Some(ended)) => ended,
            Ok(None) => return,
            Err(panic) => (has_queue, Down::Lost(panic.to_string())),
        };
        // A broker that hangs up after each greeting counts as one that fails.
        if was_up && started.elapsed() >= MIN_UPTIME {
            backoff.reset();
        } else {
            backoff.count_failure();
        }
        if backoff.is_first_failure_of_broker() {
            warn!(%address, ?reason, "no connection to the MQTT broker; retrying");
        } else {
            debug!(%address, ?reason, "no connection to the MQTT broker again");
        }
        // A lost connection is reported at once, but a failed attempt only if it ends a round. During a round,
        // calls wait for the next broker.
        if (was_up || backoff.is_between_rounds())
            && sender.send(Incoming::Down(Outage { address, reason })).await.is_err()
        {
            return;
        }
        sleep(backoff.next_delay()).await;
    }
}

/// Runs one connection to its end. Returns whether the connection was up, and why it ended; `None` if the
/// receiver of the reports was dropped.
async fn run_connection(
    broker: Broker,
    bus: Arc<MqttBus>,
    sender: Sender<Incoming>,
) -> Option<(bool, Down)> {
    let opened = tokio::select! {
        opened = Wire::open(&broker) => opened,
        () = sender.closed() => return None,
    };
    let mut wire = match opened {
        Ok(wire) => wire,
        Err(reason) => return Some((false, reason)),
    };
    info!(address = bus.address(), "connected to the MQTT broker");
    let (queue, queued) = mpsc::channel(MAX_QUEUED);
    lock(&bus.0).queue = Some(queue.clone());
    sender.send(Incoming::Up).await.ok()?;
    let Wire { reader, writer } = &mut wire;
    let was_heard = AtomicBool::new(true);
    let Err(error) = tokio::select! {
        ended = receive(reader, &queue, &was_heard, &sender) => ended,
        ended = transmit(writer, queued) => ended,
        ended = keep_alive(&queue, &was_heard) => ended,
        () = sender.closed() => return None,
    };
    // From now on, sending must fail instead of queueing.
    lock(&bus.0).queue = None;
    wire.abandon();
    Some((true, Down::Lost(describe_error(&error))))
}

/// Forwards what arrives, until the connection ends.
async fn receive(
    reader: &mut PacketReader,
    queue: &Sender<Packet>,
    was_heard: &AtomicBool,
    sender: &Sender<Incoming>,
) -> io::Result<Infallible> {
    // The channel for the remaining parts of the large message that is being read.
    let mut large_parts = None;
    loop {
        // First take what is in the buffer: packets may have come along with the CONNACK.
        while let Some(taken) = reader.take()? {
            // Sending a report fails if the receiver was dropped. Then the connection is about to end.
            match taken {
                Taken::Packet(packet) => {
                    acknowledge(&packet, queue).await?;
                    if let Some(incoming) = report_of(packet) {
                        let _ = sender.send(incoming).await;
                    }
                }
                Taken::Head(head, length) => {
                    let (part_sender, parts) = mpsc::channel(MAX_PARTS);
                    large_parts = Some(part_sender);
                    let message = LargeMessage {
                        topic: head.topic.clone(),
                        retained: head.retain,
                        length,
                        parts,
                    };
                    let _ = sender.send(Incoming::Large(message)).await;
                    acknowledge(&Packet::Publish(head), queue).await?;
                }
                Taken::Part(part, is_last) => {
                    if let Some(part_sender) = &large_parts {
                        // Fails if the receiver has dropped the message.
                        let _ = part_sender.send(part).await;
                    }
                    if is_last {
                        large_parts = None;
                    }
                }
            }
            // Passing on a message may have waited for room in the queue, and nothing was read meanwhile.
            // That must not look like a silent broker.
            was_heard.store(true, Relaxed);
        }
        reader.read().await?;
        was_heard.store(true, Relaxed);
    }
}

/// Returns the bus's report of a packet, if there is one.
fn report_of(packet: Packet) -> Option<Incoming> {
    match packet {
        Packet::Publish(publish) => Some(Incoming::Message(Message {
            topic: publish.topic,
            payload: publish.payload,
            retained: publish.retain,
        })),
        Packet::SubAck(answer) if answer.return_codes.contains(&SubscribeReasonCode::Failure) => {
            warn!("the MQTT broker refused a subscription; `doctor` says which right is missing");
            Some(Incoming::Refused)
        }
        _ => None,
    }
}

/// Queues the acknowledgement that a packet needs, if any.
async fn acknowledge(packet: &Packet, queue: &Sender<Packet>) -> io::Result<()> {
    if let Some(answer) = acknowledgement_of(packet) {
        queue.send(answer).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
    }
    Ok(())
}

/// Returns the acknowledgement that a packet needs. We subscribe with QoS 0, but a broker can be
/// configured to deliver with a higher QoS (MQTT 3.1.1, section 4.3). It stops delivering if we acknowledge
/// nothing.
fn acknowledgement_of(packet: &Packet) -> Option<Packet> {
    match packet {
        Packet::Publish(publish) => match publish.qos {
            QoS::AtMostOnce => None,
            QoS::AtLeastOnce => Some(Packet::PubAck(PubAck::new(publish.pkid))),
            QoS::ExactlyOnce => Some(Packet::PubRec(PubRec::new(publish.pkid))),
        },
        Packet::PubRel(release) => Some(Packet::PubComp(PubComp::new(release.pkid))),
        _ => None,
    }
}

/// Writes what is queued, until the connection ends.
async fn transmit(
    writer: &mut PacketWriter,
    mut queued: Receiver<Packet>,
) -> io::Result<Infallible> {
    let mut batch = Vec::new();
    while queued.recv_many(&mut batch, MAX_BATCH).await > 0 {
        writer.write(batch.drain(..)).await?;
    }
    Err(io::ErrorKind::BrokenPipe.into())
}

/// Sends pings until the broker has been silent for too long.
async fn keep_alive(queue: &Sender<Packet>, was_heard: &AtomicBool) -> io::Result<Infallible> {
    let mut ticks = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    // Ticks that were missed while this program was suspended must not follow in quick succession. That would
    // make the broker look silent.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if !was_heard.swap(false, Relaxed) {
            // Packets that arrived while this program was suspended must be read first.
            sleep(UNREAD_GRACE).await;
            if !was_heard.swap(false, Relaxed) {
                return Err(io::Error::other("the broker does not answer any more"));
            }
        }
        // If the queue is full, the ping is dropped. A broker that accepts no data makes `transmit` fail.
        let _ = queue.try_send(Packet::PingReq);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/gateway/mqtt.rs"]
mod tests;
