//! What stands in the way, and what to do about it.

use std::time::Duration;

use super::{span, spoken_list};
use crate::gateway::Trouble;
use crate::gateway::bus::Down;
use crate::home::words::tellable;

/// What is wrong for a shorter time than this is just wrong.
const JUST_NOW: Duration = Duration::from_secs(5);

/// What is wrong, and what to do.
pub fn trouble(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Broker { address, reason } => broker(address, reason),
        Trouble::Connecting { address } => {
            format!("Still connecting to the MQTT broker at {address}. Try again in a few seconds.")
        }
        Trouble::NoGateway { prefix } => format!(
            "No zwave-js-ui gateway was found under the topic prefix \"{prefix}\". Check that \
             zwave-js-ui runs with MQTT on, that the prefix is right (--prefix), and name the \
             gateway with --gateway."
        ),
        Trouble::GatewayOffline { gateway, since } => format!(
            "The Z-Wave gateway {gateway} {}. Check that zwave-js-ui runs and is connected to \
             the MQTT broker.",
            for_long(("is offline", "has been offline"), *since)
        ),
        Trouble::DriverNotReady { gateway, since } => format!(
            "The Z-Wave driver of the gateway {gateway} {}. Check that zwave-js-ui was not \
             stopped, and that its Z-Wave stick is plugged in.",
            for_long(("is not ready", "has not been ready"), *since)
        ),
        Trouble::GatewaySilent { gateway, others } if !others.is_empty() => format!(
            "The Z-Wave gateway {gateway} does not answer, but there is {}. Check its name \
             (--gateway).",
            spoken_list(others, "and")
        ),
        Trouble::GatewaySilent { gateway, .. } => format!(
            "The Z-Wave gateway {gateway} does not answer. Check that zwave-js-ui runs, and that \
             its name and topic prefix are right (--gateway, --prefix)."
        ),
    }
}

/// The same, for a command that was not sent because of it.
pub fn nothing_sent(name: &str, why: &Trouble) -> String {
    format!("Nothing was sent to {}. {}", tellable(name), trouble(why))
}

fn broker(address: &str, reason: &Down) -> String {
    match reason {
        Down::Unreachable(why) => format!(
            "The MQTT broker at {address} can't be reached ({why}). Check that it runs, and its \
             address (--broker)."
        ),
        Down::LoginRefused => format!(
            "The MQTT broker at {address} refused the user name or password. Check \
             MQTT_USERNAME and MQTT_PASSWORD."
        ),
        Down::Lost(why) => format!(
            "The connection to the MQTT broker at {address} is lost ({why}) and is being made \
             again. Try again in a few seconds."
        ),
    }
}

fn for_long((now, since_then): (&str, &str), since: Option<Duration>) -> String {
    match since {
        Some(since) if since > JUST_NOW => format!("{since_then} for {}", span(since)),
        _ => now.to_owned(),
    }
}
