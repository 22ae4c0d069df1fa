//! The checks of the connection to the broker: its name, its port, TLS and the login.

use std::net::SocketAddr;

use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, timeout};

use super::report::Finding;
use super::traffic::TrafficListener;
use crate::gateway::Trouble;
use crate::gateway::bus::{Down, Outage};
use crate::gateway::mqtt::{Broker, CONNECT_TIMEOUT, NO_ANSWER, describe_error, look_up};
use crate::home::text;
use crate::mcp::wording;

/// The timeout for TLS and the login together. Longer than the connection's own timeout, so that the connection
/// can report why the attempt failed.
const LOGIN_TIMEOUT: Duration = CONNECT_TIMEOUT.saturating_add(Duration::from_secs(1));

/// Says what to do about a broker that can't be reached, in the same words as the server.
fn describe_unreachable(broker: &Broker, why: impl Into<String>) -> String {
    wording::describe_trouble(&Trouble::Broker(Outage {
        address: broker.address(),
        reason: Down::Unreachable(why.into()),
    }))
}

/// Looks up the broker's name.
pub async fn look_up_name(broker: &Broker) -> Finding<Vec<SocketAddr>> {
    let host_and_port = broker.address();
    if let Ok(address) = host_and_port.parse() {
        let text = format!("{} is an address already", broker.host);
        return Ok((text, vec![address]));
    }
    let addresses =
        look_up(&host_and_port).await.map_err(|why| describe_unreachable(broker, why))?;
    let mut shown: Vec<String> = addresses.iter().map(|address| address.ip().to_string()).collect();
    shown.dedup();
    let text = format!("{} is {}", broker.host, shown.join(", "));
    Ok((text, addresses))
}

/// Connects to the first address that accepts, and disconnects again.
pub async fn open_port(broker: &Broker, addresses: &[SocketAddr]) -> Finding<()> {
    match timeout(CONNECT_TIMEOUT, TcpStream::connect(addresses)).await {
        Ok(Ok(_)) => Ok((format!("port {} is open", broker.port), ())),
        Ok(Err(error)) => Err(describe_unreachable(broker, describe_error(&error))),
        Err(_) => Err(describe_unreachable(broker, NO_ANSWER)),
    }
}

/// Waits until the first attempt to connect succeeds or fails. An attempt includes TLS and the login.
async fn wait_for_connection(broker: &Broker, listener: &TrafficListener) -> Result<(), Trouble> {
    let deadline = Instant::now() + LOGIN_TIMEOUT;
    listener.wait_until(deadline, |seen| seen.connection.is_some()).await;
    match listener.traffic().connection {
        Some(Ok(())) => Ok(()),
        Some(Err(outage)) => Err(Trouble::Broker(outage)),
        None => Err(Trouble::Connecting {
            address: broker.address(),
        }),
    }
}

/// Checks TLS. If the broker accepts or refuses the login, TLS has succeeded.
pub async fn check_tls(broker: &Broker, listener: &TrafficListener) -> Finding<()> {
    match wait_for_connection(broker, listener).await {
        Ok(())
        | Err(Trouble::Broker(Outage {
            reason: Down::LoginMissing | Down::LoginRefused,
            ..
        })) => {
            let by = match broker.tls.as_ref().and_then(|tls| tls.ca_file.as_ref()) {
                Some(file) => file.display().to_string(),
                None => "the system's trust store".to_owned(),
            };
            Ok((format!("its certificate is trusted, by {by}"), ()))
        }
        Err(trouble) => Err(wording::describe_trouble(&trouble)),
    }
}

/// Checks that the broker lets us in.
pub async fn check_login(broker: &Broker, listener: &TrafficListener) -> Finding<()> {
    if let Err(trouble) = wait_for_connection(broker, listener).await {
        let mut why = wording::describe_trouble(&trouble);
        if let Trouble::Broker(outage) = trouble
            && outage.reason == Down::LoginRefused
            && broker.login.as_ref().is_some_and(|(_, password)| password.is_empty())
        {
            why.push_str(" There is a user name but no password: set MQTT_PASSWORD.");
        }
        return Err(why);
    }
    let who = match &broker.login {
        Some((user, _)) => format!("as {}", text::name(user)),
        None => "without a user name".to_owned(),
    };
    Ok((who, ()))
}
