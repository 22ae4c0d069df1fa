//! The bus over a real broker. Only this file and its child `why` know rumqttc.
//!
//! Every connection has an event loop and a queue of its own. A queue dies with its connection, so
//! nothing that was queued goes out when the connection is back: a garage must not open minutes
//! late. The gate is that queue being there at all: from `ConnAck` to the first error.

mod why;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rumqttc::{
    AsyncClient, Event, EventLoop, MqttOptions, Packet, QoS, TlsConfiguration, Transport,
};
use tokio::sync::mpsc::{self, UnboundedSender};
use tracing::{debug, info, warn};

use super::bus::{Bus, Down, End, Incoming, Message, Outgoing, Shut};
use super::tls::{self, Tls, TlsTrouble};
use why::Asked;
pub use why::{NO_ANSWER, said_by_system};

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

/// The largest packet MQTT allows: a `getNodes` reply of 4,000 nodes has about 100 MB.
const LARGEST_PACKET: usize = 268_435_455;

/// How many messages may wait to be written to the socket.
const QUEUE: usize = 4096;

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
struct Gate(Mutex<Option<AsyncClient>>);

impl Gate {
    fn set(&self, client: Option<AsyncClient>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }

    fn client(&self) -> Result<AsyncClient, Shut> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or(Shut)
    }
}

impl Bus for Gate {
    fn publish(&self, message: Outgoing) -> Result<(), Shut> {
        let qos = if message.acknowledged {
            QoS::AtLeastOnce
        } else {
            QoS::AtMostOnce
        };
        self.client()?
            .try_publish(message.topic, qos, message.retain, message.payload)
            .map_err(|_| Shut)
    }

    fn subscribe(&self, filter: &str) -> Result<(), Shut> {
        self.client()?
            .try_subscribe(filter, QoS::AtMostOnce)
            .map_err(|_| Shut)
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
    let asked = Asked::of(&broker);
    let (client, mut events) = match client(broker).await {
        Ok(made) => made,
        Err(trouble) => return Some((false, Down::Tls(trouble))),
    };
    events.network_options.set_tcp_nodelay(true);
    events
        .network_options
        .set_connection_timeout(CONNECT_SECONDS);
    let mut up = false;
    loop {
        let event = tokio::select! {
            event = events.poll() => event,
            () = sender.closed() => return None,
        };
        match event {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                up = true;
                info!("connected to the MQTT broker");
                gate.set(Some(client.clone()));
                sender.send(Incoming::Up).ok()?;
            }
            Ok(Event::Incoming(Packet::Publish(publish))) => {
                let message = Message {
                    topic: publish.topic,
                    payload: publish.payload,
                    retained: publish.retain,
                };
                sender.send(Incoming::Message(message)).ok()?;
            }
            Ok(_) => {}
            Err(error) => {
                // Shut before anybody else runs: what comes now must not be queued.
                gate.set(None);
                return Some((up, why::reason(&error, up, asked)));
            }
        }
    }
}

/// The library's client, with whatever has to be read for it.
async fn client(broker: Broker) -> Result<(AsyncClient, EventLoop), TlsTrouble> {
    let mut options = options(&broker);
    if let Some(tls) = broker.tls {
        // On a thread of its own: the trust store has hundreds of files on some systems.
        let config = tokio::task::spawn_blocking(move || tls::client_config(&tls)).await;
        let config = config.map_err(|panic| TlsTrouble::Other(panic.to_string()))??;
        options.set_transport(Transport::Tls(TlsConfiguration::Rustls(config)));
    }
    Ok(AsyncClient::new(options, QUEUE))
}

fn options(broker: &Broker) -> MqttOptions {
    let mut options = MqttOptions::new(&broker.client_id, &broker.host, broker.port);
    options
        .set_clean_session(true)
        .set_keep_alive(KEEP_ALIVE)
        .set_max_packet_size(LARGEST_PACKET, LARGEST_PACKET);
    if let Some((user, password)) = &broker.login {
        options.set_credentials(user, password);
    }
    options
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
