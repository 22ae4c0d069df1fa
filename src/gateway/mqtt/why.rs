//! Explains errors of connection attempts.

use std::io::{self, ErrorKind};

use rumqttc::ConnectReturnCode;

use super::Broker;
use crate::gateway::bus::Down;
use crate::gateway::tls::{TlsTrouble, trouble_in};

/// Explains a TLS handshake that failed.
pub fn explain_handshake(error: &io::Error, broker: &Broker) -> TlsTrouble {
    if let Some(trouble) = trouble_in(error, broker.has_identity()) {
        return trouble;
    }
    match error.kind() {
        // A broker without TLS takes our first TLS message for malformed MQTT, and closes the connection.
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            TlsTrouble::NotTls
        }
        _ => TlsTrouble::Other(error.to_string()),
    }
}

/// Explains a missing CONNACK: the broker closed the connection, or sent something else.
pub fn explain_missing_greeting(error: &io::Error, broker: &Broker) -> Down {
    if error.kind() == ErrorKind::Unsupported {
        Down::Unreachable("it answers in MQTT 5, but this program speaks MQTT 3.1.1".to_owned())
    } else if broker.tls.is_some() {
        let trouble = trouble_in(error, broker.has_identity());
        Down::Tls(trouble.unwrap_or(TlsTrouble::ClosedAfterHandshake))
    } else {
        Down::NotGreeted
    }
}

/// Explains the return code of a CONNACK (MQTT 3.1.1, section 3.2.2.3); returns `None` for success.
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

/// The error for a connection attempt that took `CONNECT_TIMEOUT`.
pub const NO_ANSWER: &str = "no answer within 5 s";

/// Describes an I/O error.
pub fn describe_error(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "the connection was closed".to_owned()
        }
        _ => error.to_string(),
    }
}
