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
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rumqttc::{Packet, Publish, QoS, Subscribe};
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedSender};
use tokio::time::{Instant, interval_at};
use tracing::{debug, info, warn};

use super::bus::{Bus, Down, End, Incoming, Message, Outgoing, Shut};
use super::tls::Tls;
pub use why::{NO_ANSWER, said_by_system};
use wire::Wire;

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

/// A connection without traffic is tested this often; a broker that stalls is noticed within two.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

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
        } else {
            debug!(?reason, "connection to the MQTT broker failed");
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
    gate.set(Some(queue));
    sender.send(Incoming::Up).ok()?;
    let ended = tokio::select! {
        error = carry(&mut wire, queued, &sender) => error,
        () = sender.closed() => return None,
    };
    // Shut before anybody else runs: what comes now must not be queued.
    gate.set(None);
    Some((true, Down::Lost(said_by_system(&ended))))
}

/// Carries packets both ways until that fails; why it did.
async fn carry(
    wire: &mut Wire,
    mut queued: Receiver<Packet>,
    sender: &UnboundedSender<Incoming>,
) -> io::Error {
    let mut pings = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    let mut pinged = false;
    let mut batch = Vec::new();
    loop {
        let done = tokio::select! {
            read = wire.read() => match read {
                Ok(()) => arrived(wire, &mut pinged, sender),
                Err(error) => Err(error),
            },
            _ = queued.recv_many(&mut batch, BATCH) => wire.write(batch.drain(..)).await,
            _ = pings.tick() => if std::mem::replace(&mut pinged, true) {
                Err(io::Error::other("the broker does not answer any more"))
            } else {
                wire.write([Packet::PingReq]).await
            },
        };
        if let Err(error) = done {
            return error;
        }
    }
}

/// Hands on what was read.
fn arrived(
    wire: &mut Wire,
    pinged: &mut bool,
    sender: &UnboundedSender<Incoming>,
) -> io::Result<()> {
    while let Some(packet) = wire.taken()? {
        match packet {
            Packet::Publish(publish) => {
                // Where nobody listens any more, the connection is about to end.
                let _ = sender.send(Incoming::Message(Message {
                    topic: publish.topic,
                    payload: publish.payload,
                    retained: publish.retain,
                }));
            }
            Packet::PingResp => *pinged = false,
            // What was published or subscribed is acknowledged.
            _ => {}
        }
    }
    Ok(())
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
}
