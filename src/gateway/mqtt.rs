//! The bus over a real broker. Only this file and its children know rumqttc, whose packets it uses;
//! its event loop would not let us say how the socket behaves.
//!
//! Every connection has a queue of its own. A queue dies with its connection, so nothing that was
//! queued goes out when the connection is back: a garage must not open minutes late. The gate is
//! that queue being there at all: from the broker's greeting to the first error.

mod prompt;
mod why;
mod wire;

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rumqttc::{Packet, PubAck, PubComp, PubRec, Publish, QoS, Subscribe};
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedSender};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use tracing::{debug, info, warn};

use super::bus::{Bus, Down, End, Incoming, Message, Outgoing, Shut};
use super::tls::Tls;
pub use why::{NO_ANSWER, said_by_system};
use wire::{Reader, Wire, Writer};

/// Where the broker is and who asks. The password never leaves this structure but to the broker.
#[derive(Clone)]
pub struct Broker {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password.
    pub login: Option<(String, String)>,
    /// How to speak TLS; plain MQTT without it.
    pub tls: Option<Tls>,
    /// The client id; must differ from every other client's, or the two throw each other out.
    pub client_id: String,
    /// A random number, for delays that differ from other clients'.
    pub seed: u64,
}

/// How many messages may wait to be written to the socket.
const QUEUE: usize = 4096;

/// How many of them are written at once.
const BATCH: usize = 64;

/// A sign of life is asked for this often; a broker that stalls is noticed within two.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// How long is listened once more before a broker that was silent is given up.
const LAST_LOOK: Duration = Duration::from_millis(200);

/// How long a connection attempt, and any single write, may take, in seconds.
pub const CONNECT_SECONDS: u64 = 5;

/// Delays before the next attempt: doubled from the first to the last, less up to a quarter.
const FIRST_DELAY: Duration = Duration::from_millis(250);
const LAST_DELAY: Duration = Duration::from_secs(4);

/// Connects, and stays connected until the receiver is dropped. Must be called in a tokio runtime.
pub fn connect(broker: Broker) -> End {
    let (sender, incoming) = mpsc::unbounded_channel();
    let gate = Arc::new(Gate::default());
    tokio::spawn(stay_connected(broker, Arc::clone(&gate), sender));
    End {
        bus: gate,
        incoming,
    }
}

/// The queue of the connection that is up; nothing while none is.
#[derive(Default)]
struct Gate(Mutex<Option<Sender<Packet>>>);

impl Gate {
    fn set(&self, queue: Option<Sender<Packet>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = queue;
    }

    fn send(&self, packet: Packet) -> Result<(), Shut> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = open.as_ref().ok_or(Shut)?;
        queue.try_send(packet).map_err(|_| Shut)
    }
}

impl Bus for Gate {
    fn publish(&self, message: Outgoing) -> Result<(), Shut> {
        let qos = if message.acknowledged {
            QoS::AtLeastOnce
        } else {
            QoS::AtMostOnce
        };
        let mut publish = Publish::new(message.topic, qos, message.payload);
        publish.retain = message.retain;
        self.send(Packet::Publish(publish))
    }

    fn subscribe(&self, filter: &str) -> Result<(), Shut> {
        self.send(Packet::Subscribe(Subscribe::new(filter, QoS::AtMostOnce)))
    }
}

async fn stay_connected(broker: Broker, gate: Arc<Gate>, sender: UnboundedSender<Incoming>) {
    let mut delay = FIRST_DELAY;
    let mut told = false;
    let mut jitter = Jitter(broker.seed);
    while !sender.is_closed() {
        // A task of its own: a panic in the library is a broken connection, not a silent end.
        let connection = one_connection(broker.clone(), Arc::clone(&gate), sender.clone());
        let ended = tokio::spawn(connection).await;
        gate.set(None);
        let (was_up, reason) = match ended {
            Ok(Some(ended)) => ended,
            Ok(None) => return,
            Err(panic) => (false, Down::Lost(panic.to_string())),
        };
        if was_up {
            warn!(?reason, "connection to the MQTT broker lost");
            delay = FIRST_DELAY;
            told = false;
        } else if std::mem::replace(&mut told, true) {
            debug!(?reason, "connection to the MQTT broker failed again");
        } else {
            warn!(
                ?reason,
                "connection to the MQTT broker failed; it is tried again and again"
            );
        }
        if sender.send(Incoming::Down(reason)).is_err() {
            return;
        }
        tokio::time::sleep(jitter.shorten(delay)).await;
        delay = (delay * 2).min(LAST_DELAY);
    }
}

