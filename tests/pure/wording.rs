//! Every sentence, as it was reviewed.

use std::time::Duration;

use zwave_mcp_server::gateway::Trouble;
use zwave_mcp_server::gateway::bus::Down;
use zwave_mcp_server::gateway::tls::{Purpose, TlsTrouble};
use zwave_mcp_server::home::expected_state::ExpectedState;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::quantity::Percent;
use zwave_mcp_server::home::model::value::Reading;
use zwave_mcp_server::home::outcome::{CommandFailure, Outcome, Seen};
use zwave_mcp_server::home::plan::plan;
use zwave_mcp_server::mcp::consent::{Question, Unasked};
use zwave_mcp_server::mcp::wording;

use crate::houses::{captured, device};

#[test]
fn what_became_of_a_command_is_said_as_reviewed() {
    let house = captured();
    let level = |level: f64| Reading::Number(level);
    let percent = |percent: f64| Percent::new(percent).unwrap();
    let dimmed = Intent::Dim(percent(50.0));
    let failed = |failure| Outcome::Failed(failure);
    let mut said = String::new();
    for (name, intent, outcome) in [
        (
            "Kitchen Dimmer",
            &dimmed,
            Outcome::Confirmed(Seen::Reported(level(50.0))),
        ),
        (
            "Kitchen Dimmer",
            &dimmed,
            Outcome::Confirmed(Seen::AsAsked(ExpectedState::Level(50))),
        ),
        (
            "Kitchen Dimmer",
            &Intent::On(None),
            Outcome::Confirmed(Seen::AsAsked(ExpectedState::On)),
        ),
        (
            "Kitchen Dimmer",
            &Intent::Toggle,
            Outcome::Confirmed(Seen::AsAsked(ExpectedState::Off)),
        ),
        (
            "Living Room Lamp",
            &Intent::Off,
            Outcome::Confirmed(Seen::Reported(false.into())),
        ),
        (
            "Entrance Front Door",
            &Intent::Lock,
            Outcome::Confirmed(Seen::AsAsked(ExpectedState::Locked)),
        ),
        (
            "Garage Garage Door",
            &Intent::Close,
            Outcome::Confirmed(Seen::Reported(level(0.0))),
        ),
        (
            "Kitchen Dimmer",
            &dimmed,
            Outcome::Moving {
                now: Some(level(12.0)),
                target: Some(level(50.0)),
            },
        ),
        (
            "Kitchen Dimmer",
            &dimmed,
            Outcome::Moving {
                now: None,
                target: None,
            },
        ),
        (
            "Garage Garage Door",
            &Intent::Close,
            Outcome::Moving {
                now: Some(level(252.0)),
                target: None,
            },
        ),
        ("Kitchen Dimmer", &dimmed, Outcome::Accepted),
        ("Living Room Lamp", &Intent::On(None), Outcome::Queued),
        ("Living Room Lamp", &Intent::On(None), Outcome::Unknown),
        (
            "Living Room Lamp",
            &Intent::On(None),
            failed(CommandFailure::NoResponse),
        ),
        (
            "Living Room Lamp",
            &Intent::On(None),
            failed(CommandFailure::Replaced),
        ),
        (
            "Living Room Lamp",
            &Intent::On(None),
            failed(CommandFailure::RefusedOrNoResponse),
        ),
        (
            "Living Room Lamp",
            &Intent::On(None),
            failed(CommandFailure::Refused("no".to_owned())),
        ),
        (
            "Living Room Lamp",
            &Intent::Off,
            failed(CommandFailure::Refused(" . ".to_owned())),
        ),
        (
            "Living Room Lamp",
            &Intent::On(None),
            failed(CommandFailure::StillReports(false.into())),
        ),
        (
            "Kitchen Dimmer",
            &Intent::Off,
            failed(CommandFailure::StillReports(level(89.0))),
        ),
        (
            "Living Room Lamp",
            &Intent::On(None),
            failed(CommandFailure::NotSentInTime),
        ),
        (
            "Living Room Lamp",
            &Intent::On(None),
            failed(CommandFailure::Cancelled),
        ),
        (
            "Living Room Lamp",
            &Intent::Toggle,
            failed(CommandFailure::StateUnknown),
        ),
        (
            "Living Room Lamp",
            &Intent::Toggle,
            failed(CommandFailure::Asleep),
        ),
    ] {
        let device = device(&house, name);
        let planned = plan(&house, device, intent).unwrap();
        let certainty = outcome.certainty().name();
        let sentence = wording::control(device, &planned, intent, &outcome);
        said.push_str(&format!("{certainty}: {sentence}\n"));
    }
    let device = device(&house, "Entrance Front Door");
    for sentence in [
        wording::guarded(device, &Intent::Unlock),
        wording::question(&Question {
            device: device.clone(),
            planned: plan(&house, device, &Intent::Unlock).unwrap(),
            intent: Intent::Unlock,
            opens: Vec::new(),
        }),
        wording::unasked(device, &Intent::Unlock, Unasked::CantAsk),
        wording::unasked(device, &Intent::Unlock, Unasked::Declined),
        wording::unasked(device, &Intent::Unlock, Unasked::Dismissed),
        wording::unasked(device, &Intent::Unlock, Unasked::NobodyAsked),
        wording::unasked(device, &Intent::Unlock, Unasked::NoAnswer),
        wording::unasked(device, &Intent::Unlock, Unasked::Changed),
    ] {
        said.push_str(&format!("{sentence}\n"));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn what_stands_in_the_way_is_said_as_reviewed() {
    let address = "pi:1883".to_owned();
    let gateway = "Mosquitto".to_owned();
    let broker = |reason| Trouble::Broker {
        address: address.clone(),
        reason,
    };
    let tls = |trouble| broker(Down::Tls(trouble));
    let since = Some(Duration::from_secs(300));
    let troubles = [
        broker(Down::Unreachable("connection refused".to_owned())),
        broker(Down::NotGreeted),
        broker(Down::LoginMissing),
        broker(Down::LoginRefused),
        broker(Down::Lost("the connection was closed".to_owned())),
        tls(TlsTrouble::File {
            purpose: Purpose::Authorities,
            path: "/etc/ca.pem".into(),
            why: "No such file or directory (os error 2)".to_owned(),
        }),
        tls(TlsTrouble::File {
            purpose: Purpose::Certificate,
            path: "/etc/me.pem".into(),
            why: "no certificate in PEM form is in it".to_owned(),
        }),
        tls(TlsTrouble::File {
            purpose: Purpose::Key,
            path: "/etc/me.key".into(),
            why: "it does not belong to the certificate".to_owned(),
        }),
        tls(TlsTrouble::NoTrustStore),
        tls(TlsTrouble::NotTrusted),
        tls(TlsTrouble::Expired),
        tls(TlsTrouble::NotYetValid),
        tls(TlsTrouble::WrongName { names: Vec::new() }),
        tls(TlsTrouble::WrongName {
            names: vec!["pi.local".to_owned(), "192.168.1.2".to_owned()],
        }),
        tls(TlsTrouble::IsAuthority),
        tls(TlsTrouble::OldVersion),
        tls(TlsTrouble::NotTls),
        tls(TlsTrouble::CertificateWanted),
        tls(TlsTrouble::CertificateRefused("UnknownCA".to_owned())),
        tls(TlsTrouble::ClosedAfterHandshake),
        tls(TlsTrouble::Other(
            "the broker says ProtocolVersion".to_owned(),
        )),
        Trouble::Connecting {
            address: address.clone(),
        },
        Trouble::NoGateway {
            prefix: "zwave".to_owned(),
        },
        Trouble::GatewayOffline {
            gateway: gateway.clone(),
            since,
        },
        Trouble::GatewayOffline {
            gateway: gateway.clone(),
            since: None,
        },
        Trouble::DriverNotReady {
            gateway: gateway.clone(),
            since,
        },
        Trouble::GatewaySilent {
            gateway: gateway.clone(),
            others: Vec::new(),
        },
        Trouble::GatewaySilent {
            gateway,
            others: vec!["Attic".to_owned()],
        },
    ];
    let said: Vec<String> = troubles.iter().map(wording::trouble).collect();
    insta::assert_snapshot!(said.join("\n"));
}
