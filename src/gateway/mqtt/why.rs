//! Why a connection could not be made, or ended, out of the library's errors.

use std::io::{self, ErrorKind};

use rumqttc::{ConnectReturnCode, ConnectionError, StateError, TlsError};

use super::Broker;
use crate::gateway::bus::Down;
use crate::gateway::tls::{TlsTrouble, find, trouble_in};

/// What was asked of the broker, without its secrets.
#[derive(Clone, Copy)]
pub struct Asked {
    /// To speak TLS.
    tls: bool,
    /// With a client certificate.
    identified: bool,
    /// To let a user in.
    login: bool,
}

impl Asked {
    pub fn of(broker: &Broker) -> Self {
        let tls = broker.tls.as_ref();
        Self {
            tls: tls.is_some(),
            identified: tls.is_some_and(|tls| tls.identity.is_some()),
            login: broker.login.is_some(),
        }
    }
}

/// Why a connection, one that was up or one that never was, ended with this error.
pub fn reason(error: &ConnectionError, was_up: bool, asked: Asked) -> Down {
    use ConnectReturnCode::{BadUserNamePassword, NotAuthorized};
    if was_up {
        return Down::Lost(said(error));
    }
    match error {
        ConnectionError::ConnectionRefused(BadUserNamePassword | NotAuthorized) if asked.login => {
            Down::LoginRefused
        }
        ConnectionError::ConnectionRefused(BadUserNamePassword | NotAuthorized) => {
            Down::LoginMissing
        }
        // In the handshake.
        ConnectionError::Tls(error) => Down::Tls(handshake(error, asked.identified)),
        // After it, and before the greeting.
        ConnectionError::MqttState(_) | ConnectionError::NotConnAck(_) if asked.tls => {
            let trouble = trouble_in(error, asked.identified);
            Down::Tls(trouble.unwrap_or(TlsTrouble::ClosedAfterHandshake))
        }
        ConnectionError::MqttState(_) | ConnectionError::NotConnAck(_) => Down::NotGreeted,
        error => Down::Unreachable(said(error)),
    }
}

fn handshake(error: &TlsError, identified: bool) -> TlsTrouble {
    if let Some(trouble) = trouble_in(error, identified) {
        return trouble;
    }
    match find::<io::Error>(error).map(io::Error::kind) {
        // A broker that takes the greeting of TLS for bad MQTT hangs up.
        Some(ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {
            TlsTrouble::NotTls
        }
        _ => TlsTrouble::Other(error.to_string()),
    }
}

/// Why nothing came of an attempt to connect that took `CONNECT_SECONDS`.
pub const NO_ANSWER: &str = "no answer within 5 s";

/// The system's error in words.
pub fn said_by_system(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        _ => error.to_string(),
    }
}

/// The error in words; the library's own for what people rarely meet.
fn said(error: &ConnectionError) -> String {
    match error {
        ConnectionError::NetworkTimeout => NO_ANSWER.to_owned(),
        ConnectionError::Io(error) => said_by_system(error),
        ConnectionError::MqttState(StateError::ConnectionAborted) => {
            "the connection was closed".to_owned()
        }
        error => error.to_string(),
    }
}
