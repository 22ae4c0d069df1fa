//! Sentences about outcomes, refusals and troubles, compared with reviewed snapshots.

use std::time::Duration;

use zwave_mcp_server::gateway::Trouble;
use zwave_mcp_server::gateway::bus::Down;
use zwave_mcp_server::gateway::tls::{Purpose, TlsTrouble};
use zwave_mcp_server::home::decide::{Call, Permission, Question, Target, decide};
use zwave_mcp_server::home::guard::Guard;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Intent;
use zwave_mcp_server::home::model::quantity::Percent;
use zwave_mcp_server::home::outcome::{CommandFailure, Outcome};
use zwave_mcp_server::home::plan::DeviceRefusal;
use zwave_mcp_server::home::planner::plan;
use zwave_mcp_server::mcp::wording::{self, NoConsent};

use crate::houses::{captured, find_device};

/// How a command ends, by what the device reports.
enum Ending {
    Reported(f64),
    AsAsked,
    Moving(Option<f64>, Option<f64>),
    StillReports(f64),
    Is(Outcome),
}

impl Ending {
    fn into_outcome(self, target: &Target) -> Outcome {
        let step = target.planned().plan.step().unwrap();
        let fact = |level: f64| step.fact(&level.into());
        match self {
            Self::Reported(level) => Outcome::Confirmed(fact(level)),
            Self::AsAsked => Outcome::Confirmed(step.goal_fact()),
            Self::Moving(now, target) => Outcome::Moving {
                current: now.and_then(fact),
                target: target.and_then(fact),
            },
            Self::StillReports(level) => fail(CommandFailure::StillReports(fact(level))),
            Self::Is(outcome) => outcome,
        }
    }
}

fn fail(failure: CommandFailure) -> Outcome {
    Outcome::Failed(failure)
}

fn decide_target(house: &House, name: &str, intent: &Intent) -> Target {
    let call = Call {
        name,
        room: None,
        addressed: None,
        intent,
    };
    let mut targets = decide(house, Permission::of(Guard::Allow), &call).unwrap();
    targets.ready.remove(0)
}

#[test]
fn what_became_of_a_command_is_said_as_reviewed() {
    let house = captured();
    let (dimmed, on, off) = (&Intent::Dim(Percent::HALF), &Intent::On(None), &Intent::Off);
    let (dimmer, lamp, door) = ("Kitchen Dimmer", "Living Room Lamp", "Garage Garage Door");
    let refused = |words: &str| fail(CommandFailure::Refused(words.to_owned()));
    let mut said = String::new();
    for (name, intent, ending) in [
        (dimmer, dimmed, Ending::Reported(50.0)),
        (dimmer, dimmed, Ending::AsAsked),
        (dimmer, on, Ending::AsAsked),
        (dimmer, &Intent::Toggle, Ending::AsAsked),
        (lamp, off, Ending::Reported(0.0)),
        ("Entrance Front Door", &Intent::Lock, Ending::AsAsked),
        (door, &Intent::Close, Ending::Reported(0.0)),
        (dimmer, dimmed, Ending::Moving(Some(12.0), Some(50.0))),
        (dimmer, dimmed, Ending::Moving(None, None)),
        (door, &Intent::Close, Ending::Moving(Some(252.0), None)),
        (dimmer, dimmed, Ending::Is(Outcome::Accepted)),
        (lamp, on, Ending::Is(Outcome::Queued)),
        (lamp, on, Ending::Is(Outcome::Unknown)),
        (lamp, on, Ending::Is(fail(CommandFailure::NoResponse))),
        (lamp, on, Ending::Is(fail(CommandFailure::Replaced))),
        (
            lamp,
            on,
            Ending::Is(fail(CommandFailure::RefusedOrNoResponse)),
        ),
        (lamp, on, Ending::Is(refused("no"))),
        (lamp, off, Ending::Is(refused(" . "))),
        (lamp, on, Ending::StillReports(0.0)),
        (dimmer, off, Ending::StillReports(89.0)),
        (lamp, on, Ending::Is(fail(CommandFailure::NotSentInTime))),
        (lamp, on, Ending::Is(fail(CommandFailure::Cancelled))),
        (
            lamp,
            &Intent::Toggle,
            Ending::Is(fail(CommandFailure::StateUnknown)),
        ),
        (
            lamp,
            &Intent::Toggle,
            Ending::Is(fail(CommandFailure::Asleep)),
        ),
    ] {
        let target = decide_target(&house, name, intent);
        let outcome = ending.into_outcome(&target);
        let certainty = outcome.certainty().name();
        let sentence = wording::describe_outcome(&target, &outcome);
        said.push_str(&format!("{certainty}: {sentence}\n"));
    }
    let device = find_device(&house, "Entrance Front Door");
    let planned = plan(&house, device, &Intent::Unlock).unwrap();
    let guarded = DeviceRefusal::Guarded(Box::new(planned.clone()));
    for sentence in [
        wording::describe_device_refusal(device, &Intent::Unlock, &guarded),
        wording::consent_question(&Question {
            device: device.clone(),
            planned,
            intent: Intent::Unlock,
            opens: Vec::new(),
        }),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::CantAsk),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::Declined),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::Dismissed),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::NobodyAsked),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::NoAnswer),
        wording::describe_missing_consent(device, &Intent::Unlock, NoConsent::Changed),
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
            why: "it contains no certificate in PEM format".to_owned(),
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
    let said: Vec<String> = troubles.iter().map(wording::describe_trouble).collect();
    insta::assert_snapshot!(said.join("\n"));
}
