//! Describes troubles with the broker and the gateways, and says what to do about them.

use std::time::Duration;

use super::phrases::{join_names, quote, quote_name, span};
use crate::gateway::Trouble;
use crate::gateway::bus::{Down, Outage};
use crate::gateway::tls::{TlsFile, TlsTrouble};
use crate::home::{bounds, text};

/// A sentence mentions the duration of a trouble only if the duration is longer than this.
const JUST_NOW: Duration = Duration::from_secs(5);

/// Describes the troubles that fit into an answer, and counts the others.
pub fn describe_troubles(troubles: &[Trouble]) -> Vec<String> {
    let mut sentences: Vec<String> = troubles.iter().map(describe_trouble).collect();
    let fitting = bounds::count_fitting(sentences.iter().map(String::len), bounds::TROUBLES);
    let omitted = sentences.len() - fitting;
    if omitted > 0 {
        sentences.truncate(fitting);
        sentences.push(format!("And {omitted} more."));
    }
    sentences
}

/// Says that a pattern of the settings matches no device.
pub fn describe_unmatched(pattern: &str) -> String {
    let pattern = text::name(pattern);
    format!(
        "The pattern \"{pattern}\" of --expose, --hide, --guarded or --unguarded matches no device."
    )
}

/// Says that the house has no room like the one of the setting, and lists the rooms that it has.
pub fn describe_unknown_room(room: &str, rooms: &[&str]) -> String {
    let rooms: Vec<String> = rooms.iter().map(|room| quote_name(room)).collect();
    let rooms = join_names(&bounds::shorten_list(rooms, bounds::CHOICES), "and");
    let room = quote(room);
    format!("The house has no room {room}, which --room names; its rooms are {rooms}.")
}

/// Says how many nodes could not be read; returns `None` if there are none.
pub fn describe_unreadable(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 node could not be read; the log says why.".to_owned()),
        count => Some(format!(
            "{count} nodes could not be read; the log says why."
        )),
    }
}

/// Says how many nodes, scenes and groups are over the bounds; returns `None` if there are none.
pub fn describe_left_out(count: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} nodes, scenes or groups are left out: of a gateway, at most {} nodes and {} scenes and groups \
             count, and of a group {} members.",
            bounds::NODES,
            bounds::SCENES,
            bounds::MEMBERS
        )
    })
}

/// Describes a trouble, and says what to do about it.
pub fn describe_trouble(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Broker(outage) => describe_outage(outage),
        Trouble::Connecting { address } => {
            format!("Still connecting to the MQTT broker at {address}. Try again in a few seconds.")
        }
        Trouble::NoGateway { prefix } => format!(
            "No zwave-js-ui gateway was found under the topic prefix \"{prefix}\". Check that \
             zwave-js-ui runs with MQTT on, and that the prefix is right (--prefix). Name the \
             gateway with --gateway."
        ),
        Trouble::OnlyUnconfirmed { gateways } => format!(
            "No zwave-js-ui gateway answers. Old status messages name {}. Check that zwave-js-ui runs, \
             and that it uses this broker.",
            join_names(&clean_names(gateways), "and")
        ),
        Trouble::GatewayOffline { gateway, since } => format!(
            "The Z-Wave gateway {} {}. Check that zwave-js-ui runs and is connected to \
             the MQTT broker.",
            text::name(gateway),
            add_duration(("is offline", "has been offline"), *since)
        ),
        Trouble::DriverNotReady { gateway, since } => format!(
            "The Z-Wave driver of the gateway {} {}. Check that zwave-js-ui was not \
             stopped, and that its Z-Wave stick is plugged in.",
            text::name(gateway),
            add_duration(("is not ready", "has not been ready"), *since)
        ),
        Trouble::GatewaySilent { gateway, others } if !others.is_empty() => format!(
            "The Z-Wave gateway {} does not answer. Other gateways: {}. Check the name (--gateway).",
            text::name(gateway),
            join_names(&clean_names(others), "and")
        ),
        Trouble::GatewaySilent { gateway, .. } => format!(
            "The Z-Wave gateway {} does not answer. Check that zwave-js-ui runs, and that its name \
             and topic prefix are right (--gateway, --prefix).",
            text::name(gateway)
        ),
        Trouble::NameShared { gateway } => format!(
            "Two Z-Wave gateways use the MQTT name {}, so a command would reach both houses. Give each \
             its own name in zwave-js-ui (Settings → MQTT → Name) and restart it.",
            text::name(gateway)
        ),
        Trouble::StillReading => super::STILL_READING.to_owned(),
        Trouble::Changing => {
            "The house is changing right now. Try again in a few seconds.".to_owned()
        }
        Trouble::NodesUnread { gateway } => format!(
            "The Z-Wave gateway {} answers, but its nodes could not be read in time. Try again in a \
             few seconds; zwave-js-ui's log may say more.",
            text::name(gateway)
        ),
    }
}

/// Cleans names from the wire, keeps the first ones, and counts the others.
fn clean_names(raw: &[String]) -> Vec<String> {
    let names = raw.iter().map(|name| text::name(name));
    bounds::shorten_list(names.collect(), bounds::CHOICES)
}

