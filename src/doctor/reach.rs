//! The checks of the path to the broker: its name, its port, TLS and the login.

use std::net::SocketAddr;

use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, timeout};

use super::report::Finding;
use super::traffic::TrafficListener;
use crate::cli::settings::BrokerSettings;
use crate::gateway::Trouble;
use crate::gateway::bus::{Down, Outage};
use crate::gateway::mqtt::{CONNECT_SECONDS, NO_ANSWER, look_up, word_error};
use crate::home::text;
use crate::mcp::wording;

/// The time for the port to open: as long as the server gives a connection.
const LIMIT: Duration = Duration::from_secs(CONNECT_SECONDS);

/// The time for TLS and the login together, with some slack for the connection's own limit.
const LOGIN: Duration = Duration::from_secs(CONNECT_SECONDS + 1);

/// Says, in the server's own words, what to do about a broker that can't be reached.
fn word_unreachable(broker: &BrokerSettings, why: impl Into<String>) -> String {
    wording::word_trouble(&Trouble::Broker {
        address: broker.address(),
        reason: Down::Unreachable(why.into()),
    })
}

/// Looks the broker's name up.
pub async fn look_up_name(broker: &BrokerSettings) -> Finding<Vec<SocketAddr>> {
    let address = broker.address();
    if let Ok(one) = address.parse() {
        let text = format!("{} is an address already", broker.host);
        return Ok((text, vec![one]));
    }
    let all = look_up(&address).await.map_err(|why| word_unreachable(broker, why))?;
    let mut shown: Vec<String> = all.iter().map(|one| one.ip().to_string()).collect();
    shown.dedup();
    Ok((format!("{} is {}", broker.host, shown.join(", ")), all))
}

/// Opens a connection to the first of the addresses that takes one, and closes it again.
pub async fn open_port(broker: &BrokerSettings, all: &[SocketAddr]) -> Finding<()> {
    match timeout(LIMIT, TcpStream::connect(all)).await {
        Ok(Ok(_)) => Ok((format!("port {} is open", broker.port), ())),
        Ok(Err(error)) => Err(word_unreachable(broker, word_error(&error))),
        Err(_) => Err(word_unreachable(broker, NO_ANSWER)),
    }
}

/// Waits for the outcome of the first attempt to connect, TLS and the login together.
async fn attempt(broker: &BrokerSettings, listener: &TrafficListener) -> Result<(), Trouble> {
    let limit = Instant::now() + LOGIN;
    listener.wait_until(limit, |seen| seen.connection.is_some()).await;
    match listener.traffic().connection {
        Some(Ok(())) => Ok(()),
        Some(Err(Outage { address, reason })) => Err(Trouble::Broker { address, reason }),
        None => Err(Trouble::Connecting {
            address: broker.address(),
        }),
    }
}

/// Checks TLS. A broker that decides about the login has completed it.
pub async fn check_tls(broker: &BrokerSettings, listener: &TrafficListener) -> Finding<()> {
    match attempt(broker, listener).await {
        Ok(())
        | Err(Trouble::Broker {
            reason: Down::LoginMissing | Down::LoginRefused,
            ..
        }) => {
            let by = broker
                .tls
                .as_ref()
                .and_then(|tls| tls.ca_file.as_ref())
                .map_or("the system's trust store".to_owned(), |file| {
                    file.display().to_string()
                });
            Ok((format!("its certificate is trusted, by {by}"), ()))
        }
        Err(trouble) => Err(wording::word_trouble(&trouble)),
    }
}

/// Checks that the broker lets us in.
pub async fn check_login(broker: &BrokerSettings, listener: &TrafficListener) -> Finding<()> {
    let outcome = attempt(broker, listener).await;
    outcome.map_err(|trouble| wording::word_trouble(&trouble))?;
    let who = match &broker.login {
        Some((user, _)) => format!("as {}", text::name(user)),
        None => "without a user name".to_owned(),
    };
    Ok((who, ()))
}
