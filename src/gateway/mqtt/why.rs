//! Explains, from the errors that occurred, why a connection could not be made.

use std::io::{self, ErrorKind};

use rumqttc::ConnectReturnCode;

use super::Broker;
use crate::gateway::bus::Down;
use crate::gateway::tls::{TlsTrouble, trouble_in};

/// Explains a TLS handshake that failed.
pub fn explain_handshake(error: &io::Error, broker: &Broker) -> TlsTrouble {
    if let Some(trouble) = trouble_in(error, broker.is_identified()) {
        return trouble;
    }
    match error.kind() {
        // A broker that takes the greeting of TLS for bad MQTT hangs up.
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            TlsTrouble::NotTls
        }
        _ => TlsTrouble::Other(error.to_string()),
    }
}

/// Explains that the broker hung up, or sent something other than MQTT, instead of its greeting.
pub fn explain_hang_up(error: &io::Error, broker: &Broker) -> Down {
    if broker.tls.is_some() {
        let trouble = trouble_in(error, broker.is_identified());
        Down::Tls(trouble.unwrap_or(TlsTrouble::ClosedAfterHandshake))
    } else {
        Down::NotGreeted
    }
}

/// Explains the refusal in a broker's greeting, if it is one (MQTT 3.1.1, section 3.2.2.3).
pub fn explain_refusal(code: ConnectReturnCode, broker: &Broker) -> Option<Down> {
    use ConnectReturnCode as Code;
    let why = match code {
        Code::Success => return None,
        Code::BadUserNamePassword | Code::NotAuthorized if broker.login.is_some() => {
            return Some(Down::LoginRefused);
        }
        Code::BadUserNamePassword | Code::NotAuthorized => return Some(Down::LoginMissing),
        Code::RefusedProtocolVersion => "it does not speak MQTT 3.1.1",
        Code::BadClientId => "it refuses the client id",
        Code::ServiceUnavailable => "it says that it is not available",
    };
    Some(Down::Unreachable(why.to_owned()))
}

/// The error for an attempt to connect that took `CONNECT_SECONDS`.
pub const NO_ANSWER: &str = "no answer within 5 s";

/// Words an error of the system.
pub fn word_error(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "the connection was closed".to_owned()
        }
        _ => error.to_string(),
    }
}