/// Says that a command was not sent, because of a trouble.
pub fn describe_unsent(name: &str, why: &Trouble) -> String {
    format!(
        "Nothing was sent to {}. {}",
        text::name(name),
        describe_trouble(why)
    )
}

fn describe_outage(Outage { address, reason }: &Outage) -> String {
    match reason {
        Down::Unreachable(why) => format!(
            "The MQTT broker at {address} can't be reached ({}). Check that it runs, that its address is right \
             (--broker or MQTT_BROKER_URL), and that it accepts other computers (Mosquitto 2 needs a listener).",
            text::reason(why)
        ),
        Down::NotGreeted => format!(
            "The MQTT broker at {address} hangs up before the login. If it expects TLS, use \
             its TLS port, usually 8883, and an address that begins with mqtts:// (--broker or \
             MQTT_BROKER_URL). Some brokers also do this if the user name or password is missing or wrong."
        ),
        Down::Tls(trouble) => describe_tls_trouble(address, trouble),
        Down::LoginMissing => format!(
            "The MQTT broker at {address} wants a user name and a password. Set MQTT_USERNAME \
             and MQTT_PASSWORD."
        ),
        Down::LoginRefused => format!(
            "The MQTT broker at {address} refused the user name or password. Check \
             MQTT_USERNAME and MQTT_PASSWORD."
        ),
        Down::Lost(why) => format!(
            "The connection to the MQTT broker at {address} was lost ({}) and is being restored. \
             Try again in a few seconds.",
            text::reason(why)
        ),
    }
}

fn describe_tls_trouble(address: &str, trouble: &TlsTrouble) -> String {
    match trouble {
        TlsTrouble::File { purpose, path, why } => {
            let (what, option) = match purpose {
                TlsFile::Authorities => ("file of trusted CAs", "--ca-file"),
                TlsFile::Certificate => ("client certificate", "--client-cert"),
                TlsFile::Key => ("client key", "--client-key"),
            };
            let path = path.display();
            format!("The {what} {path} can't be used: {why}. Check {option}.")
        }
        TlsTrouble::NoTrustStore => format!(
            "This system has no trusted certificates, so the MQTT broker at {address} can't be \
             checked. Install the package ca-certificates, or name the broker's CA (--ca-file)."
        ),
        TlsTrouble::NotTrusted => format!(
            "The certificate of the MQTT broker at {address} is not trusted: it was signed by an \
             unknown CA. Name the file with that CA's certificate (--ca-file)."
        ),
        TlsTrouble::Expired => format!(
            "The certificate of the MQTT broker at {address} has expired. Renew it on the \
             broker, and check this computer's clock."
        ),
        TlsTrouble::NotYetValid => format!(
            "The certificate of the MQTT broker at {address} is not valid yet. Check the clocks \
             of this computer and of the computer that made the certificate."
        ),
        TlsTrouble::WrongName { names } if names.is_empty() => format!(
            "The certificate of the MQTT broker at {address} does not name a host. Make a new \
             one with the broker's name in its subjectAltName."
        ),
        TlsTrouble::WrongName { names } => {
            let names = join_names(&clean_names(names), "and");
            format!(
                "The certificate of the MQTT broker at {address} is for {names} only. Put a name \
                 from the certificate into the address (--broker or MQTT_BROKER_URL), or make a certificate \
                 for the name that the address has now."
            )
        }
        TlsTrouble::IsAuthority => format!(
            "The MQTT broker at {address} shows a CA's certificate as its own. Make a certificate \
             for the broker, signed by this CA."
        ),
        TlsTrouble::OldVersion => format!(
            "The certificate of the MQTT broker at {address} uses X.509 version 1. Make one of \
             version 3 (openssl x509 -req with -extfile)."
        ),
        TlsTrouble::NotTls => format!(
            "The MQTT broker at {address} does not speak TLS on this port. Use its TLS port, \
             usually 8883, or an address that begins with mqtt:// (--broker or MQTT_BROKER_URL)."
        ),
        TlsTrouble::CertificateWanted => format!(
            "The MQTT broker at {address} wants a client certificate. Name one, and its key \
             (--client-cert, --client-key)."
        ),
        TlsTrouble::CertificateRefused(why) => format!(
            "The MQTT broker at {address} refused the client certificate ({}). Check that the \
             broker trusts the certificate's CA, and that the certificate has not expired (--client-cert).",
            text::reason(why)
        ),
        TlsTrouble::ClosedAfterHandshake => format!(
            "The MQTT broker at {address} hangs up after the TLS handshake. Check the user name and \
             password, and the broker's log. The broker may also want a client certificate (--client-cert, \
             --client-key)."
        ),
        TlsTrouble::Other(why) => format!(
            "TLS with the MQTT broker at {address} failed: {}. Check the broker's TLS settings and its \
             log.",
            text::reason(why)
        ),
    }
}

/// Returns the present tense: "is offline". If the trouble has lasted for longer than [`JUST_NOW`], returns the
/// perfect with the duration: "has been offline for 3 min".
fn add_duration((present, perfect): (&str, &str), since: Option<Duration>) -> String {
    match since {
        Some(since) if since > JUST_NOW => format!("{perfect} for {}", span(since)),
        _ => present.to_owned(),
    }
}
