//! The bus over a real broker, on rumqttc's packets but without its event loop, which gives no control
//! over the socket.
//!
//! Every connection has a queue of its own. A queue dies with its connection, so nothing that was
//! queued goes out when the connection is back: a garage must not open minutes late. The gate is open
//! exactly while this queue exists: from the broker's greeting to the first error.

mod backoff;
mod look_up;
mod quick_ack;
mod why;
mod wire;

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rumqttc::{Packet, PubAck, PubComp, PubRec, Publish, QoS, Subscribe, SubscribeReasonCode};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use tracing::{debug, info, warn};

use super::bus::{Bus, Down, End, Incoming, LargeMessage, Message, NotSent, Outage, Outgoing};
use super::tls::Tls;
use backoff::Backoff;
pub use look_up::look_up;
pub use why::{NO_ANSWER, word_error};
use wire::{PacketReader, PacketWriter, Taken, Wire};

/// A broker's address, and our credentials. The password is given to nobody but the broker.
#[derive(Clone)]
pub struct Broker {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password.
    pub login: Option<(String, String)>,
    /// The settings for TLS; if none, plain MQTT.
    pub tls: Option<Tls>,
    /// The client id; must differ from every other client's, or the two throw each other out.
    pub client_id: String,
    /// A random number, for delays that differ from other clients'.
    pub seed: u64,
}

/// The maximum number of messages that wait to be written to the socket, and of received ones that wait
/// to be taken in. Further received ones wait in the socket and at the broker.
const QUEUE: usize = 4096;

/// The maximum number of parts of a large message that wait to be taken in.
const PARTS: usize = 2;

/// The maximum number of packets that are written at once.
const BATCH: usize = 64;

/// The interval at which a sign of life is asked for; a broker that stalls is noticed within two.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The extra time to listen before a silent broker is given up.
const LAST_LOOK: Duration = Duration::from_millis(200);

/// The maximum time for a connection attempt, and for any single write, in seconds.
pub const CONNECT_SECONDS: u64 = 5;

impl Broker {
    /// Returns host and port, to show to people, who may have given several brokers.
    fn address(&self, among: usize) -> String {
        let Self { host, port, .. } = self;
        if among > 1 {
            format!("{host}:{port} (one of {among}, tried in turn)")
        } else {
            format!("{host}:{port}")
        }
    }

    /// Returns true if we show the broker a client certificate.
    fn is_identified(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.identity.is_some())
    }
}

/// Connects to the first of a cluster's brokers that lets us in, to the next one when it is lost, and
/// so on until the receiver is dropped; never to two at once. Must be called in a tokio runtime.
pub fn connect(brokers: Vec<Broker>) -> End {
    let (sender, incoming) = mpsc::channel(QUEUE);
    let gate = Arc::new(Gate::default());
    if let Some(first) = brokers.first() {
        gate.set_address(first.address(brokers.len()));
    }
    tokio::spawn(stay_connected(brokers, Arc::clone(&gate), sender));
    End {
        bus: gate,
        incoming,
    }
}

/// The way to the broker.
#[derive(Default)]
struct Gate {
    /// The queue of the present connection, if one is up.
    queue: Mutex<Option<Sender<Packet>>>,
    /// The address of the broker, to show to people.
    address: Mutex<String>,
}

impl Gate {
    fn open(&self, queue: Sender<Packet>) {
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner) = Some(queue);
    }

    /// Closes it. Returns true if it was open.
    fn shut(&self) -> bool {
        let mut open = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        open.take().is_some()
    }

    fn set_address(&self, address: String) {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }

    fn send(&self, packet: Packet) -> Result<(), NotSent> {
        let open = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = open.as_ref().ok_or(NotSent)?;
        queue.try_send(packet).map_err(|_| NotSent)
    }
}

