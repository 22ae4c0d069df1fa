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
    let dimmed = Intent::Dim(Percent::new(50.0).unwrap());
    let (on, off, toggle) = (Intent::On(None), Intent::Off, Intent::Toggle);
    let reported = |state| Outcome::Confirmed(Seen::Reported(state));
    let as_asked = |state| Outcome::Confirmed(Seen::AsAsked(state));
    let moving = |now, target| Outcome::Moving { now, target };
    let refused = |why: &str| Outcome::Failed(CommandFailure::Refused(why.to_owned()));
    let (dimmer, lamp) = ("Kitchen Dimmer", "Living Room Lamp");
    let (lock, garage) = ("Entrance Front Door", "Garage Garage Door");
    let mut said = String::new();
    for (name, intent, outcome) in [
        (dimmer, &dimmed, reported(level(50.0))),
        (dimmer, &dimmed, as_asked(ExpectedState::Level(50))),
        (dimmer, &on, as_asked(ExpectedState::On)),
        (dimmer, &toggle, as_asked(ExpectedState::Off)),
        (lamp, &off, reported(false.into())),
        (lock, &Intent::Lock, as_asked(ExpectedState::Locked)),
        (garage, &Intent::Close, reported(level(0.0))),
        (
            dimmer,
            &dimmed,
            moving(Some(level(12.0)), Some(level(50.0))),
        ),
        (dimmer, &dimmed, moving(None, None)),
        (garage, &Intent::Close, moving(Some(level(252.0)), None)),
        (dimmer, &dimmed, Outcome::Accepted),
        (lamp, &on, Outcome::Queued),
        (lamp, &on, Outcome::Unknown),
        (lamp, &on, Outcome::Failed(CommandFailure::NoResponse)),
        (lamp, &on, Outcome::Failed(CommandFailure::Replaced)),
        (
            lamp,
            &on,
            Outcome::Failed(CommandFailure::RefusedOrNoResponse),
        ),
        (lamp, &on, refused("no")),
        (lamp, &off, refused(" . ")),
        (
            lamp,
            &on,
            Outcome::Failed(CommandFailure::StillReports(false.into())),
        ),
        (
            dimmer,
            &off,
            Outcome::Failed(CommandFailure::StillReports(level(89.0))),
        ),
        (lamp, &on, Outcome::Failed(CommandFailure::NotSentInTime)),
        (lamp, &on, Outcome::Failed(CommandFailure::Cancelled)),
        (lamp, &toggle, Outcome::Failed(CommandFailure::StateUnknown)),
        (lamp, &toggle, Outcome::Failed(CommandFailure::Asleep)),
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
    ] {
        said.push_str(&format!("{sentence}\n"));
    }
    for why in [
        Unasked::CantAsk,
        Unasked::Declined,
        Unasked::Dismissed,
        Unasked::NobodyAsked,
        Unasked::NoAnswer,
        Unasked::Changed,
    ] {
        let sentence = wording::unasked(device, &Intent::Unlock, why);
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
    let file = |purpose, path: &str, why: &str| {
        let (path, why) = (path.into(), why.to_owned());
        tls(TlsTrouble::File { purpose, path, why })
    };
    let missing = "No such file or directory (os error 2)";
    let names = vec!["pi.local".to_owned(), "192.168.1.2".to_owned()];
    let offline = |since| Trouble::GatewayOffline {
        gateway: gateway.clone(),
        since,
    };
    let silent = |others| Trouble::GatewaySilent {
        gateway: gateway.clone(),
        others,
    };
    let since = Some(Duration::from_secs(300));
    let troubles = [
        broker(Down::Unreachable("connection refused".to_owned())),
        broker(Down::NotGreeted),
        broker(Down::LoginMissing),
        broker(Down::LoginRefused),
        broker(Down::Lost("the connection was closed".to_owned())),
        file(Purpose::Authorities, "/etc/ca.pem", missing),
        file(
            Purpose::Certificate,
            "/etc/me.pem",
            "no certificate in PEM form is in it",
        ),
        file(
            Purpose::Key,
            "/etc/me.key",
            "it does not belong to the certificate",
        ),
        tls(TlsTrouble::NoTrustStore),
        tls(TlsTrouble::NotTrusted),
        tls(TlsTrouble::Expired),
        tls(TlsTrouble::NotYetValid),
        tls(TlsTrouble::WrongName { names: Vec::new() }),
        tls(TlsTrouble::WrongName { names }),
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
        offline(since),
        offline(None),
        Trouble::DriverNotReady {
            gateway: gateway.clone(),
            since,
        },
        silent(Vec::new()),
        silent(vec!["Attic".to_owned()]),
    ];
    let said: Vec<String> = troubles.iter().map(wording::trouble).collect();
    insta::assert_snapshot!(said.join("\n"));
}