/// Runs one connection to its end: whether it was up, and why it ended. None where nobody listens
/// any more.
async fn one_connection(
    broker: Broker,
    gate: Arc<Gate>,
    sender: UnboundedSender<Incoming>,
) -> Option<(bool, Down)> {
    let opened = tokio::select! {
        opened = Wire::open(&broker) => opened,
        () = sender.closed() => return None,
    };
    let mut wire = match opened {
        Ok(wire) => wire,
        Err(reason) => return Some((false, reason)),
    };
    info!("connected to the MQTT broker");
    let (queue, queued) = mpsc::channel(QUEUE);
    gate.set(Some(queue.clone()));
    sender.send(Incoming::Up).ok()?;
    let Wire { reader, writer } = &mut wire;
    let heard = AtomicBool::new(true);
    let ended = tokio::select! {
        error = receive(reader, &queue, &heard, &sender) => error,
        error = transmit(writer, queued) => error,
        error = watch(&queue, &heard) => error,
        () = sender.closed() => return None,
    };
    // Shut before anybody else runs: what comes now must not be queued.
    gate.set(None);
    wire.abandon();
    Some((true, Down::Lost(said_by_system(&ended))))
}

/// Hands on what comes, until nothing can come any more; why not.
async fn receive(
    reader: &mut Reader,
    queue: &Sender<Packet>,
    heard: &AtomicBool,
    sender: &UnboundedSender<Incoming>,
) -> io::Error {
    loop {
        // What came together with the greeting is there already.
        loop {
            let packet = match reader.taken() {
                Ok(Some(packet)) => packet,
                Ok(None) => break,
                Err(error) => return error,
            };
            if let Some(answer) = answer(&packet)
                && queue.send(answer).await.is_err()
            {
                return io::ErrorKind::BrokenPipe.into();
            }
            if let Packet::Publish(publish) = packet {
                // Where nobody listens any more, the connection is about to end.
                let _ = sender.send(Incoming::Message(Message {
                    topic: publish.topic,
                    payload: publish.payload,
                    retained: publish.retain,
                }));
            }
        }
        if let Err(error) = reader.read().await {
            return error;
        }
        heard.store(true, Relaxed);
    }
}

/// What a packet has to be answered with. We subscribe with QoS 0, but brokers can be set up to
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

/// Writes what is queued, until that fails.
async fn transmit(writer: &mut Writer, mut queued: Receiver<Packet>) -> io::Error {
    let mut batch = Vec::new();
    while queued.recv_many(&mut batch, BATCH).await > 0 {
        if let Err(error) = writer.write(batch.drain(..)).await {
            return error;
        }
    }
    io::ErrorKind::BrokenPipe.into()
}

/// Asks for a sign of life again and again, until there is none in between.
async fn watch(queue: &Sender<Packet>, heard: &AtomicBool) -> io::Error {
    let mut ticks = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    // This program may have stood still itself, and with it its clock.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if !heard.swap(false, Relaxed) {
            // What has come while we stood still must be read first.
            sleep(LAST_LOOK).await;
            if !heard.swap(false, Relaxed) {
                return io::Error::other("the broker does not answer any more");
            }
        }
        // A queue that is full is written, and that will be answered too.
        let _ = queue.try_send(Packet::PingReq);
    }
}

/// A stream of numbers that differs from process to process: xorshift64*, by G. Marsaglia and
/// S. Vigna. Good enough for spreading delays.
struct Jitter(u64);

impl Jitter {
    /// The delay less up to a quarter of it.
    fn shorten(&mut self, delay: Duration) -> Duration {
        let mut x = self.0.max(1);
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0 = x;
        let share = (x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32;
        delay.mul_f64(1.0 - 0.25 * f64::from(share) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_spread_but_never_longer() {
        let mut jitter = Jitter(7);
        let delays: Vec<Duration> = (0..100)
            .map(|_| jitter.shorten(Duration::from_secs(4)))
            .collect();
        let bounds = Duration::from_secs(3)..=Duration::from_secs(4);
        assert!(delays.iter().all(|delay| bounds.contains(delay)));
        assert!(delays.windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_broker_is_given_up_and_one_that_says_anything_is_not() {
        let (queue, mut queued) = mpsc::channel(QUEUE);
        let heard = AtomicBool::new(true);
        let begun = Instant::now();
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
        assert_eq!(begun.elapsed(), KEEP_ALIVE * 12 + LAST_LOOK);
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