impl Bus for Gate {
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
        let address = self.address.lock();
        address.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn stay_connected(brokers: Vec<Broker>, gate: Arc<Gate>, sender: Sender<Incoming>) {
    let seed = brokers.first().map_or(0, |broker| broker.seed);
    let mut backoff = Backoff::new(brokers.len(), seed);
    for broker in brokers.iter().cycle() {
        if sender.is_closed() {
            return;
        }
        let address = broker.address(brokers.len());
        gate.set_address(address.clone());
        // In a task of its own: a panic in the library is a broken connection, not a silent end.
        let connection = one_connection(broker.clone(), Arc::clone(&gate), sender.clone());
        let ended = tokio::spawn(connection).await;
        let was_open = gate.shut();
        let (was_up, reason) = match ended {
            Ok(Some(ended)) => ended,
            Ok(None) => return,
            Err(panic) => (was_open, Down::Lost(panic.to_string())),
        };
        if was_up {
            warn!(%address, ?reason, "connection to the MQTT broker lost");
            backoff.reset();
        } else {
            backoff.count_failure();
            if backoff.is_first_failure_of_broker() {
                warn!(
                    %address,
                    ?reason,
                    "connection to the MQTT broker failed; it is tried again and again"
                );
            } else {
                debug!(%address, ?reason, "connection to the MQTT broker failed again");
            }
        }
        // While another broker may still be reached in this round, calls can wait for it.
        if backoff.between_rounds()
            && sender.send(Incoming::Down(Outage { address, reason })).await.is_err()
        {
            return;
        }
        sleep(backoff.next_delay()).await;
    }
}

/// Runs one connection to its end. Returns whether it was up and why it ended; `None` if nobody listens
/// any more.
async fn one_connection(
    broker: Broker,
    gate: Arc<Gate>,
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
    info!(address = gate.address(), "connected to the MQTT broker");
    let (queue, queued) = mpsc::channel(QUEUE);
    gate.open(queue.clone());
    sender.send(Incoming::Up).await.ok()?;
    let Wire { reader, writer } = &mut wire;
    let heard = AtomicBool::new(true);
    let ended = tokio::select! {
        error = receive(reader, &queue, &heard, &sender) => error,
        error = transmit(writer, queued) => error,
        error = watch(&queue, &heard) => error,
        () = sender.closed() => return None,
    };
    // Shut before anybody else runs: what is sent from now on must not be queued.
    gate.shut();
    wire.abandon();
    Some((true, Down::Lost(word_error(&ended))))
}

/// Hands on what arrives, until that fails. Returns the error.
async fn receive(
    reader: &mut PacketReader,
    queue: &Sender<Packet>,
    heard: &AtomicBool,
    sender: &Sender<Incoming>,
) -> io::Error {
    // The sender for the rest of a large message.
    let mut large = None;
    loop {
        // Packets that came together with the greeting were read already.
        loop {
            let packet = match reader.take() {
                Ok(Some(Taken::Packet(packet))) => packet,
                Ok(Some(Taken::Head(head, length))) => {
                    let (to, parts) = mpsc::channel(PARTS);
                    let message = LargeMessage {
                        topic: head.topic.clone(),
                        retained: head.retain,
                        length,
                        parts,
                    };
                    large = Some(to);
                    let _ = sender.send(Incoming::Large(message)).await;
                    Packet::Publish(head)
                }
                Ok(Some(Taken::Part(part, is_last))) => {
                    if let Some(to) = &large {
                        // A reader that does not want it has dropped the other end.
                        let _ = to.send(part).await;
                        heard.store(true, Relaxed);
                    }
                    large.take_if(|_| is_last);
                    continue;
                }
                Ok(None) => break,
                Err(error) => return error,
            };
            if let Some(answer) = answer(&packet)
                && queue.send(answer).await.is_err()
            {
                return io::ErrorKind::BrokenPipe.into();
            }
            if let Some(incoming) = report_of(packet).filter(|_| large.is_none()) {
                // If nobody listens any more, the connection is about to end.
                let _ = sender.send(incoming).await;
                // Nothing was read meanwhile, which is no silence of the broker.
                heard.store(true, Relaxed);
            }
        }
        if let Err(error) = reader.read().await {
            return error;
        }
        heard.store(true, Relaxed);
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

/// Returns the answer that a packet needs. We subscribe with QoS 0, but brokers can be set up to
/// deliver with more (MQTT 3.1.1, section 4.3), and would stop delivering without answers.
fn answer(packet: &Packet) -> Option<Packet> {
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

/// Writes what is queued, until that fails. Returns the error.
async fn transmit(writer: &mut PacketWriter, mut queued: Receiver<Packet>) -> io::Error {
    let mut batch = Vec::new();
    while queued.recv_many(&mut batch, BATCH).await > 0 {
        if let Err(error) = writer.write(batch.drain(..)).await {
            return error;
        }
    }
    io::ErrorKind::BrokenPipe.into()
}

/// Asks for a sign of life again and again, until none comes. Returns the error.
async fn watch(queue: &Sender<Packet>, heard: &AtomicBool) -> io::Error {
    let mut ticks = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    // This program itself may have been suspended.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if !heard.swap(false, Relaxed) {
            // Packets that came while we were suspended must be read first.
            sleep(LAST_LOOK).await;
            if !heard.swap(false, Relaxed) {
                return io::Error::other("the broker does not answer any more");
            }
        }
        // A full queue is being written, and that will be answered, too.
        let _ = queue.try_send(Packet::PingReq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_silent_broker_is_given_up_and_one_that_says_anything_is_not() {
        let (queue, mut queued) = mpsc::channel(QUEUE);
        let heard = AtomicBool::new(true);
        let start = Instant::now();
        let talk = async {
            for _ in 0..10 {
                assert_eq!(queued.recv().await, Some(Packet::PingReq));
                // Late, and not the answer itself, but a sign of life.
                sleep(KEEP_ALIVE.mul_f64(0.99)).await;
                heard.store(true, Relaxed);
            }
            std::future::pending::<()>().await;
        };
        let error = tokio::select! {
            error = watch(&queue, &heard) => error,
            () = talk => unreachable!(),
        };
        assert!(error.to_string().contains("does not answer"), "{error}");
        assert_eq!(start.elapsed(), KEEP_ALIVE * 12 + LAST_LOOK);
    }

    #[test]
    fn what_a_broker_delivers_with_more_than_it_was_asked_for_is_acknowledged() {
        let mut publish = Publish::new("a/b", QoS::AtLeastOnce, "1");
        publish.pkid = 7;
        let answered = answer(&Packet::Publish(publish.clone()));
        assert_eq!(answered, Some(Packet::PubAck(PubAck::new(7))));
        publish.qos = QoS::ExactlyOnce;
        let answered = answer(&Packet::Publish(publish.clone()));
        assert_eq!(answered, Some(Packet::PubRec(PubRec::new(7))));
        let released = answer(&Packet::PubRel(rumqttc::PubRel::new(7)));
        assert_eq!(released, Some(Packet::PubComp(PubComp::new(7))));
        publish.qos = QoS::AtMostOnce;
        assert_eq!(answer(&Packet::Publish(publish)), None);
    }
}
